package observe

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// StopUndecidedIf ends the check undecided if something is missing that it needs to decide.
func StopUndecidedIf(t *judge.T, condition bool, format string, args ...any) {
	if condition {
		t.StopUndecided(format, args...)
	}
}

// StopVacuousIf ends the check as vacuous if there is nothing that the sentence is about.
func StopVacuousIf(t *judge.T, condition bool, format string, args ...any) {
	if condition {
		t.StopVacuous(format, args...)
	}
}

// StopNotApplicableIf ends the check if the sentence has no subject in this run.
func StopNotApplicableIf(t *judge.T, condition bool, format string, args ...any) {
	if condition {
		t.StopNotApplicable(format, args...)
	}
}

// RequireAccepted returns a step if its call was accepted, and else ends the check undecided. The
// reason is followed by how the server answered.
func RequireAccepted(t *judge.T, s judge.Step, reason string, args ...any) judge.Step {
	if !s.Accepted() {
		t.StopUndecided("%s: %s", fmt.Sprintf(reason, args...), s.Outcome())
	}
	return s
}

// StopIfCallShowsNothing ends the check undecided if a call shows nothing. What became of the call is
// followed by how the server answered.
func StopIfCallShowsNothing(t *judge.T, s judge.Step, showsNothing bool, became string) {
	if showsNothing {
		t.StopUndecided("the call %s/%s %s: %s", s.Play.Scenario, s.Name, became, s.Outcome())
	}
}
