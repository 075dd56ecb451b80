// Package push judges push notifications: the configuration of webhooks and what is delivered to them.
package push

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Checks returns the checks of this area.
func Checks() []judge.Check {
	return slices.Concat(bodyChecks, configChecks, deliveryChecks, pushChecks)
}
