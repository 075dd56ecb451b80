// Package shape judges the shape of messages by the JSON Schema of the dialect.
package shape

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Checks returns the checks of this area.
func Checks() []judge.Check { return slices.Concat(shapeChecks, memberChecks) }
