package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// BindingCounts is what the requirements came to in one of several bindings.
type BindingCounts struct {
	Who   string // the binding, and the agent if there are several
	Count map[Kind]int
}

// CountByBinding counts the results of the requirements in each of several bindings, those that were not
// called last; nil if there is only one.
func CountByBinding(r *report.Report) (out []BindingCounts) {
	if len(r.Target.Bindings)+len(r.Target.Withheld) < 2 {
		return nil
	}
	var all []*report.Result
	for i := range r.Results {
		all = append(all, &r.Results[i])
	}
	return CountResultsByBinding(all)
}

// CountResultsByBinding counts some of the results.
func CountResultsByBinding(results []*report.Result) (out []BindingCounts) {
	for _, res := range results {
		for _, s := range res.Subjects {
			if s.Binding == "" {
				continue
			}
			at := slices.IndexFunc(out, func(o BindingCounts) bool { return o.Who == SubjectLabel(s) })
			if at < 0 {
				at = len(out)
				out = append(out, BindingCounts{SubjectLabel(s), map[Kind]int{}})
			}
			out[at].Count[SubjectKind(res, s)]++
		}
	}
	return out
}

// SubjectLabel is the subject of a cell.
func SubjectLabel(s report.SubjectResult) string {
	return safetext.Line(strings.TrimSpace(s.Agent+" "+s.Binding), safetext.MaxName)
}

// SubjectKind is what a cell is called.
func SubjectKind(r *report.Result, s report.SubjectResult) Kind {
	if s.Verdict == report.NotTried {
		return NotTried
	}
	return KindOf(&report.Result{Level: r.Level, Verdict: s.Verdict})
}

// bindingKinds are the counts of bindings in the order of every table.
var bindingKinds = []Kind{Pass, Fail, Warning, Note, Inconclusive, Waived, NotApplicable, SuiteError, NotTried}

// KindsIn are those that occur: a table of bindings has no column of zeros.
func KindsIn(rows []BindingCounts) (out []Kind) {
	for _, k := range bindingKinds {
		if k == Pass || k == Fail || slices.ContainsFunc(rows, func(s BindingCounts) bool { return s.Count[k] > 0 }) {
			out = append(out, k)
		}
	}
	return out
}

// Describe are the counts of a row in words.
func (s BindingCounts) Describe() string {
	var out []string
	for _, k := range bindingKinds {
		if n := s.Count[k]; n > 0 {
			out = append(out, fmt.Sprintf("%s %s", safetext.Thousands(n), k))
		}
	}
	return strings.Join(out, ", ")
}

// maxBindingsInLine is how many bindings one line names; more are counted.
const maxBindingsInLine = 8

// DescribeFailuresByBinding names each of several bindings with the number of MUST requirements that are broken there; "" if
// there is only one, or no result.
func DescribeFailuresByBinding(r *report.Report) string {
	if r.Verdict == report.Void || r.Verdict == report.Unreachable {
		return ""
	}
	var out []string
	for _, row := range CountByBinding(r) {
		broken := fmt.Sprintf("%s %d", row.Who, row.Count[Fail])
		if isWithheld(r, row.Who) {
			broken = row.Who + " not called"
		}
		out = append(out, broken)
	}
	return JoinFirstNames(out, maxBindingsInLine)
}

// isWithheld reports whether the binding of a row was not called.
func isWithheld(r *report.Report, who string) bool {
	return slices.ContainsFunc(r.Target.Withheld, func(w report.Withheld) bool {
		return who == SubjectLabel(report.SubjectResult{Agent: w.Agent, Binding: w.Binding})
	})
}

// ExplainUntried explains the cells that are not tried; it is empty if there are none. A notice of the report
// states how to call an interface that was not called.
func ExplainUntried(r *report.Report, rows []BindingCounts) (out []string) {
	called := func(s BindingCounts) bool { return s.Count[NotTried] > 0 && !isWithheld(r, s.Who) }
	if slices.ContainsFunc(rows, called) {
		out = append(out, "not tried is not a pass: no call in that binding could decide the requirement, or the requirement is about another binding; --binding each judges every binding in full")
	}
	for _, w := range r.Target.Withheld {
		out = append(out, safetext.Line(fmt.Sprintf("%s was not called: %s %s", SubjectLabel(report.SubjectResult{Agent: w.Agent, Binding: w.Binding}), w.URL, w.Why), safetext.MaxReason))
	}
	return out
}
