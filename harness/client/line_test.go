package client

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// Calls on a line share one connection, apart from all others.
func TestLine(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/close" {
			w.Header().Set("Connection", "close")
		}
	}))
	defer server.Close()
	client := NewClient(Config{Started: time.Now()})
	defer client.Close()
	line := client.Line(false)
	defer line.Close()
	conn := func(path string, l *Line) int {
		return client.Do(t.Context(), Call{Method: http.MethodGet, URL: server.URL + path, Line: l}, nil).Conn
	}
	other := conn("/", nil)
	first, second := conn("/", line), conn("/close", line)
	if first == 0 || first != second || first == other || conn("/", nil) != other {
		t.Errorf("connections %d and %d on the line, %d beside it", first, second, other)
	}
	if third := conn("/", line); third == first {
		t.Error("a connection that was closed is said to be open")
	}
}

// An anonymous line shows no client certificate.
func TestAnonymousLine(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TLS.PeerCertificates) == 0 {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	server.StartTLS()
	defer server.Close()
	client := NewClient(Config{Started: time.Now(), TLS: &tls.Config{InsecureSkipVerify: true, Certificates: server.TLS.Certificates}})
	defer client.Close()
	for _, c := range []struct {
		line *Line
		want int
	}{{nil, 200}, {client.Line(false), 200}, {client.Line(true), 401}} {
		if x := client.Do(t.Context(), Call{Method: http.MethodGet, URL: server.URL, Line: c.line}, nil); x.Status() != c.want {
			t.Errorf("status %d, want %d (%s)", x.Status(), c.want, x.Trouble)
		}
	}
}
