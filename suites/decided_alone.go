package suites

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// GroupBySingleScenario returns, for each scenario, those of the given requirements whose checks look at no
// other one: without it they stay undecided.
func GroupBySingleScenario(d *schema.Dialect, checks judge.Checks, ids []string) (map[string][]string, error) {
	out := map[string][]string{}
	err := eachNeededScenario(d, checks, ids, func(r *schema.Requirement, names []string) {
		if r.Crossed() == nil && len(names) == 1 && names[0] != "" {
			out[names[0]] = append(out[names[0]], r.ID)
		}
	})
	return out, err
}

// eachNeededScenario calls do with each requirement that has a check, and the scenarios that the check looks at.
func eachNeededScenario(d *schema.Dialect, checks judge.Checks, ids []string, do func(r *schema.Requirement, names []string)) error {
	for _, id := range ids {
		r := d.Requirement(id)
		if r == nil || r.Check == "" {
			continue
		}
		check, ok := checks[r.Check]
		if !ok {
			return fmt.Errorf("%s: %s uses the check %q, which does not exist", r.File, id, r.Check)
		}
		steps, err := check.Needs(r.With)
		if err != nil {
			return fmt.Errorf("%s: %s: the parameters of %s: %w", r.File, id, r.Check, err)
		}
		var names []string
		for _, step := range steps {
			if name, _, _ := strings.Cut(step, "/"); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		do(r, names)
	}
	return nil
}
