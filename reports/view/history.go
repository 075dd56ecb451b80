package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// FormatRunDate formats when a run of a history started.
func FormatRunDate(at time.Time) string { return at.UTC().Format("2006-01-02 15:04") }

// DescribePastCount describes in a few words what a run came to: "183 of 195 MUST met, 20 failures".
func DescribePastCount(p report.PastCount) string {
	return fmt.Sprintf("%s of %s MUST met, %s", safetext.Thousands(p.Passed), safetext.Thousands(p.Judged), safetext.CountWithNoun(p.Failures, "failure"))
}

// DescribePastVerdict returns the verdict of a run of a history, and whether only a part was selected.
func DescribePastVerdict(p report.PastCount) string {
	verdict := safetext.Line(string(p.Verdict), safetext.MaxName)
	if p.Partial {
		verdict += " (of a selection)"
	}
	return verdict
}

// DescribeIgnoredRuns counts the runs that are not in the history, and why; "" if there are none.
func DescribeIgnoredRuns(h *report.History) string {
	var out []string
	for _, c := range []struct {
		n   int
		why string
	}{
		{h.Earlier, "before these"}, {h.Others, "of another server, agent or protocol"},
		{h.Undecided, "without a verdict on the server"}, {h.Later, "that did not start before this one"},
	} {
		if c.n > 0 {
			out = append(out, safetext.CountWithNoun(c.n, "run")+" "+c.why)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "Not shown: " + strings.Join(out, ", ") + "."
}
