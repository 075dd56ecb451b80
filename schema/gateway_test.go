package schema

import (
	"regexp"
	"strings"
	"testing"
)

// The catalogue of gateways says of each requirement what it is, what breaks it, and what users meet then; only a finding has the
// level MAY, and each failure rests on a sentence that binds gateways or on one of A2A.
func TestGatewayCatalogue(t *testing.T) {
	id := regexp.MustCompile(`^GW-[A-Z]+-[0-9]{3}$`)
	seen, must := map[string]bool{}, 0
	for _, r := range LoadGateways().Requirements {
		if !id.MatchString(r.ID) || seen[r.ID] {
			t.Errorf("%s: the id is malformed or given twice", r.ID)
		}
		seen[r.ID] = true
		if (r.Level == May) != r.Finding {
			t.Errorf("%s: a finding has the level MAY, and nothing else has", r.ID)
		}
		if r.Level == Must {
			must++
		}
		for what, text := range map[string]string{"area": r.Area, "section": r.Section, "statement": r.Statement, "meets": r.Meets, "check": r.Check} {
			if text == "" {
				t.Errorf("%s has no %s", r.ID, what)
			}
		}
		if word := map[Level]string{Must: " must ", Should: " should ", May: " may "}[r.Level]; !strings.Contains(r.Statement, word) || !strings.HasSuffix(r.Statement, ".") {
			t.Errorf("%s: %s", r.ID, r.Statement)
		}
		if !r.Finding && !strings.HasPrefix(r.Section, "RFC 911") && !strings.HasPrefix(r.Section, "A2A ") {
			t.Errorf("%s: %s binds no gateway", r.ID, r.Section)
		}
		if len(r.Mutants) == 0 {
			t.Errorf("%s: no gateway breaks it", r.ID)
		}
	}
	if len(seen) < 40 || must < 35 {
		t.Errorf("%d requirements, %d of them MUST", len(seen), must)
	}
}
