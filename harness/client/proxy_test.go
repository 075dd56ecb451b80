package client

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// join passes bytes on in both directions until one side ends.
func join(a, b net.Conn) {
	done := make(chan bool, 2)
	for _, pair := range [][2]net.Conn{{a, b}, {b, a}} {
		go func() {
			io.Copy(pair[0], pair[1])
			done <- true
		}()
	}
	<-done
	a.Close()
	b.Close()
}

// httpProxy connects to any server for whoever shows its credentials.
func httpProxy(c net.Conn) {
	req, _, err := request(bufio.NewReader(c))
	switch {
	case err != nil:
	case req.Method != http.MethodConnect:
		io.WriteString(c, "HTTP/1.1 405 Method Not Allowed\r\n\r\n")
	case req.Header.Get("Proxy-Authorization") != "Basic dXNlcjpwYXNzd29yZA==":
		io.WriteString(c, "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
	default:
		to, err := net.Dial("tcp", req.Host)
		if err != nil {
			io.WriteString(c, "HTTP/1.1 502 Bad Gateway\r\n\r\n")
			return
		}
		io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n")
		join(c, to)
	}
}

// socksProxy connects to any IPv4 address for whoever shows no credentials.
func socksProxy(c net.Conn) {
	hello, ask := make([]byte, 3), make([]byte, 10)
	if _, err := io.ReadFull(c, hello); err != nil {
		return
	}
	c.Write([]byte{5, 0})
	if _, err := io.ReadFull(c, ask); err != nil || ask[3] != 1 {
		return
	}
	to, err := net.Dial("tcp", net.JoinHostPort(net.IP(ask[4:8]).String(), strconv.Itoa(int(ask[8])<<8|int(ask[9]))))
	if err != nil {
		c.Write([]byte{5, 5, 0, 1, 0, 0, 0, 0, 0, 0})
		return
	}
	c.Write([]byte{5, 0, 0, 1, 127, 0, 0, 1, 0, 0})
	join(c, to)
}

// TestProxy makes the same calls through proxies, and records what the server got and sent, and no
// byte of what the proxies did.
func TestProxy(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "reached") }))
	t.Cleanup(server.Close)
	proxy, socks := strings.TrimPrefix(serve(t, httpProxy), "http://"), strings.TrimPrefix(serve(t, socksProxy), "http://")
	mute := strings.TrimPrefix(serve(t, func(net.Conn) {}), "http://")
	endless := strings.TrimPrefix(serve(t, func(c net.Conn) {
		for {
			if _, err := io.WriteString(c, "HTTP/1.1 200 OK and more of it"); err != nil {
				return
			}
		}
	}), "http://")
	for _, c := range []struct{ name, via, to, trouble string }{
		{"HTTP", "http://user:password@" + proxy, server.URL, ""},
		{"SOCKS5", "socks5://" + socks, server.URL, ""},
		{"no credentials", "http://" + proxy, server.URL, "it needs credentials (HTTP 407)"},
		{"wrong credentials", "http://user:wrong-password@" + proxy, server.URL, "it needs credentials (HTTP 407)"},
		{"a server that is not there", "http://user:password@" + proxy, "http://127.0.0.1:1", "did not connect to 127.0.0.1:1: it refused with HTTP 502"},
		{"a server that is not there, by SOCKS5", "socks5://" + socks, "http://127.0.0.1:1", "did not connect to 127.0.0.1:1: "},
		{"a proxy that is not there", "http://127.0.0.1:1", server.URL, "the proxy http://127.0.0.1:1 cannot be reached: connection refused"},
		{"a proxy that closes", "http://" + mute, server.URL, "it closed the connection without an answer of HTTP"},
		{"a proxy that never ends its headers", "http://" + endless, server.URL, "its answer has more than 65536 bytes of headers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			via, err := url.Parse(c.via)
			if err != nil {
				t.Fatal(err)
			}
			client := NewClient(Config{Started: time.Now(), Timeout: 10 * time.Second, Proxy: func(*url.URL) (*url.URL, error) { return via, nil }})
			t.Cleanup(client.Close)
			x := client.Do(t.Context(), Call{Method: http.MethodGet, URL: c.to}, nil)
			if c.trouble != "" {
				if x.Answered() || !strings.Contains(x.Trouble, c.trouble) || strings.Contains(x.Trouble, "password@") || strings.Contains(x.Trouble, "wrong-password") {
					t.Errorf("got %q, want %q", x.Trouble, c.trouble)
				}
				return
			}
			if string(x.Response.Body) != "reached" || strings.Contains(string(x.Request.Head)+string(x.Response.Head), "onnect") || strings.Contains(string(x.Request.Head), "Proxy-") {
				t.Errorf("%s: %s\n%s%s%s", x.Ended, x.Trouble, x.Request.Head, x.Response.Head, x.Response.Body)
			}
		})
	}
}

// A proxy on this machine does not make the way to the server safe.
func TestCredentialsThroughProxy(t *testing.T) {
	via := &url.URL{Scheme: "http", User: url.UserPassword("user", "password"), Host: strings.TrimPrefix(serve(t, httpProxy), "http://")}
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	client := NewClient(Config{Proxy: func(*url.URL) (*url.URL, error) { return via, nil }})
	t.Cleanup(client.Close)
	conn, err := client.dialDirectlyOrThroughProxy(t.Context(), "tcp", strings.TrimPrefix(server.URL, "http://"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if client.refuseExposedCredentials(conn, false, []byte("POST / HTTP/2\r\nauthorization: Bearer abc\r\n\r\n")) == "" {
		t.Error("the credentials would be sent in plain through the proxy")
	}
}

// TestTrace gives each call a trace of its own, and leaves alone a header that is there.
func TestTrace(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Header.Get("Traceparent")) }))
	t.Cleanup(server.Close)
	client := NewClient(Config{Started: time.Now(), Trace: true})
	t.Cleanup(client.Close)
	form := regexp.MustCompile(`^00-([0-9a-f]{16})([0-9a-f]{16})-([0-9a-f]{16})-01$`)
	run := ""
	for n := 1; n <= 3; n++ {
		x := client.Do(t.Context(), Call{Method: http.MethodGet, URL: server.URL}, nil)
		m := form.FindStringSubmatch(string(x.Response.Body))
		number := fmt.Sprintf("%016x", n)
		if m == nil || m[2] != number || m[3] != number || run != "" && m[1] != run {
			t.Fatalf("call %d: got %q", n, x.Response.Body)
		}
		run = m[1]
		if !strings.Contains(string(x.Request.Head), m[0]) {
			t.Errorf("call %d: its record has\n%s", n, x.Request.Head)
		}
	}
	own := "00-11111111111111111111111111111111-2222222222222222-01"
	if x := client.Do(t.Context(), Call{Method: http.MethodGet, URL: server.URL, Header: http.Header{"Traceparent": {own}}}, nil); string(x.Response.Body) != own {
		t.Errorf("got %q, want %q", x.Response.Body, own)
	}
}
