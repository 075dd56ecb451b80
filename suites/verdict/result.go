package verdict

import (
	"cmp"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Result is the verdict on one requirement, and what the judging of other requirements and the
// grouping by causes take from it.
type Result struct {
	judge.CheckResult
	prerequisites []*Result // the prerequisites that do not hold
	wide          int       // how many more subjects it fails for than the first
	root          bool      // what others fail on for its sake names it
	unseen        bool      // not all of its violations are in Broken
}

// Reported returns the results as a report has them.
func Reported(results []Result) []report.Result {
	out := make([]report.Result, len(results))
	for i := range results {
		out[i] = results[i].Result
	}
	return out
}

// addSubjectToTexts adds to the texts of a result which subject they are about.
func (r *Result) addSubjectToTexts(subject string) {
	texts := append([]string{r.Reason}, r.Others...)
	switch {
	case r.Verdict == report.Pass:
		r.Reason = ""
	case r.Verdict == report.Fail && len(r.Why) == len(texts):
		r.Why = slices.Clone(r.Why)
		for i := range r.Why {
			r.Why[i].By = subject
			texts[i] = r.Why[i].Text()
		}
		r.Reason, r.Others = texts[0], texts[1:]
	default:
		r.Reason = subject + ": " + cmp.Or(r.Reason, string(r.Verdict))
	}
}

// addPrerequisiteAndExcludeFailures books a prerequisite that does not hold. The exchanges that it fails on are
// left out.
func (r *Result) addPrerequisiteAndExcludeFailures(prerequisite *Result) {
	if prerequisite.Verdict != report.Inconclusive && prerequisite.Independent {
		return
	}
	r.prerequisites = append(r.prerequisites, prerequisite)
	if r.Excluded == nil {
		r.Excluded = map[*record.Exchange]*report.Result{}
	}
	for x := range prerequisite.Failed {
		r.Excluded[x] = &prerequisite.Result
	}
}

// failsOnEveryExchange reports whether a requirement that does not hold holds on nothing.
func (r *Result) failsOnEveryExchange() bool {
	for x := range r.Held {
		if !r.Failed[x] && r.Verdict != report.Inconclusive {
			return false
		}
	}
	return true
}

// leaveUndecided leaves a requirement undecided for want of anybody who could have broken it.
func (r *Result) leaveUndecided(why string) {
	r.Verdict, r.Because, r.Reason, r.Remedy, r.Stopped = report.Inconclusive, "", why, "", true
	r.Why, r.Others, r.More, r.Broken, r.Failed = nil, nil, 0, nil, nil
}
