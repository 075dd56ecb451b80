package judge

import (
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Result is the verdict on one requirement, and what the judging of other requirements and the
// grouping by causes take from it.
type Result struct {
	report.Result

	reads []Read // what the check looked at
	// Exchanges that it fails and holds on, and those that are left out, since a
	// prerequisite fails on them.
	failed, held map[*record.Exchange]bool
	spoiled      map[*record.Exchange]string
	rests        []*Result // the prerequisites that do not hold
	broken       []Value   // where it fails, all of it
	wide         int       // how many subjects it fails for beside the first
	root         bool      // what others fail on for its sake names it
	apart        bool      // what it fails on can be read all the same
}

// Reads lists what the check looked at, where the case was told to track it.
func (r *Result) Reads() []Read { return r.reads }

// Reported are the results as a report has them.
func Reported(results []Result) []report.Result {
	out := make([]report.Result, len(results))
	for i := range results {
		out[i] = results[i].Result
	}
	return out
}
