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
	Type     string `json:"type"` // of the part that was hinted at
}

func (p hintParams) StepNames() []string { return []string{p.Scenario + "/all"} }

// hint: taking a hint into account is a convention; that it was ignored is
// worth knowing, that it makes the call fail is the fault.
func hint(t *judge.T, p hintParams) {
	hinted := t.Step(p.Scenario + "/all")
	if !hinted.Accepted() {
		plainAccepted(t, p.Scenario)
	}
	t.Expect(hinted.Reply()).To(BeAResult())
	if !slices.ContainsFunc(t.Instances(p.Type), func(v judge.Value) bool { return v.Exchange() == hinted.Exchange }) {
		t.Finding(hinted.Reply(), "the server does not take the hint: its result holds no %s", p.Type)
	}
}
