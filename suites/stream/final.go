package stream

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// lastUpdateThatMayBeFinal returns the last update of a stream that can have the member final. In some
// dialects other updates than statuses have it, too.
func lastUpdateThatMayBeFinal(t *judge.T, s judge.Step) judge.Value {
	last := judge.Value{}
	for _, u := range observe.Updates(t, s) {
		if u.Read("task.status").Exists() || observe.IsStatusWithFinalMember(u) {
			last = u
		}
	}
	return last
}

// checkFinalOnLastStatus also judges a stream that the run gave up, if its task had ended by
// then.
func checkFinalOnLastStatus(t *judge.T, p observe.OnSteps) {
	judge.EachOf(t, streamsAboutTasks(t, p.Steps), func(s judge.Step) {
		events, last := observe.RequireStream(t, s), lastUpdateThatMayBeFinal(t, s)
		givenUp := s.Exchange.Ended == record.OurClose || s.Exchange.Ended == record.Limit
		ended := s.Exchange.Ended == record.EOF || givenUp && last.Document() != nil && observe.IsTerminalOrInterrupted(t, last.Read("task.state"))
		if !ended {
			failIfStateSilentlyMissed(t, s, "final true on a status update with that state")
		}
		if observe.EndedByError(events) || !ended {
			t.StopUndecided("the stream of %s/%s did not end regularly%s", s.Play.Scenario, s.Name, observe.DescribeBreak(s))
		}
		if last.Document() == nil {
			t.Fail(events[len(events)-1], "ended the stream without a status update", "final true on the last status update")
		}
		if s.Op == "resubscribe" && !last.Read("event.final").Exists() && observe.IsTerminalOrInterrupted(t, last.Read("task.state")) && len(observe.Updates(t, s)) == 1 {
			t.StopUndecided("the stream of %s/%s shows a task that had ended before the stream was resumed", s.Play.Scenario, s.Name)
		}
		t.Expect(last.Read("event.final")).To(match.Should("final true on the last status update", judge.Value.True, nil))
	})
}

// checkFinalOnlyOnSettledState accepts a state in which the task waits for the client.
func checkFinalOnlyOnSettledState(t *judge.T, p observe.OnSteps) {
	var of []judge.Value
	for _, s := range judge.Filter(observe.EveryStream(t, p.Steps), func(s judge.Step) bool { return s.Exchange.IsStream() }) {
		final := func(u judge.Value) bool { return observe.IsFinal(u) && u.Read("task.status").Exists() }
		of = append(of, judge.Filter(observe.UpdatesOf(t, s), final)...)
	}
	judge.Each(t, of, func(u judge.Value) {
		t.Expect(u.Read("task.state")).To(match.Should("a state that ends the interaction beside final true", func(v judge.Value) bool { return observe.IsTerminalOrInterrupted(t, v) },
			func(v judge.Value) string { return "sent final true with state " + v.Shown() }))
	})
}

type finalArrivesParams struct {
	observe.OnStep
	State bool `json:"state"` // an update with a state that ends the interaction will do
}

// checkFinalArrives leaves earlier updates out, which the subscription may have missed.
func checkFinalArrives(t *judge.T, p finalArrivesParams) {
	s := t.Step(p.Step)
	events := observe.RequireStream(t, s)
	for _, u := range observe.Updates(t, s) {
		if observe.IsFinal(u) {
			t.OK(u.Read("event.final"))
			return
		}
		if p.State && observe.IsTerminalOrInterrupted(t, u.Read("task.state")) {
			t.OK(u.Read("task.state"))
			return
		}
	}
	t.Fail(events[len(events)-1], fmt.Sprintf("sent %d events, none of them final", len(events)), "the later updates of the task, up to the final one")
}

// taskStreamsWithoutUnfinishedResubscriptions returns streams about tasks. A resumed one counts if it came to a final
// update: other requirements ask for that update.
func taskStreamsWithoutUnfinishedResubscriptions(t *judge.T, steps []string) []judge.Step {
	all := streamsAboutTasks(t, steps)
	of := slices.DeleteFunc(slices.Clone(all), func(s judge.Step) bool {
		return s.Op == "resubscribe" && !slices.ContainsFunc(observe.UpdatesOf(t, s), observe.IsFinal)
	})
	if len(of) == 0 {
		return all
	}
	return of
}

func checkNothingAfterFinal(t *judge.T, p observe.OnSteps) {
	judge.EachOf(t, taskStreamsWithoutUnfinishedResubscriptions(t, p.Steps), func(s judge.Step) {
		ended := false
		var last judge.Value // of the events that say that they are
		for _, e := range observe.RequireStream(t, s) {
			r := e.Result()
			if r.IsObject() && observe.IsOtherKnownTaskID(t, s, r.Read("task.id")) {
				continue
			}
			if ended {
				t.Fail(e, "sent another event after the one with final true", "nothing to follow it", last)
			}
			if r.IsObject() && observe.IsFinal(r) {
				ended, last = true, r
				t.OK(r.Read("event.final"))
			}
		}
		if !ended {
			t.StopUndecided("the stream of %s/%s had no event with final true", s.Play.Scenario, s.Name)
		}
	})
}

// closesParams name streams that should be closed by the server. A stream that the run left
// before the window was over shows nothing.
type closesParams struct {
	observe.OnSteps
	// Ended means that the end of the work ends a stream, too, if no event is marked as final.
	Ended bool `json:"ended"`
}

func checkClosedAfterFinal(t *judge.T, p closesParams) {
	judge.EachOf(t, taskStreamsWithoutUnfinishedResubscriptions(t, p.Steps), func(s judge.Step) {
		events := observe.RequireStream(t, s)
		i := slices.IndexFunc(events, func(e judge.Value) bool {
			r := e.Result()
			return r.IsObject() && observe.IsFinal(r) && !observe.IsOtherKnownTaskID(t, s, r.Read("task.id"))
		})
		if i < 0 && p.Ended {
			i = slices.IndexFunc(events, func(e judge.Value) bool {
				r := e.Result()
				return observe.IsTerminalOrInterrupted(t, r.Read("task.state")) && !observe.IsOtherKnownTaskID(t, s, r.Read("task.id"))
			})
		}
		if i < 0 {
			failIfStateSilentlyMissed(t, s, "a final event, and the stream to be closed")
			t.StopUndecided("the stream of %s/%s had no event with final true", s.Play.Scenario, s.Name)
		}
		if s.Exchange.Ended == record.OurClose {
			failOrStopOpenStream(t, s, events[i], "its final event", "its final event", "it to be closed")
		}
		t.OK(events[len(events)-1])
	})
}

type streamStoredParams struct {
	observe.PairParams
	Found bool `json:"found"` // if the work continued, the task has at least to be found
}

func checkLastStateStored(t *judge.T, p streamStoredParams) {
	failIfAnyStateSilentlyMissed(t, "each state to which a task comes to be told by its streams")
	last := lastStreamedState(t, t.Step(p.Step))
	switch {
	case last.Document() == nil && p.Found:
		t.StopVacuous("the stream contained no state")
	case last.Document() == nil:
		t.StopUndecided("the stream contained no state")
	case p.Found:
		t.Expect(t.Step(p.Then).Reply()).To(match.BeAResult())
		if !observe.IsTerminalOrInterrupted(t, last) {
			return
		}
	case !observe.IsTerminalOrInterrupted(t, last):
		t.StopUndecided("the stream ended in state %s, and the task may have gone on from there", last.Shown())
	}
	t.Expect(t.Step(p.Then).Result().Read("task.state")).ComparedWith(last).To(match.Should("the state that was streamed last, "+last.Shown(), last.Equal, nil))
}

type endsInParams struct {
	Step  string `json:"step" step:"{}"`
	State string `json:"state"`
	If    string `json:"if" step:"{},optional"` // a look that must have found the task in the state
	Or    string `json:"or" step:"{},optional"` // a reply that shows the state, if the look-up did not find the task any more
}

func checkStreamEndsFinalInState(t *judge.T, p endsInParams) {
	if p.If != "" {
		look := t.Step(p.If)
		if p.Or != "" && observe.IsTaskUnknown(t, look) {
			look = t.Step(p.Or)
		}
		if state := look.Result().Read("task.state"); !state.Is(p.State) {
			t.StopVacuous("the task was not in state %s but in %s", p.State, state.Shown())
		}
	}
	s := t.Step(p.Step)
	events, last := observe.RequireStream(t, s), lastUpdateThatMayBeFinal(t, s)
	if last.Document() == nil {
		t.Fail(events[len(events)-1], "sent no status update", "a last one with state "+p.State)
	}
	t.Expect(last.Read("task.state")).To(match.BeTheText("the stream to end in the state ", p.State))
	t.Expect(last.Read("event.final")).To(match.Should("final true beside the state "+p.State, judge.Value.True, nil))
}

func checkSubscriptionStreamAndFinal(t *judge.T, p finalArrivesParams) {
	only := observe.OnSteps{Steps: []string{p.Step}}
	checkStreamHTTPStatus(t, only)
	checkStreamMediaType(t, only)
	checkUpdatesNameTask(t, eventTaskParams{StepsRules: observe.StepsRules{OnSteps: only}})
	checkFinalArrives(t, p)
}

// checkNothingAfterError reads every stream of the run: an error in one is never demanded.
func checkNothingAfterError(t *judge.T, p observe.OnSteps) {
	failed := func(v judge.Value) bool { return match.Present(v.Failure()) && !match.Present(v.Result()) }
	judge.Each(t, judge.Filter(t.All(judge.EventText), failed), func(v judge.Value) {
		t.Expect(v.Failure()).To(match.BeAnObject())
		observe.ExpectCallID(t, v)
		for _, e := range t.All(judge.EventText) {
			if e.Exchange() == v.Exchange() && e.Document().Event > v.Document().Event {
				t.Fail(e, "sent another event after one with an error", "the error to end the stream")
			}
		}
	})
}

// checkEndedTaskStreamCloses accepts an error, a final update and the end of the stream: after
// each of them the client has nothing to wait for.
func checkEndedTaskStreamCloses(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	x := s.Exchange
	if x.Ended == record.Timeout || x.Ended == record.OurClose && !s.Play.Has("final") {
		t.Fail(s.Head(), fmt.Sprintf("left the stream to a finished task open without a final update for %.1f s", (x.End-x.Start).Seconds()), "the client not to be left waiting")
	}
	if x.IsStream() && len(s.Events()) == 0 {
		t.Finding(s.Head(), "the server answers with a stream without any event")
	}
	t.Expect(s.Head()).To(match.Head("an answer", func(judge.Value) bool { return true }, func(judge.Value) string { return "" }))
}
