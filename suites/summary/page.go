package summary

import (
	"github.com/a2a-conform/a2a-conform/harness/livepage"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// SummarizeForPage returns what a page of the operator shows of a report: the verdict, the counts and the failures. Reasons
// may quote what either side sent.
func SummarizeForPage(r *report.Report) livepage.Summary {
	s := livepage.Summary{Verdict: string(r.Verdict), Reason: r.Reason}
	for _, one := range r.Results {
		switch one.Verdict {
		case report.Fail:
			s.Fails++
			s.Failures = append(s.Failures, livepage.Failure{ID: one.ID, Level: string(one.Level), Statement: shorten.Clip(one.Statement, 500), Reason: shorten.Clip(one.Reason, 500)})
		case report.Pass:
			s.Passes++
		case report.Inconclusive:
			s.Undecided++
		}
	}
	return s
}
