package e2e

import (
	"fmt"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// If nothing at all was delivered to a webhook at a loopback address, the server may refuse to
// call it: undecided, with both ways out. If the operator declares the address reachable, or
// any delivery came, a missing delivery is a failure.
func TestUndeliveredToPrivateWebhookIsUndecided(t *testing.T) {
	t.Parallel()
	for dialect, id := range map[string]string{"a2a-0.1": "A2A01-PUSH-013", "a2a-0.3": "A2A03-PUSH-032", "a2a-1.0": "A2A10-DELIV-002"} {
		for _, declared := range []bool{false, true} {
			t.Run(fmt.Sprint(dialect, "/declared ", declared), func(t *testing.T) {
				t.Parallel()
				server := bundled(t, reference.Options{Dialect: dialect, Mutant: "push-never"})
				target := conform.Target{Dialect: dialect, Behaviour: conform.Behaviour{DefaultStimuli: true, Webhook: conform.Webhook{Listen: "127.0.0.1:0"}}}
				if declared {
					target.Declarations = append(target.Declarations, "webhook-reachable")
				}
				r := judgedOn(t, server.URL(), target, id)[id]
				switch {
				case declared && r.Verdict != report.Fail:
					t.Errorf("%s is %s though the webhook is reachable: %s", id, r.Verdict, r.Reason)
				case !declared && r.Verdict != report.Inconclusive:
					t.Errorf("%s is %s: %s", id, r.Verdict, r.Reason)
				case !declared && !(strings.Contains(r.Remedy, "--webhook-url") && strings.Contains(r.Remedy, "webhook-reachable")):
					t.Errorf("%s does not name both ways out: %q", id, r.Remedy)
				}
			})
		}
	}
}

// A delivery of the same run shows that the server calls the address.
func TestAnyDeliveryShowsThatTheWebhookIsReachable(t *testing.T) {
	t.Parallel()
	server := bundled(t, reference.Options{Dialect: "a2a-1.0", Mutant: "push-end-dropped"})
	target := conform.Target{Dialect: "a2a-1.0", Behaviour: conform.Behaviour{DefaultStimuli: true, Webhook: conform.Webhook{Listen: "127.0.0.1:0"}}}
	expect(t, judgedOn(t, server.URL(), target, "A2A10-DELIV-*"), map[string]string{"A2A10-DELIV-002": "pass", "A2A10-DELIV-011": "fail"})
}
