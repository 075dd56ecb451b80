package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// UndecidedGroup is a group of undecided requirements that one thing would decide.
type UndecidedGroup struct {
	Remedy  string // the flag or line to add
	Because string // or the requirement they rest on
	Reason  string // or the reason, if there is neither
	Results []*report.Result
}

// IDs lists the first requirements of the group and counts the rest.
func (o *UndecidedGroup) IDs(limit int) string { return JoinFirstIDs(o.Results, limit) }

func JoinFirstIDs(of []*report.Result, limit int) string {
	var out []string
	for _, r := range of {
		out = append(out, safetext.Line(r.ID, safetext.MaxName))
	}
	return JoinFirstNames(out, limit)
}

// JoinFirstNames lists names; of many the first, and how many more there are.
func JoinFirstNames(names []string, limit int) string {
	if more := len(names) - limit; more > 0 {
		names = append(slices.Clone(names[:limit]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// GroupUndecidedByRemedy groups the inconclusive results by what would decide them: what the
// reader can do comes first, and in it what decides most.
func GroupUndecidedByRemedy(r *report.Report) []*UndecidedGroup {
	var out []*UndecidedGroup
	byKey := map[[3]string]*UndecidedGroup{}
	for _, res := range ResultsOfKind(r, Inconclusive) {
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
			o = &UndecidedGroup{Remedy: k[0], Because: k[1], Reason: k[2]}
			byKey[k] = o
			out = append(out, o)
		}
		o.Results = append(o.Results, res)
	}
	rank := func(o *UndecidedGroup) int {
		switch {
		case o.Remedy != "":
			return 0
		case o.Because != "":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(out, func(a, b *UndecidedGroup) int {
		return cmp.Or(rank(a)-rank(b), len(b.Results)-len(a.Results))
	})
	return out
}

// RemainingAdvice is the report's advice without the lines that are about a remedy which
// undecided shows anyway.
func RemainingAdvice(r *report.Report) []string {
	var out []string
	groups := GroupUndecidedByRemedy(r)
	for _, a := range r.Advice {
		if !slices.ContainsFunc(groups, func(o *UndecidedGroup) bool { return o.Remedy != "" && strings.HasPrefix(a, o.Remedy) }) {
			out = append(out, a)
		}
	}
	return out
}
