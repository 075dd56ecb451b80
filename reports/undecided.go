package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// open is a group of undecided requirements that one thing would decide.
type open struct {
	Remedy  string // the flag or line to add
	Because string // or the requirement they rest on
	Reason  string // or, where there is neither, why
	Results []*report.Result
}

// ids lists the first requirements of the group and counts the rest.
func (o *open) ids(limit int) string { return ids(o.Results, limit) }

func ids(of []*report.Result, limit int) string {
	var out []string
	for _, r := range of {
		out = append(out, line(r.ID, maxName))
	}
	return firstOf(out, limit)
}

// firstOf lists names; of many the first, and how many more there are.
func firstOf(names []string, limit int) string {
	if more := len(names) - limit; more > 0 {
		names = append(slices.Clone(names[:limit]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// undecided groups the inconclusive results by what would decide them: what the
// reader can do comes first, and in it what decides most.
func undecided(r *report.Report) []*open {
	var out []*open
	byKey := map[[3]string]*open{}
	for _, res := range pick(r, inconclusive) {
		var k [3]string
		switch {
		case res.Remedy != "":
			k[0] = res.Remedy
		case res.Because != "":
			k[1] = res.Because
		default:
			k[2] = res.Reason
		}
		o := byKey[k]
		if o == nil {
			o = &open{Remedy: k[0], Because: k[1], Reason: k[2]}
			byKey[k] = o
			out = append(out, o)
		}
		o.Results = append(o.Results, res)
	}
	rank := func(o *open) int {
		switch {
		case o.Remedy != "":
			return 0
		case o.Because != "":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(out, func(a, b *open) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return len(b.Results) - len(a.Results)
	})
	return out
}

// advice is the report's advice without the lines that are about a remedy which
// undecided shows anyway.
func advice(r *report.Report) []string {
	var out []string
	groups := undecided(r)
	for _, a := range r.Advice {
		if !slices.ContainsFunc(groups, func(o *open) bool { return o.Remedy != "" && strings.HasPrefix(a, o.Remedy) }) {
			out = append(out, a)
		}
	}
	return out
}
