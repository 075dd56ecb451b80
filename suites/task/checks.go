// Package task judges the life of a task: its states, history, artifacts and times, and its cancellation.
package task

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Checks returns the checks of this area.
func Checks() []judge.Check {
	return slices.Concat(artifactChecks, cancelChecks, cancelOutcomeChecks, clockChecks, deadlineChecks, historyChecks, keptChecks, makingChecks, rejectedChecks, stateChecks, taskChecks, waitingChecks, pageChecks, filterChecks)
}
