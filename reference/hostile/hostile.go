// Package hostile is a gallery of servers that no client should have to meet:
// endless bodies, broken framing, connections that die or never speak,
// bombs, markup and terminal escapes in every text, credentials sent back in
// disguise. Nearly all of them are the bundled server behind a thin spoiler, so
// that the rest of the conversation is healthy and only the one fault shows.
//
// They are for the tests of the suite, which must survive each of them, say the
// right thing about it, and never say more.
package hostile

import (
	"cmp"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/reference"
)

// Verdict is how a run against a server ends, in the words of the report.
type Verdict string

// The verdicts that occur in the gallery. UsageError is no verdict of a report: the
// run ends with a hint to the operator before it calls an operation. Void is a run that
// called some, and was let in nowhere.
const (
	Conformant    Verdict = "conformant"
	Nonconformant Verdict = "nonconformant"
	Partial       Verdict = "partial"
	Unreachable   Verdict = "unreachable"
	Void          Verdict = "void"
	UsageError    Verdict = "usage error"
)

// Server is one hostile server and what a run against it must come to.
type Server struct {
	Name    string
	Doc     string
	Verdict Verdict
	Names   string   // the requirement that must fail for it; "" if the protocol has none
	Says    string   // what standard output or error must hold
	Flags   []string // of the run, next to the URL and short patience
	Area    string   // judging this area states all there is to say; all of them if empty
	// Finding is the requirement under which it is a finding.
	Finding string
	// Drops states that it answers some calls by nothing: no message may reach it twice.
	Drops bool
	// Steps states that it acts on a certain step of the run: the ids of calls have to
	// name it.
	Steps bool
	// Twice states that a replay is held to the same bounds as the run, in a process of
	// its own.
	Twice bool
	// Lead states that it is the first of its part of the gallery, unless the whole part needs much
	// of a processor, or the first of all that ends so.
	Lead bool
	// Deadline is the run's, if another than the usual one is to be seen.
	Deadline time.Duration

	dialect string                          // of the bundled server; a2a-0.1 if empty
	corrupt func(*request)                  // before the bundled server
	serve   func(context.Context, net.Conn) // instead of it
	wrap    func(net.Listener) net.Listener // around the listener of either
	https   bool                            // the URL reports it
	idle    time.Duration                   // after which a connection is closed without a word
}

// Servers returns the gallery. Its parts begin with a server that is met quickly, if they
// have one: it leads.
func Servers() []Server {
	var out []Server
	of := func(s Server, parts ...[]Server) bool {
		return slices.ContainsFunc(slices.Concat(parts...), func(other Server) bool { return other.Name == s.Name })
	}
	for _, part := range [][]Server{bodies, documents, cards, framings, breaks, streams, timeouts, handshakes, texts, held, misleadingTexts, drops, fingerprinting, cheats, secretLeaks, commands, costlyToHold, chosen, repeated, beyond, fields, costly, deliveries, toleratedFaults} {
		for i, s := range part {
			s.Lead = i == 0 && !of(s, beyond, costly, deliveries) || !slices.ContainsFunc(out, func(before Server) bool { return before.Verdict == s.Verdict })
			out = append(out, s)
		}
	}
	for i := range out {
		out[i].Twice = out[i].Verdict != UsageError && of(out[i], secretLeaks, commands, costlyToHold, chosen, repeated, beyond, fields, costly, deliveries)
		out[i].Steps = of(out[i], bodies, documents, framings, timeouts, streams)
		out[i].Drops = of(out[i], drops)
	}
	return out
}

// Listed returns the servers whose mechanisms are listed in docs/hostile.md.
func Listed() []Server {
	return slices.Concat(held, misleadingTexts, drops, fingerprinting, cheats, chosen, repeated, beyond, fields, costly, deliveries, toleratedFaults)
}

// Running is a hostile server at work.
type Running struct {
	URL string

	addr   string
	spoil  func(*request)
	ref    *reference.Server
	up     *http.Transport
	front  *http.Server
	listen net.Listener
	ctx    context.Context // until Close
	stop   context.CancelFunc
	work   sync.WaitGroup
	lock   sync.Mutex
	conns  map[net.Conn]bool
	other  *Trap
	last   string // id of the call before
	calls  int    // on connections that had carried others
	seen   map[string]int
	hooks  []string       // webhooks that were named
	likes  map[string]int // calls, by what they are
}

// Start serves until Close.
func (s Server) Start() (*Running, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &Running{addr: l.Addr().String(), spoil: s.corrupt, listen: l, ctx: ctx, stop: stop, conns: map[net.Conn]bool{}, seen: map[string]int{}, likes: map[string]int{}}
	r.URL = "http://" + r.addr
	if s.https {
		r.URL = "https://" + r.addr
	}
	if s.wrap != nil {
		l = s.wrap(l)
	}
	if s.serve != nil {
		r.work.Go(func() { r.acceptConnections(ctx, l, s.serve) })
		return r, nil
	}
	if r.ref, err = reference.Start(ctx, reference.Options{Dialect: cmp.Or(s.dialect, "a2a-0.1")}); err != nil {
		l.Close()
		stop()
		return nil, err
	}
	if r.other, err = newTrap(); err != nil {
		l.Close()
		stop()
		return nil, err
	}
	r.up = &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 32}
	r.front = &http.Server{Handler: r, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, _ net.Conn) context.Context {
			return context.WithValue(ctx, servedKey{}, new(int))
		},
		IdleTimeout: s.idle}
	r.work.Go(func() { r.front.Serve(l) })
	return r, nil
}

// Twice returns the messages that reached the server more than once.
func (r *Running) Twice() (out []string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	for body, n := range r.seen {
		if n > 1 {
			out = append(out, body)
		}
	}
	return out
}

// Trapped returns the requests that reached the other origin to which some servers
// redirect.
func (r *Running) Trapped() []string {
	if r.other == nil {
		return nil
	}
	return r.other.listReceivedRequests()
}

// Close stops the server and waits for everything it does.
func (r *Running) Close() {
	r.stop()
	r.listen.Close()
	if r.front != nil {
		r.front.Close()
	}
	r.lock.Lock()
	for c := range r.conns {
		c.Close()
	}
	r.conns = nil
	r.lock.Unlock()
	r.work.Wait()
	if r.ref != nil {
		r.up.CloseIdleConnections()
		r.ref.Close()
		r.other.closeServer()
	}
}

// acceptConnections serves each connection by itself.
func (r *Running) acceptConnections(ctx context.Context, l net.Listener, serve func(context.Context, net.Conn)) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		if !r.trackConnection(c) {
			return
		}
		r.work.Go(func() {
			defer r.dropConnection(c)
			serve(ctx, c)
		})
	}
}

// trackConnection makes Close end a connection.
func (r *Running) trackConnection(c net.Conn) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.conns == nil {
		c.Close()
		return false
	}
	r.conns[c] = true
	return true
}

func (r *Running) dropConnection(c net.Conn) {
	c.Close()
	r.lock.Lock()
	delete(r.conns, c)
	r.lock.Unlock()
}

// Trap is another origin: it writes down what reaches it.
type Trap struct {
	listen net.Listener
	server *http.Server
	done   sync.WaitGroup
	lock   sync.Mutex
	got    []string
}

func newTrap() (*Trap, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t := &Trap{listen: l}
	t.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.lock.Lock()
		defer t.lock.Unlock()
		t.got = append(t.got, r.Method+" "+r.URL.String())
	})}
	t.done.Go(func() { t.server.Serve(l) })
	return t, nil
}

func (t *Trap) baseURL() string { return "http://" + t.listen.Addr().String() }

func (t *Trap) listReceivedRequests() []string {
	t.lock.Lock()
	defer t.lock.Unlock()
	return append([]string(nil), t.got...)
}

func (t *Trap) closeServer() {
	t.server.Close()
	t.done.Wait()
}
