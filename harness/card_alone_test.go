package harness

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

func TestReadCardFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for _, text := range []string{"", "\ufeff{}", "no JSON", "{\"a\":\"\xff\"}", strings.Repeat(" ", maxCardFile)} {
		x, err := ReadCardFile(write("agent card.json", text))
		if err != nil || string(x.Response.Body) != text || x.Dir != record.Given || x.URL != "file:agent%20card.json" {
			t.Errorf("%.20q: got %v, %v", text, x, err)
		}
	}
	for _, c := range []struct{ file, want string }{
		{write("large.json", strings.Repeat(" ", maxCardFile+1)), "larger than 1 MiB"},
		{filepath.Join(dir, "none.json"), "no such file"},
		{dir, "cannot be read"},
	} {
		_, err := ReadCardFile(c.file)
		if usage := (*UsageError)(nil); !errors.As(err, &usage) || !strings.Contains(usage.Text, c.want) || !strings.Contains(usage.Text, c.file) {
			t.Errorf("%s: got %v, want %s", c.file, err, c.want)
		}
	}
}

// TestFetchCard: whatever the server does, it gets one GET, and nothing of its card is followed.
func TestFetchCard(t *testing.T) {
	const body = `{"name":"x","url":"SELF/rpc"}`
	for _, c := range []struct {
		name, path, asks string
		answer           http.HandlerFunc
		want             string // in the error; "" for a card
	}{
		{"a card", "/cards/x.json?v=1", "/cards/x.json?v=1", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(body)) }, ""},
		{"a URL without a path", "", "/.well-known/agent-card.json", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(body)) }, ""},
		{"a page", "/x", "/x", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>")) }, ""},
		{"nothing there", "/x", "/x", http.NotFound, "HTTP 404"},
		{"a redirect", "/x", "/x", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/y", http.StatusFound) }, "a redirect to"},
		{"a login", "/x", "/x", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "--bearer-env"},
		{"too many requests", "/x", "/x", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		}, "HTTP 429"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var calls atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if calls.Add(1); r.Method != http.MethodGet || r.URL.RequestURI() != c.asks || r.Header.Get("Authorization") != "Bearer 12345678" {
					t.Errorf("got %s %s, %s", r.Method, r.URL.RequestURI(), r.Header.Get("Authorization"))
				}
				c.answer(w, r)
			}))
			defer server.Close()
			x, err := FetchCard(t.Context(), operator.Target{URL: server.URL + c.path, Credentials: operator.Credentials{Bearer: "12345678"}})
			if calls.Load() != 1 {
				t.Errorf("the server got %d calls", calls.Load())
			}
			if usage := (*UsageError)(nil); c.want != "" && (!errors.As(err, &usage) || !strings.Contains(usage.Text, c.want)) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if c.want == "" && (err != nil || x.Dir != record.Given || !strings.HasPrefix(x.URL, server.URL) || len(x.Response.Body) == 0) {
				t.Errorf("got %v, %v", x, err)
			}
		})
	}
}

func TestFetchCardWithoutAnswer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	_, err = FetchCard(t.Context(), operator.Target{URL: "http://" + l.Addr().String() + "/x"})
	if none := (*NoAnswerError)(nil); !errors.As(err, &none) || !strings.Contains(none.Text, l.Addr().String()) {
		t.Errorf("got %v", err)
	}
	for _, address := range []string{"ftp://x/y", "http://u:p@x/", "http://"} {
		_, err := FetchCard(t.Context(), operator.Target{URL: address})
		if usage := (*UsageError)(nil); !errors.As(err, &usage) {
			t.Errorf("%s: got %v", address, err)
		}
	}
}
