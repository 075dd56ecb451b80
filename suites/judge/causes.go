package judge

import "strings"

// Causes lets failures of one cause stand together: where all that a failure
// rests on is also what an earlier one failed on, it names that one. It returns
// how many failures are left that follow from no other.
//
// Only the very same value counts. What holds several members may be wrong in
// several ways, each of which has a cause of its own.
func Causes(results []Result) int {
	type place struct {
		exchange, event int
		pointer         string
	}
	first := map[place]string{}
	causes := 0
	for i := range results {
		r := &results[i]
		if r.Verdict != Fail {
			continue
		}
		roots := map[string]bool{}
		for _, e := range r.Evidence {
			at := place{e.Exchange, e.Event, e.Pointer}
			root, known := first[at]
			roots[root] = true
			if whole := strings.HasPrefix(e.Excerpt, "{") || strings.HasPrefix(e.Excerpt, "["); !known && !whole && e.Pointer != "" {
				first[at] = r.ID
			}
		}
		r.Because = ""
		if len(roots) == 1 {
			for root := range roots {
				r.Because = root
			}
		}
		if r.Because == "" {
			causes++
		}
	}
	return causes
}
