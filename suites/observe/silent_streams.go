package observe

import (
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// LeftSilent is the state that a look at the task of a stream showed, in which the task
// had ended or waited for the client, and of which the stream told nothing, though it was
// open, and silent, for a good while after that look. ok is false if there is none.
func LeftSilent(t *judge.T, s judge.Step) (state judge.Value, seconds float64, ok bool) {
	x := s.Exchange
	if !x.IsStream() || x.Ended != record.OurClose && x.Ended != record.Timeout || s.Task == "" {
		return state, 0, false
	}
	last := x.Start
	if events := x.Events(); len(events) > 0 {
		last = events[len(events)-1].At
	}
	told := map[string]bool{}
	for _, u := range UpdatesOf(t, s) {
		of := u.Read("task.state")
		if d := t.Case.Dialect.State(of.Text()); d != nil && d.Terminal || SaysFinal(u) && IsFinal(u) {
			return state, 0, false
		}
		told[of.Text()] = true
	}
	for i := range t.Case.Transcript.Plays {
		p := &t.Case.Transcript.Plays[i]
		for j := range p.Steps {
			look := &p.Steps[j]
			if look.Op != "get" || look.Task != s.Task || look.Exchange == nil || look.Exchange.Start < last || look.Exchange.End > x.End {
				continue
			}
			one, made := t.Find(p.Scenario + "/" + look.Name)
			if !made || one.Exchange != look.Exchange || !one.Accepted() {
				continue
			}
			open := (x.End - look.Exchange.End).Seconds()
			state := one.Result().Read("task.state")
			if Finished(t, state) && !told[state.Text()] && !wasReportedEarlier(t, s, state) && open >= t.Case.Dialect.Patience["must-close"].Seconds*0.95 { // recorded times are rounded
				return state, open, true
			}
		}
	}
	return state, 0, false
}

// wasReportedEarlier reports whether an answer about a task showed a state before a stream about
// it was opened: what such a stream begins with is for other requirements.
func wasReportedEarlier(t *judge.T, s judge.Step, state judge.Value) bool {
	for i := range t.Case.Transcript.Plays {
		p := &t.Case.Transcript.Plays[i]
		for j := range p.Steps {
			o := &p.Steps[j]
			if o.Task != s.Task || o.Exchange == nil || o.Exchange.End > s.Exchange.Start {
				continue
			}
			one, made := t.Find(p.Scenario + "/" + o.Name)
			if !made || one.Exchange != o.Exchange {
				continue
			}
			if o.Exchange.IsStream() {
				for _, u := range UpdatesOf(t, one) {
					if u.Read("task.state").Equal(state) {
						return true
					}
				}
			} else if one.Accepted() && one.Result().Read("task.state").Equal(state) {
				return true
			}
		}
	}
	return false
}
