// Package message judges messages: their parts, their content and the context they belong to.
package message

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Checks returns the checks of this area.
func Checks() []judge.Check {
	return slices.Concat(contextChecks, messageChecks, partChecks, talkChecks)
}
