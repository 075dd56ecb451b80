package proxy

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"strings"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// callers make the calls to the servers: by HTTP/1.1, by HTTP/2 in plain, and by TLS with what the handshake agrees on.
// A call leaves in the protocol in which it came, since a server of gRPC takes no other.
type callers struct {
	http1, plain2, secure2 *http.Transport
}

// staleAfter is after how long an idle connection to a server is closed: before most servers close theirs, since a call
// that meets such an end cannot always be made again.
const staleAfter = 1500 * time.Millisecond

// maxUpstreamHead bounds the bytes of the head of an answer.
const maxUpstreamHead = 2 << 20

// newCallers makes the callers. The proxies that the environment names are not used: what a server answers has to be its own.
func (p *Proxy) newCallers() callers {
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		return p.dialServer(ctx, network, addr, false)
	}
	with := func(choose ...func(*http.Protocols, bool)) *http.Transport {
		protocols := new(http.Protocols)
		for _, f := range choose {
			f(protocols, true)
		}
		return &http.Transport{DialContext: dial, Protocols: protocols, TLSClientConfig: p.cfg.UpstreamTLS.Clone(), DisableCompression: true, MaxIdleConnsPerHost: maxConns, IdleConnTimeout: staleAfter,
			TLSHandshakeTimeout: dialWait, ExpectContinueTimeout: time.Second, MaxResponseHeaderBytes: maxUpstreamHead,
			HTTP2: &http.HTTP2Config{MaxReceiveBufferPerConnection: 4 << 20, MaxReceiveBufferPerStream: 512 << 10}}
	}
	http1 := with((*http.Protocols).SetHTTP1)
	http1.DialTLSContext = p.dialSecureServer
	plain2 := with((*http.Protocols).SetUnencryptedHTTP2)
	plain2.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return p.dialServer(ctx, network, addr, true)
	}
	return callers{http1: http1, plain2: plain2, secure2: with((*http.Protocols).SetHTTP1, (*http.Protocols).SetHTTP2)}
}

// dialServer opens a connection to a server in plain, or below TLS.
func (p *Proxy) dialServer(ctx context.Context, network, addr string, isHTTP2 bool) (net.Conn, error) {
	c, err := (&net.Dialer{Timeout: dialWait}).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return p.dialed.addConn(c, int(p.upstreamConns.Add(1)), isHTTP2)
}

// dialSecureServer opens a connection to a server by TLS, on which nothing but HTTP/1.1 is spoken.
func (p *Proxy) dialSecureServer(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := (&net.Dialer{Timeout: dialWait}).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	secure := p.secureConn(c, addr)
	bounded, cancel := context.WithTimeout(ctx, dialWait)
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)() // the transport dials on after a call was given up
	if err := secure.HandshakeContext(bounded); err != nil {
		c.Close()
		return nil, err
	}
	return p.dialed.addConn(secure, int(p.upstreamConns.Add(1)), false)
}

// secureConn returns a connection by TLS to an address, on which nothing but HTTP/1.1 is spoken. The transport is not left to
// make it, so that what the server answers can be passed on even if it is no HTTP.
func (p *Proxy) secureConn(c net.Conn, addr string) *tls.Conn {
	cfg := &tls.Config{}
	if p.cfg.UpstreamTLS != nil {
		cfg = p.cfg.UpstreamTLS.Clone()
	}
	cfg.NextProtos = nil
	if host, _, err := net.SplitHostPort(addr); err == nil && cfg.ServerName == "" {
		cfg.ServerName = host
	}
	return tls.Client(c, cfg)
}

// chooseCaller returns what makes a call.
func (c callers) chooseCaller(r *http.Request) *http.Transport {
	switch {
	case r.ProtoMajor < 2:
		return c.http1
	case r.URL.Scheme == "https":
		return c.secure2
	case r.TLS != nil && !record.IsGRPC(record.ParseMediaType(r.Header.Get("Content-Type"))):
		return c.http1 // the client has HTTP/2 from our handshake, and the server in plain may not
	}
	return c.plain2
}

func (c callers) closeConnections() {
	for _, t := range []*http.Transport{c.http1, c.plain2, c.secure2} {
		t.CloseIdleConnections()
	}
}

// numberOf returns the number of a connection to a server; 0 if it has none.
func numberOf(c net.Conn) int {
	if secure, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = secure.NetConn()
	}
	if n, ok := c.(*numberedConn); ok {
		return n.no
	}
	return 0
}

// captureKey is the key of the capture in the context of a request.
type captureKey struct{}

func captureOf(ctx context.Context) *capture {
	c, _ := ctx.Value(captureKey{}).(*capture)
	return c
}

// bufferPool has the buffers by which bodies are copied.
type bufferPool struct{ sync.Pool }

func (b *bufferPool) Get() []byte {
	if p, ok := b.Pool.Get().(*[]byte); ok {
		return *p
	}
	return make([]byte, 32<<10)
}

func (b *bufferPool) Put(p []byte) { b.Pool.Put(&p) }

// newHandler returns what passes on the calls for a server.
func (e *entry) newHandler() http.Handler {
	reverse := &httputil.ReverseProxy{
		Rewrite:        e.rewriteRequest,
		Transport:      e.Proxy,
		FlushInterval:  -1, // each piece leaves at once
		BufferPool:     &bufferPool{},
		ErrorLog:       log.New(io.Discard, "", 0),
		ModifyResponse: e.modifyResponse,
		ErrorHandler:   e.refuseCall,
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !e.enterCall() {
			panic(http.ErrAbortHandler)
		}
		defer e.handling.Done()
		c := e.newCapture(r)
		a := &answerWriter{ResponseWriter: w, capture: c, ctx: r.Context()}
		http.NewResponseController(w).EnableFullDuplex() // an answer may begin before the request has ended
		ctx := httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { c.noteConnection(i.Conn) }})
		defer func() {
			fault, gone := recover(), r.Context().Err() != nil
			if fault != nil {
				e.passRestOfAnswer(a)
			}
			c.endChunks()
			c.finishExchange(gone, fault != nil)
			if fault != nil { // how the reverse proxy breaks off an answer
				panic(fault)
			}
		}()
		reverse.ServeHTTP(a, r.WithContext(context.WithValue(ctx, captureKey{}, c)))
	})
}

// addedByProxies are the fields that the reverse proxy drops, and a client may have sent.
var addedByProxies = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"}

// rewriteRequest makes the request to the server out of that of the client.
func (e *entry) rewriteRequest(r *httputil.ProxyRequest) {
	out := r.Out
	out.URL.Scheme, out.URL.Host = e.upstream.Scheme, e.upstream.Host
	out.URL.RawQuery = r.In.URL.RawQuery
	if !e.cfg.KeepHost {
		out.Host = e.upstream.Host
	}
	for _, name := range addedByProxies {
		if values := r.In.Header[name]; values != nil {
			out.Header[name] = values
		}
	}
	if !e.cfg.KeepCards && e.cards.isCardPath(out.URL.Path) {
		out.Header.Del("Accept-Encoding") // addresses on it are replaced
	}
	out.Trailer = r.In.Trailer // whose values come after the body
	c := captureOf(out.Context())
	if out.Body != nil && out.Body != http.NoBody {
		out.Body = &requestTap{ReadCloser: out.Body, c: c, in: r.In}
	}
}

// RoundTrip makes the call to the server, and records what leaves and what comes.
func (p *Proxy) RoundTrip(r *http.Request) (*http.Response, error) {
	c := captureOf(r.Context())
	c.noteSent(r)
	answer, err := p.calls.chooseCaller(r).RoundTrip(r)
	if err != nil {
		c.noteFailure(err)
		c.takeRawAnswer(r.Context().Err() != nil, clientConnOf(r.Context()))
		return nil, err
	}
	if answer.TLS == nil {
		answer.TLS = c.readTLS()
	}
	c.endAwaiting(answer, clientConnOf(r.Context()))
	c.noteAnswered(answer)
	if answer.StatusCode == http.StatusSwitchingProtocols {
		c.leaveOut(upgraded)
		return answer, nil
	}
	answer.Body = &responseTap{answer.Body, c, answer}
	return answer, nil
}

// modifyResponse replaces the addresses on cards.
func (e *entry) modifyResponse(answer *http.Response) error {
	c := captureOf(answer.Request.Context())
	c.headAlone = answer.ContentLength == 0 || answer.Request.Method == http.MethodHead
	if e.cfg.KeepCards {
		return nil
	}
	return e.cards.replaceInAnswer(e, c, answer)
}

// refuseCall passes on an answer that is no HTTP, and answers in the name of the proxy if there is none.
func (e *entry) refuseCall(w http.ResponseWriter, r *http.Request, _ error) {
	if raw := captureOf(r.Context()).raw; raw != nil && passRawAnswer(e.ctx, w, clientConnOf(r.Context()), raw) {
		return
	}
	if r.Context().Err() != nil || e.closing.Load() || captureOf(r.Context()).brokeOff() {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusBadGateway)
	io.WriteString(w, "a2a-conform proxy: the server gave no answer that can be passed on\n")
}

// passRestOfAnswer passes on, as it came, what follows the last chunk that can be read of an answer that was broken off.
func (e *entry) passRestOfAnswer(a *answerWriter) {
	on := clientConnOf(a.ctx)
	if on == nil || a.answerChunks == nil || a.answerError == nil || !a.begun || a.ctx.Err() != nil || e.closing.Load() || a.FlushError() != nil {
		return
	}
	begin, known := a.answerChunks.takeCame()
	if !known {
		return
	}
	a.restPassed = isUnreadable(a.answerError)
	a.answerOn.takeOver()
	(&rawAnswer{begin: begin, from: a.answerOn}).passRest(e.ctx, on.takeOver())
}

// answerWriter writes the answer to a client.
type answerWriter struct {
	http.ResponseWriter
	*capture
	ctx   context.Context
	begun bool
}

// Unwrap lets the connection be taken over, for another protocol.
func (a *answerWriter) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader begins the answer. What the server left out is not made up.
func (a *answerWriter) WriteHeader(status int) {
	h := a.Header()
	if status >= 200 && !a.begun {
		a.begun = true
		leave := []string{"Content-Type", "Date"}
		if a.isHTTP2 {
			leave = append(leave, "Content-Length")
		}
		for _, name := range leave {
			if _, has := h[name]; !has {
				h[name] = nil
			}
		}
	}
	if a.answerChunks != nil && status >= 200 && !bytes.Contains(bytes.ToLower(a.answerHead), []byte("\ntrailer:")) {
		h.Del("Trailer") // which the reverse proxy adds if the body of a card was read before
	}
	if on := clientConnOf(a.ctx); on != nil && status >= 200 && !a.isHTTP2 {
		on.spellNext(a.answerHead, a.answerChunks)
	}
	a.noteGiven(status, h)
	a.ResponseWriter.WriteHeader(status)
	if status >= 200 && a.answerChunks != nil {
		a.FlushError() // a length would be written in place of the chunks if there were none
	}
}

// FlushError has what was written leave at once. A head without a body leaves with the end of the answer: by HTTP/2 it
// would otherwise be followed by an empty body, after which a client of gRPC looks for trailers.
func (a *answerWriter) FlushError() error {
	if a.headAlone {
		return nil
	}
	if f, ok := a.ResponseWriter.(interface{ FlushError() error }); ok {
		return f.FlushError()
	}
	return errors.ErrUnsupported
}

// requestTap copies the body of a request for the record while it is passed on.
type requestTap struct {
	io.ReadCloser
	c     *capture
	in    *http.Request
	ended bool
}

// Read reads the next piece. After the end nothing is read any more: net/http closes a body that has ended once the answer
// begins, and its transport, which looks for more, would take that for an error and break off the answer.
func (t *requestTap) Read(p []byte) (int, error) {
	if t.ended {
		return 0, io.EOF
	}
	n, err := t.ReadCloser.Read(p)
	t.ended = err == io.EOF
	t.c.noteRequestBody(p[:n])
	switch {
	case err == io.EOF:
		t.c.noteRequestEnd(t.in.Trailer)
	case err != nil:
		t.c.noteRequestTrouble(err)
	}
	return n, err
}

// responseTap copies the body of an answer for the record while it is passed on.
type responseTap struct {
	io.ReadCloser
	c      *capture
	answer *http.Response
}

func (t *responseTap) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.c.noteResponseBody(p[:n])
	if err != nil {
		if err != io.EOF {
			t.c.answerError = err
		}
		t.c.noteResponseEnd(err, t.answer.Trailer)
	}
	return n, err
}

// describeFailure returns how a call came to its end that got no answer.
func describeFailure(err error) (record.Ended, string) {
	var op *net.OpError
	switch {
	case errors.Is(err, context.Canceled):
		return record.OurClose, "the client left before an answer came"
	case errors.As(err, &op) && op.Op == "dial":
		return record.NoDial, op.Err.Error()
	case strings.Contains(err.Error(), "tls:") || strings.Contains(err.Error(), "x509:"):
		return record.NoDial, record.HandshakeTrouble + err.Error()
	}
	return record.Reset, err.Error()
}
