// Package gateway is a small gateway to test with: it passes calls on to one server as a right gateway does, with one habit
// that the texts allow, or with one fault. It shares nothing with the suite.
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
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options choose the gateway to start.
type Options struct {
	Upstream string // URL of the server
	Listen   string // HOST:PORT; "" takes a free port of this machine
	Trait    string // the habit or the fault; "" for none
}

// Gateway is a running gateway.
type Gateway struct {
	trait    trait
	upstream *url.URL
	listen   net.Listener
	server   *http.Server
	http1    *http.Transport
	plain2   *http.Transport

	mu     sync.Mutex
	stored map[string]*stored
}

// bounds of what passes.
const (
	mostBody   = 16 << 20 // bytes of the body of a request
	limit      = 1 << 20  // bytes, of the gateways that limit bodies
	shortWait  = 1500 * time.Millisecond
	viaEntry   = "1.1 conform-gateway"
	cardPath   = "/.well-known/agent-card.json"
	versionKey = "A2a-Version"
)

// Start opens a gateway. It serves until Close.
func Start(o Options) (*Gateway, error) {
	to, err := url.Parse(o.Upstream)
	if err != nil || to.Host == "" {
		return nil, fmt.Errorf("%q is no URL of a server", o.Upstream)
	}
	g := &Gateway{upstream: to, stored: map[string]*stored{}}
	if o.Trait != "" {
		i := slices.IndexFunc(traits, func(t trait) bool { return t.Name == o.Trait })
		if i < 0 {
			return nil, fmt.Errorf("there is no gateway %q", o.Trait)
		}
		g.trait = traits[i]
	}
	if g.listen, err = net.Listen("tcp", cmp.Or(o.Listen, "127.0.0.1:0")); err != nil {
		return nil, err
	}
	of := func(enable func(*http.Protocols, bool)) *http.Transport {
		p := new(http.Protocols)
		enable(p, true)
		return &http.Transport{Protocols: p, DisableCompression: true, IdleConnTimeout: time.Second, ResponseHeaderTimeout: g.trait.headWait}
	}
	g.http1, g.plain2 = of((*http.Protocols).SetHTTP1), of((*http.Protocols).SetUnencryptedHTTP2)
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	g.server = &http.Server{Handler: http.HandlerFunc(g.serveHTTP), Protocols: protocols, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	l := g.listen
	if g.trait.frames != nil {
		l = newSplitListener(l, g.serveFrames)
	}
	go g.server.Serve(l)
	return g, nil
}

// URL returns the address at which callers reach the gateway.
func (g *Gateway) URL() string { return "http://" + g.listen.Addr().String() + g.trait.prefix }

// Close ends the gateway.
func (g *Gateway) Close() {
	g.server.Close()
	g.listen.Close()
	g.http1.CloseIdleConnections()
	g.plain2.CloseIdleConnections()
}

// serveHTTP passes a request on, and the answer back.
func (g *Gateway) serveHTTP(w http.ResponseWriter, r *http.Request) {
	http.NewResponseController(w).EnableFullDuplex()
	body, err := io.ReadAll(io.LimitReader(r.Body, mostBody))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if g.trait.limitsRequests && len(body) > limit {
		refuseCall(w, http.StatusRequestEntityTooLarge)
		return
	}
	if g.trait.Blocks != "" && strings.HasSuffix(r.URL.Path, g.trait.Blocks) && r.URL.RawQuery == "" {
		refuseCall(w, http.StatusNotFound)
		return
	}
	if s := g.findStored(r); s != nil {
		s.writeStored(w, g.trait.cache)
		return
	}
	out := g.prepareRequest(r, body)
	if g.trait.interim {
		out = out.WithContext(httptrace.WithClientTrace(out.Context(), &httptrace.ClientTrace{Got1xxResponse: func(code int, h textproto.MIMEHeader) error { return nil }}))
	} else {
		out = out.WithContext(httptrace.WithClientTrace(out.Context(), &httptrace.ClientTrace{Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
			for name, values := range h {
				w.Header()[name] = values
			}
			w.WriteHeader(code)
			clear(w.Header())
			return nil
		}}))
	}
	answer, err := g.sendRequest(out, body)
	if err != nil {
		var late interface{ Timeout() bool }
		if errors.As(err, &late) && late.Timeout() {
			refuseCall(w, http.StatusGatewayTimeout)
			return
		}
		refuseCall(w, http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	g.passAnswer(w, r, answer)
}

// refuseCall answers in the place of the server.
func refuseCall(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<html><body><h1>%d %s</h1></body></html>\n", status, http.StatusText(status))
}

// hopFields are about one connection, and are not passed on.
var hopFields = []string{"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// removeHopFields removes the fields about the connection, but for those that a trait keeps.
func removeHopFields(h http.Header, keeps []string) {
	var named []string
	for _, list := range h["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			named = append(named, http.CanonicalHeaderKey(strings.TrimSpace(name)))
		}
	}
	for _, name := range append(named, hopFields...) {
		if !slices.Contains(keeps, name) {
			h.Del(name)
		}
	}
}

// isGRPC reports whether a message is one of gRPC.
func isGRPC(h http.Header) bool { return strings.HasPrefix(h.Get("Content-Type"), "application/grpc") }

// prepareRequest makes the request to the server out of that of the caller.
func (g *Gateway) prepareRequest(r *http.Request, body []byte) *http.Request {
	to := *g.upstream
	path := strings.TrimPrefix(r.URL.EscapedPath(), g.trait.prefix)
	if g.trait.decodes {
		path = (&url.URL{Path: strings.TrimPrefix(r.URL.Path, g.trait.prefix)}).EscapedPath()
	}
	to.RawQuery = r.URL.RawQuery
	to.Path, _ = url.PathUnescape(path)
	to.RawPath = path
	if g.trait.Request != nil {
		body = g.trait.Request(body)
	}
	out, err := http.NewRequestWithContext(r.Context(), r.Method, to.String(), bytes.NewReader(body))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	out.URL = &to
	if len(body) == 0 {
		out.Body = http.NoBody
	}
	out.Header = r.Header.Clone()
	removeHopFields(out.Header, g.trait.keeps)
	if isGRPC(out.Header) {
		out.Header.Set("Te", "trailers")
	}
	out.Header.Set("Via", strings.TrimPrefix(strings.Join(r.Header["Via"], ", ")+", "+viaEntry, ", "))
	if out.Header.Get("User-Agent") == "" {
		out.Header.Set("User-Agent", "") // net/http would write its own
	}
	if g.trait.Out != nil {
		g.trait.Out(out)
	}
	return out
}

// sendRequest makes the call to the server.
func (g *Gateway) sendRequest(out *http.Request, body []byte) (*http.Response, error) {
	if g.trait.raw && !isGRPC(out.Header) {
		return sendRaw(out, body)
	}
	tr := g.http1
	if isGRPC(out.Header) || g.trait.http2 {
		tr = g.plain2
	}
	answer, err := tr.RoundTrip(out)
	for again := 0; err != nil && g.trait.repeats && again < 2; again++ {
		next := out.Clone(out.Context())
		next.Body = io.NopCloser(bytes.NewReader(body))
		answer, err = tr.RoundTrip(next)
	}
	return answer, err
}

// sendRaw sends a request that states its length in two ways.
func sendRaw(out *http.Request, body []byte) (*http.Response, error) {
	conn, err := (&net.Dialer{Timeout: 5 * time.Second}).Dial("tcp", out.URL.Host)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(out.Context(), func() { conn.Close() })
	text := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n", out.Method, out.URL.RequestURI(), out.URL.Host, len(body))
	for name, values := range out.Header {
		for _, v := range values {
			text = fmt.Appendf(text, "%s: %s\r\n", name, v)
		}
	}
	text = append(text, "\r\n"...)
	if len(body) > 0 {
		text = fmt.Appendf(text, "%x\r\n%s\r\n", len(body), body)
	}
	if _, err := conn.Write(append(text, "0\r\n\r\n"...)); err != nil {
		conn.Close()
		return nil, err
	}
	answer, err := http.ReadResponse(newReader(conn), out)
	if err != nil {
		conn.Close()
		return nil, err
	}
	answer.Body = closeBoth{answer.Body, func() { stop(); conn.Close() }}
	return answer, nil
}

// closeBoth is a body whose connection ends with it.
type closeBoth struct {
	io.ReadCloser
	also func()
}

// Close implements io.Closer.
func (c closeBoth) Close() error {
	defer c.also()
	return c.ReadCloser.Close()
}

// originsOfCard are the addresses of the interfaces of a card.
var originsOfCard = regexp.MustCompile(`"url":"(http://)?(127\.0\.0\.1|localhost|\[::1\]):[0-9]+`)

// rewriteCard has the card name the gateway, unless it is signed: its signatures would no longer hold.
func (g *Gateway) rewriteCard(text []byte, evenSigned bool) []byte {
	if bytes.Contains(text, []byte(`"signatures"`)) && !evenSigned {
		return text
	}
	host := g.listen.Addr().String()
	return originsOfCard.ReplaceAllFunc(text, func(m []byte) []byte {
		if bytes.Contains(m, []byte("http://")) {
			return []byte(`"url":"http://` + host + g.trait.prefix)
		}
		return []byte(`"url":"` + host)
	})
}

// isEvents reports whether an answer is a stream.
func isEvents(h http.Header) bool {
	return strings.HasPrefix(h.Get("Content-Type"), "text/event-stream")
}

// passAnswer passes an answer on to the caller.
func (g *Gateway) passAnswer(w http.ResponseWriter, r *http.Request, answer *http.Response) {
	h := answer.Header.Clone()
	removeHopFields(h, g.trait.keepsBack)
	streams := isEvents(h) || isGRPC(h)
	whole := g.trait.Body != nil || strings.HasSuffix(r.URL.Path, cardPath) || g.trait.limitsAnswers || g.trait.cache != nil || g.trait.rawAnswer != nil
	if streams && g.trait.Events == nil || len(answer.Trailer) > 0 {
		whole = false
	}
	if streams && g.trait.Events != nil && isEvents(h) {
		whole = true
	}
	if g.trait.Back != nil {
		g.trait.Back(h, answer)
	}
	for name := range answer.Trailer {
		if !g.trait.noTrailer(name, isGRPC(h)) {
			w.Header().Add("Trailer", name)
		}
	}
	if whole {
		g.passWhole(w, r, answer, h)
		return
	}
	for name, values := range h {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	if streams && h.Get("Grpc-Status") == "" { // a head that is all of an answer leaves with its end
		http.NewResponseController(w).Flush()
	}
	g.copyBody(w, answer.Body, streams && h.Get("Grpc-Status") == "")
	for name, values := range answer.Trailer {
		switch {
		case g.trait.noTrailer(name, isGRPC(h)):
		case w.Header().Get("Trailer") == "": // it was not announced
			w.Header()[http.TrailerPrefix+name] = values
		default:
			w.Header()[name] = values
		}
	}
}

// passWhole passes an answer on once all of it came.
func (g *Gateway) passWhole(w http.ResponseWriter, r *http.Request, answer *http.Response, h http.Header) {
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostBody))
	if err != nil && !g.trait.hidesCuts {
		panic(http.ErrAbortHandler)
	}
	if g.trait.limitsAnswers && len(text) > limit {
		refuseCall(w, http.StatusBadGateway)
		return
	}
	was := len(text)
	if strings.HasSuffix(r.URL.Path, cardPath) && r.URL.RawQuery == "" && answer.StatusCode == http.StatusOK && !g.trait.leavesCards {
		text = g.rewriteCard(text, g.trait.rewritesSigned)
	}
	status := answer.StatusCode
	if isEvents(h) && g.trait.Events != nil {
		text = g.trait.Events(text)
	} else if g.trait.Body != nil && !isEvents(h) {
		status, text = g.trait.Body(r, h, status, text)
	}
	if g.trait.rawAnswer != nil && g.trait.rawAnswer(w, status, h, text) {
		return
	}
	for name, values := range h {
		w.Header()[name] = values
	}
	switch {
	case g.trait.keepsLength && len(text) != was:
		w.Header().Set("Content-Length", fmt.Sprint(was))
	case g.trait.chunks, status == http.StatusNoContent, status == http.StatusNotModified:
		w.Header().Del("Content-Length")
	case r.Method != http.MethodHead:
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
	}
	g.storeAnswer(r, status, w.Header(), text)
	w.WriteHeader(status)
	if g.trait.chunks {
		for len(text) > 0 {
			n := min(len(text), 7)
			w.Write(text[:n])
			http.NewResponseController(w).Flush()
			text = text[n:]
		}
		return
	}
	w.Write(text)
}

// copyBody passes a body on as it comes.
func (g *Gateway) copyBody(w http.ResponseWriter, body io.Reader, flushes bool) {
	type piece struct {
		text []byte
		err  error
	}
	pieces, done := make(chan piece), make(chan struct{})
	defer close(done)
	go func() {
		for i := 0; ; i++ {
			buf := make([]byte, 32<<10)
			if g.trait.splits && flushes && i < 200 {
				buf = buf[:5]
			}
			n, err := body.Read(buf)
			select {
			case pieces <- piece{buf[:n], err}:
			case <-done:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	for {
		var quiet <-chan time.Time
		if g.trait.cutsQuiet && flushes {
			quiet = time.After(shortWait)
		}
		select {
		case p := <-pieces:
			w.Write(p.text)
			if flushes {
				http.NewResponseController(w).Flush()
			}
			if p.err == io.EOF || p.err != nil && g.trait.hidesCuts {
				return
			}
			if p.err != nil {
				panic(http.ErrAbortHandler)
			}
		case <-quiet:
			panic(http.ErrAbortHandler)
		}
	}
}
