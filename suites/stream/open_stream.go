package stream

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type staysOpenParams struct {
	Step  string `json:"step" step:"{}"`
	Until string `json:"until" step:"{}"` // the message for which the task waits
}

// checkWaitingStreamNotBroken has a finding only if the server ends the stream in order, since
// the sources differ on whether it may. Other requirements cover what comes after the message,
// and a refused subscription.
func checkWaitingStreamNotBroken(t *judge.T, p staysOpenParams) {
	s, until := t.Step(p.Step), t.Step(p.Until)
	events := observe.RequireStream(t, s)
	if !observe.IsInterrupted(t, events[0].Result().Read("task.state")) {
		t.StopUndecided("the stream of %s does not begin with a task that waits", p.Step)
	}
	for _, e := range events {
		if at := s.Exchange.Events()[e.Document().Event-1].At; at <= until.Exchange.Start && observe.EndedByError([]judge.Value{e}) {
			t.Fail(e, "broke the stream of a waiting task off with an error", "it to stay open, or to be ended in order")
		}
	}
	last := events[len(events)-1]
	if s.Exchange.Ended == record.EOF && s.Exchange.End <= until.Exchange.Start {
		t.Finding(last, "the server ended the stream while its task waited")
	}
	t.OK(last)
}

type flowsParams struct {
	Step   string `json:"step" step:"{}"`
	Cancel string `json:"cancel" step:"{}"` // of its task, on the way
}

// checkUpdatesFollowFirstEvent leaves the effect of the cancellation on the stream to other requirements.
func checkUpdatesFollowFirstEvent(t *judge.T, p flowsParams) {
	s := t.Step(p.Step)
	events := observe.RequireStream(t, s)
	observe.StopUndecidedIf(t, observe.EndedByError(events), "the stream of %s ended with an error", p.Step)
	updates := observe.Updates(t, s)
	if slices.ContainsFunc(updates, observe.IsMessage) {
		t.StopUndecided("the stream of %s only had to send a message", p.Step)
	}
	if len(updates) > 1 || len(updates) == 1 && observe.IsTerminalOrInterrupted(t, updates[0].Read("task.state")) {
		t.OK(events[len(events)-1])
		return
	}
	if cancel, made := t.Find(p.Cancel); made && s.Exchange.End > cancel.Exchange.Start {
		t.StopUndecided("the task of %s was canceled before the stream could tell more", p.Step)
	}
	observe.StopUndecidedIf(t, s.Exchange.Ended != record.EOF, "the server did not end the stream of %s", p.Step)
	t.Fail(events[len(events)-1], "ended the stream after its first event", "the later updates of the task, as without the wish for a reply at once")
}
