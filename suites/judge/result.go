package judge

import (
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Reads lists what the check looked at, where the case was told to track it.
func (r *CheckResult) Reads() []Read { return r.reads }

// CheckResult is what a check has found about one requirement. The verdict on it starts from that.
type CheckResult struct {
	report.Result
	reads []Read // what the check looked at

	// Exchanges that it fails and holds on, and those that are left out, since a
	// prerequisite fails on them.
	Failed, Held map[*wire.Exchange]bool
	Spoiled      map[*wire.Exchange]*report.Result
	Broken       []Breach // where it fails, all of it
	Apart        bool     // what it fails on can be read all the same
}

func (r *CheckResult) holds(on []*wire.Exchange) {
	if r.Held == nil {
		r.Held = map[*wire.Exchange]bool{}
	}
	for _, x := range on {
		r.Held[x] = true
	}
}
