package view

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// ExplainGateOutcome adds to the verdict: which waivers have to be deleted or renewed, what is worse than in the
// baseline, what is only judged differently, and whether that fails the gate. Most runs have none.
func ExplainGateOutcome(r *report.Report) []string {
	var out []string
	overdue := 0
	for i := range r.Waivers {
		if w := &r.Waivers[i]; w.Overdue() {
			overdue++
			out = append(out, safetext.Line(w.Advice, safetext.MaxReason))
		}
	}
	if overdue > 0 {
		out = append(out, fmt.Sprintf("the gate is not met: %s to be deleted or renewed", CountPhrase(overdue, "waiver has", "waivers have")))
	}
	if r.Baseline == nil {
		return out
	}
	worse := report.Regressions(r.Baseline.Changes)
	list := func(changes []report.Change, what string) {
		for i, c := range changes {
			if i == MaxPrinted {
				out = append(out, fmt.Sprintf("and %d more %s", len(changes)-i, what))
				break
			}
			out = append(out, DescribeChange(c))
		}
	}
	list(worse, "regressions")
	list(ChangesOfKind(r.Baseline.Changes, report.Rejudged), "that this version judges differently")
	file := safetext.Line(r.Baseline.File, safetext.MaxName)
	switch {
	case len(worse) > 0:
		out = append(out, fmt.Sprintf("the gate is not met: %s since %s", CountPhrase(len(worse), "regression", "regressions"), file))
	case report.ExitCode(r) == 0:
		out = append(out, "the gate is met: no regression since "+file)
	}
	return out
}

// WaiverLine is a waiver on one line, with what became of it.
func WaiverLine(w *report.Waiver) string {
	return safetext.Line(w.ID, safetext.MaxName) + " " + DescribeWaiverWithoutID(w)
}

func DescribeWaiverWithoutID(w *report.Waiver) string {
	s := fmt.Sprintf("%s, until %s: %s", WaiverStateWord(w.State), safetext.Line(w.Until, safetext.MaxName), safetext.Line(w.Why, safetext.MaxReason))
	if places := w.Places(); len(places) > 0 {
		s += " (only at: " + safetext.Line(strings.Join(places, ", "), safetext.MaxExcerpt) + ")"
	}
	if w.Where != "" {
		s += " (only where: " + safetext.Line(w.Where, safetext.MaxExcerpt) + ")"
	}
	if at := WaiverSource(w); at != "" {
		s += ", " + at
	}
	return s
}

// WaiverSource returns the file and line of a waiver, or the name of the list that came with the program.
func WaiverSource(w *report.Waiver) string {
	if w.File == "" || w.SDK != "" {
		return safetext.Line(w.File, safetext.MaxName)
	}
	return fmt.Sprintf("%s:%d", safetext.Line(w.File, safetext.MaxName), w.Line)
}

// UndecidedWaivers returns the waivers that a run mentions nowhere else: those of which it does not know
// whether they are needed.
func UndecidedWaivers(r *report.Report) []string {
	var out []string
	for i := range r.Waivers {
		w := &r.Waivers[i]
		switch {
		case w.State != report.Undecided && w.State != report.NotJudged:
		case w.SDK == "":
			out = append(out, "waiver of "+WaiverLine(w))
		case w.Advice != "": // the operator did not choose which faults the list has
			out = append(out, safetext.Line(w.Advice, safetext.MaxReason))
		}
	}
	return out
}
