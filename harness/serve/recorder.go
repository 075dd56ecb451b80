// Package serve is the other side of a client that is tested: it records what the client sends,
// answers by scripts, starts the client's program for each, and returns the transcript.
package serve

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// Bounds on what one play of a client may bring.
const (
	maxConns    = 64   // connections at the same time
	maxRequests = 2000 // requests that are answered
	maxKept     = 300  // of them that are recorded; the others are counted
)

// A handler answers a request.
type handler func(a *answerWriter, q *request)

// recorderConfig is what the recorders of a run have in common.
type recorderConfig struct {
	Started time.Time
	Redact  *redact.Redactor
	Budget  *record.MemoryBudget
	Conns   *atomic.Int64 // numbers the connections of the run
	TLS     *tls.Config   // nil serves plain HTTP
}

// recorder accepts the connections of a client, and records each request with its answer.
type recorder struct {
	recorderConfig
	handle handler
	ctx    context.Context
	stop   context.CancelCauseFunc
	bases  []string // of the origins
	listen []net.Listener
	work   sync.WaitGroup

	mu       sync.Mutex
	conns    map[*connection]bool
	requests int
	kept     []*record.Exchange
	surplus  int           // requests beyond those that are kept
	change   chan struct{} // closed with the next exchange or the end of a connection
}

// newRecorder makes a recorder without an address.
func newRecorder(ctx context.Context, cfg recorderConfig, handle handler) *recorder {
	if cfg.Redact == nil {
		cfg.Redact = redact.NewRedactor(nil)
	}
	if cfg.Budget == nil {
		cfg.Budget = &record.MemoryBudget{}
	}
	if cfg.Conns == nil {
		cfg.Conns = &atomic.Int64{}
	}
	r := &recorder{recorderConfig: cfg, handle: handle, conns: map[*connection]bool{}, change: make(chan struct{})}
	r.ctx, r.stop = context.WithCancelCause(ctx)
	return r
}

// openOrigin opens another origin and returns its base: the address of a free port, with the given name of
// this machine as its host.
func (r *recorder) openOrigin(host string) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	base := scheme + "://" + net.JoinHostPort(host, port)
	r.mu.Lock()
	origin := len(r.bases)
	r.bases = append(r.bases, base)
	r.listen = append(r.listen, l)
	r.mu.Unlock()
	r.work.Go(func() { r.acceptConnections(netutil.LimitListener(l, maxConns), origin, base) })
	if host == "127.0.0.1" {
		return base, nil
	}
	// Many clients try the other family of addresses first, and some of them no other.
	if also, err := net.Listen("tcp", net.JoinHostPort("::1", port)); err == nil {
		r.mu.Lock()
		r.listen = append(r.listen, also)
		r.mu.Unlock()
		r.work.Go(func() { r.acceptConnections(netutil.LimitListener(also, maxConns), origin, base) })
	}
	return base, nil
}

func (r *recorder) sinceStart() record.Instant { return time.Since(r.Started) }

// listExchanges are those that are complete, in the order of their first byte.
func (r *recorder) listExchanges() []*record.Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := slices.Clone(r.kept)
	slices.SortStableFunc(out, func(a, b *record.Exchange) int { return int(a.Start - b.Start) })
	return out
}

// countSurplus counts the requests beyond those that are recorded.
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
	r.mu.Lock()
	for _, l := range r.listen {
		l.Close()
	}
	for c := range r.conns {
		c.conn.Close()
	}
	r.mu.Unlock()
	r.work.Wait()
}

// acceptConnections serves each connection by itself.
func (r *recorder) acceptConnections(l net.Listener, origin int, base string) {
	for {
		raw, err := l.Accept()
		if err != nil {
			return
		}
		c := &connection{recorder: r, conn: raw, origin: origin, base: base, no: int(r.Conns.Add(1)), in: newInbound(r.sinceStart)}
		r.mu.Lock()
		over := r.ctx.Err() != nil
		if !over {
			r.conns[c] = true
		}
		r.mu.Unlock()
		if over {
			raw.Close()
			return
		}
		r.work.Go(c.serveRequests)
	}
}

// connection is one connection of the client.
type connection struct {
	*recorder
	conn   net.Conn
	in     *inbound
	origin int
	base   string
	no     int
	tls    *record.TLS
	last   *record.Exchange // that travelled on it
}

// serveRequests answers the requests of a connection, one after the other.
func (c *connection) serveRequests() {
	reader := make(chan struct{})
	defer c.closeConnection(reader)
	if c.TLS != nil {
		secure := tls.Server(c.conn, c.TLS)
		ctx, cancel := context.WithTimeout(c.ctx, headWait)
		err := secure.HandshakeContext(ctx)
		cancel()
		if err != nil {
			c.noteFailedHandshake(err)
			close(reader)
			return
		}
		c.conn, c.tls = secure, factsOf(secure.ConnectionState())
	}
	go func() {
		defer close(reader)
		c.in.readConnection(c.conn)
	}()
	for {
		var a *answerWriter
		q := readRequest(c.ctx, c.in, func() {
			c.conn.SetWriteDeadline(time.Now().Add(writeWait))
			c.conn.Write([]byte("HTTP/1.1 100 Continue\r\n\r\n"))
		})
		if q.silent {
			return
		}
		q.Origin, q.address = c.origin, joinAddress(c.base, q.Target)
		a = &answerWriter{ctx: c.ctx, conn: c.conn, in: c.in, now: c.sinceStart, q: q}
		a.m.Framing.Declared = -1
		switch kept := c.admitRequest(); {
		case !kept || q.refused != 0:
			status := q.refused
			if !kept {
				status = http.StatusTooManyRequests
				a.closeAfterwards()
			}
			a.writeWhole(status, nil, nil)
		case q.ended != record.EOF:
		default:
			c.answerSafely(a, q)
		}
		a.m.Framing.Interim = q.interim
		c.keepExchange(a, q)
		if a.closes || a.broken != nil || !a.whole || q.wantsClose() {
			return
		}
	}
}

// answerSafely has the script answer. What a client does to a script must not end the run.
func (c *connection) answerSafely(a *answerWriter, q *request) {
	defer func() {
		if fault := recover(); fault != nil {
			a.ours, a.closes = fmt.Sprint(ScriptTrouble, fault), true
		}
	}()
	c.handle(a, q)
}

// ScriptTrouble begins the trouble of an exchange that a fault of ours ended.
const ScriptTrouble = "the scripted server failed: "

// admitRequest counts a request, and reports whether it is answered.
func (c *connection) admitRequest() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	return c.requests <= maxRequests
}

// joinAddress is the URL of a request by its target.
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

// keepExchange records a request and its answer.
func (c *connection) keepExchange(a *answerWriter, q *request) {
	x := &record.Exchange{Dir: record.In, URL: q.address, Conn: c.no, Start: q.start, End: c.sinceStart(), Request: q.record, Response: a.m, TLS: c.tls}
	x.Ended, x.Trouble = a.describeOutcome()
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.signalChange()
	if len(c.kept) >= maxKept {
		c.surplus++
		return
	}
	c.Redact.Exchange(x)
	c.Budget.CountAndCutDelivery(x)
	c.kept = append(c.kept, x)
	c.last = x
}

// signalChange wakes who waits for the recorder. The caller holds r.mu.
func (r *recorder) signalChange() {
	close(r.change)
	r.change = make(chan struct{})
}

// noteFailedHandshake records a connection that carried no request, since no TLS came about.
func (c *connection) noteFailedHandshake(err error) {
	at := c.sinceStart()
	x := &record.Exchange{Dir: record.In, URL: c.base + "/", Conn: c.no, Start: at, End: at, Ended: record.Reset, Trouble: record.HandshakeTrouble + err.Error()}
	x.Request.Framing, x.Response.Framing = record.Framing{Kind: "none", Declared: -1}, record.Framing{Kind: "none", Declared: -1}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) < maxKept {
		c.Redact.Exchange(x)
		c.kept = append(c.kept, x)
	}
}

// closeConnection closes the connection, and notes with its last exchange who closed it first.
func (c *connection) closeConnection(reader <-chan struct{}) {
	closing := &record.Closing{By: record.ByUs, At: c.sinceStart()}
	if at, err := c.in.readEnd(); err != nil && c.ctx.Err() == nil {
		closing = &record.Closing{By: record.ByClient, At: at, Reset: !isClosedInOrder(err)}
	}
	c.conn.Close()
	c.in.stopReading(errStopped)
	<-reader
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last != nil {
		c.last.Closed = closing
	}
	delete(c.conns, c)
	c.signalChange()
}

// factsOf are the facts of TLS of a client's connection.
func factsOf(s tls.ConnectionState) *record.TLS {
	return &record.TLS{Version: tls.VersionName(s.Version), CipherSuite: tls.CipherSuiteName(s.CipherSuite), ServerName: s.ServerName}
}
