package conform_test

import (
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// What a malformed call of ours stored, and the server gives back later, is a consequence of
// taking the call: nothing else fails on it.
func TestStoredMalformedWebhookIsAConsequence(t *testing.T) {
	t.Parallel()
	server := bundled(t, reference.Options{Dialect: "a2a-0.1", Mutant: "push-token-as-sent"})
	got := judgedOn(t, server.URL(), conform.Target{Dialect: "a2a-0.1", Preset: true}, "A2A01-PUSH-*", "A2A01-SCHEMA-000")
	for id, r := range got {
		if fails := r.Verdict == judge.Fail; fails != (id == "A2A01-PUSH-027") {
			t.Errorf("%s is %s: %s", id, r.Verdict, r.Reason)
		}
	}
}
