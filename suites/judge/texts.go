package judge

import (
	"slices"
)

// All returns every text of the server of the given kinds.
func (t *T) All(kinds ...Kind) []Value {
	var out []Value
	for _, s := range t.Case.said {
		if slices.Contains(kinds, s.Kind) && !t.leaves(s) {
			out = append(out, Value{t: t, said: s, node: s.Root, why: missing(s)})
		}
	}
	return out
}

// Cards are all agent cards of the server, those of its single agents included;
// without one the requirement is undecided.
func (t *T) Cards() []Value {
	var out []Value
	for _, s := range t.Case.said {
		if s.isCard() && !t.leaves(s) {
			out = append(out, Value{t: t, said: s, node: s.Root})
		}
	}
	if len(out) == 0 {
		t.StopIfRefused()
	}
	if len(out) == 0 && t.withheld != nil {
		t.vacuous = "all cards were excluded"
		panic(stopFailed{})
	}
	if len(out) == 0 {
		t.Stopped("no agent card could be read")
	}
	return out
}

// Card is the agent card; without one the requirement is undecided.
func (t *T) Card() Value {
	v, ok := t.Case.Card()
	if !ok {
		t.Stopped("no agent card could be read")
	}
	if t.leaves(v.said) {
		t.vacuous = "the card was excluded"
		panic(stopFailed{})
	}
	v.t = t
	return v
}
