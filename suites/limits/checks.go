// Package limits judges limits: of rate with the headers that tell of it, of size, of time, and of calls at the same time.
package limits

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Checks are the checks of this area.
func Checks() []judge.Check {
	return slices.Concat(concurrencyChecks, rateHeaderChecks, rateLimitChecks, sizeChecks)
}
