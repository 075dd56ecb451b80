// Package directory judges a directory of agents: its entries, lists and tasks.
package directory

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Checks returns the checks of this area.
func Checks() []judge.Check {
	return slices.Concat(directoryChecks, listChecks, directoryTaskChecks)
}
