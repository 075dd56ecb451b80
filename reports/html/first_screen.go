package html

import (
	"regexp"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

type waiverView struct {
	ID, State, Text, Advice string
	Overdue                 bool
	Known                   bool // the requirement is on the page
}

// cause is a failure from which others follow, as a line of the first screen.
type cause struct {
	ID, Text string
	Ours     bool // the text is the catalogue's, which has names in backticks
	Kind     view.Kind
	Follow   int
}

// maxCauses is how many causes are in the first screen.
const maxCauses = 3

// firstCauses are the first failures that follow from no other: those of the suite, then broken
// MUSTs, then SHOULDs. further counts the rest.
func firstCauses(r *report.Report) (out []cause, further int) {
	follow := view.DependentFailures(r)
	for _, k := range []view.Kind{view.SuiteError, view.Fail, view.Warning} {
		for _, res := range view.RootFailures(r, k) {
			if len(out) == maxCauses {
				further++
				continue
			}
			text := safetext.Line(res.Reason, safetext.MaxExcerpt)
			if len(res.Why) > 0 && res.Why[0].Did != "" {
				text = safetext.Line(res.Why[0].Came(), safetext.MaxExcerpt)
				if w := res.Why[0]; w.Sent != "" {
					text = safetext.Line(w.Sent, safetext.MaxExcerpt) + ": " + text
				}
			}
			if res.Cause != "" {
				text = safetext.Line(res.Cause, safetext.MaxExcerpt)
			}
			out = append(out, cause{safetext.Line(res.ID, safetext.MaxName), text, res.Cause != "", k, len(follow[res.ID])})
		}
	}
	return out, further
}

// formatCauseAndFailureCounts counts the causes, and the failures that have them.
func formatCauseAndFailureCounts(r *report.Report) string {
	causes := 0
	for _, k := range []view.Kind{view.Fail, view.Warning, view.Note} {
		causes += len(view.RootFailures(r, k))
	}
	broken := view.CountBroken(r)
	if broken == "" {
		return ""
	}
	return safetext.Thousands(causes) + " of " + broken
}

// breakdownIfSeveralLevelsBroken counts what is broken by level if it is of several levels.
func breakdownIfSeveralLevelsBroken(r *report.Report) string {
	if broken := view.CountBroken(r); strings.Contains(broken, ", ") {
		return broken
	}
	return ""
}

// decision is something to add so that more is decided: one of the lines.
type decision struct {
	Lines []string
	N     int
	What  string
}

// maxDecisions is how many of them are in the first screen.
const maxDecisions = 3

func listUndecidedRemedies(r *report.Report) (out []decision, omitted int) {
	for _, o := range view.GroupUndecidedByRemedy(r) {
		switch {
		case o.Remedy == "":
		case len(out) == maxDecisions:
			omitted++
		default:
			out = append(out, decision{splitAlternativeRemedies(o.Remedy), len(o.Results), describeDecided(len(o.Results))})
		}
	}
	return out, omitted
}

func describeDecided(n int) string { return "decides " + safetext.CountWithNoun(n, "requirement") }

// splitAlternativeRemedies are the lines of a remedy, of which one is enough.
func splitAlternativeRemedies(remedy string) (out []string) {
	for one := range strings.SplitSeq(remedy, "  or  ") {
		if one = strings.TrimSpace(one); one != "" {
			out = append(out, safetext.Line(one, safetext.MaxExcerpt))
		}
	}
	return out
}

// advised is a line of advice: what to add, and the words around it.
type adviceParts struct{ Before, Line, After string }

var (
	adviceLine = regexp.MustCompile(`^(.*?)((?:--[a-z]|[a-z]+: [{\[]).*?)( decides [0-9]+ more)?$`)
)

// splitAdviceAroundCommand takes a line of advice apart: only what is to be copied is shown as such.
func splitAdviceAroundCommand(s string) adviceParts {
	if m := adviceLine.FindStringSubmatch(safetext.Line(s, safetext.MaxReason)); m != nil {
		return adviceParts{m[1], m[2], m[3]}
	}
	return adviceParts{Before: safetext.Line(s, safetext.MaxReason)}
}

// legendEntry explains a term of the page.
type legendEntry struct {
	Kind view.Kind
	Says string
}

// buildLegend explains the words that occur.
func buildLegend(r *report.Report, several bool) (out []legendEntry) {
	subject := r.Target.Subject()
	for _, m := range []legendEntry{
		{view.Pass, "the run saw what the requirement is about, and the " + subject + " meets it"},
		{view.Fail, "the " + subject + " breaks a MUST"},
		{view.Warning, "the " + subject + " does not follow a SHOULD"},
		{view.Note, "the " + subject + " does something else than a MAY describes"},
		{view.Inconclusive, "the requirement applies, but this run could not decide it; that never counts as passed"},
		{view.Waived, "the requirement fails; the waiver file says why that is tolerated and until when"},
		{view.NotApplicable, "the requirement does not apply to this " + subject},
		{view.Vacuous, "the requirement is about all things of one kind, and the run saw none"},
		{view.SuiteError, "a2a-conform failed, not the " + subject},
	} {
		if len(view.ResultsOfKind(r, m.Kind)) > 0 {
			out = append(out, m)
		}
	}
	if several {
		out = append(out, legendEntry{view.NotTried, "no call in this binding could decide the requirement; that is not a pass"})
	}
	return out
}
