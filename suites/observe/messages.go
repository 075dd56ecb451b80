package observe

import (
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// ReadableID returns the id of the call that a text of the server answers, a string or a number.
// It returns nil if no answer needs the id: to a batch, to an invalid call, which other
// requirements cover, to a call that contradicts what was agreed on before, or if the answer has
// no id at all, which its shape covers.
func ReadableID(v judge.Value) *record.Node {
	doc := v.Exchange().Call()
	if !Proper(v) || v.Document().Step.Contradicts || len(doc.Faults) > 0 || doc.Root == nil || doc.Root.Kind != record.Object || !v.ID().Exists() {
		return nil
	}
	ours := v.Sent()
	if !ours.Sound {
		return nil
	}
	id := ours.ID
	if id == nil || id.Kind != record.String && id.Kind != record.Number {
		return nil
	}
	return id
}

// PlainAccepted ends the check undecided unless the call was accepted without
// what it is about.
func PlainAccepted(t *judge.T, scenario string) {
	if plain := t.Step(scenario + "/plain"); !plain.Accepted() {
		t.Undecided("the plain counterpart of this call (%s/plain) was not accepted either: %s", scenario, plain.Outcome())
	}
}
