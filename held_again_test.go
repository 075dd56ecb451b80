package conform_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// withoutLastChunk stands before a bundled server and closes the connection of each
// event stream after its last event, without the last chunk of HTTP/1.1.
func withoutLastChunk(t *testing.T, o reference.Options) string {
	t.Helper()
	behind := bundled(t, o)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		onward, err := http.NewRequestWithContext(r.Context(), r.Method, behind.URL()+r.URL.RequestURI(), bytes.NewReader(sent))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		onward.Header = r.Header.Clone()
		onward.Header.Set("Accept-Encoding", "identity")
		response, err := http.DefaultTransport.RoundTrip(onward)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer response.Body.Close()
		for name, values := range response.Header {
			w.Header()[name] = values
		}
		if !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
			body, _ := io.ReadAll(response.Body)
			body = bytes.ReplaceAll(body, []byte(behind.URL()), []byte("http://"+r.Host))
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			w.WriteHeader(response.StatusCode)
			w.Write(body)
			return
		}
		w.WriteHeader(response.StatusCode)
		w.(http.Flusher).Flush()
		for piece := make([]byte, 4096); ; {
			n, err := response.Body.Read(piece)
			w.Write(piece[:n])
			w.(http.Flusher).Flush()
			if err != nil {
				panic(http.ErrAbortHandler) // which leaves the last chunk out
			}
		}
	}))
	t.Cleanup(front.Close)
	return front.URL
}

// Where a conversation breaks off and is held again, what its first attempt left on the
// server is not held against it: it had set webhooks, and lists those of a task of its
// own the second time.
func TestConversationsThatAreHeldAgain(t *testing.T) {
	for dialect, ids := range map[string][]string{
		"a2a-1.0": {"A2A10-PUSH-020", "A2A10-PUSH-022"},
		"a2a-0.3": {"A2A03-PUSH-019", "A2A03-PUSH-021"},
	} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			o, err := conform.Run(t.Context(), conform.Target{URL: withoutLastChunk(t, reference.Options{Dialect: dialect}), Dialect: dialect, Binding: "JSONRPC", Preset: true, Bundled: true, Again: 1,
				Webhook: conform.Webhook{Listen: "127.0.0.1:0"}, Select: conform.Selection{Areas: []string{"push"}}})
			if err != nil {
				t.Fatal(err)
			}
			again := false
			for _, p := range o.Transcript.Plays {
				again = again || p.Scenario == "push-configs" && p.Attempt == 2
			}
			if !again {
				t.Error("the conversation was not held again")
			}
			for _, r := range o.Report.Results {
				if r.Verdict == judge.Fail {
					t.Errorf("%s fails: %s", r.ID, r.Reason)
				}
			}
			for _, id := range ids {
				if got := verdicts(o)[id]; got.Verdict != judge.Pass {
					t.Errorf("%s is %s: %s", id, got.Verdict, got.Reason)
				}
			}
		})
	}
}
