package observe

import (
	"iter"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// StopIfTaskGone ends the check undecided if a call was refused like one about a task that
// never was, and the looks around it show that the task had gone: the refusal is then not
// about what became of the task. That it has gone is for another requirement.
func StopIfTaskGone(t *judge.T, s judge.Step) {
	if s.Task == "" || s.Accepted() || !isRefusedAsUnknownTask(t, s) {
		return
	}
	before, after := lookUpsAround(t, s)
	for _, look := range []*judge.Step{before, after} {
		if look != nil && wasTaskShownBefore(t, s) && IsTaskUnknown(t, *look) {
			t.StopUndecided("the call %s/%s was refused like one about a task that never was, and the task had gone (see %s): %s",
				s.Play.Scenario, s.Name, look.Name, s.Outcome())
		}
	}
}

// isRefusedAsUnknownTask reports whether a call was refused like one about a task that never was.
func isRefusedAsUnknownTask(t *judge.T, s judge.Step) bool {
	if IsUnknownTaskError(t, s.Reply()) {
		return true
	}
	never, asked := t.Find("unknown/get")
	return asked && !never.Accepted() && HaveSameRefusal(never, s)
}

// lookUpsAround returns the last look at the task of a call before it, and the first one after
// it; nil if there was none.
func lookUpsAround(t *judge.T, s judge.Step) (before, after *judge.Step) {
	for _, o := range t.Played(s.Play.Scenario) {
		if o.Task != s.Task || o.Op != "get" || o.Role != record.Main || o.Invalid || !o.Exchange.Answered() {
			continue
		}
		switch {
		case o.Exchange.Before(s.Exchange):
			before = &o
		case after == nil && s.Exchange.Before(o.Exchange):
			after = &o
		}
	}
	return before, after
}

// LookUpsAfter yields the look-ups in the play of a call that were sent after it was answered.
func LookUpsAfter(t *judge.T, s judge.Step) iter.Seq[judge.Step] {
	return func(yield func(judge.Step) bool) {
		for i := range s.Play.Steps {
			o := &s.Play.Steps[i]
			if o.Op == "get" && o.Exchange != nil && s.Exchange.Before(o.Exchange) && !yield(t.Step(s.Play.Scenario+"/"+o.Name)) {
				return
			}
		}
	}
}

// wasTaskShownBefore reports whether the server had shown the task of a call before it.
func wasTaskShownBefore(t *judge.T, s judge.Step) bool {
	for _, o := range t.Played(s.Play.Scenario) {
		if o.Task == s.Task && o.Exchange.Before(s.Exchange) && o.Accepted() {
			return true
		}
	}
	return false
}
