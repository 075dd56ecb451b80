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
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/testconn"
)

// The scanner of chunks finds the end that net/http finds, in whatever pieces the bytes come, if net/http can read the body.
func FuzzScanChunks(f *testing.F) {
	for _, body := range []string{"0\r\n\r\nrest", "3\r\nabc\r\n0\r\n\r\n", "3;a=b\r\nabc\r\nA \r\n0123456789\r\n00\r\nX-a: 1\r\nY: 2\n\nrest\r\n\r\n", "0\r\n\nA: b\r\n\r\n", "zz\r\n", "3\r\nabcd\r\n", "0\r\nA: b\r\n c\r\n\r\nrest", "ffffffffffffffff\r\n", "0x3\r\nabc\r\n0\r\n\r\n", "+3\r\nabc\r\n0\r\n\r\n", "1_0\r\n"} {
		f.Add([]byte(body), uint8(3))
	}
	f.Fuzz(func(t *testing.T, body []byte, step uint8) {
		in := bufio.NewReader(io.MultiReader(bytes.NewReader([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")), bytes.NewReader(body)))
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, answer.Body)
		rest, _ := io.ReadAll(in)
		var s chunkScanner
		n := 0
		for at := 0; at < len(body); at += int(step%16) + 1 {
			piece := body[at:min(len(body), at+int(step%16)+1)]
			m := s.scanPiece(piece)
			if m < 0 || m > len(piece) || m < len(piece) && s.state != afterBody {
				t.Fatalf("of %q, %d bytes are of the body, in state %d", piece, m, s.state)
			}
			n += m
		}
		if err == nil && (s.state != afterBody || n != len(body)-len(rest)) {
			t.Errorf("the body ends behind %d bytes in state %d, want %d", n, s.state, len(body)-len(rest))
		}
		if len(s.line) > maxChunkLine {
			t.Errorf("%d bytes of a line are kept", len(s.line))
		}
	})
}

// bodiesInChunks are bodies as either side may write them; the first ones can be read.
var bodiesInChunks = map[string][]string{
	"trailers":                 {"3\r\nabc\r\n", "0\r\nx-TRAILER: 1\r\nAnother-one:2\r\n\r\n"},
	"extensions":               {"3;a=\"b\"\r\nabc\r\n00;last\r\n\r\n"},
	"nothing":                  {"0\r\n\r\n"},
	"a size that is none":      {"3\r\nabc\r\n", "zz\r\nthe rest\r\n0\r\n\r\n"},
	"none at the beginning":    {"zz\r\nabc\r\n"},
	"more than its size":       {"3\r\nabcdef\r\n0\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"},
	"a size beyond all":        {"3\r\nabc\r\nfffffffffffffffff\r\nabc"},
	"lines without returns":    {"3\nabc\n0\n\n"},
	"a trailer that is none":   {"3\r\nabc\r\n0\r\nno colon\r\n\r\n"},
	"an extension without end": {"3\r\nabc\r\n3;" + strings.Repeat("x", 9_000) + "\r\nabc\r\n", "0\r\n\r\n"},
	"another protocol":         {"\x16\x03\x01\x00\xff", strings.Repeat("y", 100_000)},
}

// writePieces writes pieces such that each comes in a read of its own.
func writePieces(c net.Conn, pieces []string) {
	for i, p := range pieces {
		if i > 0 {
			time.Sleep(10 * time.Millisecond)
		}
		io.WriteString(c, p)
	}
}

// The chunks of an answer reach the client as the server wrote them, also those that cannot be read.
func TestChunksOfAnswersPassUnchanged(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
	for name, pieces := range bodiesInChunks {
		for _, path := range []string{"/rpc", "/.well-known/agent-card.json"} {
			upstream := testconn.StartServer(t, answerRequest(func(c net.Conn) { writePieces(c, append([]string{head}, pieces...)) }))
			p := openProxy(t, upstream)
			conn := dialProxy(t, p.URLs()[0])
			io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
			text, err := io.ReadAll(conn)
			got, want := strings.Replace(string(text), "Connection: close\r\n", "", 1), head+strings.Join(pieces, "")
			if got != want {
				t.Errorf("%s, %s: got %.300q, %v, want %.300q", name, path, got, err, want)
			}
			awaitStats(t, p, "a call that has ended", func(s Stats) bool { return s.Passed == 1 })
			x := closeAndRecord(t, p, 1)[0]
			readable := slices.Contains([]string{"trailers", "extensions", "nothing"}, name)
			if ends := x.Out.Ended == record.EOF && x.In.Ended == record.EOF; ends != readable || !readable && !strings.Contains(x.In.Trouble, "cannot be read") {
				t.Errorf("%s, %s: recorded %s (%s), %s (%s)", name, path, x.In.Ended, x.In.Trouble, x.Out.Ended, x.Out.Trouble)
			}
			if n := len(p.dialed.open); n > 0 {
				t.Errorf("%s: %d connections were left", name, n)
			}
		}
	}
}

// An answer that breaks off within a chunk does so for the client, and nothing is said to be unreadable.
func TestChunksThatBreakOff(t *testing.T) {
	const answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n5\r\nab"
	p := openProxy(t, testconn.StartServer(t, answerRequest(func(c net.Conn) { io.WriteString(c, answer) })))
	conn := dialProxy(t, p.URLs()[0])
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	if text, err := io.ReadAll(conn); string(text) != answer {
		t.Errorf("the client got %q, %v", text, err)
	}
	awaitStats(t, p, "a call that has ended", func(s Stats) bool { return s.Passed == 1 })
	if x := closeAndRecord(t, p, 1)[0]; x.Out.Ended != record.Reset || x.In.Ended != record.OurClose || !strings.Contains(x.In.Trouble, "ended before it was complete") {
		t.Errorf("recorded %s (%s), %s (%s)", x.In.Ended, x.In.Trouble, x.Out.Ended, x.Out.Trouble)
	}
}

// The chunks of a request reach the server as the client wrote them, and the client what the server answers.
func TestChunksOfRequestsPassUnchanged(t *testing.T) {
	const answer = "HTTP/1.1 400 So Not\r\nx-Own: 1\r\nContent-Length: 2\r\n\r\nno"
	for name, pieces := range bodiesInChunks {
		got := make(chan string, 1)
		const head = "POST /rpc HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\nuser-agent: u\r\naccept-encoding: identity\r\n\r\n"
		sent := append([]string{head}, pieces...)
		want := strings.Join(sent, "")
		p := openProxy(t, testconn.StartServer(t, func(c net.Conn) {
			text := make([]byte, len(want))
			n, _ := io.ReadFull(c, text)
			io.WriteString(c, answer)
			got <- string(text[:n])
			io.Copy(io.Discard, c)
		}), func(c *Config) { c.KeepHost = true })
		conn := dialProxy(t, p.URLs()[0])
		writePieces(conn, sent)
		text := make([]byte, len(answer))
		if n, err := io.ReadFull(conn, text); string(text[:n]) != answer {
			t.Errorf("%s: the client got %q, %v", name, text[:n], err)
		}
		if came := testconn.Receive(t, got); came != want {
			t.Errorf("%s: the server got\n%.400q, want\n%.400q", name, came, want)
		}
		conn.Close()
		awaitStats(t, p, "a call that has ended", func(s Stats) bool { return s.Passed == 1 })
		x := closeAndRecord(t, p, 1)[0]
		readable := slices.Contains([]string{"trailers", "extensions", "nothing"}, name)
		if readable != (x.In.Trouble == "") || !readable && !strings.Contains(x.In.Trouble, "cannot be read") || readable && !x.Out.Answered() {
			t.Errorf("%s: recorded %s (%s)", name, x.In.Ended, x.In.Trouble)
		}
		// The server may answer before the proxy looks at the end of a request.
		if !x.Out.Answered() && (x.Out.Ended != record.OurClose || !x.Out.Gaps.Response || x.Out.Gaps.Request == readable) {
			t.Errorf("%s: recorded %s (%s), %+v", name, x.Out.Ended, x.Out.Trouble, x.Out.Gaps)
		}
		if n := len(p.dialed.open); n > 0 && !readable {
			t.Errorf("%s: %d connections were left", name, n)
		}
	}
}

// What comes in chunks and does not leave takes no memory beyond a bound, and none once the call is over.
func TestChunksAreBounded(t *testing.T) {
	piece := []byte("ffff\r\n" + strings.Repeat("x", 0xffff) + "\r\n")
	over, lost := &chunkedBody{}, &chunkedBody{}
	over.addCame([]byte("1\r\na\r\n"))
	over.endLeaving()
	for range 100 {
		over.addCame(piece)
		lost.addCame(piece)
		if n := len(lost.queue); n > maxQueued {
			t.Fatalf("%d bytes are kept", n)
		}
	}
	if text, known := over.takeCame(); string(text) != "1\r\na\r\n" || !known {
		t.Errorf("got %q, %v", text, known)
	}
	if text, known := lost.takeCame(); len(text) > 0 || known {
		t.Errorf("got %d bytes, %v", len(text), known)
	}
}

// Calls in chunks follow each other on one connection.
func TestChunksOnOneConnection(t *testing.T) {
	upstream := testconn.StartServer(t, func(c net.Conn) {
		in := bufio.NewReader(c)
		for {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			text, _ := io.ReadAll(r.Body)
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\nx-Sent: %s\r\n\r\n", len(text), text, r.Trailer.Get("X-Trailer"))
		}
	})
	p := openProxy(t, upstream)
	conn := dialProxy(t, p.URLs()[0])
	sent, want := "", ""
	for i := range 5 {
		sent += fmt.Sprintf("POST /rpc HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTrailer: X-Trailer\r\n\r\n2;x\r\nn%d\r\n0\r\nx-trailer: %d\r\n\r\n", i, i)
		want += fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nn%d\r\n0\r\nx-Sent: %d\r\n\r\n", i, i)
	}
	io.WriteString(conn, sent) // all at once
	text := make([]byte, len(want))
	if n, err := io.ReadFull(conn, text); string(text[:n]) != want {
		t.Errorf("the client got %q, %v", text[:n], err)
	}
	closeAndRecord(t, p, 5)
}

// What cannot be read of a body and does not end is broken off with the client, or with the proxy.
func TestEndlessChunksEnd(t *testing.T) {
	for _, sent := range []string{"GET / HTTP/1.1\r\nHost: h\r\n\r\n", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"} {
		ended := make(chan bool, 2)
		p := openProxy(t, testconn.StartServer(t, func(c net.Conn) {
			in := bufio.NewReader(c)
			if r, err := http.ReadRequest(in); err == nil && r.Method == http.MethodGet {
				io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
			} else if line, err := in.ReadString('\n'); err == nil {
				io.WriteString(c, line)
			}
			io.Copy(io.Discard, in)
			ended <- true
		}))
		for _, leaves := range []bool{true, false} {
			conn := dialProxy(t, p.URLs()[0])
			io.WriteString(conn, sent)
			for in := bufio.NewReader(conn); ; {
				line, err := in.ReadString('\n')
				if err != nil {
					t.Fatalf("%q: got %q, %v", sent, line, err)
				}
				if line == "zz\r\n" {
					break
				}
			}
			if leaves {
				conn.Close()
			} else {
				p.Close()
			}
			testconn.Receive(t, ended)
		}
	}
}

// The same holds if both sides speak TLS.
func TestChunksPassUnchangedByTLS(t *testing.T) {
	authority := httptest.NewUnstartedServer(nil)
	authority.StartTLS()
	t.Cleanup(authority.Close)
	roots := x509.NewCertPool()
	roots.AddCert(authority.Certificate())
	const answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\nrest"
	got := make(chan string, 1)
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: authority.TLS.Certificates})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	testconn.Serve(l, func(c net.Conn) {
		in := bufio.NewReader(c)
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if r.ContentLength < 0 {
			text := make([]byte, len("3\r\nabc\r\nzz\r\nrest"))
			n, _ := io.ReadFull(in, text)
			got <- string(text[:n])
		}
		io.WriteString(c, answer)
	})
	p := openProxy(t, "https://"+l.Addr().String(), func(cfg *Config) {
		cfg.TLS, cfg.UpstreamTLS = &tls.Config{Certificates: authority.TLS.Certificates}, &tls.Config{RootCAs: roots}
	})
	for _, sent := range []string{"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\nrest"} {
		c := tls.Client(dialProxy(t, strings.Replace(p.URLs()[0], "https:", "http:", 1)), &tls.Config{RootCAs: roots, ServerName: "example.com"})
		for piece := range strings.SplitAfterSeq(sent, "abc\r\n") {
			io.WriteString(c, piece)
		}
		text, err := io.ReadAll(c)
		if came := strings.Replace(string(text), "Connection: close\r\n", "", 1); came != answer {
			t.Errorf("%.4s: the client got %q, %v", sent, came, err)
		}
	}
	if came := testconn.Receive(t, got); came != "3\r\nabc\r\nzz\r\nrest" {
		t.Errorf("the server got %q", came)
	}
	closeAndRecord(t, p, 2)
}
