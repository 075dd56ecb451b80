package agent_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	agent "github.com/a2a-conform/a2a-conform/examples/a2a-go"
)

// What this version of the SDK is known to break is waived, so that the test fails only for what
// is the agent's own, and for what the SDK breaks in another way than it is known to.
func TestConformance(t *testing.T) {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	mux.Handle("/", agent.NewHandler(server.URL)) // whose card has the address of the server
	waivers, err := conform.ReadWaivers("sdk:go@v2.4.0")
	if err != nil {
		t.Fatal(err)
	}
	conform.Test(t, server.URL, conform.Reports("a2a-report"), func(target *conform.Target) {
		target.Waivers = waivers
	})
}
