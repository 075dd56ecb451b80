// Package card judges what an agent, its card and the places where it lies say.
package card

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Checks are the checks of this area.
func Checks() []judge.Check {
	return slices.Concat(agentChecks, discoveryChecks, permittedChecks, interfaceChecks, cardChecks, memberChecks, memberNameChecks, accessChecks, partChecks, entryChecks, signatureChecks, olderFormChecks, cachingChecks, verificationChecks, extendedChecks)
}
