// Package limits judges limits: of the rate of calls, with the headers that announce it, of size,
// of time, and of concurrent calls.
package limits

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Checks returns the checks of this area.
func Checks() []judge.Check {
	return slices.Concat(concurrencyChecks, rateHeaderChecks, rateLimitChecks, sizeChecks)
}
