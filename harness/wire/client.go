package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

const readBuffer = 32 << 10

// Config says how a Client reaches its server.
type Config struct {
	Started   time.Time     // zero point of all instants
	UserAgent string        // product name and version; the scenario is added per call
	Timeout   time.Duration // patience for one exchange where the call names none
	TLS       *tls.Config   // nil for the defaults
	Redact    *Redactor     // nil redacts credential headers only
	Limit     *RateLimit    // of the server, where the operator declares one
}

// Client performs HTTP/1.1 exchanges and records them byte by byte. It follows
// no redirect, asks for no compression, and never returns an error: what went
// wrong is part of the exchange.
type Client struct {
	cfg   Config
	tr    *http.Transport
	pace  *Pace
	conns atomic.Int64
	kept  atomic.Int64
	weigh atomic.Int64
	large chan struct{} // held while a large body is in memory and not yet bounded
}

// NewClient returns a client for one run. Close it to drop its connections.
func NewClient(cfg Config) *Client {
	if cfg.Timeout <= 0 {
		cfg.Timeout = 30 * time.Second
	}
	if cfg.Redact == nil {
		cfg.Redact = NewRedactor(nil)
	}
	c := &Client{cfg: cfg, large: make(chan struct{}, largeOnes)}
	c.pace = newPace(c.Now, cfg.Limit)
	c.tr = &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return c.record(conn, nil), nil
		},
		DialTLSContext:         c.tlsDialer(func(*tls.Config) {}),
		DisableCompression:     true,
		MaxResponseHeaderBytes: MaxHead,
		MaxIdleConnsPerHost:    32,
		// Common servers close a connection after two to five idle seconds. A
		// request that crosses such a close on its way would look refused.
		IdleConnTimeout: time.Second,
	}
	return c
}

// Close drops the client's idle connections.
func (c *Client) Close() { c.tr.CloseIdleConnections() }

// Now is the present instant of the run.
func (c *Client) Now() Instant { return time.Since(c.cfg.Started) }

// Pace is what keeps the client below the server's rate limit.
func (c *Client) Pace() *Pace { return c.pace }

var dialer = &net.Dialer{Timeout: 10 * time.Second}

// bounded is a transport that offers only some TLS versions and shares no
// connection with other calls.
func (c *Client) bounded(min, max uint16) *http.Transport {
	tr := c.tr.Clone()
	tr.DisableKeepAlives = true
	tr.DialTLSContext = c.tlsDialer(func(cfg *tls.Config) {
		if min != 0 {
			cfg.MinVersion = min
		}
		if max != 0 {
			cfg.MaxVersion = max
		}
	})
	return tr
}

// A Line is a connection apart from the client's others. Calls on it travel on
// one connection for as long as the server keeps it open.
type Line struct{ tr *http.Transport }

// Line opens a line. An anonymous one does not show our client certificate.
func (c *Client) Line(anonymous bool) *Line {
	tr := c.tr.Clone()
	tr.MaxConnsPerHost = 1
	if anonymous {
		tr.DialTLSContext = c.tlsDialer(func(cfg *tls.Config) { cfg.Certificates = nil })
	}
	return &Line{tr}
}

// Close hangs up.
func (l *Line) Close() { l.tr.CloseIdleConnections() }

// tlsDialer makes TLS connections by the client's configuration with a change
// to it.
func (c *Client) tlsDialer(change func(*tls.Config)) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		cfg := &tls.Config{}
		if c.cfg.TLS != nil {
			cfg = c.cfg.TLS.Clone()
		}
		if cfg.ServerName == "" {
			cfg.ServerName, _, _ = net.SplitHostPort(addr)
		}
		cfg.NextProtos = []string{"http/1.1"}
		change(cfg)
		secured := tls.Client(conn, cfg)
		if err := secured.HandshakeContext(ctx); err != nil {
			conn.Close()
			return nil, fmt.Errorf(handshake+"%w", err)
		}
		return c.record(secured, tlsFacts(secured.ConnectionState(), cfg.ServerName, !cfg.InsecureSkipVerify)), nil
	}
}

// handshake begins what is said of a handshake that failed.
const handshake = "TLS handshake: "

// tlsFacts: the name is the one that the certificate has to be for; the
// handshake itself names no addresses.
func tlsFacts(s tls.ConnectionState, name string, verified bool) *TLS {
	f := &TLS{
		Version:     tls.VersionName(s.Version),
		CipherSuite: tls.CipherSuiteName(s.CipherSuite),
		ServerName:  name,
		Verified:    verified,
	}
	if len(s.PeerCertificates) > 0 {
		leaf := s.PeerCertificates[0]
		f.Subject, f.Issuer = leaf.Subject.String(), leaf.Issuer.String()
		f.NotAfter = leaf.NotAfter.UTC().Format(time.RFC3339)
	}
	return f
}

// Call is one HTTP request to make.
type Call struct {
	Method  string
	URL     string
	Header  http.Header
	Body    []byte
	Recipe  *Recipe       // set where Body is too large to be kept
	Product string        // what the User-Agent adds in brackets: the scenario
	Fresh   bool          // use a connection of its own
	Timeout time.Duration // overrides the client's patience
	// MinTLS and MaxTLS bound the TLS versions that are offered; either makes
	// the call use a connection of its own.
	MinTLS, MaxTLS uint16
	Line           *Line // the connection to use; nil for any
	Rush           bool  // whatever the server's rate limit
	// Stop ends the exchange as OurClose once it is closed.
	Stop <-chan struct{}
}

var errStopped = errors.New("we closed the exchange, having seen enough")

// Watch is shown every piece of a response body as it arrives and tells
// whether to read on. Returning false ends the exchange as OurClose.
type Watch func(piece []byte, at Instant) bool

// Do performs one call and returns its record.
func (c *Client) Do(ctx context.Context, call Call, watch Watch) *Exchange {
	x := &Exchange{Dir: Out, URL: call.URL}
	if call.Rush {
		c.pace.rush()
	} else if err := c.pace.enter(ctx); err != nil {
		x.Start, x.End, x.Ended, x.Trouble = c.Now(), c.Now(), Aborted, err.Error()
		x.Request.Head = fmt.Appendf(nil, "%s %s HTTP/1.1\r\n\r\n", call.Method, parsedURI(call.URL))
		c.cfg.Redact.Exchange(x)
		return x
	}
	var head http.Header
	answered := sync.OnceFunc(func() { c.pace.answer(head) })
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

	var mu sync.Mutex
	var conn *recConn
	var rec *record
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		mu.Lock()
		defer mu.Unlock()
		if rc, ok := i.Conn.(*recConn); ok {
			conn, rec = rc, rc.begin(call.Method == http.MethodHead)
		}
	}})
	req, err := http.NewRequestWithContext(ctx, call.Method, call.URL, bytes.NewReader(call.Body))
	if err != nil {
		x.End, x.Ended, x.Trouble = c.Now(), NoDial, err.Error()
		return x
	}
	for k, v := range call.Header {
		req.Header[k] = v
	}
	if c.cfg.UserAgent != "" && req.Header.Get("User-Agent") == "" {
		agent := c.cfg.UserAgent
		if call.Product != "" {
			agent += " (" + call.Product + ")"
		}
		req.Header.Set("User-Agent", agent)
	}
	if req.Header.Get("Accept-Encoding") == "" {
		req.Header.Set("Accept-Encoding", "identity")
	}
	req.Close = call.Fresh
	// A server may close a connection just when the next call goes out on it. With
	// this field, which is not sent, net/http makes the call once more on another
	// connection if on a used one not a byte came back.
	req.Header["Idempotency-Key"] = nil

	tr := c.tr
	if call.MinTLS != 0 || call.MaxTLS != 0 {
		tr = c.bounded(call.MinTLS, call.MaxTLS)
		defer tr.CloseIdleConnections()
	}
	if call.Line != nil {
		tr = call.Line.tr
	}
	room := &room{c: c, ctx: ctx}
	defer room.leave()
	resp, err := tr.RoundTrip(req)
	ended := EOF
	if err == nil {
		head = resp.Header
	}
	answered()
	if err == nil {
		ended, err = c.read(resp.Body, watch, room)
		resp.Body.Close()
	} else {
		ended = endOf(err)
	}
	switch {
	case err != nil && context.Cause(ctx) == errStopped:
		ended, err = OurClose, nil
	case err != nil && run.Err() != nil: // whatever it says: a cause is what its giver chose
		ended = Aborted
	}
	mu.Lock()
	defer mu.Unlock()
	if conn == nil {
		if ended == Reset {
			ended = NoDial
		}
	} else {
		conn.end(rec)
		x.Conn, x.TLS = conn.number, conn.facts
		x.Request.Head = requestHead(rec.sent)
		x.Response = rec.response.end(ended)
	}
	if len(x.Request.Head) == 0 { // it was not sent: what it would have been
		x.Request.Head = fmt.Appendf(nil, "%s %s HTTP/1.1\r\n\r\n", call.Method, req.URL.RequestURI())
	}
	if call.Recipe != nil {
		x.Request.Body, x.Request.Recipe = nil, call.Recipe
	} else {
		x.Request.Body = call.Body
	}
	x.Request.Framing = Framing{Kind: "length", Declared: int64(len(call.Body)), Received: int64(len(call.Body))}
	x.Ended, x.End = ended, c.Now()
	if err != nil {
		x.Trouble = err.Error()
	}
	if coding := x.Response.coding(); coding != "" {
		if trouble := x.Response.decode(coding, room.enter()); trouble != "" {
			x.Ended, x.Trouble = Limit, trouble
		}
	}
	// Redaction comes first: a cut through a secret would leave its halves.
	c.cfg.Redact.Exchange(x)
	c.bound(x)
	return x
}

// parsedURI is what a request line says of a URL.
func parsedURI(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.RequestURI()
	}
	return "/"
}

func (c *Client) read(body io.Reader, watch Watch, room *room) (Ended, error) {
	buf := make([]byte, readBuffer)
	total := 0
	for {
		n, err := body.Read(buf)
		total += n
		enough := n > 0 && watch != nil && !watch(buf[:n], c.Now())
		switch {
		case err == io.EOF:
			return EOF, nil
		case enough:
			return OurClose, nil
		case err != nil:
			return endOf(err), err
		case total > MaxBody:
			return Limit, fmt.Errorf("the body went beyond %d MiB and was read no further", MaxBody>>20)
		case total > largeBody && !room.enter():
			return Limit, fmt.Errorf("the body went beyond %d MiB while others did, and there was no time to read it", largeBody>>20)
		}
	}
}

func endOf(err error) Ended {
	var ne net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.As(err, &ne) && ne.Timeout():
		return Timeout
	case bytes.Contains([]byte(err.Error()), []byte("server response headers exceeded")):
		return Limit
	}
	return Reset
}

// requestHead cuts what was sent after the blank line that ends its head.
func requestHead(sent []byte) []byte {
	if i := bytes.Index(sent, []byte("\r\n\r\n")); i >= 0 {
		sent = sent[:i+4]
	}
	return bytes.Clone(sent)
}

// recConn is a connection that writes down what passes through it while an
// exchange is in progress.
type recConn struct {
	net.Conn
	number int
	facts  *TLS
	now    func() Instant

	mu    sync.Mutex
	rec   *record
	begun bool // rec belongs to an exchange
	spent bool // more came than was asked for: what comes next belongs to nothing
}

type record struct {
	sent     []byte
	response *framer
}

// sentKept bounds the copy of what we send: the head is all that is needed of
// it, the body is known.
const sentKept = 256 << 10

func (c *Client) record(conn net.Conn, facts *TLS) *recConn {
	// A server may speak before it is asked: the first record begins at once.
	return &recConn{Conn: conn, number: int(c.conns.Add(1)), facts: facts, now: c.Now, rec: &record{response: newFramer(false)}}
}

// begin starts a record. The connection may serve the next exchange before the
// last one has been taken down, so each holds on to its own.
func (r *recConn) begin(toHead bool) *record {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begun || r.rec == nil {
		r.rec = &record{response: newFramer(false)}
	}
	r.begun = true
	r.rec.response.toHead = toHead
	return r.rec
}

func (r *recConn) end(rec *record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rec == rec {
		r.rec = nil
	}
}

// Read records what it reads. Bytes beyond the end of a response, or before a
// request was sent, are counted and withheld: net/http would print them, or
// take them for the beginning of the next answer on this connection. It is told
// that the connection ended, and sends the next request on another.
func (r *recConn) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	at := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if n == 0 {
		return n, err
	}
	used := 0
	switch {
	case r.spent || r.rec == nil:
	case len(r.rec.sent) == 0:
		r.rec.response.feed(p[:n], at)
		r.rec.response.fault("the server spoke before it was asked")
	default:
		if used = r.rec.response.feed(p[:n], at); used == n {
			return n, err
		}
		r.rec.response.Framing.Extra += n - used
	}
	r.spent = true
	if used > 0 {
		return used, nil
	}
	return 0, io.EOF
}

func (r *recConn) Write(p []byte) (int, error) {
	r.mu.Lock()
	if r.spent {
		r.mu.Unlock()
		return 0, net.ErrClosed // nothing was written: net/http takes another connection
	}
	first := r.rec == nil || len(r.rec.sent) == 0
	if r.rec != nil && len(r.rec.sent) < sentKept {
		r.rec.sent = append(r.rec.sent, p[:min(len(p), sentKept-len(r.rec.sent))]...)
	}
	r.mu.Unlock()
	n, err := r.Conn.Write(p)
	if err != nil && !first {
		// A server that refuses a large body stops reading it. Its answer is
		// still to be read, and net/http would drop it for this error.
		return len(p), nil
	}
	return n, err
}
