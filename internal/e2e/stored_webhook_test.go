package e2e

import (
	"fmt"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// What a malformed call of ours stored, and the server gives back later, is a consequence of
// taking the call: nothing else fails on it.
func TestStoredMalformedWebhookIsAConsequence(t *testing.T) {
	t.Parallel()
	server := bundled(t, reference.Options{Dialect: "a2a-0.1", Mutant: "push-token-as-sent"})
	got := judgedOn(t, server.URL(), conform.Target{Dialect: "a2a-0.1", Behaviour: conform.Behaviour{DefaultStimuli: true}}, "A2A01-PUSH-*", "A2A01-SCHEMA-000")
	for id, r := range got {
		if fails := r.Verdict == report.Fail; fails != (id == "A2A01-PUSH-027") {
			t.Errorf("%s is %s: %s", id, r.Verdict, r.Reason)
		}
	}
}

// A task that was made of a call of ours without an id has the id "" as a consequence: only
// the sentences that such a call is refused fail.
func TestTaskMadeWithoutAnIDIsAConsequence(t *testing.T) {
	t.Parallel()
	url := doctored(t, reference.Options{Dialect: "a2a-0.1"}, func(c call, r *reply) {
		if c.method != "tasks/send" || c.params["message"] == nil || c.params["id"] != nil || !refuses(r) {
			return
		}
		r.json(200, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"id":"","sessionId":"","status":{"state":"completed"}}}`, c.id))
	})
	want := map[string]bool{"A2A01-MSG-019": true, "A2A01-MSG-020": true} // the id is missing, and null
	for id, r := range judgedOn(t, url, conform.Target{Dialect: "a2a-0.1", Behaviour: conform.Behaviour{DefaultStimuli: true}}, "A2A01-*") {
		if fails := r.Verdict == report.Fail; fails != want[id] {
			t.Errorf("%s is %s: %s", id, r.Verdict, r.Reason)
		}
	}
}
