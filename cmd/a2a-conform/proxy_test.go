package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
)

// startProxy starts an HTTP proxy for whoever shows these credentials. It counts its tunnels.
func startProxy(t *testing.T, authorization string, tunnels *atomic.Int64) (address string) {
	t.Helper()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Header.Get("Proxy-Authorization") != authorization {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		to, err := net.Dial("tcp", r.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer to.Close()
		tunnels.Add(1)
		from, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer from.Close()
		io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n")
		ended := make(chan bool, 2)
		for _, pair := range [][2]net.Conn{{from, to}, {to, from}} {
			go func() {
				io.Copy(pair[0], pair[1])
				ended <- true
			}()
		}
		<-ended
	}))
	t.Cleanup(proxy.Close)
	return proxy.Listener.Addr().String()
}

// TestRunThroughProxy judges a server through a proxy, says so in the reports, and records no credential of the proxy.
func TestRunThroughProxy(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	const password = "proxy-password-123"
	var tunnels atomic.Int64
	proxy := startProxy(t, "Basic dXNlcjpwcm94eS1wYXNzd29yZC0xMjM=", &tunnels)
	server, dir := startedBy(t, "--dialect", "a2a-1.0"), t.TempDir()
	code, out, errs := command(t, "run", server, "--dialect", "a2a-1.0", "--run", "A2A10-DISC-001", "--proxy", "http://user:"+password+"@"+proxy, "--trace", "--out", dir)
	if code != 3 || tunnels.Load() == 0 || !strings.Contains(out, "NOTICE calls went through the proxy http://"+proxy) {
		t.Errorf("exit %d, %d tunnels\n%s%s", code, tunnels.Load(), out, errs)
	}
	all := out + errs
	for _, name := range []string{"report.json", "report.html", "transcript.har", "summary.md"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all += string(text)
		if !strings.Contains(string(text), proxy) {
			t.Errorf("%s does not name the proxy", name)
		}
		if name == "transcript.har" && !strings.Contains(strings.ToLower(string(text)), "traceparent") {
			t.Errorf("%s has no traceparent", name)
		}
	}
	for _, secret := range []string{password, "dXNlcjpwcm94eS1wYXNzd29yZC0xMjM"} {
		if strings.Contains(all, secret) {
			t.Errorf("%q was written", secret)
		}
	}
	for _, c := range [][2]string{
		{"user:" + password, "--proxy: the proxy is not an http or socks5 URL"},
		{"ftp://user:" + password + "@" + proxy, "--proxy: the proxy is not an http or socks5 URL"},
		{"http://user:" + password + "@%zz", "--proxy is not a URL"},
	} {
		if code, _, errs := command(t, "run", server, "--proxy", c[0]); code != 2 || !strings.Contains(errs, c[1]) || strings.Contains(errs, password) {
			t.Errorf("%s: exit %d\n%s", c[0], code, errs)
		}
	}
}
