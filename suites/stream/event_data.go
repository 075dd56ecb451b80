package stream

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

func checkEventIsObject(t *judge.T, p observe.OnSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		observe.ExpectObjectEvents(t, s)
	})
}

// checkEnvelopePresenceConsistent leaves errors out: an error has an envelope even among results without
// one, since nothing else distinguishes the two.
func checkEnvelopePresenceConsistent(t *judge.T, p observe.OnSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		var first judge.Value
		for _, e := range observe.RequireStream(t, s) {
			switch {
			case !e.IsObject() || match.Present(e.Failure()):
			case first.Document() == nil:
				first = e
				t.OK(e)
			default:
				e.Version().Exists()
				t.Expect(e).To(match.Should("the form of the event before, "+describeEnvelope(first), func(v judge.Value) bool { return v.Document().Answer.Bare == first.Document().Answer.Bare },
					func(v judge.Value) string { return "sent an event " + describeEnvelope(v) }))
			}
		}
		if first.Document() == nil {
			t.StopUndecided("the stream of %s/%s brought no result", s.Play.Scenario, s.Name)
		}
	})
}

func describeEnvelope(v judge.Value) string {
	if v.Document().Answer.Bare {
		return "without the envelope of JSON-RPC"
	}
	return "in the envelope of JSON-RPC"
}

// updatesOfKinds returns the updates of some kinds in a stream.
func updatesOfKinds(t *judge.T, s judge.Step, kinds ...string) []judge.Value {
	return slices.DeleteFunc(observe.Updates(t, s), func(v judge.Value) bool { return !slices.Contains(kinds, v.Sort()) })
}

type ofKindParams struct {
	observe.OnSteps
	Kind string `json:"kind"` // of the updates or of the message that count
}

// checkUpdatesNameOneTask leaves an update without a task to the shape.
func checkUpdatesNameOneTask(t *judge.T, p ofKindParams) {
	var of [][]judge.Value
	for _, s := range t.Steps(p.Steps) {
		var ids []judge.Value
		observe.RequireStream(t, s)
		for _, e := range s.Events() { // those of other tasks of ours included
			if u := e.Result(); u.Sort() == p.Kind && u.Read("task.id").IsString() {
				ids = append(ids, u.Read("task.id"))
			}
		}
		if len(ids) > 0 {
			of = append(of, ids)
		}
	}
	judge.Each(t, of, func(ids []judge.Value) {
		for _, id := range ids {
			t.Expect(id).ComparedWith(ids[0]).To(match.Should("the task of the update before, "+ids[0].Shown(), ids[0].Equal, nil))
		}
	})
}

// checkLastUpdateFinal is not about a stream without a state. A stream that the run gave up
// counts if its task had ended.
func checkLastUpdateFinal(t *judge.T, p ofKindParams) {
	var of []judge.Value
	for _, s := range t.Steps(p.Steps) {
		updates := updatesOfKinds(t, s, p.Kind)
		if len(updates) == 0 {
			continue
		}
		last := updates[len(updates)-1]
		if observe.EndedByError(s.Events()) || s.Exchange.Ended != record.EOF && !observe.IsTerminalOrInterrupted(t, last.Read("task.state")) {
			t.StopUndecided("the stream of %s/%s did not end regularly%s", s.Play.Scenario, s.Name, observe.DescribeBreak(s))
		}
		of = append(of, last)
	}
	judge.Each(t, of, func(last judge.Value) {
		t.Expect(last.Read("event.final")).To(match.Should("final true on the last status update", judge.Value.True, nil))
	})
}

// checkServerEndsStream rests on a step that waited the full window after the last event for the
// server to end the stream.
func checkServerEndsStream(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	events := observe.RequireStream(t, s)
	last := events[len(events)-1].Result()
	complete := observe.IsMessage(last) || observe.IsFinal(last) || observe.IsTerminalOrInterrupted(t, lastStreamedState(t, s))
	switch {
	case s.Exchange.Ended == record.EOF:
		t.OK(events[len(events)-1])
	case s.Exchange.Ended == record.OurClose && complete:
		t.Fail(s.Head(), fmt.Sprintf("kept the stream open for %.1f s after its last event", t.Case.Dialect.Patience["must-close"].Seconds), "it to be ended when the agent is done")
	default:
		t.StopUndecided("the stream of %s did not end%s", p.Step, observe.DescribeBreak(s))
	}
}

// lastStreamedState returns the last state in a stream.
func lastStreamedState(t *judge.T, s judge.Step) judge.Value {
	var last judge.Value
	for _, u := range observe.Statuses(t, s) {
		last = u.Read("task.state")
	}
	return last
}

// checkEndsCompletedOrMessage is undecided if the agent fails, or waits for the client.
func checkEndsCompletedOrMessage(t *judge.T, p observe.OnSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		events := observe.RequireStream(t, s)
		state := lastStreamedState(t, s)
		if last := events[len(events)-1]; observe.IsMessage(last.Result()) {
			t.OK(last)
			return
		}
		if observe.IsTerminalOrInterrupted(t, state) && !observe.IsSuccess(t, state) {
			t.StopUndecided("the work of %s/%s did not succeed: its task is in state %s", s.Play.Scenario, s.Name, state.Shown())
		}
		stopIfBrokenOff(t, s)
		if state.Document() == nil {
			t.Fail(events[len(events)-1], "ended the stream without a state or a message", "a state of success, or a message of the agent at the end")
		}
		t.Expect(state).To(match.Should("a stream that ends with a completed task, or with a message of the agent", func(v judge.Value) bool { return observe.IsSuccess(t, v) },
			func(v judge.Value) string { return "sent state " + v.Shown() + " last" }))
	})
}
