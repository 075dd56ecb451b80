package front

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// Options choose the server to start.
type Options struct {
	Dialect  string        // one of Dialects
	Variant  string        // one of Variants(Dialect); default the mutant's own, or "full"
	Mutant   string        // one of Mutants(Dialect); default none
	Addr     string        // address to listen at; default 127.0.0.1:0
	GRPCAddr string        // address to listen at for gRPC; default: gRPC is not served
	Latency  time.Duration // work added to every agent invocation
	Serial   bool          // the agent works on one message at a time
	RTT      time.Duration // delay added to every HTTP exchange
	Rate     Rate          // of the variants that limit calls; default that of the dialect
}

// A Server is a running reference server.
type Server struct {
	Url         string
	certificate tls.Certificate // of a server that speaks TLS
	ca          []byte          // the same, in PEM form
	dialect     Dialect
	Variant     Variant
	Mutant      Mutant
	Bounds      Bounds
	Latency     time.Duration
	serial      bool
	rtt         time.Duration
	Rate        Rate
	owners      owners
	Engine      *engine.Engine
	courier     *pushSender
	handler     http.Handler // of whatever is asked for
	http        *http.Server
	grpcAddr    string
	grpc        *grpc.Server       // nil: gRPC is not served
	stop        context.CancelFunc // ends the context of every exchange
	unwatch     func() bool
	closing     sync.Once
	err         error

	Notes       MutantState  // of the mutant
	LostReaders atomic.Int64 // streams whose client went away

	mu        sync.Mutex
	closed    bool
	Exchanges sync.WaitGroup
}

// Start listens and serves until Close, or until ctx ends.
func (ps Protocols) Start(ctx context.Context, o Options) (*Server, error) {
	d, err := ps.named(o.Dialect)
	if err != nil {
		return nil, err
	}
	m, err := d.mutantNamed(o.Mutant)
	if err != nil {
		return nil, err
	}
	v, err := d.variantNamed(cmp.Or(o.Variant, m.Variant, "full"))
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", cmp.Or(o.Addr, "127.0.0.1:0"))
	if err != nil {
		return nil, err
	}

	s := &Server{
		Url:     "http://" + l.Addr().String(),
		dialect: d,
		Variant: v,
		Mutant:  m,
		Bounds:  boundsOf(d, v, m),
		Latency: o.Latency,
		serial:  o.Serial,
		rtt:     o.RTT,
		Rate:    cmp.Or(o.Rate, m.Rate, defaultRates[d.Name], Rate{5, time.Second}),
		courier: newCourier(),
	}
	if s.Rate.Requests < 1 || s.Rate.Window <= 0 {
		l.Close()
		return nil, fmt.Errorf("a rate of %d requests in %v lets nothing through", s.Rate.Requests, s.Rate.Window)
	}
	if m.Bytes != nil {
		l = tampered{l, m.Bytes}
	}
	if l, err = s.secure(l, "http/1.1"); err != nil {
		return nil, err
	}
	if s.ca != nil {
		s.Url = "https://" + l.Addr().String()
	}
	s.Engine = s.newEngine(d)
	base, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.handler = s.admit(s.misrouted(s.limit(s.together(s.guard(d.Handler(s))))))
	s.http = &http.Server{
		Handler:           s.handler,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	if o.GRPCAddr != "" {
		if err := s.listenGRPC(o.GRPCAddr); err != nil {
			l.Close()
			stop()
			s.Engine.Close()
			return nil, err
		}
	}
	s.Exchanges.Go(func() { s.http.Serve(l) })
	s.mu.Lock() // Close may run at once
	s.unwatch = context.AfterFunc(ctx, func() { s.Close() })
	s.mu.Unlock()
	return s, nil
}

func (s *Server) newEngine(d Dialect) *engine.Engine {
	o := engine.Options{Latency: s.Latency, Serial: s.serial, Rich: s.Variant.Rich, Asks: d.Asks && !s.Variant.Decisive, Rejects: d.Rejects, Pays: s.Variant.Pays, Tasks: s.Bounds.Tasks, NewID: s.NewID}
	if d.Notification != nil {
		o.Deliver = func(ctx context.Context, p engine.Push, t engine.Task, ev engine.Event) error {
			return s.deliver(ctx, p, d.Notification(s, p, t, ev))
		}
	}
	if s.Mutant.Engine != nil {
		s.Mutant.Engine(&o)
	}
	return engine.New(o)
}

// NewID names a task, a message or a context. A lavish server's names are long.
func (s *Server) NewID() string {
	if s.Variant.Lavish {
		return strings.Repeat(rand.Text()+".", 8)
	}
	return rand.Text()
}

// URL returns the base URL, without a trailing slash.
func (s *Server) URL() string { return s.Url }

// Close stops the server with all its streams, tasks and deliveries. It
// returns when none of them runs any more.
func (s *Server) Close() error {
	s.closing.Do(func() {
		s.mu.Lock()
		s.unwatch()
		s.closed = true
		s.mu.Unlock()
		s.stop()
		s.err = s.http.Close()
		if s.grpc != nil {
			s.grpc.Stop()
		}
		s.Engine.Close()
		s.Exchanges.Wait()
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
		s.Exchanges.Add(1)
		s.mu.Unlock()
		defer s.Exchanges.Done()
		if Pause(r.Context(), s.rtt) {
			next.ServeHTTP(w, r)
		}
	})
}

// Pause waits for d and reports whether ctx lasted that long.
func Pause(ctx context.Context, d time.Duration) bool {
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
