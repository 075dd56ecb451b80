package observe

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// FindStateStreamMissed returns the state that a look-up of a stream's task showed, in which the task had
// ended or waited for the client, if the stream did not show it although it was open and silent
// for a good while after that look-up. It reports false if there is none.
func FindStateStreamMissed(t *judge.T, s judge.Step) (state judge.Value, seconds float64, ok bool) {
	x := s.Exchange
	if !x.IsStream() || x.Ended != record.OurClose && x.Ended != record.Timeout || s.Task == "" {
		return state, 0, false
	}
	last := x.Start
	if events := x.Events(); len(events) > 0 {
		last = events[len(events)-1].At
	}
	reported := map[string]bool{}
	for _, u := range UpdatesOf(t, s) {
		of := u.Read("task.state")
		if IsTerminal(t, of) || IsFinal(u) {
			return state, 0, false
		}
		reported[of.Text()] = true
	}
	for p, look := range TranscriptSteps(t) {
		if look.Op != "get" || look.Task != s.Task || look.Exchange == nil || look.Exchange.Start < last || look.Exchange.End > x.End {
			continue
		}
		one, same := resolveRecordedStep(t, p, look)
		if !same || !one.Accepted() {
			continue
		}
		open := (x.End - look.Exchange.End).Seconds()
		state := one.Result().Read("task.state")
		if IsTerminalOrInterrupted(t, state) && !reported[state.Text()] && !wasStateReportedEarlier(t, s, state) && open >= t.Case.Dialect.Patience["must-close"].Seconds*0.95 { // recorded times are rounded
			return state, open, true
		}
	}
	return state, 0, false
}

// wasStateReportedEarlier reports whether an answer about a task showed a state before a stream about
// it was opened: what such a stream begins with is for other requirements.
func wasStateReportedEarlier(t *judge.T, s judge.Step, state judge.Value) bool {
	shows := func(v judge.Value) bool { return v.Read("task.state").Equal(state) }
	for p, o := range TranscriptSteps(t) {
		if o.Task != s.Task || o.Exchange == nil || o.Exchange.End > s.Exchange.Start {
			continue
		}
		one, same := resolveRecordedStep(t, p, o)
		switch {
		case !same:
		case o.Exchange.IsStream() && slices.ContainsFunc(UpdatesOf(t, one), shows), !o.Exchange.IsStream() && one.Accepted() && shows(one.Result()):
			return true
		}
	}
	return false
}
