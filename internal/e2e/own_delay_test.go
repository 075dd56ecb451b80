package e2e

import (
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Events that are held back until the end of their stream are noticed, with and without
// a webhook: a delivery that a conversation keeps waiting does not show that the server
// was busy.
func TestHeldBackEventsBesideOurWebhook(t *testing.T) {
	for _, c := range []struct{ dialect, binding, id string }{
		{"a2a-0.1", "", "A2A01-STR-031"}, {"a2a-0.3", "", "A2A03-STREAM-026"}, {"a2a-1.0", "", "A2A10-STREAM-030"}, {"a2x-0.3", "", "A2X03-STR-019"}, {"jaf-0.3", "", "JAF03-STR-029"},
		{"a2a-1.0", "HTTP+JSON", "A2A10-STREAM-030"}, {"a2a-1.0", "GRPC", "A2A10-STREAM-030"},
	} {
		listens, chosen := []string{""}, []string{c.id}
		if c.dialect == "a2a-1.0" { // the only one in which a webhook is kept waiting
			listens, chosen = append(listens, "127.0.0.1:0"), append(chosen, "A2A10-DELIV-*")
		}
		for _, listen := range listens {
			t.Run(c.dialect+"/"+c.binding+"/"+listen, func(t *testing.T) {
				with := reference.Options{Dialect: c.dialect, Mutant: "stream-buffered"}
				if c.binding == "GRPC" {
					with.GRPCAddr = "127.0.0.1:0"
				}
				s := bundled(t, with)
				o, err := conform.Run(t.Context(), conform.Target{URL: s.URL(), Dialect: c.dialect, Endpoint: conform.Endpoint{Binding: c.binding}, Behaviour: conform.Behaviour{DefaultStimuli: true, Bundled: true, Webhook: conform.Webhook{Listen: listen},
					Stimuli: map[string]conform.Stimulus{"slow": {Text: "slow 1.6", Seconds: 1.6}}}, // too long for a hold-up of our machine
					Judging: conform.Judging{Select: conform.Selection{Run: chosen}}})
				if err != nil {
					t.Fatal(err)
				}
				if got := verdicts(o)[c.id]; got.Verdict != report.Fail {
					t.Errorf("%s: %s (%s)", c.id, got.Verdict, got.Reason)
				}
			})
		}
	}
}
