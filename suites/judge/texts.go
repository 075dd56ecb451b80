package judge

import (
	"slices"
)

// All returns every text of the server of the given kinds.
func (t *T) All(kinds ...Kind) []Value {
	var out []Value
	for _, s := range t.Case.documents {
		if slices.Contains(kinds, s.Kind) && !t.recordWhyDocumentSkipped(s) {
			out = append(out, Value{t: t, doc: s, node: s.Root, why: describeNonJSONDocument(s)})
		}
	}
	return out
}

// Cards returns all agent cards of the server, those of its single agents included;
// without one the requirement is undecided.
func (t *T) Cards() []Value {
	var out []Value
	for _, s := range t.Case.documents {
		if s.isCard() && !t.recordWhyDocumentSkipped(s) {
			out = append(out, Value{t: t, doc: s, node: s.Root})
		}
	}
	if len(out) == 0 {
		t.StopIfRefused()
	}
	if len(out) == 0 && t.excludedBy != nil {
		t.vacuous = "all cards were excluded"
		panic(stopFailed{})
	}
	if len(out) == 0 {
		t.StopUndecided("no agent card could be read")
	}
	return out
}

// Card returns the agent card; without one the requirement is undecided.
func (t *T) Card() Value {
	v, ok := t.Case.Card()
	if !ok {
		t.StopUndecided("no agent card could be read")
	}
	if t.recordWhyDocumentSkipped(v.doc) {
		t.vacuous = "the card was excluded"
		panic(stopFailed{})
	}
	v.t = t
	return v
}
