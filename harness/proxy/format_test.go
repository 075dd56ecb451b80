package proxy

import (
	"crypto/tls"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// The scheme of a call over HTTP/2 is that of its own connection: a call to a server in plain has the TLS of the client's call.
func TestSchemeOfRequest(t *testing.T) {
	for name, c := range map[string]struct {
		scheme string
		secure *tls.ConnectionState
		want   string
	}{
		"in plain":                       {"", nil, "http"},
		"by TLS":                         {"", &tls.ConnectionState{}, "https"},
		"passed on by TLS":               {"https", nil, "https"},
		"came by TLS, passed on plainly": {"http", &tls.ConnectionState{}, "http"},
	} {
		r := &http.Request{Method: http.MethodPost, Host: "agent.example", URL: &url.URL{Scheme: c.scheme, Path: "/rpc"}, TLS: c.secure}
		if got := string(formatRequestHead(r, true)); !strings.Contains(got, ":scheme: "+c.want+"\r\n") {
			t.Errorf("%s: got %q, want the scheme %s", name, got, c.want)
		}
	}
}
