package proxy

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/a2a-conform/a2a-conform/internal/testconn"
)

// answerRequest reads the request of a connection before a function answers it.
func answerRequest(answer func(net.Conn)) func(net.Conn) {
	return func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			answer(c)
		}
	}
}

// dialProxy opens a connection to an address until the test ends.
func dialProxy(t *testing.T, base string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	return c
}

// callRaw sends a request and returns all that comes until the connection is closed.
func callRaw(t *testing.T, base string) string {
	t.Helper()
	c := dialProxy(t, base)
	io.WriteString(c, "POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}")
	text, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What is no HTTP passes on unchanged, as a client would get it from the server itself.
func TestWhatIsNoHTTPPassesUnchanged(t *testing.T) {
	for name, pieces := range map[string][]string{
		"another protocol":           {"SSH-2.0-OpenSSH_9.9\r\n", "more\x00\xff"},
		"a status line of words":     {"HTTP/1.1 OK fine\r\nContent-Length: 2\r\n\r\n{}"},
		"a field without a colon":    {"HTTP/1.1 200 OK\r\nContent-Type application/json\r\n", "\r\n{}", strings.Repeat("x", 100_000)},
		"a head that breaks off":     {"HTTP/1.1 200 OK\r\nContent-", "Type: a"},
		"two lengths":                {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}!"},
		"a length that is no number": {"HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\n{}"},
	} {
		t.Run(name, func(t *testing.T) {
			upstream := testconn.StartServer(t, answerRequest(func(c net.Conn) {
				for i, p := range pieces {
					if i > 0 {
						time.Sleep(20 * time.Millisecond) // so that it comes in several reads
					}
					io.WriteString(c, p)
				}
			}))
			p := openProxy(t, upstream)
			if got, want := callRaw(t, p.URLs()[0]), strings.Join(pieces, ""); got != want {
				t.Errorf("got %.200q, want %.200q", got, want)
			}
			x := closeAndRecord(t, p, 1)[0]
			if x.Out.Answered() || x.In.Answered() || !strings.Contains(x.In.Trouble, "is no HTTP") {
				t.Errorf("recorded %+v, %+v", x.In, x.Out)
			}
			if n := len(p.dialed.open); n > 0 {
				t.Errorf("%d connections were left", n)
			}
		})
	}
}

// The same holds if the server speaks TLS.
func TestWhatIsNoHTTPPassesByTLS(t *testing.T) {
	authority := httptest.NewUnstartedServer(nil)
	authority.StartTLS()
	t.Cleanup(authority.Close)
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: authority.TLS.Certificates})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	const answer = "HTTP/1.1 OK fine\r\nContent-Length: 2\r\n\r\n{}"
	testconn.Serve(l, answerRequest(func(c net.Conn) { io.WriteString(c, answer) }))
	roots := x509.NewCertPool()
	roots.AddCert(authority.Certificate())
	p := openProxy(t, "https://"+l.Addr().String(), func(cfg *Config) { cfg.UpstreamTLS = &tls.Config{RootCAs: roots} })
	if got := callRaw(t, p.URLs()[0]); got != answer {
		t.Errorf("got %.200q, want %.200q", got, answer)
	}
	x := closeAndRecord(t, p, 1)[0]
	if x.Out.Answered() || x.In.Answered() || !strings.Contains(x.In.Trouble, "is no HTTP") {
		t.Errorf("recorded %+v, %+v", x.In, x.Out)
	}
	if n := len(p.dialed.open); n > 0 {
		t.Errorf("%d connections were left", n)
	}
}

// A call by HTTP/2 ends as it does at the server: without an answer if what came cannot be read.
func TestBrokenHTTP2EndsWithoutAnswer(t *testing.T) {
	p := openProxy(t, testconn.StartServer(t, func(c net.Conn) {
		preface := make([]byte, len(http2.ClientPreface))
		if _, err := io.ReadFull(c, preface); err != nil {
			return
		}
		f := http2.NewFramer(c, c)
		f.WriteSettings()
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			if frame.Header().Type == http2.FrameHeaders {
				f.WriteHeaders(http2.HeadersFrameParam{StreamID: frame.Header().StreamID, BlockFragment: []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, EndHeaders: true})
			}
		}
	}))
	answer, err := newClient(t, true).Get(p.URLs()[0] + "/rpc")
	if err == nil {
		answer.Body.Close()
		t.Errorf("got status %d, want no answer", answer.StatusCode)
	}
	if x := closeAndRecord(t, p, 1)[0]; x.Out.Answered() || x.In.Answered() {
		t.Errorf("recorded %+v, %+v", x.In, x.Out)
	}
}

// What is no HTTP and does not end is broken off with the client, or with the proxy.
func TestEndlessNonsenseEnds(t *testing.T) {
	ended := make(chan bool, 2)
	p := openProxy(t, testconn.StartServer(t, answerRequest(func(c net.Conn) {
		io.WriteString(c, "nonsense\r\n")
		io.Copy(io.Discard, c)
		ended <- true
	})))
	for _, leaves := range []bool{true, false} {
		c := dialProxy(t, p.URLs()[0])
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || line != "nonsense\r\n" {
			t.Fatalf("got %q, %v", line, err)
		}
		if leaves {
			c.Close()
		} else {
			p.Close()
		}
		testconn.Receive(t, ended)
	}
}
