package proxy

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
)

// capture is what is copied of one exchange while it passes. Only heads are written and bytes are copied here; the rest is
// done by the recorder once the exchange is over.
type capture struct {
	*recorder
	isHTTP2    bool // the client calls by HTTP/2
	connection int
	path       string
	first      []byte // the beginning of the request's body, by which a call for a card is recognised
	keepsFirst bool
	isCard     bool                         // the answer is a card
	called     string                       // the host that the client called
	on         atomic.Pointer[numberedConn] // on which the answer is awaited
	reached    atomic.Bool                  // there was a connection to the server
	raw        *rawAnswer                   // what came in place of an answer
	// The heads of the request and of the answer by HTTP/1.1 as they came, and the bodies if they are in chunks; nil if they are not known.
	requestHead, answerHead     []byte
	requestChunks, answerChunks *chunkedBody
	answerOn                    *numberedConn // on which such a body comes
	unreadableRequest           atomic.Bool   // the body of the request cannot be read to its end
	brokenAnswer, restPassed    bool          // likewise that of the answer; and its rest passed on as it came
	headAlone                   bool          // no body follows the head of the answer

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
	c := &capture{recorder: e.recorder, isHTTP2: r.ProtoMajor >= 2, path: r.URL.Path, called: r.Host}
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
	c.reached.Store(true)
	if plain, ok := on.(*numberedConn); ok && plain.isHTTP2 {
		c.on.Store(plain)
	} else if ok && !c.isHTTP2 {
		plain.awaitAnswer(c.requestHead, c.requestChunks)
		if before := c.on.Swap(plain); before != nil && before != plain { // the call is made once more
			before.endAwaiting()
		}
	}
	if c.lockIfOpen() {
		if c.out != nil {
			c.out.Conn = numberOf(on)
		}
		c.mu.Unlock()
	}
}

// readTLS returns what was agreed on with the server by TLS on a connection of HTTP/1.1; nil if there is no TLS.
func (c *capture) readTLS() *tls.ConnectionState {
	on := c.on.Load()
	if on == nil {
		return nil
	}
	if secure, ok := on.Conn.(*tls.Conn); ok {
		state := secure.ConnectionState()
		return &state
	}
	return nil
}

// brokeOff reports whether a call by HTTP/2 reached the server, which gave no answer that can be read: the stream of the client
// then ends in the same way.
func (c *capture) brokeOff() bool { return c.isHTTP2 && c.reached.Load() }

// endAwaiting states that the answer was understood. Its body passes on in the chunks in which it comes if it has some, and the client
// is on a connection on which it can.
func (c *capture) endAwaiting(answer *http.Response, client *clientConn) {
	on := c.on.Swap(nil)
	if on == nil {
		return
	}
	inChunks := client != nil && !c.isHTTP2 && answer.ProtoMajor == 1 && slices.Equal(answer.TransferEncoding, []string{"chunked"}) && answer.Body != http.NoBody
	c.answerHead, c.answerChunks = on.beginBody(inChunks)
	c.answerOn = on
	on.endAwaiting()
}

// endChunks ends what is done for bodies in chunks as the call ends.
func (c *capture) endChunks() {
	c.endAnswerChunks()
	if c.requestChunks != nil {
		c.requestChunks.endLeaving()
	}
}

// endAnswerChunks has the body of the answer be no more passed on in the chunks in which it comes.
func (c *capture) endAnswerChunks() {
	if c.answerChunks != nil {
		c.answerOn.endBody(c.answerChunks)
		c.answerChunks = nil
	}
}

// takeRawAnswer takes what came in place of an answer, unless the client has left.
func (c *capture) takeRawAnswer(gone bool, client *clientConn) {
	on := c.on.Swap(nil)
	if on == nil {
		return
	}
	if !gone && c.unreadableRequest.Load() {
		if rest, known := client.takeRest(); known {
			if begin, known := on.takeHeld(); known {
				c.raw = &rawAnswer{begin: begin, from: on, both: true, request: rest}
				return
			}
		}
	} else if !gone {
		if begin := on.takeUnread(); begin != nil {
			c.raw = &rawAnswer{begin: begin, from: on}
			return
		}
	}
	on.endAwaiting()
}

// noteUnreadableRequest has the rest of a request pass on as it comes if its body cannot be read, and no answer came before.
func (c *capture) noteUnreadableRequest(err error) {
	if !isUnreadable(err) {
		return
	}
	if on := c.on.Load(); on != nil && c.requestChunks != nil && on.holdOpen() {
		c.unreadableRequest.Store(true)
	}
	if !c.lockIfOpen() {
		return
	}
	defer c.mu.Unlock()
	c.in.Trouble = "the body that the client sent cannot be read to its end: " + err.Error()
	if c.out != nil {
		c.out.Gaps.Request = true
	}
}

// isUnreadable reports whether a body is not what it has to be. One that breaks off is not unreadable.
func isUnreadable(err error) bool {
	var op *net.OpError
	return !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, net.ErrClosed) && !errors.Is(err, context.Canceled) &&
		!errors.Is(err, http.ErrBodyReadAfterClose) && !errors.As(err, &op)
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

// describeEnd states how the exchange came to its end on both sides.
func (c *capture) describeEnd(gone, broken bool) {
	now := c.sinceStart()
	c.in.End = now
	closing := c.closing.Load()
	const proxyEnded = "the proxy ended before the answer was complete"
	if out := c.out; out != nil {
		if !c.completed && out.Ended == "" {
			out.End = now
			out.Ended, out.Trouble = record.OurClose, "the client left before the answer was complete"
		}
		if closing && out.Ended != record.EOF && c.raw == nil {
			out.Ended, out.Trouble = record.Aborted, proxyEnded
		}
	}
	switch {
	case c.raw != nil && c.raw.both:
		c.in.Ended, c.in.Trouble = record.OurClose, "the body that the client sent cannot be read, so that it was passed on as it came, as was what the server sent"
	case c.restPassed:
		c.in.Ended, c.in.Trouble = record.OurClose, "the body of the server's answer cannot be read, and its rest was passed on as it came"
	case c.raw != nil:
		c.in.Ended, c.in.Trouble = record.OurClose, "what the server sent is no HTTP, and was passed on as it came"
	case c.in.Response.Head != nil && !broken:
		c.in.Ended = record.EOF
	case closing:
		c.in.Ended, c.in.Trouble = record.Aborted, proxyEnded
	case gone:
		c.in.Ended, c.in.Trouble = record.Reset, "the client closed the connection before the answer was complete"
	default:
		c.in.Ended, c.in.Trouble = record.OurClose, "the server's answer ended before it was complete"
	}
}

// buildPassed makes the exchange of the record, seen from both sides. It is called once the exchange is over.
func (c *capture) buildPassed() traffic.Passed {
	in, out := c.in, c.out
	if out == nil {
		return traffic.Passed{In: in, Connection: c.connection}
	}
	long := out.Gaps.Response
	for _, m := range []struct {
		of  *record.Message
		gap *bool
	}{{&out.Request, &out.Gaps.Request}, {&out.Response, &out.Gaps.Response}} {
		if !decodeBody(m.of) {
			*m.gap = true
		}
	}
	if over := out.ReplaceBodiesByGRPCPayloads(func() bool { return true }); over != "" {
		long, out.Trouble = true, over
	}
	if long && out.Ended == record.EOF {
		out.Ended, out.Trouble = record.Limit, cmp.Or(out.Trouble, record.BeyondBody)
	}
	if out.Gaps.Request && len(out.Request.Body) > record.CutHead {
		out.Request.Body, out.Request.Chunks = out.Request.Body[:record.CutHead:record.CutHead], nil
	}
	new(record.MemoryBudget).CountAndCutExchange(out)
	if out.Ended == record.Limit {
		out.Gaps.Response = true
	}
	gaps := *out.Gaps
	in.Gaps = &gaps
	c.shareBodies(in, out)
	new(record.MemoryBudget).CountAndCutDelivery(in)
	return traffic.Passed{In: in, Out: out, Connection: c.connection}
}

// shareBodies gives the client's side the bodies of the server's side, which are the same bytes.
func (c *capture) shareBodies(in, out *record.Exchange) {
	head := in.Request.Head
	in.Request = out.Request
	in.Request.Head = head
	head = in.Response.Head
	if head == nil {
		return
	}
	switch {
	case c.replaced:
		in.Response = record.Message{Head: head, Framing: record.Framing{Kind: "length", Declared: int64(len(c.given)), Interim: c.interim}}
		if c.isHTTP2 {
			in.Response.Framing.Kind = "frames"
		}
		if in.Response.Trailer = out.Response.Trailer; in.Response.Trailer != nil && !c.isHTTP2 {
			in.Response.Framing.Kind, in.Response.Framing.Declared = "chunked", -1
		}
		in.Response.AppendBody(c.given, in.End)
	case out.Response.Head == nil: // the answer is ours
		in.Response.Framing = record.Framing{Kind: "length", Declared: -1}
	default:
		in.Response = out.Response
		in.Response.Head = head
	}
}

// decodeBody takes off the content coding of a body. It reports false if what is kept of it cannot be read.
func decodeBody(m *record.Message) bool {
	coding := m.ContentCoding()
	if coding == "" {
		return true
	}
	return m.DecodePassed(coding) == ""
}

// sinceStart returns the present instant of the record.
func (r *recorder) sinceStart() record.Instant { return time.Since(r.started) }
