package task

import (
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

var rejectedChecks = []judge.Check{
	judge.Define("task/rejected", "a task was seen that the agent rejected", checkRejectedTaskSeen),
}

// checkRejectedTaskSeen finds the permission unused if no task was rejected, since that is the
// agent's choice.
func checkRejectedTaskSeen(t *judge.T, p observe.OnPlays) {
	all := observe.Sightings(t, p.Plays)
	for _, s := range all {
		if d := t.Case.Dialect.State(s.State().Text()); d != nil && d.Outcome == "rejected" {
			t.OK(s.State())
			return
		}
	}
	if len(all) == 0 {
		t.Undecided("no state of a task was seen")
	}
	t.OK(all[0].State())
	t.Unused("it rejected no task of the run")
}
