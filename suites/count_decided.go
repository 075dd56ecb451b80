package suites

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// NewMustCounter returns a function that counts how many of the given MUST requirements can be decided if some scenarios are
// performed: those whose checks look at one of them, and whose prerequisites can be decided as well. Checks that look at no
// scenario by name read what every run has.
func NewMustCounter(d *schema.Dialect, checks judge.Checks, ids []string) (func(held func(scenario string) bool) int, error) {
	needs := map[string][]string{}
	all := make([]string, len(d.Requirements)) // prerequisites may be outside of the selection
	for i, r := range d.Requirements {
		all[i] = r.ID
	}
	if err := eachNeededScenario(d, checks, all, func(r *schema.Requirement, names []string) { needs[r.ID] = names }); err != nil {
		return nil, err
	}
	return func(held func(scenario string) bool) int {
		known := map[string]bool{}
		var isDecided func(id string) bool
		isDecided = func(id string) bool {
			if is, seen := known[id]; seen {
				return is
			}
			names, has := needs[id]
			known[id] = true // of a circle of prerequisites
			is := has && (len(names) == 0 || slices.ContainsFunc(names, held)) && !slices.ContainsFunc(d.Requirement(id).After, func(after string) bool { return !isDecided(after) })
			known[id] = is
			return is
		}
		n := 0
		for _, id := range ids {
			if d.Requirement(id).Level == schema.Must && isDecided(id) {
				n++
			}
		}
		return n
	}, nil
}
