// Package card judges agents, their cards and the places that serve the cards.
package card

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Checks returns the checks of this area.
func Checks() []judge.Check {
	return slices.Concat(agentChecks, discoveryChecks, permittedChecks, interfaceChecks, cardChecks, memberChecks, memberNameChecks, accessChecks, partChecks, entryChecks, signatureChecks, olderFormChecks, cachingChecks, verificationChecks, extendedChecks)
}
