package extension

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
)

var takenChecks = []judge.Check{
	judge.Define("extension/no-obstacle", "whether a call activates an extension is no reason to refuse it", noObstacle),
}

type obstacleParams struct {
	Step  string `json:"step" step:"{}"`
	Other string `json:"other" step:"{}"` // the same call with other extensions
}

// noObstacle: a refusal is for the extension's sake if it says so, or if the same
// call is accepted with other extensions. Any other refusal has other reasons.
func noObstacle(t *judge.T, p obstacleParams) {
	s := t.Step(p.Step)
	if s.Accepted() || s.Exchange.IsStream() {
		t.OK(s.Reply())
		return
	}
	speaks := false
	for _, text := range s.Reply().Failure().Strings() {
		speaks = speaks || strings.Contains(strings.ToLower(text.Text()), "extension")
	}
	if !speaks && !t.Step(p.Other).Accepted() {
		t.Undecided("the call %s was refused, but not because of an extension: %s", p.Step, s.Outcome())
	}
	why := "the same call is served with other extensions (" + p.Other + ")"
	if speaks {
		why = "the refusal speaks of an extension"
	}
	t.Expect(s.Reply()).Because("%s", why).To(match.BeAResult())
}
