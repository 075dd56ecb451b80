package auth

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// requireTaskBeforePayment returns the last task that was seen before the payment. The check is
// undecided if the agent has done the work without one.
func requireTaskBeforePayment(t *judge.T, step string) judge.Value {
	s := t.Step(step)
	task := s.Reply().Result()
	pay := s.Play.Step("pay")
	for i := range s.Play.Steps {
		if o := &s.Play.Steps[i]; o.Op == "get" && o.Exchange != nil && pay != nil && (pay.Exchange == nil || o.Exchange.Before(pay.Exchange)) {
			if look := t.Step(s.Play.Scenario + "/" + o.Name); look.Accepted() {
				task = look.Result()
			}
		}
	}
	if observe.IsSuccess(t, task.Read("task.state")) {
		t.StopUndecided("the agent did what it was asked for without demanding a payment")
	}
	return task
}

// checkTaskWaitsForPayment accepts neither an error nor a page with HTTP 402 in place of a task.
func checkTaskWaitsForPayment(t *judge.T, p observe.OnStep) {
	task := requireTaskBeforePayment(t, p.Step)
	if !task.Exists() {
		waits := judge.Filter(t.Case.Dialect.States, func(s schema.State) bool { return s.Interrupted })
		waiting := judge.Map(waits, func(s schema.State) string { return s.Name })
		t.Expect(t.Step(p.Step).Reply()).To(match.Should("a task that waits for the payment in state "+strings.Join(waiting, " or ")+", and no error", func(v judge.Value) bool { return match.Present(v.Result()) }, match.Outcome))
	}
	t.Expect(task.Read("task.state")).To(match.Should("a state in which the task waits for the client", func(v judge.Value) bool { return observe.IsInterrupted(t, v) }, nil))
}

type describedParams struct {
	Step string   `json:"step" step:"{}"`
	At   []string `json:"at"` // the places in a task that may hold the demand
}

func checkPaymentDescribed(t *judge.T, p describedParams) {
	task := requireTaskBeforePayment(t, p.Step)
	observe.StopUndecidedIf(t, !observe.IsInterrupted(t, task.Read("task.state")), "no task waits for a payment")
	for _, at := range p.At {
		if m := task.At(at); m.IsObject() && len(m.Members()) > 0 {
			t.OK(m)
			return
		}
	}
	t.Fail(task, fmt.Sprintf("demands a payment without describing it at any of %v", p.At), "metadata that describe the payment")
}

// checkTaskSucceedsAfterPayment names the configured payment in its failures, since only the operator
// knows whether it is valid.
func checkTaskSucceedsAfterPayment(t *judge.T, p observe.OnStep) {
	paid := t.Step(p.Step)
	t.Expect(paid.Reply()).Because("the message carried the configured payment; if that was used before, configure another").To(match.BeAResult())
	last := paid.Result()
	for look := range observe.LookUpsAfter(t, paid) {
		last = look.Result()
	}
	t.Expect(last.Read("task.state")).Because("%s carried the configured payment; if that was used before, configure another", p.Step).
		To(match.Should("the task to go on and succeed after the payment", func(v judge.Value) bool { return observe.IsSuccess(t, v) }, nil))
}
