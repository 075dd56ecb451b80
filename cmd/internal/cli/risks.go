package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
)

// RiskNames returns the words of --allow.
func RiskNames() (out []string) {
	for _, r := range schema.Risks() {
		out = append(out, string(r))
	}
	return out
}

// ParseRisks reads the words that --allow was given.
func ParseRisks(words []string) (out []schema.Risk, err error) {
	known := RiskNames()
	for _, w := range words {
		if !slices.Contains(known, w) {
			return nil, fmt.Errorf("--allow %q is not one of %s", w, strings.Join(known, ", "))
		}
		out = append(out, schema.Risk(w))
	}
	return out, nil
}
