// Package auth judges credentials: who is let in, how others are challenged, and payment.
package auth

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Checks returns the checks of this area.
func Checks() []judge.Check {
	return slices.Concat(authChecks, challengeChecks, extendedChecks, foreignChecks, paymentChecks, secretChecks)
}
