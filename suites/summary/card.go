package summary

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// JudgeCard judges a transcript that consists of a card alone by all requirements of a dialect, and
// returns what the card decides: what holds for it, and what it breaks. What needs a call has no result.
func JudgeCard(d *schema.Dialect, t *record.Transcript, checks judge.Checks) ([]report.Result, error) {
	ids, err := suites.Select(d, t.Facts.Selection)
	if err != nil {
		return nil, err
	}
	c := verdict.NewDecider(d, t, checks, nil)
	judged := make([]verdict.Result, len(ids))
	for i, id := range ids { // one after the other: most end at once, since what they need was not recorded
		judged[i] = *c.Result(id)
	}
	c.NameSteps(judged)
	c.Causes(judged)
	results := verdict.Reported(judged)
	broken := map[string]bool{}
	for i := range results {
		broken[results[i].ID] = results[i].Verdict == report.Fail
	}
	results = slices.DeleteFunc(results, func(r report.Result) bool {
		return r.Verdict == report.NotApplicable && len(r.Findings) == 0 || r.Verdict == report.Inconclusive && !broken[r.Because]
	})
	addFixToFailures(results, d.FixText)
	return results, nil
}
