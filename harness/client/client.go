// Package client makes calls and records them byte by byte. It keeps below the rate limit of a
// server, stays within the bounds of a run, and receives deliveries to a webhook.
package client

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

const readBuffer = 32 << 10

// Response bodies above largeBody bytes are read by at most largeOnes calls at the same time.
const (
	largeBody = 1 << 20
	largeOnes = 2
)

// Config is how a Client reaches its server.
type Config struct {
	Started   time.Time           // zero point of all instants
	UserAgent string              // product name and version
	Timeout   time.Duration       // time limit of one exchange if the call has none
	TLS       *tls.Config         // nil for the defaults
	Redact    *redact.Redactor    // nil redacts credential headers only
	Limit     *operator.RateLimit // of the server, if the operator declares one
	// Reach is asked before each connection to a server, with its address as IP:PORT. An
	// error ends the connection before a byte is sent. All may be reached if it is nil.
	Reach func(network, address string) error
	// Proxy names the proxy through which a URL is reached; nil for none, as if it returned nil. It is an
	// http or a socks5 URL.
	Proxy func(*url.URL) (*url.URL, error)
	Trace bool // send a traceparent header with each call
	// Turn waits until one more call to a URL may be sent, if others call its host too; an
	// error is why the call is not made. A URL without a scheme (//host:port/path) is one for which
	// TLS is tried before plaintext. No call waits if it is nil.
	Turn func(ctx context.Context, at *url.URL) error
}

// Client performs HTTP/1.1 exchanges and records them byte by byte, and HTTP/2
// exchanges frame by frame. It follows no redirect, asks for no compression, and never returns an error: what went
// wrong is part of the exchange.
type Client struct {
	cfg    Config
	tr     *http.Transport
	pace   *Pace
	dialer *net.Dialer
	fds    descriptorWatch
	conns  atomic.Int64
	budget record.MemoryBudget
	tracer *tracer       // nil if calls are not traced
	large  chan struct{} // held while a large body is in memory and not yet bounded
	// plain are hosts that did not answer TLS, with the error of each.
	plain   sync.Map
	leaving sync.WaitGroup // connections of HTTP/2 that say goodbye
}

// NewClient returns a client for one run. Close it to drop its connections.
func NewClient(cfg Config) *Client {
	if cfg.Timeout <= 0 {
		cfg.Timeout = 30 * time.Second
	}
	if cfg.Redact == nil {
		cfg.Redact = redact.NewRedactor(nil)
	}
	// One processor gains nothing by two of them, and collects less garbage meanwhile.
	c := &Client{cfg: cfg, large: make(chan struct{}, min(largeOnes, runtime.GOMAXPROCS(0)))}
	if cfg.Trace {
		c.tracer = newTracerWithRandomID()
	}
	c.pace, c.dialer = newPace(c.Now, cfg.Limit), Dialer(cfg.Reach)
	c.tr = &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			ctx, leave := withCall(ctx)
			defer leave()
			conn, err := c.dialDirectlyOrThroughProxy(ctx, network, addr, false)
			if err != nil {
				return nil, err
			}
			return c.wrapRecordedConn(conn, conn, nil), nil
		},
		DialTLSContext:         c.tlsDialer(func(*tls.Config) {}),
		DisableCompression:     true,
		MaxResponseHeaderBytes: record.MaxHead,
		MaxIdleConnsPerHost:    32,
		// Common servers close a connection after two to five idle seconds. A
		// request that crosses such a close on its way would look refused.
		IdleConnTimeout: time.Second,
	}
	return c
}

// Close drops the client's idle connections.
func (c *Client) Close() {
	c.tr.CloseIdleConnections()
	c.leaving.Wait()
}

// Now is the present instant of the run.
func (c *Client) Now() record.Instant { return time.Since(c.cfg.Started) }

// Pace is what keeps the client below the server's rate limit.
func (c *Client) Pace() *Pace { return c.pace }

// withTLSVersions is a transport that offers only some TLS versions and shares no
// connection with other calls.
func (c *Client) withTLSVersions(call Call) *http.Transport {
	tr := c.tr.Clone()
	tr.DisableKeepAlives = true
	tr.DialTLSContext = c.tlsDialer(func(cfg *tls.Config) { boundTLSVersions(cfg, call) })
	return tr
}

// boundTLSVersions has the versions offered that a call asks for; 0 leaves a bound as it is.
func boundTLSVersions(cfg *tls.Config, call Call) {
	cfg.MinVersion, cfg.MaxVersion = cmp.Or(call.MinTLS, cfg.MinVersion), cmp.Or(call.MaxTLS, cfg.MaxVersion)
}

// A Line is a connection apart from the client's others. Calls on it travel on
// one connection for as long as the server keeps it open, and those that are
// made Once on other connections.
type Line struct {
	tr        *http.Transport
	anonymous bool
}

// Line opens a line. An anonymous one does not show our client certificate.
func (c *Client) Line(anonymous bool) *Line {
	tr := c.tr.Clone()
	tr.MaxConnsPerHost = 1
	if anonymous {
		tr.DialTLSContext = c.tlsDialer(func(cfg *tls.Config) { cfg.Certificates = nil })
	}
	return &Line{tr, anonymous}
}

// Close hangs up.
func (l *Line) Close() { l.tr.CloseIdleConnections() }

// tlsDialer makes TLS connections by the client's configuration with a change
// to it.
func (c *Client) tlsDialer(change func(*tls.Config)) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		ctx, leave := withCall(ctx)
		defer leave()
		conn, err := c.dialDirectlyOrThroughProxy(ctx, network, addr, true)
		if err != nil {
			return nil, err
		}
		cfg := c.tlsFor(addr, "http/1.1")
		change(cfg)
		secured := tls.Client(conn, cfg)
		if err := secured.HandshakeContext(ctx); err != nil {
			conn.Close()
			return nil, fmt.Errorf(record.HandshakeTrouble+"%w", err)
		}
		return c.wrapRecordedConn(secured, conn, record.DescribeTLS(secured.ConnectionState(), cfg.ServerName, !cfg.InsecureSkipVerify)), nil
	}
}

// tlsFor is the client's configuration for a server and a protocol.
func (c *Client) tlsFor(addr, protocol string) *tls.Config {
	cfg := &tls.Config{}
	if c.cfg.TLS != nil {
		cfg = c.cfg.TLS.Clone()
	}
	if cfg.ServerName == "" {
		cfg.ServerName, _, _ = net.SplitHostPort(addr)
	}
	cfg.NextProtos = []string{protocol}
	return cfg
}

// Call is one HTTP request to make.
type Call struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte
	Recipe *record.Recipe // set if Body is too large to be kept
	Fresh  bool           // ask for the connection to be closed afterwards
	// Once is set if the call may set an agent to work. It goes out on a connection
	// on which nothing was sent before, so that a close is the server's answer to
	// it and not that of a connection which was idle too long, and it is never
	// repeated.
	Once    bool
	Timeout time.Duration // overrides the client's patience
	// MinTLS and MaxTLS bound the TLS versions that are offered; either makes
	// the call use a connection of its own.
	MinTLS, MaxTLS uint16
	Line           *Line // the connection to use; nil for any
	Rush           bool  // whatever the server's rate limit
	// Stop ends the exchange as OurClose once it is closed.
	Stop <-chan struct{}
	// Bare is set if the request has the header fields of Header and those about its connection alone, since
	// somebody else wrote it.
	Bare bool
	// Begun is called with the head of the response and its framing before any piece of the body is shown. It may be nil, and
	// is not called over HTTP/2.
	Begun func(head []byte, is record.Framing)
	// HTTP2 makes the call over HTTP/2: on TLS for https, on nothing for http, and for
	// a URL without a scheme (//host:port/path) on TLS, or on nothing if no server
	// answers that. Its connection is its own. A call of gRPC is one whose Content-Type
	// names it; its body is messages with their prefixes (see FrameGRPC).
	HTTP2 bool
}

// Events returns a reader of the stream by which the call may be answered: of event streams
// or, if it is a call of gRPC, of messages.
func (call Call) Events() record.EventReader {
	if u, err := parseHTTP2URL(call); call.HTTP2 && err == nil && record.IsGRPC(record.ParseMediaType(call.Header.Get("Content-Type"))) {
		return record.NewGRPCEventReader(u.RequestURI())
	}
	return record.NewSSEEventReader()
}

var errStopped = errors.New("we closed the exchange, having seen enough")

// Watch is shown every piece of a response body as it arrives and reports
// whether to read on. Returning false ends the exchange as OurClose.
type Watch func(piece []byte, at record.Instant) bool

// Do performs one call and returns its record. Whatever the server does, it
// returns soon after the context or the call's patience has ended.
func (c *Client) Do(ctx context.Context, call Call, watch Watch) *record.Exchange {
	x := &record.Exchange{Dir: record.Out, URL: call.URL}
	if why := unboundedRequest(call); why != "" {
		x.URL = ""
		return c.recordUnsent(x, Call{Method: call.Method}, why)
	}
	var req *http.Request
	var to *url.URL
	var err error
	if call.HTTP2 {
		to, err = parseHTTP2URL(call)
	} else {
		if req, err = c.buildRequest(call); err == nil {
			to = req.URL
		}
	}
	if err != nil {
		return c.recordUnsent(x, call, err.Error())
	}
	if call.Rush {
		c.pace.countCallIgnoringLimit()
	} else if err := c.pace.awaitAndCountCall(ctx); err != nil {
		return c.recordUnsent(x, call, err.Error())
	}
	if c.cfg.Turn != nil {
		if err := c.pace.timeWait(func() error { return c.cfg.Turn(ctx, to) }); err != nil {
			c.pace.recordAnswer(nil)
			return c.recordUnsent(x, call, err.Error())
		}
	}
	var head http.Header
	answered := sync.OnceFunc(func() { c.pace.recordAnswer(head) })
	defer answered()
	x.Start = c.Now()
	timeout := call.Timeout
	if timeout <= 0 {
		timeout = c.cfg.Timeout
	}
	run := ctx
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if call.Stop != nil {
		over := ctx.Done()
		go func() {
			select {
			case <-call.Stop:
				stop(errStopped)
			case <-over:
			}
		}()
	}

	room := &bodySlot{c: c, ctx: ctx}
	defer room.release()
	if call.HTTP2 {
		ended, err := c.doHTTP2(ctx, x, to, call, timeout, watch, room, func(h http.Header) { head = h; answered() })
		ended, err = reclassifyEnding(ctx, run, ended, err)
		c.completeAndRedactExchange(x, call, ended, err, room)
		return x
	}
	tr := c.tr
	if call.Line != nil {
		tr = call.Line.tr
	}
	switch {
	case call.MinTLS != 0 || call.MaxTLS != 0:
		tr = c.withTLSVersions(call)
		defer tr.CloseIdleConnections()
	case call.Once:
		tr = tr.Clone()
		defer tr.CloseIdleConnections()
	}
	tries := &attemptLog{c: c, ctx: ctx, toHead: call.Method == http.MethodHead}
	resp, err := tr.RoundTrip(req.WithContext(tries.withConnTrace()))
	if err != nil && !call.Once && tries.hasReusedConnGivenNothing() {
		tries.recordFailure(err)
		tr = tr.Clone() // on a connection that was never idle
		defer tr.CloseIdleConnections()
		if req.GetBody != nil {
			req.Body, _ = req.GetBody() // of bytes in memory, which cannot fail
		}
		resp, err = tr.RoundTrip(req.WithContext(tries.withConnTrace()))
	}
	ended := record.EOF
	if err == nil {
		head = resp.Header
	}
	answered()
	if err == nil {
		if call.Begun != nil {
			call.Begun(tries.readHead())
		}
		ended, err = c.readBody(resp.Body, watch, room)
		resp.Body.Close()
	} else {
		ended = endingOf(err)
	}
	ended, err = reclassifyEnding(ctx, run, ended, err)
	last := tries.recordEarlierAttempts(x, &c.cfg, ended == record.Reset && withoutConnection(err))
	switch {
	case last != nil:
		last.conn.endTransfer(last.rec)
		x.Conn, x.TLS = last.conn.number, last.conn.facts
		x.Request.Head = requestHead(last.rec.sent)
		if last.rec.response.crowded { // net/http reports this in words of its own, or not at all
			ended, err = record.Limit, errTooManyFields
		}
		x.Response = last.rec.response.closeMessage(ended)
	case c.fds.shortSince(x.Start):
		ended, err = record.Unsent, errResourceShortage
	case ended == record.Reset:
		ended = record.NoDial
	}
	if len(x.Request.Head) == 0 { // it was not sent: what it would have been
		x.Request.Head = unsentHead(call.Method, req.URL.RequestURI())
	}
	x.Request.Framing = record.Framing{Kind: "length", Declared: int64(len(call.Body)), Received: int64(len(call.Body))}
	c.completeAndRedactExchange(x, call, ended, err, room)
	return x
}

// reclassifyEnding is how an exchange ended that did not end by itself.
func reclassifyEnding(ctx, run context.Context, ended record.Ended, err error) (record.Ended, error) {
	switch {
	case err != nil && context.Cause(ctx) == errStopped:
		return record.OurClose, nil
	case err != nil && run.Err() != nil: // whatever its text: a cause is any error that the caller chose
		return record.Aborted, run.Err()
	case ended == record.Reset && ctx.Err() != nil: // the connection was closed for that
		return record.Timeout, ctx.Err()
	}
	return ended, err
}

// completeAndRedactExchange ends the record of an exchange: bodies are decoded, secrets taken out, and
// bounds kept.
func (c *Client) completeAndRedactExchange(x *record.Exchange, call Call, ended record.Ended, err error, room *bodySlot) {
	if call.Recipe != nil {
		x.Request.Body, x.Request.Recipe = nil, call.Recipe
	} else {
		x.Request.Body = call.Body
	}
	x.Ended, x.End = ended, c.Now()
	if err != nil {
		x.Trouble = describeTrouble(err)
	}
	if x.HTTP2 != nil {
		if over := x.ReplaceBodiesByGRPCPayloads(room.waitForSlot); over != "" {
			x.Ended, x.Trouble = record.Limit, over
		}
	}
	if coding := x.Response.ContentCoding(); coding != "" && len(x.Response.Prefixes) == 0 {
		if trouble := x.Response.Decode(coding, room.waitForSlot()); trouble != "" {
			x.Ended, x.Trouble = record.Limit, trouble
		}
	}
	c.budget.CutBeforeRedaction(x)
	// Redaction comes first: a cut through a secret would leave its halves.
	c.cfg.Redact.Exchange(x)
	c.budget.CountAndCutExchange(x)
}

// parsedURI returns a URL as a request line has it.
func parsedURI(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.RequestURI()
	}
	return "/"
}

// readBuffers are those that bodies are read through. The pieces are kept by whoever
// records the connection.
var readBuffers = sync.Pool{New: func() any { return new([readBuffer]byte) }}

func (c *Client) readBody(body io.Reader, watch Watch, room *bodySlot) (record.Ended, error) {
	kept := readBuffers.Get().(*[readBuffer]byte)
	defer readBuffers.Put(kept)
	buf := kept[:]
	total := 0
	for {
		n, err := body.Read(buf)
		total += n
		enough := n > 0 && watch != nil && !watch(buf[:n], c.Now())
		switch {
		case err == io.EOF:
			return record.EOF, nil
		case enough:
			return record.OurClose, nil
		case err != nil:
			return endingOf(err), err
		}
		if err := room.admit(total); err != nil {
			return record.Limit, err
		}
	}
}

func endingOf(err error) record.Ended {
	var ne net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.As(err, &ne) && ne.Timeout():
		return record.Timeout
	case errors.Is(err, errTooManyFields), bytes.Contains([]byte(err.Error()), []byte("server response headers exceeded")):
		return record.Limit
	}
	return record.Reset
}

// requestHead cuts what was sent after the blank line that ends its head.
func requestHead(sent []byte) []byte {
	if i := bytes.Index(sent, []byte("\r\n\r\n")); i >= 0 {
		sent = sent[:i+4]
	}
	return bytes.Clone(sent)
}

// bodySlot is the right to hold a large body until it is bounded. There are few of them:
// many at once would take more memory than a run may have.
type bodySlot struct {
	c    *Client
	ctx  context.Context
	held bool
}

// waitForSlot waits for a place; it reports false if the exchange's time ends first.
func (r *bodySlot) waitForSlot() bool {
	if r.held {
		return true
	}
	select {
	case r.c.large <- struct{}{}:
		r.held = true
		return true
	case <-r.ctx.Done():
		return false
	}
}

// admit returns why no more of a body is read than so many bytes; nil if more may be.
func (r *bodySlot) admit(size int) error {
	switch {
	case size > record.MaxBody:
		return errors.New(record.BeyondBody)
	case size > largeBody && !r.waitForSlot():
		return fmt.Errorf("the body went beyond %d MiB while others did, and there was no time to read it", largeBody>>20)
	}
	return nil
}

func (r *bodySlot) release() {
	if r.held {
		<-r.c.large
	}
}
