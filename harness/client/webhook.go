package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/net/netutil"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// Bounds on what servers may deliver to us.
const (
	smallDelivery = 64 << 10 // bytes of a body that is read while any others are
	largeAtOnce   = 3        // larger ones that are read at the same time
	maxDeliveries = 100      // deliveries to one URL that are kept; the others are answered and counted
	webhookConns  = 64       // connections at the same time
	webhookHead   = 64 << 10 // bytes of a delivery's head
	webhookWait   = 10 * time.Second
)

// Receiver is the webhook of a run: it hands out a URL for each purpose and
// records what servers deliver to it.
type Receiver struct {
	base   string // what comes before the path of every hook
	server *http.Server
	ended  chan struct{}
	now    func() record.Instant
	redact *redact.Redactor

	budget record.MemoryBudget // of deliveries
	crowd  crowd
	// large has room for the deliveries that are read at the same time as small
	// ones: to search a body for secrets takes many times its memory.
	large chan struct{}
	mu    sync.Mutex
	hooks map[string]*Hook // by path
}

// ReceiverConfig is the address at which deliveries are received, and how servers reach
// that place.
type ReceiverConfig struct {
	Listen  string           // HOST:PORT; port 0 takes a free one
	URL     string           // the address that servers get; that of Listen if empty
	Cert    *tls.Certificate // receives by https; nil receives by plain http
	Started time.Time
	Redact  *redact.Redactor
}

// Receive opens a webhook. Close it.
func Receive(cfg ReceiverConfig) (*Receiver, error) {
	l, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return nil, err
	}
	scheme := "http"
	address := l.Addr().String()
	l = netutil.LimitListener(l, webhookConns)
	if cfg.Cert != nil {
		scheme = "https"
		l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{*cfg.Cert}})
	}
	r := &Receiver{base: strings.TrimRight(cfg.URL, "/"), redact: cfg.Redact, hooks: map[string]*Hook{}, ended: make(chan struct{}), large: make(chan struct{}, largeAtOnce),
		now: func() record.Instant { return time.Since(cfg.Started) }}
	r.crowd.now = r.now
	if r.base == "" {
		r.base = scheme + "://" + address
	}
	if r.redact == nil {
		r.redact = redact.NewRedactor(nil)
	}
	r.server = &http.Server{
		Handler:        http.HandlerFunc(r.serveHTTP),
		ReadTimeout:    webhookWait,
		WriteTimeout:   webhookWait,
		MaxHeaderBytes: webhookHead,
		ErrorLog:       log.New(io.Discard, "", 0),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, headKey{}, c)
		},
	}
	r.server.SetKeepAlivesEnabled(false) // a connection carries one delivery
	go func() {
		defer close(r.ended)
		r.server.Serve(&headListener{l, &r.crowd})
	}()
	return r, nil
}

// GoneAgents is the path below which the agents are that a run registers with a
// directory: whoever calls one gets HTTP 410.
const GoneAgents = "/agents/"

// Base is the URL below which the hooks are, as servers get it.
func (r *Receiver) Base() string { return r.base }

// Close ends the receiving. What was delivered stays with the hooks.
func (r *Receiver) Close() {
	r.server.Close()
	<-r.ended
}

// HookQuery ends every webhook URL: a server has to keep a query.
const HookQuery = "?notify=1"

// Hook makes a URL below which nothing was received before. The id, a UUID, is all
// that links it to what it is for.
func (r *Receiver) Hook(id string) *Hook {
	h := &Hook{path: "/" + id, made: r.now(), news: make(chan struct{})}
	h.url = r.base + h.path + HookQuery
	if u, err := url.Parse(r.base); err == nil { // a proxy may lead here from a path of its own
		h.path = strings.TrimRight(u.Path, "/") + h.path
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hooks[h.path] = h
	return h
}

// matchHook returns the hook of a path. A proxy in between may have taken the
// beginning of the path off.
func (r *Receiver) matchHook(path string) *Hook {
	r.mu.Lock()
	defer r.mu.Unlock()
	if h := r.hooks[path]; h != nil {
		return h
	}
	for p, h := range r.hooks {
		if len(path) > len(uuid.Nil.String()) && strings.HasSuffix(p, path) {
			return h
		}
	}
	return nil
}

// Hook is one webhook URL and what came to it.
type Hook struct {
	url, path string
	made      record.Instant

	mu      sync.Mutex
	came    []*record.Exchange
	surplus int           // deliveries that were not kept
	fails   bool          // every delivery is answered as a fault of ours
	held    chan struct{} // closed when deliveries are answered again; nil if they always are
	holding int           // deliveries that wait for an answer
	news    chan struct{} // closed with the next delivery, answered or not
}

// URL is the address that the server gets.
func (h *Hook) URL() string { return h.url }

// Deliveries are the POSTs that came so far, in their order.
func (h *Hook) Deliveries() []*record.Exchange {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.came)
}

// Surplus counts the deliveries that came beyond those that are kept.
func (h *Hook) Surplus() int { return readLocked(&h.mu, &h.surplus) }

// News returns a channel that is closed when something comes that is not among
// the first seen deliveries.
func (h *Hook) News(seen int) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.came)+h.surplus > seen {
		closed := make(chan struct{})
		close(closed)
		return closed
	}
	return h.news
}

// Fail has every delivery answered with HTTP 500 from now on.
func (h *Hook) Fail() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fails = true
}

// Hold leaves every delivery without an answer from now on.
func (h *Hook) Hold() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = make(chan struct{})
}

// Release has deliveries answered again, those that were held first.
func (h *Hook) Release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held != nil {
		close(h.held)
		h.held = nil
	}
}

// Holding counts the deliveries that wait for an answer.
func (h *Hook) Holding() int { return readLocked(&h.mu, &h.holding) }

// awaitRelease waits until deliveries are answered, or until the server has gone away or the
// receiving is ended.
func (h *Hook) awaitRelease(gone <-chan struct{}) {
	h.mu.Lock()
	held := h.held
	if held == nil {
		h.mu.Unlock()
		return
	}
	h.holding++
	h.signalNews()
	h.mu.Unlock()
	select {
	case <-held:
	case <-gone:
	}
	h.mu.Lock()
	h.holding--
	h.mu.Unlock()
}

// signalNews wakes those who wait for a delivery. The caller holds h.mu.
func (h *Hook) signalNews() {
	close(h.news)
	h.news = make(chan struct{})
}

func (h *Hook) addDelivery(x *record.Exchange) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.came) < maxDeliveries {
		h.came = append(h.came, x)
	} else {
		h.surplus++
	}
	h.signalNews()
}

// serveHTTP receives one request. A POST is a delivery, and what else brings a body
// is kept as an attempt at one; a GET with a
// validation token, by which some servers make sure that a webhook wants to be
// one, gets the token back.
func (r *Receiver) serveHTTP(w http.ResponseWriter, q *http.Request) {
	start := r.now()
	h := r.matchHook(q.URL.Path)
	switch {
	case h == nil && strings.Contains(q.URL.Path, GoneAgents):
		http.Error(w, "an agent that was registered for a test, and is gone", http.StatusGone)
		return
	case h == nil:
		http.NotFound(w, q)
		return
	case q.Method == http.MethodGet || q.Method == http.MethodHead:
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		token := q.URL.Query().Get("validationToken")
		io.WriteString(w, token[:min(len(token), 1<<10)])
		return
	case q.Method != http.MethodPost && (q.Method != http.MethodPut && q.Method != http.MethodPatch || q.ContentLength == 0):
		http.Error(w, "a webhook takes POST", http.StatusMethodNotAllowed)
		return
	}
	if len(readLocked(&h.mu, &h.came)) >= maxDeliveries { // it is not read
		h.addDelivery(nil)
		w.WriteHeader(http.StatusOK)
		return
	}
	x := &record.Exchange{Dir: record.In, URL: hookURL(r.base, q), Start: start, Ended: record.EOF}
	head, _ := q.Context().Value(headKey{}).(*headConn)
	x.Request.Framing = record.Framing{Kind: "length", Declared: q.ContentLength}
	switch {
	case slices.Contains(q.TransferEncoding, "chunked"):
		x.Request.Framing.Kind = "chunked"
	case q.ContentLength == 0:
		x.Request.Framing.Kind = "none"
	}
	if q.ContentLength < 0 || q.ContentLength > smallDelivery {
		r.crowd.takePlace(r.large)
		defer func() { <-r.large }()
	}
	var body bytes.Buffer
	n, err := io.Copy(&body, io.LimitReader(q.Body, record.MaxDelivery+1))
	x.Request.Framing.Received = n
	x.Request.Body = body.Bytes()
	if n > 0 {
		x.Request.Chunks = []record.Chunk{{At: r.now(), N: int(n)}}
	}
	x.Request.Head = head.requestHead()
	switch {
	case err != nil:
		x.Ended, x.Trouble = record.Reset, err.Error()
	case n > record.MaxDelivery:
		x.Ended, x.Trouble = record.Limit, fmt.Sprintf("the delivery went beyond %d MiB and was read no further", record.MaxDelivery>>20)
	default:
		if coding := x.Request.ContentCoding(); coding != "" {
			if trouble := x.Request.DecodeDelivery(coding); trouble != "" {
				x.Ended, x.Trouble = record.Limit, trouble
			}
		}
	}
	h.awaitRelease(q.Context().Done())
	status := "200 OK"
	switch {
	case readLocked(&h.mu, &h.fails):
		status = "500 Internal Server Error"
	case q.Method != http.MethodPost:
		status = "405 Method Not Allowed"
	}
	answer := []byte("HTTP/1.1 " + status + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		conn.SetWriteDeadline(time.Now().Add(webhookWait))
		if _, err := conn.Write(answer); err == nil {
			x.Response = record.Message{Head: answer, Framing: record.Framing{Kind: "none"}}
		}
		conn.Close()
	}
	x.End = r.now()
	r.redact.Exchange(x) // before a cut, which would leave the halves of a secret
	r.budget.CountAndCutDelivery(x)
	h.addDelivery(x)
}

// hookURL returns the URL of a delivery, as the server got it. Of a query beyond all bounds the
// beginning is kept; the head of the delivery has it all.
func hookURL(base string, q *http.Request) string {
	u, err := url.Parse(base)
	if err != nil {
		return q.RequestURI
	}
	uri := q.URL.RequestURI()
	return u.Scheme + "://" + u.Host + uri[:min(len(uri), record.MaxAddress)]
}

// headListener keeps the first bytes of each connection: the head of the one
// request it carries, as it was written.
type headListener struct {
	net.Listener
	crowd *crowd
}

func (l *headListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &headConn{Conn: newCrowdedConn(c, l.crowd)}, nil
}

type headKey struct{}

type headConn struct {
	net.Conn
	mu    sync.Mutex
	first []byte
}

func (c *headConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if room := webhookHead + readBuffer - len(c.first); room > 0 {
		c.first = append(c.first, p[:min(n, room)]...)
	}
	return n, err
}

// requestHead is what was read up to the first blank line.
func (c *headConn) requestHead() []byte {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := 0; i < len(c.first); {
		n := lengthToNewlineOrEnd(c.first[i:])
		if isOnlyLineEnd(c.first[i : i+n]) {
			return bytes.Clone(c.first[:i+n])
		}
		i += n
	}
	return bytes.Clone(c.first)
}
