package task

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type cancelParams struct {
	observe.OwnRules
	Stream string   `json:"stream" step:"{}"` // the step that runs the task
	Cancel string   `json:"cancel" step:"{}"`
	Unless []string `json:"unless" names:"error"` // errors that say that the server cannot cancel at all
	Answer string   `json:"answer"`               // the kind of an update that answers the call
}

// stopIfEndedBeforeCancel ends the check undecided if the stream showed the end of its task
// before the cancellation was answered: then there was nothing to cancel.
func (p cancelParams) stopIfEndedBeforeCancel(t *judge.T, c judge.Step) {
	s := t.Step(p.Stream)
	for _, u := range observe.Updates(t, s) {
		ended := observe.IsFinal(u) || observe.IsTerminal(t, u.Read("task.state"))
		if ended && s.Exchange.Events()[u.Document().Event-1].At < c.Exchange.End {
			t.TooQuick("slow", "the task had ended when the cancellation was answered: make stimuli.slow take longer")
		}
	}
}

func checkCancelAnsweredTrue(t *judge.T, p cancelParams) {
	p.FailIfBroken(t)
	c := t.Step(p.Cancel)
	observe.StopVacuousIfRefusedWith(t, c.Reply(), p.Unless)
	if !c.Reply().Result().Read("task.canceled").True() {
		p.stopIfEndedBeforeCancel(t, c)
	}
	t.Expect(c.Reply()).To(match.BeAResult())
	t.Expect(c.Reply().Result().Read("task.canceled")).To(match.Should("true, since the task was running", judge.Value.True, nil))
}

// requireConfirmedCancel ends the check undecided unless the cancellation was confirmed.
func (p cancelParams) requireConfirmedCancel(t *judge.T) judge.Step {
	c := t.Step(p.Cancel)
	observe.StopVacuousIfRefusedWith(t, c.Reply(), p.Unless)
	if !c.Result().Read("task.canceled").True() {
		t.StopUndecided("the cancellation was not confirmed: %s", c.Outcome())
	}
	return c
}

// beCanceled is satisfied by the state of a canceled task.
func beCanceled(t *judge.T, want string) match.Matcher {
	return match.Should(want, func(v judge.Value) bool { return observe.IsCanceled(t, v) }, nil)
}

// checkTaskEndsCanceled expects the task to be found right after the cancellation. Another
// requirement covers for how long it is kept.
func checkTaskEndsCanceled(t *judge.T, p cancelParams) {
	c := p.requireConfirmedCancel(t)
	var last judge.Value
	for look := range observe.LookUpsAfter(t, c) {
		switch {
		case !observe.IsTaskUnknown(t, look):
			last = look.Result().Read("task.state")
		case last.Document() == nil:
			t.Fail(look.Reply(), match.Outcome(look.Reply())+", having confirmed the cancellation just before", "the task, in the state that stands for its cancellation")
		}
	}
	observe.StopUndecidedIf(t, last.Document() == nil, "the task was not looked up after the cancellation")
	t.Expect(last).To(beCanceled(t, "a state that says that the task was canceled, as was confirmed"))
}

func checkCanceledStreamEndsUnanswered(t *judge.T, p cancelParams) {
	p.requireConfirmedCancel(t)
	s := t.Step(p.Stream)
	for _, u := range observe.Updates(t, s) {
		if u.Sort() == p.Answer {
			t.Fail(u, "sent an answer of a task whose cancellation it had confirmed: "+u.Shown(), "the stream to end without one")
		}
	}
	if s.Exchange.Ended == record.OurClose {
		t.Fail(s.Head(), "kept the stream open after it had confirmed the cancellation", "it to be closed")
	}
	t.OK(s.Head())
}

// checkStreamReportsCancel also accepts an error, in JSON-RPC or in an update of the kind error,
// since it means that no answer follows. Other requirements cover work that continued.
func checkStreamReportsCancel(t *judge.T, p cancelParams) {
	c := t.Step(p.Cancel)
	observe.StopVacuousIfRefusedWith(t, c.Reply(), p.Unless)
	if r := c.Result(); !r.Read("task.canceled").True() && !observe.IsCanceled(t, r.Read("task.state")) {
		t.StopUndecided("the cancellation was not confirmed: %s", c.Outcome())
	}
	s := t.Step(p.Stream)
	events := observe.RequireStream(t, s)
	for _, u := range observe.Updates(t, s) {
		if observe.IsCanceled(t, u.Read("task.state")) || u.Sort() == "error" {
			t.OK(u)
			return
		}
	}
	if observe.EndedByError(events) {
		t.OK(events[len(events)-1])
		return
	}
	for _, u := range observe.Updates(t, s) {
		if observe.IsFinal(u) || observe.IsTerminal(t, u.Read("task.state")) {
			t.StopUndecided("the stream of %s ended in another state: %s", p.Stream, u.Shown())
		}
	}
	if s.Exchange.Ended != record.EOF {
		t.StopUndecided("the stream of %s did not end%s", p.Stream, observe.DescribeBreak(s))
	}
	t.Fail(events[len(events)-1], fmt.Sprintf("ended the stream of a task whose cancellation it had confirmed after %d events, none of which says so", len(events)),
		"an update with the state canceled")
}
