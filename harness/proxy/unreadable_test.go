package proxy

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
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

// awaitUnreadable waits until so many requests passed that are no HTTP.
func awaitUnreadable(t *testing.T, p *Proxy, want int64) {
	t.Helper()
	awaitStats(t, p, fmt.Sprintf("%d that are no HTTP", want), func(s Stats) bool { return s.Unreadable == want })
}

// awaitStats waits until a proxy has counted something.
func awaitStats(t *testing.T, p *Proxy, want string, such func(Stats) bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !such(p.Stats()); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("counted %+v, want %s", p.Stats(), want)
		}
	}
}

// A request that the proxy cannot read reaches the server as it was written, and so does the client what the server answers: as
// without a proxy.
func TestUnreadableRequestsPassUnchanged(t *testing.T) {
	const answer = "HTTP/1.1 400 So Not\r\nx-Own: 1\r\nContent-Length: 2\r\n\r\nno"
	first := "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
	posted := "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
	chunked := "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
	broken := http2.ClientPreface + "\x00\x00\x04\x01\x05\x00\x00\x00\x01\xff\xff\xff\xff"
	for name, c := range map[string]struct{ before, sent string }{
		"another protocol":               {"", "\x16\x03\x01\x02\x00\x01 what is this?\r\n\r\n"},
		"a request line of words":        {"", "please answer me soon\r\n\r\n"},
		"no host":                        {"", "GET / HTTP/1.1\r\nx-A: 1\r\n\r\n"},
		"a field without a colon":        {"", "GET / HTTP/1.1\r\nHost h\r\n\r\n"},
		"two lengths":                    {"", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"},
		"a coding nobody knows":          {"", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: squeezed\r\n\r\nab"},
		"another expectation":            {"", "POST / HTTP/1.1\r\nHost: h\r\nExpect: the-best\r\nContent-Length: 2\r\n\r\nab"},
		"for the server as such":         {"", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"},
		"a head that breaks off":         {"", "GET / HTTP/1.1\r\nHos"},
		"after a call":                   {first, "GET nowhere HTTP/1.1\r\nHost: h\r\n\r\n"},
		"after a call with a body":       {posted, "GET nowhere HTTP/1.1\r\nHost: h\r\n\r\n"},
		"after a call with pieces":       {chunked, "GET nowhere HTTP/1.1\r\nHost: h\r\n\r\n"},
		"HTTP/2 that begins with a call": {"", broken},
	} {
		for _, at := range []string{"plain", "TLS"} {
			t.Run(name+", "+at, func(t *testing.T) {
				got := make(chan string, 1)
				upstream := testconn.StartServer(t, func(conn net.Conn) {
					in := bufio.NewReader(conn)
					if c.before != "" && len(got) == 0 {
						if start, err := in.Peek(6); err == nil && (string(start) == "GET /a" || string(start) == "POST /") {
							r, err := http.ReadRequest(in)
							if err == nil {
								io.Copy(io.Discard, r.Body)
								io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
								in.Peek(1) // until the connection is closed
								return
							}
						}
					}
					text := make([]byte, len(c.sent))
					n, _ := io.ReadFull(in, text)
					io.WriteString(conn, answer)
					got <- string(text[:n])
				})
				var options []func(*Config)
				roots := x509.NewCertPool()
				if at == "TLS" {
					authority := httptest.NewUnstartedServer(nil)
					authority.StartTLS()
					t.Cleanup(authority.Close)
					roots.AddCert(authority.Certificate())
					options = append(options, func(cfg *Config) { cfg.TLS = &tls.Config{Certificates: authority.TLS.Certificates} })
				}
				p := openProxy(t, upstream, options...)
				conn := dialProxy(t, strings.Replace(p.URLs()[0], "https:", "http:", 1))
				endWriting := conn.(*net.TCPConn).CloseWrite
				if at == "TLS" {
					secure := tls.Client(conn, &tls.Config{RootCAs: roots, ServerName: "example.com"})
					conn, endWriting = secure, secure.CloseWrite
				}
				in := bufio.NewReader(conn)
				if c.before != "" {
					io.WriteString(conn, c.before)
					r, err := http.ReadResponse(in, nil)
					if err != nil || r.StatusCode != 200 {
						t.Fatalf("the call before: %v, %v", r, err)
					}
					io.Copy(io.Discard, r.Body)
				}
				io.WriteString(conn, c.sent)
				endWriting()
				text, err := io.ReadAll(in)
				if string(text) != answer {
					t.Errorf("the client got %q, %v, want %q", text, err, answer)
				}
				if sent := testconn.Receive(t, got); sent != c.sent {
					t.Errorf("the server got %q, want %q", sent, c.sent)
				}
				awaitUnreadable(t, p, 1)
			})
		}
	}
}

// Two requests at once, of which the second is no HTTP: the first is answered, and the second passes on.
func TestUnreadableRequestBehindAnother(t *testing.T) {
	got := make(chan string, 1)
	upstream := testconn.StartServer(t, func(conn net.Conn) {
		in := bufio.NewReader(conn)
		if start, _ := in.Peek(4); string(start) == "POST" {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			io.Copy(io.Discard, r.Body)
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			in.Peek(1)
			return
		}
		line, _ := in.ReadString('\n')
		got <- line
		io.WriteString(conn, "what?")
	})
	p := openProxy(t, upstream)
	conn := dialProxy(t, p.URLs()[0])
	io.WriteString(conn, "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabchello there, server\n\r\n")
	text, _ := io.ReadAll(conn)
	if !bytes.HasSuffix(text, []byte("okwhat?")) || !bytes.HasPrefix(text, []byte("HTTP/1.1 200 OK")) {
		t.Errorf("the client got %q", text)
	}
	if line := testconn.Receive(t, got); line != "hello there, server\n" {
		t.Errorf("the server got %q", line)
	}
}

// If the server cannot be reached, the client is told that its request is no HTTP.
func TestUnreadableRequestWithoutServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	p := openProxy(t, "http://"+l.Addr().String())
	conn := dialProxy(t, p.URLs()[0])
	io.WriteString(conn, "what is this?\r\n\r\n")
	if text, _ := io.ReadAll(conn); !bytes.HasPrefix(text, []byte("HTTP/1.1 400 ")) {
		t.Errorf("the client got %q", text)
	}
}

// The names of fields, their order and the reason of an answer pass as they were written, in both directions.
func TestHeadsPassAsWritten(t *testing.T) {
	const sent = "POST /rpc?x=1 HTTP/1.1\r\nhost: %s\r\nx-ZEBRA: 1\r\ncontent-TYPE: application/json\r\nAUTHORIZATION: Bearer a\r\nX-zebra:  2\r\ncontent-length: 2\r\nuser-agent: u\r\nx-A: \r\naccept-encoding: identity\r\n\r\n{}"
	for name, answer := range map[string]string{
		"a length":        "HTTP/1.1 200 Fine So Far\r\nX-b: 2\r\ncontent-type: application/json\r\nDATE: Sun, 29 Nov 2026 08:00:00 GMT\r\nx-B: 1\r\ncontent-LENGTH: 2\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n\r\n{}",
		"pieces":          "HTTP/1.1 404 \r\ntransfer-encoding: chunked\r\nx-first: 1\r\nA-last: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"an interim head": "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nx-low: 1\r\nCONTENT-length: 2\r\n\r\n{}",
	} {
		t.Run(name, func(t *testing.T) {
			got := make(chan string, 1)
			upstream := testconn.StartServer(t, func(conn net.Conn) {
				text := make([]byte, 4096)
				n := 0
				for !bytes.HasSuffix(text[:n], []byte("\r\n\r\n{}")) {
					m, err := conn.Read(text[n:])
					if err != nil {
						break
					}
					n += m
				}
				got <- string(text[:n])
				io.WriteString(conn, answer)
				bufio.NewReader(conn).Peek(1)
			})
			p := openProxy(t, upstream)
			conn := dialProxy(t, p.URLs()[0])
			fmt.Fprintf(conn, sent, "here")
			text := make([]byte, 4096)
			n := 0
			for !bytes.HasSuffix(text[:n], []byte("{}")) && !bytes.HasSuffix(text[:n], []byte("0\r\n\r\n")) {
				m, err := conn.Read(text[n:])
				if err != nil {
					t.Fatalf("got %q, %v", text[:n], err)
				}
				n += m
			}
			if string(text[:n]) != answer {
				t.Errorf("the client got\n%q, want\n%q", text[:n], answer)
			}
			if head, want := testconn.Receive(t, got), fmt.Sprintf(sent, strings.TrimPrefix(upstream, "http://")); head != want {
				t.Errorf("the server got\n%q, want\n%q", head, want)
			}
		})
	}
}

// A head of nearly 1 MiB passes as it was written, in both directions, unless many connections have such heads.
func TestLargeHeadsPassAsWritten(t *testing.T) {
	fields := strings.Repeat("x-LARGE: "+strings.Repeat("y", 9_000)+"\r\n", 110)
	sent := "POST /rpc HTTP/1.1\r\nhost: h\r\nx-ZEBRA: 1\r\n" + fields + "content-length: 2\r\nuser-agent: u\r\naccept-encoding: identity\r\n\r\n{}"
	answer := "HTTP/1.1 200 Fine So Far\r\nx-b: 2\r\n" + fields + "content-LENGTH: 2\r\n\r\n{}"
	got := make(chan string, 1)
	p := openProxy(t, testconn.StartServer(t, func(conn net.Conn) {
		text := make([]byte, len(sent))
		n, _ := io.ReadFull(conn, text)
		got <- string(text[:n])
		io.WriteString(conn, answer)
		bufio.NewReader(conn).Peek(1)
	}), func(c *Config) { c.KeepHost = true })
	for _, room := range []bool{true, false} {
		taken := p.heads.taken.Load()
		if taken != 0 {
			t.Errorf("%d bytes are still taken", taken)
		}
		if !room {
			p.heads.taken.Store(maxLargeHeads)
		}
		conn := dialProxy(t, p.URLs()[0])
		io.WriteString(conn, sent)
		head := testconn.Receive(t, got)
		var text []byte
		for piece := make([]byte, 32<<10); !bytes.HasSuffix(text, []byte("\r\n\r\n{}")); {
			n, err := conn.Read(piece)
			if text = append(text, piece[:n]...); err != nil {
				t.Fatalf("room %v: %v behind %d bytes", room, err, len(text))
			}
		}
		if passes := head == sent && string(text) == answer; passes != room {
			t.Errorf("room %v: the server got %.60q, the client %d bytes, %.60q", room, head, len(text), text)
		}
		conn.Close()
		awaitStats(t, p, "no call under way", func(s Stats) bool { return s.Open == 0 })
		p.calls.closeConnections()
		for deadline := time.Now().Add(patience); p.heads.taken.Load()%maxLargeHeads != 0 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		}
	}
	if taken := p.heads.taken.Load(); taken != maxLargeHeads {
		t.Errorf("%d bytes are taken, want %d", taken, maxLargeHeads)
	}
}

// What a server sends in place of HTTP/2 reaches the client behind the frames with which the proxy begins.
func TestNoHTTP2PassesUnchanged(t *testing.T) {
	const answer = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
	upstream := testconn.StartServer(t, func(conn net.Conn) {
		io.ReadFull(conn, make([]byte, len(http2.ClientPreface)))
		io.WriteString(conn, answer)
		io.Copy(io.Discard, conn)
	})
	p := openProxy(t, upstream)
	conn := dialProxy(t, p.URLs()[0])
	io.WriteString(conn, http2.ClientPreface)
	f := http2.NewFramer(conn, nil)
	f.WriteSettings()
	f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte("\x82\x86\x84\x41\x01h"), EndHeaders: true, EndStream: true})
	var text []byte
	for piece := make([]byte, 4096); !bytes.HasSuffix(text, []byte(answer)); {
		n, err := conn.Read(piece)
		if text = append(text, piece[:n]...); err != nil {
			t.Fatalf("the client got %q, %v", text, err)
		}
	}
	conn.Close()
	closeAndRecord(t, p, 1)
}

// A client of HTTP/2 may send its first frame later than its preface.
func TestSlowPreface(t *testing.T) {
	p := openProxy(t, testconn.StartServer(t, func(conn net.Conn) { io.Copy(io.Discard, conn) }))
	conn := dialProxy(t, p.URLs()[0])
	io.WriteString(conn, http2.ClientPreface[:20])
	io.WriteString(conn, http2.ClientPreface[20:])
	f := http2.NewFramer(conn, conn)
	if frame, err := f.ReadFrame(); err != nil || frame.Header().Type != http2.FrameSettings {
		t.Fatalf("got %v, %v", frame, err)
	}
	f.WriteSettings()
	f.WritePing(false, [8]byte{1})
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		if frame.Header().Type == http2.FramePing {
			return
		}
	}
}
