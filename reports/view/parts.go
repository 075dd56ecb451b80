package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Part is the outcome of one dialect, of several that a server was judged as.
type Part struct {
	Folder  string         // of its reports, below that of the page; it is named after the dialect
	Title   string         // of the dialect
	Report  *report.Report // nil if nothing was written
	Failure string         // why nothing could be judged
}

// Verdict returns the verdict of the part: void if nothing could be judged.
func (p Part) Verdict() report.RunVerdict {
	if p.Report == nil || p.Failure != "" {
		return report.Void
	}
	return p.Report.Verdict
}

// ExplainVerdict returns the reason of the verdict.
func (p Part) ExplainVerdict() string {
	if p.Failure != "" || p.Report == nil {
		return safetext.Line(cmp.Or(p.Failure, "nothing was judged"), safetext.MaxReason)
	}
	return ExplainVerdict(CopyWithBoundedTexts(p.Report))
}

// VerdictsByGravity are the verdicts of a run, the worst first.
var VerdictsByGravity = []report.RunVerdict{report.Void, report.Unreachable, report.NeedsCredentials, report.Nonconformant, report.Partial, report.Conformant}

// Worst is the worst verdict among the parts.
func Worst(parts []Part) report.RunVerdict {
	return slices.MinFunc(parts, func(a, b Part) int {
		return slices.Index(VerdictsByGravity, a.Verdict()) - slices.Index(VerdictsByGravity, b.Verdict())
	}).Verdict()
}

func JoinTitles(parts []Part) string {
	var all []string
	for _, p := range parts {
		all = append(all, safetext.Line(p.Title, safetext.MaxName))
	}
	return schema.JoinWithAnd(all)
}

// TallyVerdictsBestFirst are counts of verdicts in words, the best first.
func TallyVerdictsBestFirst(n map[report.RunVerdict]int) string {
	var out []string
	for _, v := range slices.Backward(VerdictsByGravity) {
		if n[v] > 0 {
			out = append(out, fmt.Sprintf("%s %s", safetext.Thousands(n[v]), v))
		}
	}
	return strings.Join(out, ", ")
}
