package auth

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Bounds on the TLS versions hold for their own call only.
func TestTLSBounds(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") }))
	t.Cleanup(server.Close)
	config := server.Client().Transport.(*http.Transport).TLSClientConfig
	httpClient := client.NewClient(client.Config{Started: time.Now(), TLS: config, Timeout: 10 * time.Second})
	t.Cleanup(httpClient.Close)
	do := func(min, max uint16) *record.Exchange {
		return httpClient.Do(context.Background(), client.Call{Method: http.MethodGet, URL: server.URL, MinTLS: min, MaxTLS: max}, nil)
	}
	if x := do(0, 0); x.Status() != 200 {
		t.Fatalf("an ordinary call: %s", x.Trouble)
	}
	if x := do(tls.VersionTLS10, tls.VersionTLS11); x.Answered() || x.Ended != record.NoDial {
		t.Errorf("an outdated handshake: %s, status %d", x.Ended, x.Status())
	}
	if x := do(tls.VersionTLS12, tls.VersionTLS12); x.Status() != 200 || x.TLS == nil || x.TLS.Version != "TLS 1.2" {
		t.Errorf("a TLS 1.2 handshake: %s, %+v", x.Trouble, x.TLS)
	}
}
