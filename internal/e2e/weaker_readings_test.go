package e2e

import (
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
)

// What no sentence forbids, or only one of two readings, is a finding and no failure.
func TestWhatNoSentenceForbidsIsAFinding(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, mutant, id string }{
		{"codes outside the range of JSON-RPC are the application's", "code-outside-range", "A2A10-ENV-027"},
		{"a further member of a status update", "stream-final-flag", "A2A10-STREAM-019"},
		{"a media type that is not listed may be taken", "odd-part-dropped", "A2A10-SEND-004"},
		{"a media type that is not listed may be taken by a stream", "stream-odd-part-dropped", "A2A10-STREAM-034"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			server := bundled(t, reference.Options{Dialect: "a2a-1.0", Mutant: c.mutant})
			target := conform.Target{Dialect: "a2a-1.0", Behaviour: conform.Behaviour{DefaultStimuli: true}, Endpoint: conform.Endpoint{Binding: "JSONRPC"}}
			expect(t, judgedOn(t, server.URL(), target, c.id), map[string]string{c.id: "pass!"})
		})
	}
}
