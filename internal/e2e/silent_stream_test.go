package e2e

import (
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A stream that falls silent though its task has ended, as GetTask shows, is named as the
// fault that it is, and the whole run takes less than half a minute.
func TestStreamsThatFallSilent(t *testing.T) {
	const most = 30 * time.Second
	for _, c := range []struct{ dialect, binding, id string }{
		{"a2a-1.0", "", "A2A10-STREAM-013"}, {"a2a-1.0", "HTTP+JSON", "A2A10-STREAM-013"}, {"a2a-1.0", "GRPC", "A2A10-STREAM-013"},
		{"a2a-0.3", "", "A2A03-STREAM-019"}, {"a2a-0.3", "", "A2A03-STREAM-022"}, {"a2a-0.1", "", "A2A01-STR-012"}, {"a2x-0.3", "", "A2X03-STR-018"}, {"jaf-0.3", "", "JAF03-STR-020"},
	} {
		t.Run(c.dialect+"/"+c.binding+"/"+c.id, func(t *testing.T) {
			t.Parallel()
			with := reference.Options{Dialect: c.dialect, Mutant: "stream-falls-silent"}
			if c.binding == "GRPC" {
				with.GRPCAddr = "127.0.0.1:0"
			}
			began := time.Now()
			o, err := conform.Run(t.Context(), conform.Target{URL: bundled(t, with).URL(), Dialect: c.dialect, Endpoint: conform.Endpoint{Binding: c.binding}, Behaviour: conform.Behaviour{DefaultStimuli: true}})
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took > most {
				t.Errorf("the run took %v", took)
			}
			if got := verdicts(o)[c.id]; got.Verdict != report.Fail {
				t.Errorf("%s is %s: %s", c.id, got.Verdict, got.Reason)
			}
		})
	}
}
