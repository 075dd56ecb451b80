// Package extension judges extensions: which are active, what taking one means, and what a hint may do.
package extension

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Checks returns the checks of this area.
func Checks() []judge.Check {
	return slices.Concat(activeChecks, extensionChecks, markChecks)
}
