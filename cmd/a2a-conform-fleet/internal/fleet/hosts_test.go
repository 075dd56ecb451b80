package fleet

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A server answers for its own hosts only, whatever name leads to it.
func TestOwnHosts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		listen string
		more   []string
		came   string // the address that the request came to
		host   string
		own    bool
	}{
		{"127.0.0.1:8080", nil, "127.0.0.1:8080", "127.0.0.1:8080", true},
		{"127.0.0.1:8080", nil, "127.0.0.1:8080", "localhost:8080", true},
		{"127.0.0.1:8080", nil, "127.0.0.1:8080", "LOCALHOST.:8080", true},
		{"127.0.0.1:8080", nil, "127.0.0.1:8080", "[::1]:8080", true},
		{"127.0.0.1:8080", nil, "127.0.0.1:8080", "evil.example:8080", false},
		{"127.0.0.1:8080", nil, "127.0.0.1:8080", "evil.example", false},
		{"127.0.0.1:8080", nil, "127.0.0.1:8080", "127.0.0.1.evil.example", false},
		{"127.0.0.1:8080", nil, "127.0.0.1:8080", "localhost.evil.example", false},
		{"127.0.0.1:8080", nil, "127.0.0.1:8080", "10.0.0.7:8080", false},
		{"127.0.0.1:8080", nil, "127.0.0.1:8080", "", false},
		{"127.0.0.1:8080", nil, "127.0.0.1:8080", "0.0.0.0:8080", false},
		{"127.0.0.1:8080", []string{"fleet.example"}, "127.0.0.1:8080", "fleet.example", true},
		{"127.0.0.1:8080", []string{"fleet.example"}, "127.0.0.1:8080", "a.fleet.example", false},
		{"10.0.0.7:8080", nil, "10.0.0.7:8080", "10.0.0.7:8080", true},
		{"10.0.0.7:8080", nil, "10.0.0.7:8080", "localhost:8080", false},
		{"[::]:8080", nil, "10.0.0.7:8080", "10.0.0.7:8080", true},
		{"[::]:8080", nil, "10.0.0.7:8080", "10.0.0.8:8080", false},
		{"0.0.0.0:8080", []string{"0.0.0.0:8080"}, "10.0.0.7:8080", "evil.example", false},
		{":8080", []string{":8080"}, "10.0.0.7:8080", "", false},
	} {
		called := false
		h := NewHosts(c.listen, c.more).refuseOthers(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }))
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = c.host
		at, err := net.ResolveTCPAddr("tcp", c.came)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(at))))
		if called != c.own || !c.own && w.Code != http.StatusMisdirectedRequest {
			t.Errorf("%s, asked for %q: answered %v with %d, want %v", c.listen, c.host, called, w.Code, c.own)
		}
	}
}
