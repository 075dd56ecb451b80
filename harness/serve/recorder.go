// Package serve is the other side of a client that is tested: it records what the client sends,
// answers by scripts, starts the client's program for each, and returns the transcript.
package serve

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// Bounds on what one play of a client may bring.
const (
	maxConns    = 64   // connections at the same time
	maxRequests = 2000 // requests that are answered
	maxKept     = 300  // of them that are recorded; the others are counted
)

// recorderConfig is what the recorders of a run have in common.
type recorderConfig struct {
	Started   time.Time
	Redact    *redact.Redactor
	Budget    *record.MemoryBudget
	ConnCount *atomic.Int64 // numbers the connections of the run
	TLS       *tls.Config   // of origins that have none of their own; nil serves plain HTTP
	// AnswerApart answers a request that is no part of the play, which is neither counted nor recorded; false if it is
	// one. May be nil.
	AnswerApart func(a *answerWriter, q *request) bool
	// Noted is called after each request with its exchange, or with nil if that is not recorded. May be nil.
	Noted func(x *record.Exchange)
	// Canaries are looked for in each request; nil for none.
	Canaries *canaryPool
	// HTTP2 has connections of HTTP/2 be served too.
	HTTP2 bool
	waits waits // usualWaits if there are none
}

// waits are how long a recorder waits for a client.
type waits struct {
	head      time.Duration // for all of a head, or a handshake
	body      time.Duration // for the next piece of a body
	wholeBody time.Duration
	write     time.Duration // until the client has read a piece of an answer
}

// usualWaits are those of every run.
var usualWaits = waits{head: 10 * time.Second, body: 10 * time.Second, wholeBody: 60 * time.Second, write: 10 * time.Second}

// recorder accepts the connections of a client, and records each request with its answer.
type recorder struct {
	recorderConfig
	ctx     context.Context
	stop    context.CancelCauseFunc
	origins []origin
	answer  func(a *answerWriter, q *request)
	work    sync.WaitGroup

	mu       sync.Mutex
	conns    map[*connection]bool
	requests int
	kept     []*record.Exchange
	decoding sync.Mutex    // held while a request of HTTP/2 is decompressed
	surplus  int           // requests beyond those that are kept
	change   chan struct{} // closed with the next end of a connection
}

// origin is a base of addresses, and a port at which it is reached.
type origin struct {
	base   string
	listen *net.TCPListener
	tls    *tls.Config // of this origin; nil for what the recorder has
}

// newRecorder makes a recorder without an origin.
func newRecorder(ctx context.Context, cfg recorderConfig) *recorder {
	if cfg.Redact == nil {
		cfg.Redact = redact.NewRedactor(nil)
	}
	if cfg.Budget == nil {
		cfg.Budget = &record.MemoryBudget{}
	}
	if cfg.waits == (waits{}) {
		cfg.waits = usualWaits
	}
	if cfg.ConnCount == nil {
		cfg.ConnCount = &atomic.Int64{}
	}
	r := &recorder{recorderConfig: cfg, conns: map[*connection]bool{}, change: make(chan struct{})}
	r.ctx, r.stop = context.WithCancelCause(ctx)
	return r
}

// openOrigin opens another origin and returns its base: the address of a free port, with the given name of
// this machine as its host. Connections wait until acceptConnections is called. secure is the TLS of this origin; nil for
// what the recorder has.
func (r *recorder) openOrigin(host string, secure *tls.Config) (base string, err error) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return "", err
	}
	at := l.Addr().(*net.TCPAddr)
	scheme := "http"
	if r.TLS != nil || secure != nil {
		scheme = "https"
	}
	base = scheme + "://" + net.JoinHostPort(host, strconv.Itoa(at.Port))
	r.origins = append(r.origins, origin{base, l, secure})
	if host == at.IP.String() {
		return base, nil
	}
	// Many clients try the other family of addresses first, and some of them no other.
	if also, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv6loopback, Port: at.Port}); err == nil {
		r.origins = append(r.origins, origin{base, also, secure})
	}
	return base, nil
}

// acceptConnections begins to serve the connections to all origins.
func (r *recorder) acceptConnections(answer func(a *answerWriter, q *request)) {
	r.answer = answer
	for _, o := range r.origins {
		r.work.Go(func() { r.serveConnections(o) })
	}
}

// sinceStart returns the present instant of the run.
func (r *recorder) sinceStart() record.Instant { return time.Since(r.Started) }

// listExchanges returns those that are complete, in the order of their first byte.
func (r *recorder) listExchanges() []*record.Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := slices.Clone(r.kept)
	slices.SortStableFunc(out, func(a, b *record.Exchange) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

// copyExchange returns a copy of an exchange that may be read before the play has ended. The texts are shared, since they
// do not change.
func (r *recorder) copyExchange(x *record.Exchange) *record.Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &record.Exchange{Dir: x.Dir, URL: x.URL, Conn: x.Conn, Start: x.Start, End: x.End, Ended: x.Ended, Trouble: x.Trouble, Request: x.Request, Response: x.Response, TLS: x.TLS, Canaries: x.Canaries, Closed: x.Closed}
}

// countSurplus returns how many requests came beyond those that are recorded.
func (r *recorder) countSurplus() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.surplus
}

// awaitQuiet waits until the client has closed its connections, at most for the patience.
func (r *recorder) awaitQuiet(patience time.Duration) {
	t := time.NewTimer(patience)
	defer t.Stop()
	for {
		r.mu.Lock()
		open, change := len(r.conns), r.change
		r.mu.Unlock()
		if open == 0 {
			return
		}
		select {
		case <-change:
		case <-t.C:
			return
		}
	}
}

// Close ends the play: no more is accepted, and what is open is closed.
func (r *recorder) Close() {
	r.stop(errStopped)
	for _, o := range r.origins {
		o.listen.Close()
	}
	r.mu.Lock()
	for c := range r.conns {
		c.raw.Close()
	}
	r.mu.Unlock()
	r.work.Wait()
}

// serveConnections serves each connection to an origin by itself.
func (r *recorder) serveConnections(o origin) {
	places := make(chan struct{}, maxConns)
	for {
		places <- struct{}{}
		raw, err := o.listen.AcceptTCP() // a wrapper, as that of netutil, would hide how to reset it
		if err != nil {
			return
		}
		if !r.serveConnection(raw, o, func() { <-places }) {
			return
		}
	}
}

// serveConnection begins to serve a connection to an origin, and calls done when that is over. It reports false if
// the play is over, and closes the connection then.
func (r *recorder) serveConnection(raw *net.TCPConn, o origin, done func()) bool {
	c := &connection{recorder: r, conn: raw, raw: raw, base: o.base, secure: cmp.Or(o.tls, r.TLS), no: int(r.ConnCount.Add(1)), in: newInbound(r.sinceStart, r.waits)}
	r.mu.Lock()
	defer r.mu.Unlock() // so that Close waits for all that begin before it
	if r.ctx.Err() != nil {
		raw.Close()
		done()
		return false
	}
	r.conns[c] = true
	r.work.Go(func() {
		defer done()
		c.serveRequests()
	})
	return true
}

// connection is one connection of the client.
type connection struct {
	*recorder
	conn net.Conn
	raw  *net.TCPConn // beneath TLS
	in   *inbound
	base string
	no   int
	// secure is the TLS of the address; nil for plain HTTP.
	secure *tls.Config
	tls    *record.TLS
	alpn   string           // the protocol that the handshake of TLS agreed on
	begun  record.Instant   // when its first byte came
	plain  bool             // the client sends plain HTTP to an address of TLS
	last   *record.Exchange // that is kept of it
}

// serveRequests answers the requests of a connection, one after the other.
func (c *connection) serveRequests() {
	defer c.closeConnection()
	if c.secure != nil && !c.beginTLS() {
		return
	}
	c.work.Go(func() { c.in.readConnection(c.conn) })
	if c.HTTP2 {
		if _, _, err := c.in.awaitByte(c.ctx); err == nil && c.in.startsWith(c.ctx, http2.ClientPreface, c.waits.head) {
			c.serveHTTP2()
			return
		}
	}
	for first := true; ; first = false {
		q := readRequest(c.ctx, c.in, c.writeContinue)
		if q.silent {
			if first && c.tls != nil {
				c.noteUnused()
			}
			return
		}
		q.address = joinAddress(c.base, q.Target)
		if c.tls != nil {
			q.shown = c.tls.Subject
		}
		a := &answerWriter{ctx: c.ctx, conn: c.conn, raw: c.raw, in: c.in, now: c.sinceStart, q: q, closes: q.wantsClose()}
		a.m.Framing = record.Framing{Declared: -1, Interim: q.interim}
		apart := false
		switch {
		case c.AnswerApart != nil && q.refused == 0 && q.ended == record.EOF && c.answerApart(a, q):
			apart = true
		case !c.admitRequest():
			a.closeAfterwards()
			a.writeWhole(http.StatusTooManyRequests, nil, nil)
		case q.refused != 0:
			a.writeWhole(q.refused, nil, nil)
		case c.plain:
			a.closeAfterwards()
			a.writeWhole(http.StatusBadRequest, listTypeFields("text/plain"), []byte("this address is one of https\n"))
		case q.ended == record.EOF:
			c.answerSafely(a, q)
		}
		if !apart {
			c.noteExchange(a, q)
		}
		if a.closes || a.broken != nil || !a.whole {
			return
		}
	}
}

// answerApart answers a request that is no part of the play. It reports whether it was one.
func (c *connection) answerApart(a *answerWriter, q *request) (apart bool) {
	defer func() {
		if fault := recover(); fault != nil {
			a.cut, a.closes, apart = fmt.Sprint(ScriptTrouble, fault), true, true
		}
	}()
	return c.AnswerApart(a, q)
}

// noteExchange records a request with its answer.
func (c *connection) noteExchange(a *answerWriter, q *request) {
	x := &record.Exchange{Dir: record.In, URL: q.address, Conn: c.no, Start: q.start, End: a.findEnd(), Request: q.record, Response: a.m, TLS: c.tls, Canaries: c.Canaries.findSightings(q)}
	if x.HTTP2 = q.http2; x.HTTP2 != nil {
		for _, f := range x.HTTP2.Frames {
			x.Start, x.End = min(x.Start, f.At), max(x.End, f.At)
		}
	}
	x.Ended, x.Trouble = a.describeOutcome()
	c.announceExchange(x)
}

// announceExchange records an exchange, and has those know that wait for requests.
func (c *connection) announceExchange(x *record.Exchange) {
	kept := c.keepExchange(x)
	if kept {
		c.mu.Lock()
		if c.last == nil || x.Start >= c.last.Start { // answers of HTTP/2 end in any order
			c.last = x
		}
		c.mu.Unlock()
	}
	switch {
	case c.Noted == nil:
	case kept:
		c.Noted(x)
	default:
		c.Noted(nil)
	}
}

// writeContinue has a client send the body that it holds back.
func (c *connection) writeContinue() {
	c.conn.SetWriteDeadline(time.Now().Add(c.waits.write))
	c.conn.Write([]byte("HTTP/1.1 100 Continue\r\n\r\n"))
}

// answerSafely has the script answer. What a client does to a script must not end the run.
func (c *connection) answerSafely(a *answerWriter, q *request) {
	defer func() {
		if fault := recover(); fault != nil {
			a.cut, a.closes = fmt.Sprint(ScriptTrouble, fault), true
		}
	}()
	c.answer(a, q)
}

// ScriptTrouble begins the trouble of an exchange that a fault of ours ended.
const ScriptTrouble = "the scripted server failed: "

// admitRequest counts a request, and reports whether it is answered.
func (r *recorder) admitRequest() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	return r.requests <= maxRequests
}

// joinAddress returns the URL of a request by its target.
func joinAddress(base, target string) string {
	target = target[:min(len(target), record.MaxAddress)]
	if strings.HasPrefix(target, "/") {
		return base + target
	}
	if strings.Contains(target, "://") {
		return target
	}
	return base + "/" + target
}

// keepExchange records an exchange, or counts it. It reports whether it is recorded.
func (r *recorder) keepExchange(x *record.Exchange) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.kept) >= maxKept {
		r.surplus++
		return false
	}
	r.Redact.Exchange(x)
	r.Budget.CountAndCutDelivery(x)
	r.kept = append(r.kept, x)
	return true
}

// closeConnection closes the connection, and notes with its last exchange who closed it first.
func (c *connection) closeConnection() {
	closing := &record.Closing{By: record.ByUs, At: c.sinceStart()}
	if at, err := c.in.readEnd(); err != nil && c.ctx.Err() == nil && !errors.Is(err, errStopped) {
		closing = &record.Closing{By: record.ByClient, At: at, Reset: !isClosedInOrder(err)}
	}
	c.conn.Close()
	c.in.stopReading(errStopped)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last != nil {
		c.last.Closed = closing
	}
	delete(c.conns, c)
	close(c.change)
	c.change = make(chan struct{})
}
