package suites

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

var extensionChecks = []judge.Check{
	judge.Define("extension/hint", "a hint about the wished output does not make a call fail", hint),
}

type hintParams struct {
	Scenario string `json:"scenario"`
	Wish     string `json:"wish"`  // the type that was hinted at
	Part     string `json:"part"`  // the definition of a part of that type
	Modes    string `json:"modes"` // the card's output modes
}

func (p hintParams) StepNames() []string { return []string{p.Scenario + "/all"} }

// hint: taking a hint into account is a convention; that it was ignored by an
// agent that gives such output is worth knowing, that it makes the call fail is
// the fault.
func hint(t *judge.T, p hintParams) {
	hinted := t.Step(p.Scenario + "/all")
	if !hinted.Accepted() {
		plainAccepted(t, p.Scenario)
	}
	t.Expect(hinted.Reply()).To(BeAResult())
	card, _ := t.Case.Card()
	gives := slices.ContainsFunc(card.At(p.Modes).Elems(), func(v judge.Value) bool { return v.Is(p.Wish) })
	got := slices.ContainsFunc(t.Instances(p.Part), func(v judge.Value) bool { return v.Exchange() == hinted.Exchange })
	if gives && !got {
		t.Finding(hinted.Reply(), "the server does not take the hint: the card lists %s, and the result holds no %s", p.Wish, p.Part)
	}
}
