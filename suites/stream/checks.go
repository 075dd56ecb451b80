// Package stream judges streams of events: their beginning, the order of their updates, and their
// end.
package stream

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Checks returns the checks of this area.
func Checks() []judge.Check {
	return slices.Concat(endChecks, endedChecks, formChecks, headChecks, kindChecks, openChecks, refusedChecks, sortChecks, streamChecks, togetherChecks)
}
