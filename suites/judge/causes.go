package judge

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Causes lets failures of one cause stand together, a cause being what the maker
// of a server would mend: one failure is its root, and the others name that one
// (Because), which is of the gravest level among them. It returns how many roots there are.
//
// Every violation has a mark, and violations with the same mark have one cause. A
// mark belongs to the failure that has the fewest others, or of several subjects the
// fewest in each of them, and then to that of most subjects; a failure that owns none
// of its marks follows from those that own them.
func (c *Case) Causes(results []Result) int {
	marks := c.marks(results)
	owner := map[string]int{}
	before := func(i, o int) bool {
		here, there := len(marks[i])*(results[o].wide+1), len(marks[o])*(results[i].wide+1)
		return here < there || here == there && results[i].wide > results[o].wide
	}
	for i := range results {
		for _, m := range marks[i] {
			o, owned := owner[m]
			if !owned || results[i].root && !results[o].root || results[i].root == results[o].root && before(i, o) {
				owner[m] = i
			}
		}
	}
	of := map[int][]int{} // by the root, which is the first
	for i, r := range results {
		switch {
		case r.Verdict != Fail:
		case len(marks[i]) == 0 || slices.ContainsFunc(marks[i], func(m string) bool { return owner[m] == i }):
			of[i] = append([]int{i}, of[i]...)
		default:
			root := owner[marks[i][0]]
			of[root] = append(of[root], i)
		}
	}
	for _, all := range of {
		grave := func(i int) int { return slices.Index(levels, results[i].Level) }
		root := slices.MinFunc(all, func(i, j int) int { return grave(i) - grave(j) })
		for _, i := range all {
			results[i].Because = results[root].ID
		}
		results[root].Because = ""
	}
	return len(of)
}

// levels begin with the gravest.
var levels = []schema.Level{schema.Must, schema.Should, schema.May}
