// Package proxy is between clients and servers that are both of others: it passes requests and answers on by the reverse
// proxy of the standard library, and keeps a record of the last ones. The record is made off the path of what passes:
// if it cannot keep up, it loses exchanges and counts them, and what passes does not wait.
package proxy

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/netutil"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Upstream is a server, and the address at which the proxy takes calls for it.
type Upstream struct {
	URL    string // as a client would be given it
	Listen string // HOST:PORT; "" or port 0 takes a free port
}

// Config is what a proxy is opened for.
type Config struct {
	Upstreams []Upstream // at least one
	// TLS is that of the addresses at which the proxy takes calls; nil for plain HTTP.
	TLS *tls.Config
	// UpstreamTLS is that of the calls to the servers; nil is what a client would use.
	UpstreamTLS *tls.Config
	KeepHost    bool              // the field Host stays as the client wrote it
	KeepCards   bool              // cards stay as the servers wrote them
	Dialects    []*schema.Dialect // by which cards are read
	Started     time.Time         // zero point of all instants
	// Only are the paths at and below which exchanges are recorded, and cards besides; all without one.
	Only []string
	// Sample is of how many threads one is recorded; 0 or 1 records all. A thread is a context, or a connection.
	Sample int
	Hold   time.Duration // for how long an exchange is kept; 0 for as long as there is room
	Bounds Bounds
	// Hide removes the secrets from an exchange before it is kept; nil takes credential headers out of the heads only, and has them
	// apart. It is called by one goroutine.
	Hide func(p *traffic.Passed)
}

// Bounds limit what the record takes in memory. A 0 is for the usual one.
type Bounds struct {
	Waiting   int64 // bytes of exchanges that are under way or wait to be recorded
	Queue     int   // exchanges that wait to be recorded
	Exchanges int   // that are kept
	Kept      int64 // bytes of those
	Weight    int64 // bytes that the values in them take once they are read, about
}

// The usual bounds.
const (
	usualWaiting   = 24 << 20
	usualQueue     = 4096
	usualExchanges = 5_000
	usualKept      = 24 << 20
	usualWeight    = 40 << 20
)

// Bounds on the connections of clients. They protect the proxy, which no client may bring down for the others.
const (
	maxConns   = 2048 // at the same time, at each address
	headWait   = time.Minute
	idleWait   = 3 * time.Minute
	dialWait   = 30 * time.Second
	endingWait = 5 * time.Second // for what is broken off to come to its end
)

// Proxy passes on what clients send to servers. Only the fields about connections, Host, and the addresses on cards are
// changed.
type Proxy struct {
	cfg      Config
	recorder *recorder
	entries  []*entry
	cards    *cardReader
	calls    callers
	dialed   dialedConns
	heads    headRoom
	ctx      context.Context // ends as the proxy closes
	stop     context.CancelFunc
	handling sync.WaitGroup
	gate     sync.RWMutex // held for writing while the proxy begins to close
	closing  atomic.Bool
	ending   sync.Once

	clientConns, upstreamConns atomic.Int64 // number the connections of clients, and those to servers
}

// entry is an address at which the proxy takes calls for one server.
type entry struct {
	*Proxy
	upstream *url.URL
	listen   net.Listener
	server   *http.Server
	secure   *tls.Config // nil in plain
	base     string      // origin by which clients call it; the host is empty if it listens on all
}

// Open opens the addresses of a proxy, and begins to pass on.
func Open(cfg Config) (*Proxy, error) {
	if len(cfg.Upstreams) == 0 {
		return nil, errors.New("the proxy has no server to pass calls on to")
	}
	b := &cfg.Bounds
	b.Waiting, b.Queue = cmp.Or(b.Waiting, usualWaiting), cmp.Or(b.Queue, usualQueue)
	b.Exchanges, b.Kept = cmp.Or(b.Exchanges, usualExchanges), cmp.Or(b.Kept, usualKept)
	b.Weight = cmp.Or(b.Weight, usualWeight)
	if cfg.Hide == nil {
		cfg.Hide = newHiding()
	}
	p := &Proxy{cfg: cfg}
	p.dialed.heads = &p.heads
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.recorder = newRecorder(&p.cfg, &p.closing)
	p.calls = p.newCallers()
	for _, u := range cfg.Upstreams {
		e, err := p.openEntry(u)
		if err != nil {
			p.stop()
			p.closeEntries()
			return nil, err
		}
		p.entries = append(p.entries, e)
	}
	p.cards = newCardReader(p)
	p.recorder.beginRecording()
	for _, e := range p.entries {
		go e.serveCalls()
	}
	return p, nil
}

// openEntry opens the address at which calls for a server are taken.
func (p *Proxy) openEntry(u Upstream) (*entry, error) {
	to, err := url.Parse(u.URL)
	if err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return nil, fmt.Errorf("%q is no URL of a server; write it like http://localhost:9999", redact.StripSecrets(u.URL))
	}
	if to.User != nil {
		return nil, errors.New("the URL of a server has a user in it, which the proxy would have to add to each request; have the client send it")
	}
	l, err := net.Listen("tcp", cmp.Or(u.Listen, "127.0.0.1:0"))
	if err != nil {
		return nil, err
	}
	e := &entry{Proxy: p, upstream: &url.URL{Scheme: strings.ToLower(to.Scheme), Host: to.Host, Path: to.Path, RawPath: to.RawPath}, listen: l, base: baseOf(u.Listen, l.Addr(), p.cfg.TLS != nil), secure: offerHTTP2(p.cfg.TLS)}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	e.server = &http.Server{
		Handler:           e.newHandler(),
		Protocols:         protocols,
		HTTP2:             &http.HTTP2Config{MaxReceiveBufferPerConnection: 512 << 10, MaxReceiveBufferPerStream: 256 << 10},
		TLSConfig:         e.secure.Clone(),
		ReadHeaderTimeout: headWait,
		IdleTimeout:       idleWait,
		ErrorLog:          log.New(io.Discard, "", 0), // what a stranger sends is not worth a line
		ConnContext: func(ctx context.Context, on net.Conn) context.Context {
			ctx = context.WithValue(ctx, connectionKey{}, int(p.clientConns.Add(1)))
			return context.WithValue(ctx, clientConnKey{}, on)
		},
		ConnState: noteClientState,
	}
	return e, nil
}

// offerHTTP2 returns the TLS of an address, by which HTTP/2 can be agreed on; nil for none.
func offerHTTP2(of *tls.Config) *tls.Config {
	if of == nil {
		return nil
	}
	of = of.Clone()
	of.NextProtos = []string{http2.NextProtoTLS, "http/1.1"}
	return of
}

// connectionKey is the key of the number of a client's connection in the context of its requests.
type connectionKey struct{}

// baseOf returns the origin by which clients call a listener: by the host that the operator named.
func baseOf(named string, at net.Addr, secure bool) string {
	scheme := "http"
	if secure {
		scheme = "https"
	}
	host, _, _ := net.SplitHostPort(named)
	_, port, _ := net.SplitHostPort(at.String())
	if named == "" {
		host = "127.0.0.1"
	}
	if card.Unspecified(host) {
		host = "" // clients know it
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// serveCalls takes calls until the proxy is closed.
func (e *entry) serveCalls() {
	e.server.Serve(newClientListener(netutil.LimitListener(e.listen, maxConns), e))
}

// URLs returns what clients are given in place of the URL of each server, in their order.
func (p *Proxy) URLs() (out []string) {
	for _, e := range p.entries {
		out = append(out, e.nameBase("")+strings.TrimSuffix(e.upstream.EscapedPath(), "/"))
	}
	return out
}

// Close takes no more calls, breaks off what is under way, and records that too.
func (p *Proxy) Close() {
	p.ending.Do(func() {
		p.gate.Lock()
		p.closing.Store(true)
		p.gate.Unlock()
		p.stop()
		p.closeEntries()
		ended := make(chan struct{})
		go func() {
			p.handling.Wait()
			close(ended)
		}()
		t := time.NewTimer(endingWait)
		defer t.Stop()
		select {
		case <-ended:
		case <-t.C:
		}
		p.calls.closeConnections()
		p.dialed.closeAll()
		p.recorder.endRecording()
	})
}

// enterCall begins to handle a call. It reports false if the proxy is closing.
func (p *Proxy) enterCall() bool {
	p.gate.RLock()
	defer p.gate.RUnlock()
	if p.closing.Load() {
		return false
	}
	p.handling.Add(1)
	return true
}

func (p *Proxy) closeEntries() {
	for _, e := range p.entries {
		e.server.Close()
		e.listen.Close()
	}
}

// Stats counts what passed.
func (p *Proxy) Stats() Stats { return p.recorder.readStats() }

// Record returns what is kept of the traffic so far. What is under way is in it only once the proxy was closed.
func (p *Proxy) Record() traffic.Recording {
	passed := p.recorder.listPassed()
	r := traffic.Recording{Source: "proxy", Dialects: p.cfg.Dialects, Started: p.cfg.Started, Passed: passed, Cut: true, Dropped: int(p.Stats().Dropped), Notes: p.cards.notes.ListNotes()}
	if len(p.entries) == 1 {
		r.Target = redact.StripSecrets(p.cfg.Upstreams[0].URL)
	}
	return r
}

// Bypass returns why clients do not call by the proxy what they should: the card of the server is signed, so that its
// addresses were not changed; "" if there is no such card.
func (p *Proxy) Bypass() string {
	if !p.cards.bypassed.Load() {
		return ""
	}
	return "the card of the server is signed, so that its addresses were not changed: clients that follow it call the server itself and bypass the proxy. Tell the client the address of the proxy instead (--rewrite none leaves all cards as they are)"
}

// PassedOnlyCards reports whether nothing that is kept is a call: clients fetched cards, and called somebody else.
func (p *Proxy) PassedOnlyCards() bool {
	return !slices.ContainsFunc(p.recorder.listPassed(), func(x traffic.Passed) bool {
		u, err := url.Parse(x.In.URL)
		return err != nil || !p.cards.isCardPath(u.Path)
	})
}

// isOnly reports whether a path is one whose exchanges are recorded.
func (p *Proxy) isOnly(path string) bool {
	return len(p.cfg.Only) == 0 || p.cards.isCardPath(path) || slices.ContainsFunc(p.cfg.Only, func(only string) bool {
		only = strings.TrimSuffix(only, "/")
		return path == only || strings.HasPrefix(path, only+"/")
	})
}
