package client

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Every exchange ends with the call's patience, whatever net/http takes the
// connection for by then, and even if the peer takes no closing words.
func TestEveryReadEndsWithTheContext(t *testing.T) {
	const switched = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n"
	held := func(text string) func(net.Conn) {
		return func(c net.Conn) {
			if _, _, err := request(bufio.NewReader(c)); err == nil {
				io.WriteString(c, text)
				io.Copy(io.Discard, c)
			}
		}
	}
	over := make(chan struct{})
	for name, handle := range map[string]func(net.Conn){
		"101, then silence":             held(switched),
		"101, then a few bytes":         held(switched + "\x81\x05hello"),
		"101 after an interim answer":   held("HTTP/1.1 100 Continue\r\n\r\n" + switched),
		"a trailer that does not end":   held(okJSON + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX: y\r\n"),
		"interim answers and no answer": held("HTTP/1.1 103 Early Hints\r\n\r\n"),
		"101 before the request is read": func(c net.Conn) {
			c.Read(make([]byte, 1<<10))
			io.WriteString(c, switched)
			<-over
		},
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, handle)
			t.Cleanup(func() {
				if strings.HasPrefix(name, "101 before") {
					close(over)
				}
			})
			ended(t, newClient(t), url, record.Timeout)
		})
	}
	t.Run("101 by TLS", func(t *testing.T) {
		front := httptest.NewTLSServer(nil) // for its certificate
		defer front.Close()
		url := serve(t, func(c net.Conn) {
			held(switched)(tls.Server(c, &tls.Config{Certificates: front.TLS.Certificates}))
		})
		client := NewClient(Config{Started: time.Now(), TLS: &tls.Config{InsecureSkipVerify: true}})
		defer client.Close()
		ended(t, client, strings.Replace(url, "http:", "https:", 1), record.Timeout)
	})
}

func ended(t *testing.T, client *Client, url string, how record.Ended) {
	t.Helper()
	done := make(chan *record.Exchange)
	go func() {
		done <- client.Do(t.Context(), Call{Method: "POST", URL: url, Body: make([]byte, 4<<20), Timeout: 100 * time.Millisecond}, nil)
	}()
	select {
	case x := <-done:
		if x.Ended != how {
			t.Errorf("%s (%s)", x.Ended, x.Trouble)
		}
		sound(t, x)
	case <-time.After(20 * time.Second):
		t.Error("it does not end")
	}
}

// dropper answers the first call on each connection, and closes the connection on
// the next without a byte. It tells what it was sent.
type dropper struct {
	mu   sync.Mutex
	seen []string
}

func (d *dropper) handle(c net.Conn) {
	r := bufio.NewReader(c)
	for i := 0; i < 2; i++ {
		_, body, err := request(r)
		if err != nil {
			return
		}
		d.mu.Lock()
		d.seen = append(d.seen, string(body))
		d.mu.Unlock()
		if i == 0 {
			io.WriteString(c, okJSON+"Content-Length: 2\r\n\r\n{}")
		}
	}
}

// What is sent again is in the exchange, with how it came to that; what may set
// an agent to work is never sent twice.
func TestAttemptsAreRecorded(t *testing.T) {
	for _, method := range []string{"POST", "GET", "PUT"} {
		d := &dropper{}
		url, client := serve(t, d.handle), newClient(t)
		client.Do(t.Context(), Call{Method: method, URL: url, Body: []byte("first")}, nil)
		x := client.Do(t.Context(), Call{Method: method, URL: url, Body: []byte("second")}, nil)
		if x.Ended != record.EOF || x.Status() != 200 || len(x.Attempts) != 1 || x.Conn == x.Attempts[0].Conn {
			t.Fatalf("%s: %s (%s), attempts %+v", method, x.Ended, x.Trouble, x.Attempts)
		}
		if a := x.Attempts[0]; a.Conn != 1 || a.Sent < int64(len(x.Request.Head)+len("second")) || a.Trouble == "" || a.Start < x.Start || a.End < a.Start || a.End > x.End {
			t.Errorf("%s: attempt %+v", method, a)
		}
		d.mu.Lock()
		if len(d.seen) != 3 || d.seen[1] != "second" || d.seen[2] != "second" {
			t.Errorf("%s: the server saw %q", method, d.seen)
		}
		d.mu.Unlock()
	}
	d := &dropper{}
	url, client := serve(t, d.handle), newClient(t)
	for _, body := range []string{"1", "2", "3", "4"} {
		x := client.Do(t.Context(), Call{Method: "POST", URL: url, Body: []byte(body), Once: body > "1"}, nil)
		if x.Ended != record.EOF || x.Status() != 200 || len(x.Attempts) != 0 {
			t.Errorf("message %s: %s (%s), attempts %+v", body, x.Ended, x.Trouble, x.Attempts)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if got := strings.Join(d.seen, " "); got != "1 2 3 4" {
		t.Errorf("the server saw %q", got)
	}
}

// A call that is answered by nothing on a connection of its own is not made again.
func TestOnceIsOnce(t *testing.T) {
	var seen []string
	var mu sync.Mutex
	url := serve(t, func(c net.Conn) {
		if _, body, err := request(bufio.NewReader(c)); err == nil {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, string(body))
		}
	})
	x := newClient(t).Do(t.Context(), Call{Method: "POST", URL: url, Body: []byte("1"), Once: true}, nil)
	mu.Lock()
	defer mu.Unlock()
	if x.Ended != record.Reset || len(x.Attempts) != 0 || len(seen) != 1 {
		t.Errorf("%s, attempts %+v, seen %q", x.Ended, x.Attempts, seen)
	}
}

// A server that goes away breaks the connections that it kept, and accepts no other. A
// call that finds this out was refused; what was sent on the kept connection stands beside it.
func TestGoneWhileAConnectionWasKept(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		r := bufio.NewReader(c)
		if _, _, err := request(r); err != nil {
			return
		}
		io.WriteString(c, okJSON+"Content-Length: 2\r\n\r\n{}")
		request(r)
		listener.Close()
	}()
	client := newClient(t)
	call := Call{Method: "POST", URL: "http://" + listener.Addr().String(), Body: []byte(`{}`)}
	if x := client.Do(t.Context(), call, nil); x.Ended != record.EOF {
		t.Fatalf("the first call: %s (%s)", x.Ended, x.Trouble)
	}
	x := client.Do(t.Context(), call, nil)
	if !x.Refused() || x.Conn != 0 || len(x.Attempts) != 1 || x.Attempts[0].Sent == 0 {
		t.Errorf("%s on connection %d (%s), after %+v", x.Ended, x.Conn, x.Trouble, x.Attempts)
	}
	sound(t, x)
}
