package serve

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// recorded records what a test sends on connections of its own.
type recorded struct {
	*recorder
	t    *testing.T
	addr string
}

// echo answers by the body that came, and a stream at /stream: a piece each time it is asked to go on.
func newRecorded(t *testing.T, secrets ...redact.Secret) *recorded {
	t.Helper()
	return newRecordedWith(t, recorderConfig{Started: time.Now(), Redact: redact.NewRedactor(secrets)}, "127.0.0.1")
}

func newRecordedWith(t *testing.T, cfg recorderConfig, host string) *recorded {
	t.Helper()
	r := newRecorder(t.Context(), cfg)
	t.Cleanup(r.Close)
	base, err := r.openOrigin(host, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.acceptConnections(func(a *answerWriter, q *request) {
		switch q.Path {
		case "/stream":
			a.beginPieces(http.StatusOK, streamFields)
			for i := range 1000 {
				if !a.writePiece(fmt.Appendf(nil, "data: %d\n\n", i)) || !a.waitTime(5*time.Millisecond) {
					return
				}
			}
			a.endPieces()
		case "/cut":
			a.beginPieces(http.StatusOK, streamFields)
			a.writePiece([]byte("data: 1\n\n"))
			a.cutConnection(true)
		case "/nothing":
		default:
			a.writeWhole(http.StatusOK, listTypeFields("text/plain"), append([]byte("got "), q.record.Body...))
		}
	})
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return &recorded{r, t, u.Host}
}

func (r *recorded) dial() net.Conn {
	r.t.Helper()
	c, err := net.Dial("tcp", r.addr)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

// exchanges waits until the connections are closed, and returns what was recorded.
func (r *recorded) exchanges(want int) []*record.Exchange {
	r.t.Helper()
	r.awaitQuiet(10 * time.Second)
	got := r.listExchanges()
	if len(got) != want {
		r.t.Fatalf("%d exchanges were recorded, want %d: %+v", len(got), want, got)
	}
	return got
}

func write(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
}

// readAnswer reads one answer of HTTP.
func readAnswer(t *testing.T, r *bufio.Reader) (int, string) {
	t.Helper()
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestRecordRequestsOnOneConnection(t *testing.T) {
	t.Parallel()
	r := newRecorded(t)
	c := r.dial()
	in := bufio.NewReader(c)
	const first = "POST /a?x=1 HTTP/1.1\r\nhost: h\r\ncontent-LENGTH: 3\r\nX-Odd:  two  \r\n\r\n"
	write(t, c, first+"one")
	if status, body := readAnswer(t, in); status != 200 || body != "got one" {
		t.Errorf("the first answer is %d %q", status, body)
	}
	write(t, c, "GET /b HTTP/1.1\r\nHost: h\r\n\r\n")
	readAnswer(t, in)
	c.Close()
	x := r.exchanges(2)
	if x[0].Conn != x[1].Conn || x[0].Conn == 0 || string(x[0].Request.Head) != first || string(x[0].Request.Body) != "one" || x[0].Dir != record.In {
		t.Errorf("the first request was recorded as %q %q", x[0].Request.Head, x[0].Request.Body)
	}
	if !strings.HasSuffix(x[0].URL, r.addr+"/a?x=1") || x[0].Ended != record.EOF || string(x[0].Response.Body) != "got one" || !bytes.HasPrefix(x[0].Response.Head, []byte("HTTP/1.1 200 OK\r\n")) {
		t.Errorf("the first exchange is %s, ended by %s: %q", x[0].URL, x[0].Ended, x[0].Response.Head)
	}
	if x[0].Closed != nil || x[1].Closed == nil || x[1].Closed.By != record.ByClient || x[1].Closed.Reset {
		t.Errorf("the connection was closed %+v", x[1].Closed)
	}
	if !(x[0].Start <= x[0].End && x[0].End <= x[1].Start) {
		t.Errorf("the exchanges are at %v-%v and %v", x[0].Start, x[0].End, x[1].Start)
	}
}

func TestRecordPipelinedRequests(t *testing.T) {
	t.Parallel()
	r := newRecorded(t)
	c := r.dial()
	write(t, c, strings.Repeat("POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx", 3))
	in := bufio.NewReader(c)
	for range 3 {
		if _, body := readAnswer(t, in); body != "got x" {
			t.Errorf("an answer is %q", body)
		}
	}
	c.Close()
	for i, x := range r.exchanges(3) {
		if string(x.Request.Body) != "x" || !bytes.HasPrefix(x.Request.Head, []byte("POST / ")) || !bytes.HasSuffix(x.Request.Head, []byte("\r\n\r\n")) {
			t.Errorf("request %d was recorded as %q", i, x.Request.Head)
		}
	}
}

func TestRecordChunkedRequest(t *testing.T) {
	t.Parallel()
	r := newRecorded(t)
	c := r.dial()
	in := bufio.NewReader(c)
	write(t, c, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;ext=1\r\none\r\n")
	write(t, c, "3\r\ntwo\r\n0\r\nX-Sum: 7\r\n\r\n")
	if _, body := readAnswer(t, in); body != "got onetwo" {
		t.Errorf("the answer is %q", body)
	}
	c.Close()
	q := r.exchanges(1)[0].Request
	if q.Framing.Kind != "chunked" || q.Framing.Received != 6 || string(q.Body) != "onetwo" || len(q.Chunks) == 0 || len(q.Chunks) == 2 && q.Chunks[1].At < q.Chunks[0].At {
		t.Errorf("the body was recorded as %+v in %+v", q.Framing, q.Chunks)
	}
	if string(q.Trailer) != "X-Sum: 7\r\n" {
		t.Errorf("the trailer is %q", q.Trailer)
	}
}

func TestRecordExpectation(t *testing.T) {
	t.Parallel()
	r := newRecorded(t)
	c := r.dial()
	in := bufio.NewReader(c)
	write(t, c, "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
	line, err := in.ReadString('\n')
	if err != nil || line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("the interim answer is %q, %v", line, err)
	}
	in.ReadString('\n')
	write(t, c, "ok")
	readAnswer(t, in)
	c.Close()
	if x := r.exchanges(1)[0]; len(x.Response.Framing.Interim) != 1 || x.Response.Framing.Interim[0] != 100 || string(x.Request.Body) != "ok" {
		t.Errorf("the interim answer was recorded as %+v", x.Response.Framing)
	}
}

// Clients that stop in the middle of a request, or send what is none, are recorded as far as they came.
func TestRecordBrokenRequests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sent    string
		status  int
		ended   record.Ended
		trouble string
	}{
		"half head":       {"GET / HTTP/1.1\r\nHos", 0, record.Reset, "within the head"},
		"half body":       {"POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc", 0, record.Reset, "within the body"},
		"no HTTP":         {"hello there\r\n\r\n", 400, record.EOF, "no request line"},
		"HTTP/2":          {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, record.EOF, "HTTP/2"},
		"TLS":             {"\x16\x03\x01\x00\x05hello", 400, record.EOF, "TLS"},
		"two lengths":     {"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400, record.EOF, "Content-Length"},
		"bad chunk":       {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400, record.EOF, "chunks"},
		"bad coding":      {"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 501, record.EOF, "Transfer-Encoding"},
		"endless head":    {"GET / HTTP/1.1\r\n" + strings.Repeat("X-A: b\r\n", maxHead/8), 431, record.Limit, "head"},
		"endless trailer": {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + strings.Repeat("X-A: b\r\n", maxHead/8+10), 400, record.EOF, "chunks"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRecorded(t)
			conn := r.dial()
			io.WriteString(conn, c.sent)
			conn.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, conn)
			x := r.exchanges(1)[0]
			if x.Status() != c.status || x.Ended != c.ended || !strings.Contains(x.Trouble, c.trouble) || !strings.HasPrefix(c.sent, string(x.Request.Head)) {
				t.Errorf("got %d, ended by %s, %q: %.100q", x.Status(), x.Ended, x.Trouble, x.Request.Head)
			}
		})
	}
}

// A client that stops reading a stream is noticed while the stream goes on.
func TestRecordAbandonedStream(t *testing.T) {
	t.Parallel()
	r := newRecorded(t)
	c := r.dial()
	write(t, c, "GET /stream HTTP/1.1\r\n\r\n")
	in := bufio.NewReader(c)
	for line := ""; !strings.Contains(line, "data: 3"); {
		var err error
		if line, err = in.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	c.Close()
	x := r.exchanges(1)[0]
	if x.Ended != record.Reset || x.Closed == nil || x.Closed.By != record.ByClient || len(x.Response.Chunks) < 4 || len(x.Response.Chunks) > 900 {
		t.Errorf("ended by %s (%s), closed %+v, after %d pieces", x.Ended, x.Trouble, x.Closed, len(x.Response.Chunks))
	}
	if !bytes.HasPrefix(x.Response.Body, []byte("data: 0\n\ndata: 1\n\n")) || x.Response.Framing.Kind != "chunked" || len(x.Events()) < 4 {
		t.Errorf("the stream was recorded as %+v: %.50q", x.Response.Framing, x.Response.Body)
	}
}

// What we cut is not taken for a fault of the client.
func TestRecordOwnCuts(t *testing.T) {
	t.Parallel()
	r := newRecorded(t)
	for _, path := range []string{"/cut", "/nothing"} {
		c := r.dial()
		write(t, c, "GET "+path+" HTTP/1.1\r\n\r\n")
		io.Copy(io.Discard, c)
		c.Close()
	}
	for _, x := range r.exchanges(2) {
		if x.Ended != record.OurClose || x.Closed == nil || x.Closed.By != record.ByUs {
			t.Errorf("%s ended by %s (%s), closed %+v", x.URL, x.Ended, x.Trouble, x.Closed)
		}
	}
}

// A connection that the script resets is reset on the wire.
func TestResetConnections(t *testing.T) {
	t.Parallel()
	r := newRecorded(t)
	c := r.dial()
	write(t, c, "GET /cut HTTP/1.1\r\n\r\n")
	if _, err := io.Copy(io.Discard, c); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the connection ended with %v", err)
	}
	c.Close()
	if x := r.exchanges(1)[0]; x.Ended != record.OurClose || !strings.Contains(x.Trouble, "reset") {
		t.Errorf("it ended by %s (%s)", x.Ended, x.Trouble)
	}
}

// A compressed request is read and recorded without its coding, so that no secret hides in it, and one in
// an unknown coding is refused.
func TestDecodeRequests(t *testing.T) {
	t.Parallel()
	const secret = "a-secret-of-the-operator"
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	io.WriteString(w, secret)
	w.Close()
	for coding, want := range map[string]string{"gzip": "200 got " + secret, "br": "415 "} {
		r := newRecorded(t, redact.Secret{Name: "token", Value: secret})
		c := r.dial()
		write(t, c, fmt.Sprintf("POST / HTTP/1.1\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", coding, packed.Len(), packed.Bytes()))
		status, body := readAnswer(t, bufio.NewReader(c))
		if got := fmt.Sprint(status, " ", body); got != want {
			t.Errorf("the answer to %s is %q, want %q", coding, got, want)
		}
		c.Close()
		x := r.exchanges(1)[0]
		if x.Request.Framing.Coding != coding || bytes.Contains(x.Request.Body, packed.Bytes()[10:]) || bytes.Contains(x.Request.Body, []byte(secret)) {
			t.Errorf("the body in %s was recorded as %q", coding, x.Request.Body)
		}
		if refused := coding == "br"; refused != (x.Ended == record.Limit) || refused != (len(x.Request.Body) == 0) {
			t.Errorf("the request in %s ended by %s: %q", coding, x.Ended, x.Request.Body)
		}
	}
}

// The answer to HTTP/1.0 has no chunks, and ends with the connection.
func TestAnswerOldHTTP(t *testing.T) {
	t.Parallel()
	r := newRecorded(t)
	c := r.dial()
	write(t, c, "POST / HTTP/1.0\r\nContent-Length: 1\r\n\r\nx")
	text, err := io.ReadAll(c)
	if err != nil || !strings.HasSuffix(string(text), "Connection: close\r\n\r\ngot x") {
		t.Errorf("got %q, %v", text, err)
	}
}

// A body beyond all bounds is read no further, and secrets are in no record.
func TestBoundAndRedactRequests(t *testing.T) {
	t.Parallel()
	r := newRecorded(t, redact.Secret{Name: "token", Value: "a-secret-of-the-operator"})
	c := r.dial()
	go func() { // until we close
		io.WriteString(c, "POST /large HTTP/1.1\r\nContent-Length: 1073741824\r\n\r\n")
		for block := strings.Repeat("x", 1<<20); ; {
			if _, err := io.WriteString(c, block); err != nil {
				return
			}
		}
	}()
	io.Copy(io.Discard, c)
	other := r.dial()
	write(t, other, "POST /secret?token=a-secret-of-the-operator HTTP/1.1\r\nAuthorization: Basic abcdefghijkl\r\nContent-Length: 24\r\n\r\na-secret-of-the-operator")
	readAnswer(t, bufio.NewReader(other))
	other.Close()
	c.Close()
	for _, x := range r.exchanges(2) {
		text := fmt.Sprintf("%s %s %s %s %s", x.URL, x.Request.Head, x.Request.Body, x.Response.Head, x.Response.Body)
		if strings.Contains(text, "a-secret-of-the-operator") || strings.Contains(text, "abcdefghijkl") {
			t.Errorf("a secret is recorded: %s", text)
		}
		if strings.Contains(x.URL, "/large") && (x.Ended != record.Limit || x.Request.Framing.Received > record.MaxDelivery+1<<20 || len(x.Request.Body) > record.MaxDelivery) {
			t.Errorf("%d bytes came, %d were kept, and it ended by %s", x.Request.Framing.Received, len(x.Request.Body), x.Ended)
		}
	}
}

// A flood of requests is answered up to a bound, and kept up to a lower one.
func TestBoundFloods(t *testing.T) {
	t.Parallel()
	r := newRecorded(t)
	const n = 2500
	sent := 0
	for sent < n {
		c := r.dial()
		go io.WriteString(c, strings.Repeat("GET / HTTP/1.1\r\n\r\n", 500))
		in := bufio.NewReader(c)
		for range 500 {
			sent++
			resp, err := http.ReadResponse(in, nil)
			if err != nil {
				break
			}
			io.Copy(io.Discard, resp.Body)
		}
		c.Close()
		if sent%500 != 0 {
			break // the server closed
		}
	}
	r.awaitQuiet(10 * time.Second)
	if kept := len(r.listExchanges()); kept != maxKept || r.countSurplus() < maxRequests-maxKept || r.countSurplus() > n {
		t.Errorf("%d were kept, and %d counted", kept, r.countSurplus())
	}
	for range maxConns + 20 { // more than are served at the same time
		r.dial()
	}
	r.Close()
}

// Closing ends what is under way.
func TestCloseEndsStreams(t *testing.T) {
	t.Parallel()
	r := newRecorded(t)
	c := r.dial()
	write(t, c, "GET /stream HTTP/1.1\r\n\r\n")
	if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if x := r.listExchanges(); len(x) != 1 || x[0].Ended != record.Aborted || x[0].Closed.By != record.ByUs {
		t.Errorf("got %+v", x)
	}
}

// The facts of TLS are recorded, a reset is one there too, and a handshake that fails is an exchange by itself.
func TestRecordTLS(t *testing.T) {
	t.Parallel()
	other := httptest.NewTLSServer(nil)
	defer other.Close()
	r := newRecordedWith(t, recorderConfig{Started: time.Now(), TLS: &tls.Config{Certificates: other.TLS.Certificates}}, "localhost")
	trusting := &tls.Config{RootCAs: other.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, ServerName: "example.com"}
	for _, path := range []string{"/", "/cut"} {
		c := tls.Client(r.dial(), trusting)
		write(t, c, "GET "+path+" HTTP/1.1\r\nConnection: close\r\n\r\n")
		io.Copy(io.Discard, c)
		c.Close()
	}
	if err := tls.Client(r.dial(), &tls.Config{ServerName: "example.com"}).Handshake(); err == nil {
		t.Fatal("a certificate of an unknown issuer is accepted")
	}
	// Some clients look at the certificate after the handshake alone.
	unused := tls.Client(r.dial(), trusting)
	if err := unused.Handshake(); err != nil {
		t.Fatal(err)
	}
	unused.Close()
	plain := r.dial()
	write(t, plain, "GET /plain HTTP/1.1\r\n\r\n")
	if text, err := io.ReadAll(plain); err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 400") {
		t.Errorf("plain HTTP is answered by %q, %v", text, err)
	}
	r.dial().Close()
	for i, x := range r.exchanges(5) {
		switch {
		case i < 4 && !strings.HasPrefix(x.URL, "https://localhost:"):
			t.Errorf("exchange %d is at %s", i, x.URL)
		case i < 4 && (x.TLS == nil || x.TLS.Hello == nil || !x.TLS.Hello.Listed || !slices.Contains(x.TLS.Hello.Versions, "TLS 1.3") || x.TLS.Hello.ServerName != "example.com"):
			t.Errorf("exchange %d has the facts %+v", i, x.TLS)
		case i == 3 && (x.Ended != record.Reset || len(x.Request.Head) > 0 || x.TLS.Version == ""):
			t.Errorf("the unused connection is %+v", x)
		case i == 4 && (!strings.HasPrefix(x.URL, "http://localhost:") || x.TLS != nil || x.Status() != 400):
			t.Errorf("the plain request is %+v", x)
		case i < 2 && (x.TLS == nil || x.TLS.ServerName != "example.com" || x.TLS.Version == "" || x.Status() != 200):
			t.Errorf("exchange %d has %+v and %d", i, x.TLS, x.Status())
		case i == 2 && !strings.HasPrefix(x.Trouble, record.HandshakeTrouble):
			t.Errorf("the failed handshake is %q", x.Trouble)
		}
	}
}

// The second origin is reached by its name whichever family of addresses a client tries.
func TestListenOnBothFamilies(t *testing.T) {
	t.Parallel()
	r := newRecordedWith(t, recorderConfig{Started: time.Now()}, "localhost")
	_, port, err := net.SplitHostPort(r.addr)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "::1"} {
		c, err := net.Dial("tcp", net.JoinHostPort(host, port))
		if err != nil {
			if host == "::1" {
				probe, err := net.Listen("tcp", "[::1]:0")
				if err != nil {
					continue // this machine has no such addresses
				}
				probe.Close()
			}
			t.Fatal(err)
		}
		write(t, c, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
		if text, err := io.ReadAll(c); err != nil || !strings.HasSuffix(string(text), "got ") {
			t.Errorf("at %s: %q, %v", host, text, err)
		}
		c.Close()
	}
	for _, x := range r.exchanges(2) {
		if !strings.HasPrefix(x.URL, "http://localhost:"+port) {
			t.Errorf("an exchange is at %s", x.URL)
		}
	}
}
