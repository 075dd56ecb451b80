package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// NotTried is the kind of a cell if no call was made by which the requirement could be judged. No requirement
// has it as its verdict.
const NotTried Kind = "not tried"

// Class is the kind as a CSS class.
func (k Kind) Class() string { return strings.ReplaceAll(string(k), " ", "-") }

// KindOfRun is the kind of a result whose colour the verdict of a run has.
func KindOfRun(v report.RunVerdict) Kind {
	kinds := map[report.RunVerdict]Kind{report.Conformant: Pass, report.Partial: Inconclusive, report.NeedsCredentials: Inconclusive, report.Void: SuiteError}
	return cmp.Or(kinds[v], Fail)
}

// NotJudged is the kind of a cell if a report lacks the requirement: it was not selected, or another version
// of the catalogue judged.
const NotJudged Kind = "not judged"

// KindsByGravity are the kinds in the order of chips and tallies: what needs a reader comes first.
var KindsByGravity = []Kind{SuiteError, Fail, Warning, Note, Inconclusive, Waived, Pass, NotApplicable, Vacuous}

// Kind is what a verdict is called on the screen. It knows more than the
// verdict: a broken SHOULD is a warning, a broken MAY a note.
type Kind string

const (
	SuiteError    Kind = "suite error"
	Fail          Kind = "fail"
	Warning       Kind = "warning"
	Note          Kind = "note"
	Inconclusive  Kind = "inconclusive"
	Waived        Kind = "waived"
	Pass          Kind = "pass"
	NotApplicable Kind = "not applicable"
	Vacuous       Kind = "vacuous"
)

func KindOf(r *report.Result) Kind {
	switch r.Verdict {
	case report.Pass:
		return Pass
	case report.Fail:
		switch r.Level {
		case schema.Should:
			return Warning
		case schema.May:
			return Note
		}
		return Fail
	case report.NotApplicable:
		if r.Vacuous {
			return Vacuous
		}
		return NotApplicable
	case report.Inconclusive:
		return Inconclusive
	case report.Waived:
		return Waived
	}
	return SuiteError
}

// ResultsOfKind returns the results of the given kinds, in catalogue order.
func ResultsOfKind(r *report.Report, kinds ...Kind) []*report.Result {
	var out []*report.Result
	for i := range r.Results {
		if slices.Contains(kinds, KindOf(&r.Results[i])) {
			out = append(out, &r.Results[i])
		}
	}
	return out
}

// RootFailures are the failures of a kind that follow from no other. What follows from
// one of them is shown with it.
func RootFailures(r *report.Report, k Kind) (out []*report.Result) {
	shown := DependentFailures(r)
	for _, res := range ResultsOfKind(r, k) {
		if !slices.Contains(shown[res.Because], res) {
			out = append(out, res)
		}
	}
	return out
}

// DependentFailures lists the failures that follow from each failure.
func DependentFailures(r *report.Report) map[string][]*report.Result {
	root := map[string]bool{}
	for _, res := range r.Results {
		root[res.ID] = res.Verdict == report.Fail && res.Because == ""
	}
	out := map[string][]*report.Result{}
	for _, k := range []Kind{Fail, Warning, Note} {
		for _, res := range ResultsOfKind(r, k) {
			if root[res.Because] {
				out[res.Because] = append(out[res.Because], res)
			}
		}
	}
	return out
}

// Levels are the levels in the order of every table.
var Levels = []schema.Level{schema.Must, schema.Should, schema.May}

// Columns are the counts in the order of every table.
var Columns = []struct {
	Kind Kind
	Of   func(report.Count) int
}{
	{Pass, func(c report.Count) int { return c.Pass }},
	{Fail, func(c report.Count) int { return c.Fail }},
	{Inconclusive, func(c report.Count) int { return c.Inconclusive }},
	{Waived, func(c report.Count) int { return c.Waived }},
	{NotApplicable, func(c report.Count) int { return c.NotApplicable }},
	{Vacuous, func(c report.Count) int { return c.Vacuous }},
	{SuiteError, func(c report.Count) int { return c.SuiteError }},
}

// Word returns the name of a kind for people.
func (k Kind) Word() string {
	return cmp.Or(map[Kind]string{Inconclusive: "undecided", Vacuous: "not exercised"}[k], string(k))
}

// VerdictWord returns the name of a verdict for people.
func VerdictWord(v report.Verdict) string {
	kinds := map[report.Verdict]Kind{report.Inconclusive: Inconclusive, report.NotApplicable: NotApplicable, report.SuiteError: SuiteError, report.NotTried: NotTried}
	return cmp.Or(kinds[v].Word(), string(v))
}
