package view

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// CountFailures counts the failures of a kind that stand together: those that follow from no other, and below them
// those that follow from them, of whatever level. With them it counts those of another level, those
// that another kind has as its cause, and the causes: "12 MUST (+3 SHOULD with the same causes), 6 causes".
func CountFailures(r *report.Report, k Kind) string {
	roots, follow := RootFailures(r, k), DependentFailures(r)
	if len(roots) == 0 {
		return ""
	}
	own, others := 0, map[Kind]int{}
	for _, root := range roots {
		own++
		for _, f := range follow[root.ID] {
			if KindOf(f) == k {
				own++
			} else {
				others[KindOf(f)]++
			}
		}
	}
	name := levelNames[k]
	s := strings.TrimSpace(safetext.Thousands(own) + " " + name)
	if more := countByLevel(others); more != "" {
		s += fmt.Sprintf(" (+%s with the same %s)", more, singularOrPlural(len(roots), "cause", "causes"))
	}
	if elsewhere := len(ResultsOfKind(r, k)) - own; elsewhere > 0 {
		s += fmt.Sprintf(" (%s more with the failures that have the same cause)", safetext.Thousands(elsewhere))
	}
	if name != "" && len(roots) < own+sum(others) {
		s += ", " + safetext.CountWithNoun(len(roots), "cause")
	}
	return s
}

// CountBroken counts the requirements that are not kept by level: "12 MUST, 5 SHOULD".
func CountBroken(r *report.Report) string {
	n := map[Kind]int{}
	for _, k := range []Kind{Fail, Warning, Note} {
		n[k] = len(ResultsOfKind(r, k))
	}
	return countByLevel(n)
}

// levelNames are the levels of the requirements whose failures have a kind.
var levelNames = map[Kind]string{Fail: "MUST", Warning: "SHOULD", Note: "MAY"}

func countByLevel(n map[Kind]int) string {
	var out []string
	for _, k := range []Kind{Fail, Warning, Note} {
		if n[k] > 0 {
			out = append(out, safetext.Thousands(n[k])+" "+levelNames[k])
		}
	}
	return strings.Join(out, ", ")
}

func sum(n map[Kind]int) (all int) {
	for _, of := range n {
		all += of
	}
	return all
}

// MetOfApplying is how many of the requirements that apply to a server are met, as a fraction: "183/195". What is
// undecided or waived is not met. It is "" if none applies.
func MetOfApplying(c report.Count) string {
	if apply := c.Total() - c.NotApplicable - c.Vacuous; apply > 0 {
		return fmt.Sprintf("%d/%d", c.Pass, apply)
	}
	return ""
}
