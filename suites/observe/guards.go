package observe

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// UndecidedIf ends the check undecided if something is missing that it needs to decide.
func UndecidedIf(t *judge.T, missing bool, format string, args ...any) {
	if missing {
		t.Undecided(format, args...)
	}
}

// VacuousIf ends the check as vacuous if there is nothing that the sentence is about.
func VacuousIf(t *judge.T, nothing bool, format string, args ...any) {
	if nothing {
		t.Vacuous(format, args...)
	}
}

// NotApplicableIf ends the check if the sentence has no subject in this run.
func NotApplicableIf(t *judge.T, without bool, format string, args ...any) {
	if without {
		t.NotApplicable(format, args...)
	}
}

// RequireAccepted returns a step if its call was accepted, and else ends the check undecided. The
// reason is followed by how the server answered.
func RequireAccepted(t *judge.T, s judge.Step, reason string, args ...any) judge.Step {
	if !s.Accepted() {
		t.Undecided("%s: %s", fmt.Sprintf(reason, args...), s.Outcome())
	}
	return s
}

// UndecidedIfCall ends the check undecided if a call shows nothing. What became of the call is
// followed by how the server answered.
func UndecidedIfCall(t *judge.T, s judge.Step, showsNothing bool, became string) {
	if showsNothing {
		t.Undecided("the call %s/%s %s: %s", s.Play.Scenario, s.Name, became, s.Outcome())
	}
}
