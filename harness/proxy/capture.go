package proxy

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// capture is what is copied of one exchange while it passes. Only heads are written and bytes are copied here; the rest is
// done by the recorder once the exchange is over.
type capture struct {
	*recorder
	passage
	connection int
	path       string
	first      []byte // the beginning of the request's body, by which a call for a card is recognised
	keepsFirst bool
	isCard     bool   // the answer is a card
	called     string // the host that the client called

	mu   sync.Mutex
	over bool // nothing more is taken
	fate fate
	held int64 // bytes that are counted
	in   *record.Exchange
	out  *record.Exchange // nil until the request leaves
	// given is the body that the client was given if it is not that of the server; nil if it is.
	given     []byte
	replaced  bool
	completed bool // the body of the answer came to its end
	interim   []int
}

// fate is what becomes of an exchange in the record.
type fate int

// The fates of exchanges.
const (
	recorded   fate = iota
	dropped         // the record had no room
	leftOut         // the operator did not choose it
	upgraded        // the connection went on in another protocol
	unreadable      // the request was no HTTP, and passed on as it came
	fateCount
)

// fateNames are the names of the fates in the metrics.
var fateNames = [fateCount]string{"recorded", "dropped", "left_out", "upgraded", "unreadable"}

// mostFirst bounds what is looked at of a request's body before the answer; a call for a card is short.
const mostFirst = 4 << 10

// newCapture begins the record of an exchange.
func (e *entry) newCapture(r *http.Request) *capture {
	c := &capture{recorder: e.recorder, passage: passage{isHTTP2: r.ProtoMajor >= 2}, path: r.URL.Path, called: r.Host}
	c.keepsFirst = !e.cfg.KeepCards && r.Method == http.MethodPost && r.ContentLength <= mostFirst
	if on := clientConnOf(r.Context()); on != nil && !c.isHTTP2 {
		c.requestHead, c.requestChunks = on.beginCall(r)
	}
	c.connection, _ = r.Context().Value(connectionKey{}).(int)
	c.open.Add(1)
	if !e.isOnly(r.URL.Path) {
		c.fate = leftOut
		return c
	}
	c.in = c.newExchange(record.In, e.nameBase(r.Host), r)
	c.in.Conn = c.connection
	noteProtocol(c.in, c.isHTTP2, r.TLS, false)
	c.holdBytes(int64(len(c.in.Request.Head)))
	return c
}

// newExchange begins one side of the record with the head of its request.
func (c *capture) newExchange(dir record.Direction, origin string, r *http.Request) *record.Exchange {
	x := &record.Exchange{Dir: dir, URL: origin + boundTarget(r), Start: c.sinceStart(), Gaps: &record.Gaps{Bytes: true}}
	x.Request = record.Message{Head: formatRequestHead(r, c.isHTTP2), Framing: describeFraming(r.ContentLength, c.isHTTP2)}
	x.Response.Framing = record.Framing{Kind: "none", Declared: -1}
	noteProtocol(x, c.isHTTP2, nil, false)
	return x
}

// noteProtocol records by which version of HTTP, and by which TLS if any, an exchange is made.
func noteProtocol(x *record.Exchange, isHTTP2 bool, secure *tls.ConnectionState, verified bool) {
	if x.HTTP2 = nil; isHTTP2 {
		x.HTTP2 = &record.HTTP2{}
	}
	if secure == nil {
		return
	}
	x.TLS = record.DescribeTLS(*secure, secure.ServerName, verified)
	if isHTTP2 {
		x.HTTP2.ALPN = secure.NegotiatedProtocol
	}
}

// boundTarget returns the target of a request as a URL has it.
func boundTarget(r *http.Request) string {
	target := r.URL.RequestURI()
	if !strings.HasPrefix(target, "/") {
		return "/"
	}
	return target[:min(len(target), record.MaxAddress)]
}

// describeFraming returns the framing of a message by what net/http read of it.
func describeFraming(length int64, isHTTP2 bool) record.Framing {
	f := record.Framing{Kind: "length", Declared: length}
	switch {
	case length == 0:
		f.Kind = "none"
	case isHTTP2:
		f.Kind = "frames"
	case length < 0:
		f.Kind = "chunked"
	}
	if length <= 0 {
		f.Declared = -1
	}
	return f
}

// holdBytes counts bytes that the record takes. If there is no room for them, it loses the exchange.
func (c *capture) holdBytes(n int64) {
	c.held += n
	if c.waiting.Add(n) > c.bounds.Waiting {
		c.loseExchange(dropped)
	}
}

// loseExchange has the exchange not be recorded, and gives back what it took. The caller has locked c.mu, or is the only one who
// knows the capture.
func (c *capture) loseExchange(to fate) {
	if c.fate != recorded {
		return
	}
	c.fate, c.in, c.out, c.given = to, nil, nil, nil
	c.waiting.Add(-c.held)
	c.held = 0
}

// leaveOut has the exchange not be recorded.
func (c *capture) leaveOut(to fate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.loseExchange(to)
}

// lockIfOpen locks the capture and reports whether anything more is recorded; if not, it is not locked.
func (c *capture) lockIfOpen() bool {
	c.mu.Lock()
	if c.over || c.fate != recorded {
		c.mu.Unlock()
		return false
	}
	return true
}

// noteSent records the head of the request to the server.
func (c *capture) noteSent(r *http.Request) {
	if !c.lockIfOpen() {
		return
	}
	defer c.mu.Unlock()
	c.out = c.newExchange(record.Out, r.URL.Scheme+"://"+r.URL.Host, r)
	c.holdBytes(int64(len(c.out.Request.Head)))
}

// readFirst returns the body of the request if it is short.
func (c *capture) readFirst() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.first)
}

// noteConnection records on which connection the request leaves.
func (c *capture) noteConnection(on net.Conn) {
	c.awaitOn(on)
	if c.lockIfOpen() {
		if c.out != nil {
			c.out.Conn = numberOf(on)
		}
		c.mu.Unlock()
	}
}

// noteRequestTrouble records why the body of the request cannot be read to its end, if it is not what it has to be.
func (c *capture) noteRequestTrouble(err error) {
	if !isUnreadable(err) {
		return
	}
	c.holdAnswer()
	if !c.lockIfOpen() {
		return
	}
	defer c.mu.Unlock()
	c.in.Trouble = "the body that the client sent cannot be read to its end: " + err.Error()
	if c.out != nil {
		c.out.Gaps.Request = true
	}
}

// noteRequestBody records a piece of the body of the request.
func (c *capture) noteRequestBody(p []byte) {
	if c.keepsFirst {
		c.mu.Lock()
		if len(c.first)+len(p) > mostFirst {
			c.keepsFirst, c.first = false, nil
		} else {
			c.first = append(c.first, p...)
		}
		c.mu.Unlock()
	}
	if len(p) == 0 || !c.lockIfOpen() {
		return
	}
	defer c.mu.Unlock()
	if c.out != nil {
		c.appendPiece(&c.out.Request, &c.out.Gaps.Request, p, record.MaxDelivery)
	}
}

// appendPiece adds a piece to a body. Of one that is longer than what is kept, only the beginning is.
func (c *capture) appendPiece(m *record.Message, cut *bool, p []byte, most int) {
	if *cut || len(m.Body)+len(p) > most {
		*cut = true
		m.Framing.Received += int64(len(p))
		return
	}
	before := cap(m.Body)
	m.AppendBody(p, c.sinceStart())
	c.holdBytes(int64(cap(m.Body) - before + 24))
}

// noteRequestEnd records the trailer of the request.
func (c *capture) noteRequestEnd(trailer http.Header) {
	if len(trailer) == 0 || !c.lockIfOpen() {
		return
	}
	defer c.mu.Unlock()
	if c.out != nil {
		c.out.Request.Trailer = formatFields(trailer, nil)
		c.holdBytes(int64(len(c.out.Request.Trailer)))
	}
}

// noteFailure records that the server gave no answer.
func (c *capture) noteFailure(err error) {
	if !c.lockIfOpen() {
		return
	}
	defer c.mu.Unlock()
	if c.out != nil {
		c.out.Ended, c.out.Trouble = describeFailure(err)
		if c.unreadableRequest.Load() {
			c.out.Ended, c.out.Trouble = record.OurClose, "the client sent a body that cannot be read: "+err.Error()
			c.out.Gaps.Response = true
		}
		c.out.End = c.sinceStart()
	}
}

// noteAnswered records the head of the server's answer.
func (c *capture) noteAnswered(r *http.Response) {
	if !c.lockIfOpen() {
		return
	}
	defer c.mu.Unlock()
	if c.out == nil {
		return
	}
	isHTTP2 := r.ProtoMajor >= 2
	noteProtocol(c.out, isHTTP2, r.TLS, r.TLS != nil && len(r.TLS.VerifiedChains) > 0)
	m := &c.out.Response
	m.Head = formatResponseHead(r.StatusCode, r.Status, r.Proto, r.Header, r.TransferEncoding, isHTTP2)
	m.Framing = describeFraming(r.ContentLength, isHTTP2)
	if r.Body == http.NoBody {
		m.Framing.Kind = "none"
	} else if r.ContentLength < 0 && !isHTTP2 && len(r.TransferEncoding) == 0 {
		m.Framing.Kind = "close"
	}
	m.Framing.Interim = c.interim
	c.holdBytes(int64(len(m.Head)))
}

// noteResponseBody records a piece of the body of the answer.
func (c *capture) noteResponseBody(p []byte) {
	if len(p) == 0 || !c.lockIfOpen() {
		return
	}
	defer c.mu.Unlock()
	if c.out != nil {
		c.appendPiece(&c.out.Response, &c.out.Gaps.Response, p, record.MaxBody)
	}
}

// noteResponseEnd records how the body of the answer came to its end.
func (c *capture) noteResponseEnd(err error, trailer http.Header) {
	if !c.lockIfOpen() {
		return
	}
	defer c.mu.Unlock()
	if c.out == nil || c.completed {
		return
	}
	c.completed = true
	c.out.End = c.sinceStart()
	if c.out.Ended = record.EOF; !errors.Is(err, io.EOF) {
		c.out.Ended, c.out.Trouble = describeFailure(err)
	}
	if len(trailer) > 0 {
		c.out.Response.Trailer = formatFields(trailer, nil)
		c.holdBytes(int64(len(c.out.Response.Trailer)))
	}
}

// noteReplaced records the body that the client is given in place of that of the server.
func (c *capture) noteReplaced(text []byte) {
	if !c.lockIfOpen() {
		return
	}
	defer c.mu.Unlock()
	c.given, c.replaced = text, true
	c.holdBytes(int64(len(text)))
}

// noteGiven records the head of the answer that the client is given.
func (c *capture) noteGiven(status int, h http.Header) {
	if !c.lockIfOpen() {
		return
	}
	defer c.mu.Unlock()
	if status < 200 {
		if c.interim = append(c.interim, status); len(c.interim) > record.MaxFaults {
			c.interim = c.interim[:record.MaxFaults]
		}
		return
	}
	proto := "HTTP/1.1"
	if c.isHTTP2 {
		proto = "HTTP/2.0"
	}
	c.in.Response.Head = formatResponseHead(status, "", proto, h, nil, c.isHTTP2)
	c.holdBytes(int64(len(c.in.Response.Head)))
}

// finishExchange ends the exchange, and hands it to the recorder if there is room. gone states that the client has left, and
// broken that the answer was broken off.
func (c *capture) finishExchange(gone, broken bool) {
	c.mu.Lock()
	c.over = true
	if c.fate == recorded {
		c.describeEnd(gone, broken)
	}
	fate := c.fate
	c.mu.Unlock()
	if fate == recorded && !c.handOver(c) {
		c.loseExchange(dropped)
		fate = c.fate
	}
	if fate != recorded {
		c.countFate(fate)
	}
	c.open.Add(-1)
}
