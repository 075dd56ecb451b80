// Package rpc judges calls and answers as such: their envelope, their errors, and HTTP below them.
package rpc

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Checks returns the checks of this area.
func Checks() []judge.Check {
	return slices.Concat(envelopeChecks, errorChecks, detailChecks, transportChecks, versionChecks, tenantChecks, restChecks, restErrorChecks, grpcChecks)
}
