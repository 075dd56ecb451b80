package importer

import (
	"io"
	"maps"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// addTranscript reads the transcript of a run on a server or a client.
func (r *Reader) addTranscript(in io.Reader) error {
	t, err := binding.ReadTranscript(in)
	if err != nil {
		return err
	}
	moved := r.alignToStart(t.Started)
	r.setSource("a2a-conform")
	if r.rec.Target == "" {
		r.rec.Target = t.Facts.Target
	}
	for _, x := range t.Exchanges {
		calls := record.Out
		if t.Facts.Role == record.ClientRole {
			calls = record.In
		}
		if x.Dir != calls {
			continue // a document of the operator, or a delivery to a webhook
		}
		moveInstants(x, moved)
		if !r.addExchange("", "", x) {
			return nil
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
