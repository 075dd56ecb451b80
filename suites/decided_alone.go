package suites

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// GroupBySingleScenario returns, for each scenario, those of the given requirements whose checks look at no
// other one: without it they stay undecided.
func GroupBySingleScenario(d *schema.Dialect, checks judge.Checks, ids []string) (map[string][]string, error) {
	out := map[string][]string{}
	for _, id := range ids {
		r := d.Requirement(id)
		if r == nil || r.Check == "" || r.Crossed() != nil {
			continue
		}
		check, ok := checks[r.Check]
		if !ok {
			return nil, fmt.Errorf("%s: %s uses the check %q, which does not exist", r.File, id, r.Check)
		}
		steps, err := check.Needs(r.With)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: the parameters of %s: %w", r.File, id, r.Check, err)
		}
		only := ""
		for i, step := range steps {
			scenario, _, _ := strings.Cut(step, "/")
			if i > 0 && scenario != only {
				only = ""
				break
			}
			only = scenario
		}
		if only != "" {
			out[only] = append(out[only], id)
		}
	}
	return out, nil
}
