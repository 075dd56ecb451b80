package e2e

import (
	"net/http"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// The first event decides what a stream is: one that refuses the call is a refusal, and no
// stream was opened.
func TestRefusalInAStreamOpensNone(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{"a2a-0.1", "a2a-1.0"} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			refusedByEvent := func(c call, r *reply) {
				if refuses(r) && (strings.Contains(strings.ToLower(c.method), "stream") || strings.Contains(c.method, "ubscribe")) {
					r.status, r.header = 200, http.Header{"Content-Type": {"text/event-stream"}}
					r.body = append(append([]byte("data: "), r.body...), "\n\n"...)
				}
			}
			noneFails(t, dialect, requirementsOf(t, dialect, "stream/refused"), refusedByEvent)
		})
	}
}

// An interface offers an operation if it answers with a result, or with an error that names
// something about the task. Any other error says nothing of it.
func TestAnotherErrorIsNoOffer(t *testing.T) {
	t.Parallel()
	url := doctored(t, reference.Options{Dialect: "a2a-1.0"}, func(c call, r *reply) {
		if c.method != "" && !refuses(r) && r.header.Get("Content-Type") == "application/json" && strings.HasPrefix(c.method, "List") {
			r.error(c, -32700, "Parse error")
		}
	})
	got := judgedOn(t, url, conform.Target{Dialect: "a2a-1.0", Behaviour: conform.Behaviour{DefaultStimuli: true}, Endpoint: conform.Endpoint{Binding: "all"}}, "A2A10-INTEROP-001")["A2A10-INTEROP-001"]
	if got.Verdict == report.Fail {
		t.Errorf("fails: %s", got.Reason)
	}
}
