package gateway

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2/hpack"
	"golang.org/x/net/netutil"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// Bounds of what is kept of the requests that reach the upstream. They protect this program: what comes in is written by
// others.
const (
	mostArrivals    = 2000      // requests that are recorded
	mostArrivedBody = 8 << 20   // bytes of the body of one; a longer one is refused
	mostInHand      = 128 << 20 // bytes of all bodies that are read at the same time; what is beyond is refused
	mostKept        = 64 << 20  // bytes of all requests that are recorded; of those beyond, no body is kept
	mostArrivedHead = 64 << 10
	mostConns       = 256
	headPatience    = 20 * time.Second
)

// UpstreamConfig is what an upstream is opened for.
type UpstreamConfig struct {
	Listen  string           // HOST:PORT at which the gateway calls it; port 0 takes a free port
	Server  string           // URL of the A2A server to which calls are passed on
	GRPC    string           // HOST:PORT of its gRPC; "" for none
	Started time.Time        // zero point of all instants
	Redact  *redact.Redactor // nil redacts credential headers only
}

// Upstream is the server behind a gateway: it records each request that arrives, passes calls on to an A2A server, and
// answers some requests itself, in the ways that a gateway has to cope with.
type Upstream struct {
	cfg     UpstreamConfig
	listen  net.Listener
	server  *http.Server
	reverse *httputil.ReverseProxy
	http1   *http.Transport
	plain2  *http.Transport
	serial  atomic.Int64 // numbers the answers that it makes itself
	conns   atomic.Int64
	inHand  atomic.Int64 // bytes of the bodies that are read or answered now

	mu       sync.Mutex
	kept     int    // bytes of what is recorded
	grpc     string // address of the gRPC of the server; "" for none
	arrivals []*record.Exchange
}

// OpenUpstream opens the address of an upstream, and begins to answer there, by HTTP/1.1 and by HTTP/2 in plain.
func OpenUpstream(cfg UpstreamConfig) (*Upstream, error) {
	to, err := url.Parse(cfg.Server)
	if err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return nil, fmt.Errorf("%q is no URL of a server; write it like http://localhost:9999", redact.StripSecrets(cfg.Server))
	}
	if cfg.Redact == nil {
		cfg.Redact = redact.NewRedactor(nil)
	}
	l, err := net.Listen("tcp", cmp.Or(cfg.Listen, "127.0.0.1:0"))
	if err != nil {
		return nil, err
	}
	u := &Upstream{cfg: cfg, listen: l, grpc: cfg.GRPC}
	of := func(enable func(*http.Protocols, bool)) *http.Transport {
		p := new(http.Protocols)
		enable(p, true)
		return &http.Transport{Protocols: p, DisableCompression: true, IdleConnTimeout: time.Second}
	}
	u.http1, u.plain2 = of((*http.Protocols).SetHTTP1), of((*http.Protocols).SetUnencryptedHTTP2)
	u.reverse = &httputil.ReverseProxy{FlushInterval: -1, Transport: u, ErrorLog: log.New(io.Discard, "", 0), Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.URL.RawQuery = to.Scheme, to.Host, r.In.URL.RawQuery
		r.Out.Host = to.Host
	}}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	u.server = &http.Server{Handler: http.HandlerFunc(u.serveHTTP), Protocols: protocols, ReadHeaderTimeout: headPatience, MaxHeaderBytes: mostArrivedHead, ErrorLog: log.New(io.Discard, "", 0),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, arrivedKey{}, c) }}
	go u.server.Serve(arrivedListener{netutil.LimitListener(l, mostConns), u})
	return u, nil
}

// URL returns the address at which the gateway calls the upstream.
func (u *Upstream) URL() string { return "http://" + u.listen.Addr().String() }

// Close ends the upstream: what is under way is broken off.
func (u *Upstream) Close() {
	u.server.Close()
	u.http1.CloseIdleConnections()
	u.plain2.CloseIdleConnections()
}

// RoundTrip passes a call on to the server, in the protocol in which it came if that is gRPC.
func (u *Upstream) RoundTrip(r *http.Request) (*http.Response, error) {
	if !record.IsGRPC(record.ParseMediaType(r.Header.Get("Content-Type"))) {
		return u.http1.RoundTrip(r)
	}
	u.mu.Lock()
	address := u.grpc
	u.mu.Unlock()
	if address == "" {
		return nil, errors.New("no server of gRPC is known")
	}
	r.URL.Scheme, r.URL.Host = "http", address
	r.Header.Set("Te", "trailers") // which the reverse proxy takes off
	return u.plain2.RoundTrip(r)
}

// learnGRPC has calls of gRPC be passed on to the address on a card, if none was given.
func (u *Upstream) learnGRPC(address string) {
	if _, rest, has := strings.Cut(address, "://"); has {
		address, _, _ = strings.Cut(strings.TrimPrefix(rest, "/"), "/")
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.grpc == "" {
		u.grpc = address
	}
}

// listArrivals returns the requests that reached the upstream, in their order.
func (u *Upstream) listArrivals() []*record.Exchange {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.arrivals)
}

// sinceStart returns the present instant of the run.
func (u *Upstream) sinceStart() record.Instant { return time.Since(u.cfg.Started) }

// serveHTTP records a request and answers it.
func (u *Upstream) serveHTTP(w http.ResponseWriter, r *http.Request) {
	x := &record.Exchange{Dir: record.In, URL: u.URL() + boundTarget(r.RequestURI), Start: u.sinceStart(), Ended: record.EOF}
	x.Request.Head = formatArrivedHead(r)
	conn, _ := r.Context().Value(arrivedKey{}).(*arrivedConn)
	if conn != nil {
		x.Conn = conn.no
	}
	if r.ProtoMajor >= 2 {
		x.HTTP2 = &record.HTTP2{}
	}
	http.NewResponseController(w).EnableFullDuplex()
	body, whole := u.readBody(r.Body)
	defer u.inHand.Add(-int64(len(body)))
	if !whole {
		x.Ended, x.Trouble = record.Reset, "the request did not come in full"
	}
	x.Request.Body = body
	x.Request.Framing = record.Framing{Kind: "length", Declared: r.ContentLength, Received: int64(len(body))}
	if len(body) == 0 {
		x.Request.Framing.Kind = "none"
	}
	x.Request.Trailer = formatFields(r.Trailer)
	x.Response.Framing = record.Framing{Kind: "none", Declared: -1}
	u.keepArrival(x)
	if x.Ended != record.EOF {
		panic(http.ErrAbortHandler)
	}
	media := record.ParseMediaType(r.Header.Get("Content-Type"))
	if name, _ := readAsked(r.URL, media, body); name != "" {
		if record.IsGRPC(media) {
			u.answerGRPC(w, r, name)
			return
		}
		u.answerItself(w, r, name)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	u.reverse.ServeHTTP(wholeHead{w}, r)
}

// readBody reads the body of a request. It reports false if it did not come in full or goes beyond the bounds.
func (u *Upstream) readBody(from io.Reader) (body []byte, whole bool) {
	for piece := make([]byte, 32<<10); ; {
		n, err := from.Read(piece)
		body = append(body, piece[:n]...)
		if u.inHand.Add(int64(n)) > mostInHand || len(body) > mostArrivedBody {
			return body, false
		}
		if err != nil {
			return body, err == io.EOF
		}
	}
}

// readAsked returns which answer of the upstream's own a request asks for, and the id of the call that it comes from; both are "" if
// it is for the server.
func readAsked(at *url.URL, media string, body []byte) (answer, id string) {
	if !record.IsGRPC(media) {
		q := at.Query()
		return q.Get(answerParam), q.Get(idParam)
	}
	cut := func(name string) string {
		_, rest, _ := bytes.Cut(body, []byte(name+"="))
		value, _, ends := bytes.Cut(rest[:min(len(rest), mostMarker)], []byte(";"))
		if !ends {
			return ""
		}
		return string(value)
	}
	return cut(answerParam), cut(idParam)
}

// mostMarker is how many bytes the name of an answer or the id of a call has at most.
const mostMarker = 128

// wholeHead writes answers whose head is all of them, as errors of gRPC are, at their end: a head that leaves alone would be
// followed by an empty body, after which a client looks for trailers.
type wholeHead struct{ http.ResponseWriter }

// Unwrap gives the writer beneath to http.ResponseController.
func (w wholeHead) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// FlushError has what was written leave.
func (w wholeHead) FlushError() error {
	if w.Header().Get("Grpc-Status") != "" {
		return nil
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// keepArrival records a request that arrived, without its credentials.
func (u *Upstream) keepArrival(x *record.Exchange) {
	x.ReplaceBodiesByGRPCPayloads(func() bool { return true }) // of HTTP/1.1 too, by which a gateway may pass a call of gRPC on
	u.cfg.Redact.Exchange(x)
	x.End = u.sinceStart()
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.arrivals) == mostArrivals {
		return
	}
	size := len(x.Request.Head) + len(x.Request.Body)
	if u.kept+size > mostKept {
		x.Ended, x.Trouble, x.Request.Body = record.Limit, "so much had arrived that the body of this request was not kept", nil
		size = len(x.Request.Head)
	}
	u.kept += size
	u.arrivals = append(u.arrivals, x)
}

// boundTarget returns the target of a request within the bounds of a record.
func boundTarget(target string) string {
	if !strings.HasPrefix(target, "/") {
		return "/"
	}
	return target[:min(len(target), record.MaxAddress)]
}

// formatArrivedHead returns the head of a request: by HTTP/1.1 as it was written, by HTTP/2 as lines.
func formatArrivedHead(r *http.Request) []byte {
	if conn, ok := r.Context().Value(arrivedKey{}).(*arrivedConn); ok && r.ProtoMajor < 2 {
		if head := conn.findHead(r.Method + " " + r.RequestURI + " HTTP/1."); head != nil {
			return head
		}
	}
	fields := []hpack.HeaderField{{Name: ":method", Value: r.Method}, {Name: ":scheme", Value: "http"}, {Name: ":authority", Value: r.Host}, {Name: ":path", Value: r.RequestURI}}
	for name, values := range r.Header {
		for _, v := range values {
			fields = append(fields, hpack.HeaderField{Name: strings.ToLower(name), Value: v})
		}
	}
	slices.SortStableFunc(fields[4:], func(a, b hpack.HeaderField) int { return cmp.Compare(a.Name, b.Name) })
	return client.FormatRequestHead(fields)
}

// formatFields writes fields as lines.
func formatFields(h http.Header) (out []byte) {
	for name, values := range h {
		for _, v := range values {
			out = fmt.Appendf(out, "%s: %s\r\n", name, v)
		}
	}
	return out
}

// arrivedKey is the key of a connection in the context of its requests.
type arrivedKey struct{}

// arrivedListener keeps the last bytes of each connection.
type arrivedListener struct {
	net.Listener
	u *Upstream
}

// Accept implements net.Listener.
func (l arrivedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &arrivedConn{Conn: c, no: int(l.u.conns.Add(1))}, nil
}

// arrivedConn keeps the last bytes that came on a connection, since net/http keeps no head as it was written.
type arrivedConn struct {
	net.Conn
	no   int
	mu   sync.Mutex
	last []byte
}

// Read implements net.Conn.
func (c *arrivedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.keepLast(p[:n])
	return n, err
}

// keepLast keeps bytes that came, and of those before as many as a head may have.
func (c *arrivedConn) keepLast(p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = append(c.last, p...)
	if over := len(c.last) - 2*mostArrivedHead; over > 0 {
		c.last = slices.Delete(c.last, 0, over)
	}
}

// findHead returns the last head on the connection that begins so; nil if there is none.
func (c *arrivedConn) findHead(line string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	begin := bytes.LastIndex(c.last, []byte(line))
	if begin < 0 {
		return nil
	}
	end := bytes.Index(c.last[begin:], []byte("\r\n\r\n"))
	if end < 0 {
		return nil
	}
	return bytes.Clone(c.last[begin : begin+end+4])
}
