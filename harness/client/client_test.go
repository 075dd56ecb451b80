package client

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// serve answers each connection with what handle writes to it, byte by byte.
// The connection is closed when handle returns.
func serve(t *testing.T, handle func(c net.Conn)) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[c] = true
			mu.Unlock()
			wg.Go(func() {
				defer func() {
					c.Close()
					mu.Lock()
					delete(open, c)
					mu.Unlock()
				}()
				handle(c)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for c := range open {
			c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return "http://" + l.Addr().String()
}

// request reads one request from a connection.
func request(r *bufio.Reader) (*http.Request, []byte, error) {
	req, err := http.ReadRequest(r)
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(req.Body)
	return req, body, err
}

// answers reads one request and writes raw.
func answers(raw string) func(net.Conn) {
	return func(c net.Conn) {
		if _, _, err := request(bufio.NewReader(c)); err == nil {
			io.WriteString(c, raw)
		}
	}
}

func newClient(t *testing.T) *Client {
	c := NewClient(Config{Started: time.Now(), UserAgent: "test/1", Timeout: 10 * time.Second})
	t.Cleanup(c.Close)
	return c
}

// sound checks what holds for every exchange, however it ended.
func sound(t *testing.T, x *record.Exchange) {
	t.Helper()
	if x.End < x.Start {
		t.Errorf("ends at %v, before its start at %v", x.End, x.Start)
	}
	sum, last := 0, x.Start
	for i, c := range x.Response.Chunks {
		if c.N <= 0 || c.At < last || c.At > x.End {
			t.Errorf("chunk %d, %d bytes at %v, does not lie between %v and %v", i, c.N, c.At, last, x.End)
		}
		sum, last = sum+c.N, c.At
	}
	if x.Response.Framing.Cut == "" && sum != len(x.Response.Body) {
		t.Errorf("chunks count %d bytes, the body has %d", sum, len(x.Response.Body))
	}
}

func TestResponses(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for _, c := range []struct {
		name, method, raw string
		ended             record.Ended
		status            int
		body              string
		framing           record.Framing
	}{
		{"length", "POST", ok + "Content-Length: 5\r\n\r\nhello", record.EOF, 200, "hello", record.Framing{Kind: "length", Declared: 5, Received: 5}},
		{"length zero", "POST", ok + "Content-Length: 0\r\n\r\n", record.EOF, 200, "", record.Framing{Kind: "length"}},
		{"length too long", "POST", ok + "Content-Length: 9\r\n\r\nhello", record.Reset, 200, "hello",
			record.Framing{Kind: "length", Declared: 9, Received: 5, Faults: []string{"Content-Length promises 9 bytes, 5 came"}}},
		{"length too short", "POST", ok + "Content-Length: 3\r\n\r\nhello", record.EOF, 200, "hel",
			record.Framing{Kind: "length", Declared: 3, Received: 3, Extra: 2, Faults: []string{"2 bytes follow the end of the message"}}},
		{"a second response", "POST", ok + "Content-Length: 1\r\n\r\n1" + ok + "Content-Length: 1\r\n\r\n2", record.EOF, 200, "1",
			record.Framing{Kind: "length", Declared: 1, Received: 1, Extra: 39, Faults: []string{"39 bytes follow the end of the message"}}},
		{"two lengths", "POST", ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", record.Reset, 200, "hello",
			record.Framing{Kind: "length", Declared: 5, Received: 5, Faults: []string{`Content-Length is given as "5" and as "6"`}}},
		{"chunked", "POST", ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", record.EOF, 200, "hello",
			record.Framing{Kind: "chunked", Declared: -1, Received: 5}},
		{"chunked with extensions and trailers", "POST", ok + "Transfer-Encoding: chunked\r\n\r\n5;a=b;c=\"d\" \r\nhello\r\n0;e\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n", record.EOF, 200, "hello",
			record.Framing{Kind: "chunked", Declared: -1, Received: 5}},
		{"chunked, something follows", "POST", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\nxyz", record.EOF, 200, "hello",
			record.Framing{Kind: "chunked", Declared: -1, Received: 5, Extra: 3, Faults: []string{"3 bytes follow the end of the message"}}},
		{"chunked, broken size", "POST", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nmany\r\nmore\r\n0\r\n\r\n", record.Reset, 200, "hello",
			record.Framing{Kind: "chunked", Declared: -1, Received: 5, Faults: []string{`"many" is not a chunk size`}}},
		{"chunked, wrong size", "POST", ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n", record.Reset, 200, "hel",
			record.Framing{Kind: "chunked", Declared: -1, Received: 3, Faults: []string{"a chunk is longer than its size says"}}},
		{"chunked, cut off in a chunk", "POST", ok + "Transfer-Encoding: chunked\r\n\r\n9\r\nhello", record.Reset, 200, "hello",
			record.Framing{Kind: "chunked", Declared: -1, Received: 5, Faults: []string{"the chunked body does not end"}}},
		{"chunked, cut off between chunks", "POST", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", record.Reset, 200, "hello",
			record.Framing{Kind: "chunked", Declared: -1, Received: 5, Faults: []string{"the chunked body does not end"}}},
		{"chunked, cut off before the end of the last chunk", "POST", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n", record.Reset, 200, "hello",
			record.Framing{Kind: "chunked", Declared: -1, Received: 5, Faults: []string{"the chunked body does not end"}}},
		{"chunked and length", "POST", ok + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", record.EOF, 200, "hello",
			record.Framing{Kind: "chunked", Declared: 3, Received: 5, Faults: []string{"both Content-Length and Transfer-Encoding are given"}}},
		{"another coding", "POST", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", record.Reset, 200, "0\r\n\r\n",
			record.Framing{Kind: "close", Declared: -1, Received: 5, Faults: []string{`Transfer-Encoding is "gzip, chunked", and only chunked was accepted`}}},
		{"until the connection closes", "POST", ok + "Connection: close\r\n\r\nhello", record.EOF, 200, "hello", record.Framing{Kind: "close", Declared: -1, Received: 5}},
		{"HTTP/1.0", "POST", "HTTP/1.0 200 OK\r\n\r\nhello", record.EOF, 200, "hello", record.Framing{Kind: "close", Declared: -1, Received: 5}},
		{"HTTP/1.0 with length", "POST", "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", record.EOF, 200, "hello", record.Framing{Kind: "length", Declared: 5, Received: 5}},
		{"HTTP/1.0, chunked", "POST", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", record.EOF, 200, "0\r\n\r\n",
			record.Framing{Kind: "close", Declared: -1, Received: 5, Faults: []string{"Transfer-Encoding is given in a message of HTTP/1.0"}}},
		{"204", "POST", "HTTP/1.1 204 No Content\r\n\r\n", record.EOF, 204, "", record.Framing{Kind: "none", Declared: -1}},
		{"204 with a body", "POST", "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n{}", record.EOF, 204, "",
			record.Framing{Kind: "none", Declared: 2, Extra: 2, Faults: []string{"2 bytes follow the end of the message"}}},
		{"304", "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 40\r\n\r\n", record.EOF, 304, "", record.Framing{Kind: "none", Declared: 40}},
		{"HEAD", "HEAD", ok + "Content-Length: 40\r\n\r\n", record.EOF, 200, "", record.Framing{Kind: "none", Declared: 40}},
		{"HEAD with a body", "HEAD", ok + "Content-Length: 2\r\n\r\n{}", record.EOF, 200, "",
			record.Framing{Kind: "none", Declared: 2, Extra: 2, Faults: []string{"2 bytes follow the end of the message"}}},
		{"interim responses", "POST", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok + "Content-Length: 2\r\n\r\nok", record.EOF, 200, "ok",
			record.Framing{Kind: "length", Declared: 2, Received: 2, Interim: []int{100, 103}}},
		{"only an interim response", "POST", "HTTP/1.1 102 Processing\r\n\r\n", record.Reset, 0, "", record.Framing{Kind: "none", Declared: -1, Interim: []int{102}}},
		{"redirect", "POST", "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://example.invalid/\r\nContent-Length: 0\r\n\r\n", record.EOF, 307, "", record.Framing{Kind: "length"}},
		{"a line feed ends a line", "POST", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", record.EOF, 200, "ok",
			record.Framing{Kind: "length", Declared: 2, Received: 2, Faults: []string{"lines of the head end with LF alone"}}},
		{"nothing", "POST", "", record.Reset, 0, "", record.Framing{Kind: "none", Declared: -1}},
		{"half a head", "POST", ok + "Content-Le", record.Reset, 200, "", record.Framing{Kind: "none", Declared: -1, Faults: []string{"the head does not end"}}},
		{"not HTTP", "POST", "220 mail.example ESMTP\r\n", record.Reset, 0, "", record.Framing{Kind: "none", Declared: -1, Faults: []string{"the head does not end"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := newClient(t).Do(t.Context(), Call{Method: c.method, URL: serve(t, answers(c.raw)) + "/rpc", Body: []byte("{}")}, nil)
			sound(t, x)
			if x.Ended != c.ended || x.Status() != c.status || string(x.Response.Body) != c.body {
				t.Errorf("got %s, %d, %q; want %s, %d, %q (%s)", x.Ended, x.Status(), x.Response.Body, c.ended, c.status, c.body, x.Trouble)
			}
			if (x.Trouble == "") != (c.ended == record.EOF) {
				t.Errorf("trouble: %q", x.Trouble)
			}
			if f := x.Response.Framing; !reflect.DeepEqual(f, c.framing) {
				t.Errorf("framing:\n got %+v\nwant %+v", f, c.framing)
			}
		})
	}
}

func TestRequest(t *testing.T) {
	got := make(chan string, 1)
	url := serve(t, func(c net.Conn) {
		var raw bytes.Buffer
		if _, _, err := request(bufio.NewReader(io.TeeReader(c, &raw))); err == nil {
			got <- raw.String()
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
	})
	x := newClient(t).Do(t.Context(), Call{Method: "POST", URL: url + "/rpc?a=b", Body: []byte(`{"id":1}`), Fresh: true,
		Header: http.Header{"Content-Type": {"application/json"}, "X-as-IT-is": {"1"}}}, nil)
	raw := <-got
	if want := string(x.Request.Head) + string(x.Request.Body); raw != want {
		t.Errorf("recorded %q, sent %q", want, raw)
	}
	for _, want := range []string{"POST /rpc?a=b HTTP/1.1\r\n", "\r\nUser-Agent: test/1\r\n", "\r\nX-as-IT-is: 1\r\n", "\r\nConnection: close\r\n", "\r\nContent-Length: 8\r\n"} {
		if !strings.Contains(raw, want) {
			t.Errorf("%q lacks %q", raw, want)
		}
	}
	if !strings.Contains(raw, "\r\nAccept-Encoding: identity\r\n") {
		t.Errorf("compression was not declined: %q", raw)
	}
}

func TestMistakesOfOurs(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close() // nothing listens there now
	for _, c := range []struct {
		name  string
		ended record.Ended
		call  Call
	}{
		{"nothing listens", record.NoDial, Call{Method: "GET", URL: "http://" + l.Addr().String() + "/x"}},
		{"no URL", record.Unsent, Call{Method: "GET", URL: "http://a b/"}},
		{"no such scheme", record.Unsent, Call{Method: "GET", URL: "ftp://127.0.0.1/"}},
		{"no such method", record.Unsent, Call{Method: "G T", URL: "http://127.0.0.1/"}},
		{"a line break in a header", record.Unsent, Call{Method: "GET", URL: "http://127.0.0.1/", Header: http.Header{"X": {"a\nb"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newClient(t).Do(t.Context(), c.call, nil)
			if x.Ended != c.ended || x.Trouble == "" || x.Answered() || x.Conn != 0 || x.End < x.Start {
				t.Errorf("got %+v", x)
			}
		})
	}
}

// TestKeepAlive drives several connections with parallel exchanges and looks
// for one record in another.
func TestKeepAlive(t *testing.T) {
	var accepted atomic.Int64
	url := serve(t, func(c net.Conn) {
		accepted.Add(1)
		r := bufio.NewReader(c)
		for {
			req, body, err := request(r)
			if err != nil {
				return
			}
			if len(body)%2 == 0 {
				fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nX-Echo: %s\r\nContent-Length: %d\r\n\r\n%s", req.URL.Path, len(body), body)
			} else {
				fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nX-Echo: %s\r\nTransfer-Encoding: chunked\r\n\r\n", req.URL.Path)
				for _, b := range body {
					fmt.Fprintf(c, "1\r\n%c\r\n", b)
				}
				io.WriteString(c, "0\r\n\r\n")
			}
		}
	})
	const workers, each = 16, 30
	client := newClient(t)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			for j := range each {
				path := fmt.Sprintf("/%d/%d", i, j)
				body := strings.Repeat(path, 1+(i+j)%5)
				x := client.Do(t.Context(), Call{Method: "POST", URL: url + path, Body: []byte(body)}, nil)
				sound(t, x)
				if x.Ended != record.EOF || string(x.Response.Body) != body || x.Response.Header().Get("X-Echo") != path {
					t.Errorf("%s: got %s %q %q (%s)", path, x.Ended, x.Response.Head, x.Response.Body, x.Trouble)
				}
				if !strings.HasPrefix(string(x.Request.Head), "POST "+path+" ") || string(x.Request.Body) != body {
					t.Errorf("%s: request %q %q", path, x.Request.Head, x.Request.Body)
				}
			}
		})
	}
	wg.Wait()
	if n := accepted.Load(); n > workers*each/2 {
		t.Errorf("%d exchanges took %d connections: they were not used again", workers*each, n)
	}
}

// TestExtraBytesStayWhereTheyCame: a Content-Length in characters instead of
// bytes leaves the end of one answer on the connection. It must be booked to
// that answer, never to the next.
func TestExtraBytesStayWhereTheyCame(t *testing.T) {
	var printed bytes.Buffer // net/http reports bytes that nobody asked for
	log.SetOutput(&printed)
	defer log.SetOutput(os.Stderr)
	for _, extra := range []string{"}}", "HTTP/1.1 500 Stray\r\nContent-Length: 0\r\n\r\n"} {
		url := serve(t, func(c net.Conn) {
			r := bufio.NewReader(c)
			for {
				_, body, err := request(r)
				if err != nil {
					return
				}
				if _, err := fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s%s", len(body), body, extra); err != nil {
					return
				}
			}
		})
		client := newClient(t)
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for j := range 20 {
					want := fmt.Sprintf("%d/%d", i, j)
					x := client.Do(t.Context(), Call{Method: "POST", URL: url, Body: []byte(want)}, nil)
					if x.Ended != record.EOF || x.Status() != 200 || string(x.Response.Body) != want || x.Response.Framing.Extra != len(extra) {
						t.Errorf("%s: got %s %q %q %+v (%s)", want, x.Ended, x.Response.Head, x.Response.Body, x.Response.Framing, x.Trouble)
					}
				}
			})
		}
		wg.Wait()
	}
	if printed.Len() > 0 {
		t.Errorf("the log holds %q", printed.String())
	}
}

// TestUnasked: a server of another protocol speaks first.
func TestUnasked(t *testing.T) {
	var printed bytes.Buffer
	log.SetOutput(&printed)
	defer log.SetOutput(os.Stderr)
	url := serve(t, func(c net.Conn) {
		io.WriteString(c, "220 mail.example ESMTP\r\n")
		io.Copy(io.Discard, c)
	})
	for range 20 {
		x := newClient(t).Do(t.Context(), Call{Method: "POST", URL: url, Body: []byte("{}")}, nil)
		if x.Ended != record.Reset || x.Answered() || x.Trouble == "" || len(x.Response.Framing.Faults) == 0 {
			t.Fatalf("got %s %q %+v (%s)", x.Ended, x.Response.Head, x.Response.Framing, x.Trouble)
		}
	}
	if printed.Len() > 0 {
		t.Errorf("the log holds %q", printed.String())
	}
}

// TestEarlyAnswer: a server that refuses a large body answers and closes while
// it is being sent. The answer counts, not the broken pipe.
func TestEarlyAnswer(t *testing.T) {
	url := serve(t, func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			io.WriteString(c, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
		}
	})
	client, body := newClient(t), make([]byte, 8<<20)
	for range 10 {
		x := client.Do(t.Context(), Call{Method: "POST", URL: url, Body: body, Recipe: &record.Recipe{Generator: "zeros", Size: len(body), SHA256: "x"}}, nil)
		if x.Ended != record.EOF || x.Status() != 413 || string(x.Response.Body) != "no" || x.Request.Body != nil || x.Request.Framing.Declared != 8<<20 {
			t.Fatalf("got %s %d %q (%s)", x.Ended, x.Status(), x.Response.Body, x.Trouble)
		}
	}
}

// TestInterrupted ends exchanges from either side at every stage. The server
// says when it has sent all it will send, and then waits for the client.
func TestInterrupted(t *testing.T) {
	const head, stream = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n"
	reset := func(c net.Conn) { c.(*net.TCPConn).SetLinger(0) }
	never := func(net.Conn) {}
	for _, c := range []struct {
		name   string
		raw    string
		after  func(net.Conn) // nil keeps the connection open
		how    string         // what the client does after it has seen the first piece of a body
		ended  record.Ended
		body   string
		faults int
	}{
		{"reset before the head", "", reset, "", record.Reset, "", 0},
		{"reset in the head", head, reset, "", record.Reset, "", 1},
		{"reset in the body", head + "\r\nhello", reset, "", record.Reset, "hello", 1},
		{"reset in a stream", stream, reset, "", record.Reset, "data: 1\n\n", 1},
		{"closed in a stream", stream, never, "", record.Reset, "data: 1\n\n", 1},
		{"timeout before the head", "", nil, "timeout", record.Timeout, "", 0},
		{"timeout in the head", head, nil, "timeout", record.Timeout, "", 0},
		{"timeout in the body", head + "\r\nhello", nil, "timeout", record.Timeout, "hello", 0},
		{"run over in a stream", stream, nil, "cancel", record.Aborted, "data: 1\n\n", 0},
		{"watch has seen enough", stream, nil, "watch", record.OurClose, "data: 1\n\n", 0},
		{"stopped in a stream", stream, nil, "stop", record.OurClose, "data: 1\n\n", 0},
		{"stopped before the head", "", nil, "stop early", record.OurClose, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sent, done := make(chan struct{}), make(chan struct{})
			url := serve(t, func(conn net.Conn) {
				r := bufio.NewReader(conn)
				if _, _, err := request(r); err != nil {
					return
				}
				io.WriteString(conn, c.raw)
				close(sent)
				if c.after == nil {
					r.ReadByte() // until the client goes
				} else {
					<-done
					c.after(conn)
				}
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			stop := make(chan struct{})
			call := Call{Method: "POST", URL: url, Stop: stop}
			var once sync.Once
			seen := func(piece []byte, _ record.Instant) bool {
				once.Do(func() {
					close(done)
					switch c.how {
					case "cancel":
						cancel()
					case "stop":
						close(stop)
					}
				})
				return c.how != "watch"
			}
			switch {
			case c.how == "timeout":
				call.Timeout = 50 * time.Millisecond
			case c.how == "stop early":
				go func() { <-sent; close(stop) }()
			case c.body == "":
				close(done)
				once.Do(func() {})
			}
			x := newClient(t).Do(ctx, call, seen)
			sound(t, x)
			if x.Ended != c.ended || string(x.Response.Body) != c.body {
				t.Errorf("got %s, %q; want %s, %q (%s)", x.Ended, x.Response.Body, c.ended, c.body, x.Trouble)
			}
			if f := x.Response.Framing.Faults; len(f) != c.faults {
				t.Errorf("faults of the server: %q", f)
			}
			if x.Conn == 0 || !bytes.HasPrefix(x.Request.Head, []byte("POST / HTTP/1.1\r\n")) {
				t.Errorf("connection %d, request %q", x.Conn, x.Request.Head)
			}
		})
	}
}

func TestStoppedBeforeItBegan(t *testing.T) {
	stop := make(chan struct{})
	close(stop)
	url := serve(t, func(c net.Conn) { bufio.NewReader(c).ReadByte() })
	// The race between dialling and stopping may go either way.
	if x := newClient(t).Do(t.Context(), Call{Method: "GET", URL: url, Stop: stop}, nil); x.Ended != record.OurClose || x.Trouble != "" {
		t.Errorf("got %s (%s)", x.Ended, x.Trouble)
	}
}

func TestLimits(t *testing.T) {
	head := func(c net.Conn, s string) {
		if _, _, err := request(bufio.NewReader(c)); err == nil {
			io.WriteString(c, "HTTP/1.1 200 OK\r\n"+s)
		}
	}
	flood := func(c net.Conn, piece string) {
		text := []byte(strings.Repeat(piece, 1+(64<<10)/len(piece)))
		for {
			if _, err := c.Write(text); err != nil {
				return
			}
		}
	}
	t.Run("body", func(t *testing.T) {
		// A secret lies across the place where the body is cut.
		const secret = "correct-horse-battery-staple"
		client := NewClient(Config{Started: time.Now(), Redact: redact.NewRedactor([]redact.Secret{{Name: "bearer", Value: secret}})})
		defer client.Close()
		x := client.Do(t.Context(), Call{Method: "POST", URL: serve(t, func(c net.Conn) {
			head(c, "\r\n"+strings.Repeat("x", record.CutHead-10)+secret)
			flood(c, strings.Repeat("0123456789abcdef", 4096))
		})}, nil)
		sound(t, x)
		if x.Ended != record.Limit || len(x.Response.Body) != record.CutHead+record.CutTail || !strings.HasPrefix(x.Response.Framing.Cut, "sha256:") || x.Response.Framing.Received <= record.MaxBody {
			t.Errorf("got %s, %d bytes, %+v (%s)", x.Ended, len(x.Response.Body), x.Response.Framing, x.Trouble)
		}
		if len(x.Response.Framing.Faults) > 0 {
			t.Errorf("our limit is no fault of the server: %q", x.Response.Framing.Faults)
		}
		if bytes.Contains(x.Response.Body, []byte(secret[:5])) {
			t.Errorf("half a secret is left: %q", x.Response.Body[record.CutHead-20:record.CutHead])
		}
	})
	t.Run("head", func(t *testing.T) {
		x := newClient(t).Do(t.Context(), Call{Method: "POST", URL: serve(t, func(c net.Conn) { head(c, ""); flood(c, "X-Filler: "+strings.Repeat("0123456789", 100)+"\r\n") })}, nil)
		if x.Ended != record.Limit || len(x.Response.Head) != record.CutHead || x.Status() != 200 {
			t.Errorf("got %s, a head of %d bytes (%s)", x.Ended, len(x.Response.Head), x.Trouble)
		}
	})
	t.Run("fields", func(t *testing.T) {
		for name, answer := range map[string]string{
			"head":   "a:\r\n",
			"folded": " goes on\r\n",
		} {
			x := newClient(t).Do(t.Context(), Call{Method: "POST", URL: serve(t, func(c net.Conn) { head(c, "A: b\r\n"+answer); flood(c, answer) })}, nil)
			if n := len(x.Response.Fields()); x.Ended != record.Limit || n > record.MaxFields || len(x.Response.Framing.Faults) > 0 {
				t.Errorf("%s: got %s, %d fields, faults %q (%s)", name, x.Ended, n, x.Response.Framing.Faults, x.Trouble)
			}
		}
	})
	t.Run("interim responses", func(t *testing.T) {
		x := newClient(t).Do(t.Context(), Call{Method: "POST", URL: serve(t, func(c net.Conn) {
			if _, _, err := request(bufio.NewReader(c)); err == nil {
				flood(c, "HTTP/1.1 102 Processing\r\n\r\n")
			}
		})}, nil)
		if x.Ended != record.Limit || len(x.Response.Framing.Interim) != maxInterim || x.Answered() {
			t.Errorf("got %s, %d interim responses (%s)", x.Ended, len(x.Response.Framing.Interim), x.Trouble)
		}
	})
	t.Run("run", func(t *testing.T) {
		body, client := make([]byte, 6<<20), newClient(t)
		keep := func(n int) *record.Exchange {
			x := &record.Exchange{Ended: record.EOF, Response: record.Message{Body: body[:n], Chunks: []record.Chunk{{At: 0, N: n}}}}
			client.budget.CountAndCutExchange(x)
			return x
		}
		for i := range 7 {
			x := keep(len(body))
			if whole := i < 5; (x.Ended == record.EOF) != whole || (len(x.Response.Body) == len(body)) != whole || (x.Trouble == "") != whole {
				t.Errorf("answer %d of 6 MiB: %s, %d bytes (%s)", i+1, x.Ended, len(x.Response.Body), x.Trouble)
			}
		}
		// What was cut leaves room for small answers.
		if x := keep(record.CutHead + record.CutTail + 1); x.Ended != record.EOF {
			t.Errorf("a small answer: %s (%s)", x.Ended, x.Trouble)
		}
	})
}

func TestArrivals(t *testing.T) {
	pieces := []string{"data: 1\n\n", "data: 2\n", "\n", "data: 3\n\n"}
	next := make(chan struct{})
	url := serve(t, func(c net.Conn) {
		if _, _, err := request(bufio.NewReader(c)); err != nil {
			return
		}
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
		for _, p := range pieces {
			fmt.Fprintf(c, "%x\r\n%s\r\n", len(p), p)
			<-next
		}
		io.WriteString(c, "0\r\n\r\n")
	})
	var watched []record.Instant
	x := newClient(t).Do(t.Context(), Call{Method: "POST", URL: url}, func(_ []byte, at record.Instant) bool {
		watched = append(watched, at)
		next <- struct{}{}
		return true
	})
	sound(t, x)
	if x.Ended != record.EOF || string(x.Response.Body) != strings.Join(pieces, "") {
		t.Fatalf("got %s %q (%s)", x.Ended, x.Response.Body, x.Trouble)
	}
	if len(x.Response.Chunks) != len(pieces) || len(watched) != len(pieces) {
		t.Fatalf("chunks %v, watched %v", x.Response.Chunks, watched)
	}
	for i, c := range x.Response.Chunks {
		if c.N != len(pieces[i]) || c.At > watched[i] || i > 0 && c.At < watched[i-1] {
			t.Errorf("piece %d of %d bytes: recorded %+v, watched at %v", i, len(pieces[i]), c, watched[i])
		}
	}
}

func TestTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	for _, c := range []struct {
		name     string
		config   *tls.Config
		call     Call // bounds on the version
		ended    record.Ended
		verified bool
		says     string // the version, or what is in the way
	}{
		{"trusted", &tls.Config{RootCAs: roots}, Call{}, record.EOF, true, "TLS 1.3"},
		{"not verified", &tls.Config{InsecureSkipVerify: true}, Call{}, record.EOF, false, "TLS 1.3"},
		{"not trusted", nil, Call{}, record.NoDial, false, "certificate"},
		{"an older version", &tls.Config{RootCAs: roots}, Call{MaxTLS: tls.VersionTLS12}, record.EOF, true, "TLS 1.2"},
		{"a version that was given up", &tls.Config{RootCAs: roots}, Call{MinTLS: tls.VersionTLS10, MaxTLS: tls.VersionTLS11}, record.NoDial, false, "version"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := NewClient(Config{Started: time.Now(), TLS: c.config})
			defer client.Close()
			call := c.call
			call.Method, call.URL = "GET", server.URL
			x := client.Do(t.Context(), call, nil)
			if x.Ended != c.ended {
				t.Fatalf("got %s (%s)", x.Ended, x.Trouble)
			}
			if c.ended == record.NoDial {
				if !strings.Contains(x.Trouble, c.says) || x.TLS != nil {
					t.Errorf("got %+v (%s)", x.TLS, x.Trouble)
				}
				return
			}
			sound(t, x)
			if string(x.Response.Body) != "HTTP/1.1" {
				t.Errorf("spoke %q", x.Response.Body)
			}
			if f := x.TLS; f == nil || f.Verified != c.verified || f.Version != c.says || f.CipherSuite == "" || f.NotAfter == "" || f.Subject == "" {
				t.Errorf("facts %+v", f)
			}
		})
	}
}

// TestNothingStays: whatever happened, no goroutine outlives its exchange and
// the client.
func TestNothingStays(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("exchanges", func(t *testing.T) {
		mute := serve(t, func(c net.Conn) { io.Copy(io.Discard, c) })
		client := NewClient(Config{Started: time.Now(), Timeout: 50 * time.Millisecond})
		var wg sync.WaitGroup
		for _, url := range []string{
			mute,
			"https" + strings.TrimPrefix(mute, "http"), // a handshake that gets no answer
			serve(t, answers("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")),
			serve(t, answers("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\noktoo-much")),
			serve(t, answers("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nmore")),
			serve(t, func(c net.Conn) { io.WriteString(c, "220 ready\r\n"); io.Copy(io.Discard, c) }),
		} {
			for range 3 {
				wg.Go(func() { client.Do(t.Context(), Call{Method: "POST", URL: url, Stop: make(chan struct{})}, nil) })
			}
		}
		wg.Wait()
		client.Close()
	})
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// A server that compresses though nobody asked for it is judged by what it
// said, and no secret hides in the compressed bytes.
func TestCodingNobodyAskedFor(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write([]byte(`{"echo":"Bearer hush-hush-token"}`))
	w.Close()
	for _, c := range []struct{ coding, body, want, trouble string }{
		{"gzip", packed.String(), `{"echo":"Bearer ⟦secret:bearer⟧"}`, ""},
		{"br", "\x0b\x02hush-hush-token", "", "br"},
		{"gzip", "no gzip at all", "", "gzip"},
		{"identity", "plain", "plain", ""},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", c.coding)
			io.WriteString(w, c.body)
		}))
		client := NewClient(Config{Started: time.Now(), Redact: redact.NewRedactor([]redact.Secret{{Name: "bearer", Value: "hush-hush-token"}})})
		x := client.Do(t.Context(), Call{Method: "GET", URL: server.URL}, nil)
		client.Close()
		server.Close()
		if string(x.Response.Body) != c.want || !strings.Contains(x.Trouble, c.trouble) || (x.Ended == record.Limit) != (c.trouble != "") {
			t.Errorf("%s: %s, body %q, trouble %q", c.coding, x.Ended, x.Response.Body, x.Trouble)
		}
	}
}

// A server chooses addresses, ids and header values that our calls repeat. Beyond a bound no
// call is made, and nothing of what was chosen is kept.
func TestRequestsAreBounded(t *testing.T) {
	called := false
	url := serve(t, func(c net.Conn) { called = true })
	long := strings.Repeat("x", maxURL)
	for name, call := range map[string]Call{
		"address": {Method: "GET", URL: url + "/" + long},
		"header":  {Method: "GET", URL: url, Header: http.Header{"If-None-Match": {strings.Repeat("e", maxOurHead)}}},
		"gRPC":    {Method: "POST", URL: url + "/" + long, HTTP2: true},
	} {
		x := newClient(t).Do(t.Context(), call, nil)
		if x.Ended != record.Unsent || x.EstimatedUnparsedMemorySize() > 4<<10 || !strings.Contains(x.Trouble, "bytes") {
			t.Errorf("%s: got %s, %d bytes (%s)", name, x.Ended, x.EstimatedUnparsedMemorySize(), x.Trouble)
		}
	}
	if called {
		t.Error("the server was called")
	}
}
