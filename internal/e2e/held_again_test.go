package e2e

import (
	"maps"
	"net/http"
	"strconv"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// withoutLastChunk is a front of a bundled server that closes the connection of each
// event stream after its last event, without the last chunk of HTTP/1.1.
func withoutLastChunk(t *testing.T, o reference.Options) string {
	t.Helper()
	return inFrontOf(t, o, func(w http.ResponseWriter, _ []byte, _ *http.Request, from *serverAnswer) {
		maps.Copy(w.Header(), from.Header)
		if !from.streams {
			w.Header().Set("Content-Length", strconv.Itoa(len(from.body)))
			w.WriteHeader(from.StatusCode)
			w.Write(from.body)
			return
		}
		w.WriteHeader(from.StatusCode)
		w.(http.Flusher).Flush()
		for piece := make([]byte, 4096); ; {
			n, err := from.Body.Read(piece)
			w.Write(piece[:n])
			w.(http.Flusher).Flush()
			if err != nil {
				panic(http.ErrAbortHandler) // which leaves the last chunk out
			}
		}
	})
}

// If a conversation breaks off and is held again, what its first attempt left on the
// server is not held against it: it had set webhooks, and lists those of a task of its
// own the second time.
func TestConversationsThatAreHeldAgain(t *testing.T) {
	for dialect, ids := range map[string][]string{
		"a2a-1.0": {"A2A10-PUSH-020", "A2A10-PUSH-022"},
		"a2a-0.3": {"A2A03-PUSH-019", "A2A03-PUSH-021"},
	} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			o, err := conform.Run(t.Context(), conform.Target{URL: withoutLastChunk(t, reference.Options{Dialect: dialect}), Dialect: dialect, Endpoint: conform.Endpoint{Binding: "JSONRPC"}, Behaviour: conform.Behaviour{DefaultStimuli: true, Bundled: true,
				Webhook: conform.Webhook{Listen: "127.0.0.1:0"}}, Limits: conform.Limits{Retries: 1}, Judging: conform.Judging{Select: conform.Selection{Areas: []string{"push"}}}})
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
				if r.Verdict == report.Fail {
					t.Errorf("%s fails: %s", r.ID, r.Reason)
				}
			}
			for _, id := range ids {
				if got := verdicts(o)[id]; got.Verdict != report.Pass {
					t.Errorf("%s is %s: %s", id, got.Verdict, got.Reason)
				}
			}
		})
	}
}
