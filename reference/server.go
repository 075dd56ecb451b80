// Package reference is the server that comes with the suite: the healthy one
// the suite must accept, and, with a mutant chosen, a faulty one it must
// catch. It is written from the protocol documents alone and shares nothing
// with the suite, so that a slip in one shows up against the other.
package reference

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// Options choose the server to start.
type Options struct {
	Dialect string        // one of Dialects
	Variant string        // one of Variants(Dialect); default the mutant's own, or "full"
	Mutant  string        // one of Mutants(Dialect); default none
	Addr    string        // where to listen; default 127.0.0.1:0
	Latency time.Duration // work added to every agent invocation
	RTT     time.Duration // delay added to every HTTP exchange
	Rate    Rate          // of the variants that limit calls; default that of the dialect
}

// A Server is a running reference server.
type Server struct {
	url     string
	ca      []byte // certificate of a server that speaks TLS, PEM
	dialect dialect
	variant variant
	mutant  mutant
	bounds  bounds
	latency time.Duration
	rtt     time.Duration
	rate    Rate
	owners  owners
	engine  *engine.Engine
	courier *courier
	http    *http.Server
	stop    context.CancelFunc // ends the context of every exchange
	unwatch func() bool
	closing sync.Once
	err     error

	notes       notebook     // of the mutant
	lostReaders atomic.Int64 // streams whose client went away

	mu        sync.Mutex
	closed    bool
	exchanges sync.WaitGroup
}

// Start listens and serves until Close, or until ctx ends.
func Start(ctx context.Context, o Options) (*Server, error) {
	d, err := dialectNamed(o.Dialect)
	if err != nil {
		return nil, err
	}
	m, err := d.mutantNamed(o.Mutant)
	if err != nil {
		return nil, err
	}
	v, err := d.variantNamed(cmp.Or(o.Variant, m.variant, "full"))
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", cmp.Or(o.Addr, "127.0.0.1:0"))
	if err != nil {
		return nil, err
	}

	s := &Server{
		url:     "http://" + l.Addr().String(),
		dialect: d,
		variant: v,
		mutant:  m,
		bounds:  boundsOf(d, v, m),
		latency: o.Latency,
		rtt:     o.RTT,
		rate:    cmp.Or(o.Rate, m.rate, defaultRates[d.name], Rate{5, time.Second}),
		courier: newCourier(),
	}
	if s.rate.Requests < 1 || s.rate.Window <= 0 {
		l.Close()
		return nil, fmt.Errorf("a rate of %d requests in %v lets nothing through", s.rate.Requests, s.rate.Window)
	}
	if m.bytes != nil {
		l = tampered{l, m.bytes}
	}
	if l, err = s.secure(l); err != nil {
		return nil, err
	}
	s.engine = s.newEngine(d)
	base, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.http = &http.Server{
		Handler:           s.admit(s.limit(s.together(s.guard(d.handler(s))))),
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	s.exchanges.Go(func() { s.http.Serve(l) })
	s.unwatch = context.AfterFunc(ctx, func() { s.Close() })
	return s, nil
}

func (s *Server) newEngine(d dialect) *engine.Engine {
	o := engine.Options{Latency: s.latency, Rich: s.variant.rich, Asks: d.asks, Rejects: d.rejects, Pays: s.variant.pays, Tasks: s.bounds.tasks, NewID: s.newID}
	if d.notification != nil {
		o.Deliver = func(ctx context.Context, p engine.Push, t engine.Task) error {
			return s.deliver(ctx, p, d.notification(s, t))
		}
	}
	if s.mutant.engine != nil {
		s.mutant.engine(&o)
	}
	return engine.New(o)
}

// newID names a task, a message or a context. A lavish server's names are long.
func (s *Server) newID() string {
	if s.variant.lavish {
		return strings.Repeat(rand.Text()+".", 8)
	}
	return rand.Text()
}

// URL returns the base URL, without a trailing slash.
func (s *Server) URL() string { return s.url }

// Close stops the server with all its streams, tasks and deliveries. It
// returns when none of them runs any more.
func (s *Server) Close() error {
	s.closing.Do(func() {
		s.unwatch()
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
		s.stop()
		s.err = s.http.Close()
		s.engine.Close()
		s.exchanges.Wait()
		s.courier.close()
	})
	return s.err
}

// admit counts the exchanges under way, so that Close can wait for them, and
// adds the round-trip time asked for.
func (s *Server) admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return
		}
		s.exchanges.Add(1)
		s.mu.Unlock()
		defer s.exchanges.Done()
		if pause(r.Context(), s.rtt) {
			next.ServeHTTP(w, r)
		}
	})
}

// pause waits for d and reports whether ctx lasted that long.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
