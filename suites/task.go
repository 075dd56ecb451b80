package suites

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

var taskChecks = []judge.Check{
	judge.Define("task/own-id", "a reply about a task bears the id the client chose", ownID),
	judge.Define("task/same-id", "a look-up returns the task that was asked for", sameID),
	judge.Define("task/is-a-task", "the result of a step is a task", isATask),
	judge.Define("task/found", "a task that was made can be looked up", taskFound),
	judge.Define("task/same-state", "a look-up reports the terminal state that the call ended with", sameState),
}

// ownID: where the client chooses the id of a task, the server keeps it.
func ownID(t *judge.T, p onSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		t.Expect(s.Result().Read("task.id")).To(BeText(s.Task))
	})
}

type pairParams struct {
	Step string `json:"step"`
	Then string `json:"then"`
}

func (p pairParams) StepNames() []string { return []string{p.Step, p.Then} }

// sameID: the look-up asked for the id that the first reply named.
func sameID(t *judge.T, p pairParams) {
	made := t.Step(p.Step).Result().Read("task.id")
	t.Expect(t.Step(p.Then).Result().Read("task.id")).To(matcher{"the id that was asked for, " + made.Shown(), made.Equal, nil})
}

func isATask(t *judge.T, p onSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		reply := s.Reply()
		t.Expect(reply).To(BeAResult())
		result := reply.At("/result")
		t.Expect(result).To(BeAnObject())
		t.Expect(result.Read("task.id")).To(BeAString())
		if _, has := t.Case.Dialect.Pointer(s.Op, "task.status"); has {
			t.Expect(result.Read("task.status")).To(BeAnObject())
		}
	})
}

func taskFound(t *judge.T, p pairParams) {
	t.Step(p.Step).Result()
	t.Expect(t.Step(p.Then).Reply()).To(BeAResult())
}

// sameState: only a terminal state is for ever; a task still at work may have
// moved on.
func sameState(t *judge.T, p pairParams) {
	first := t.Step(p.Step).Result().Read("task.state")
	state := t.Case.Dialect.State(first.Text())
	if state == nil || !state.Terminal {
		t.Inconclusive("", "the call ended in state %s, which is not terminal", first.Shown())
	}
	t.Expect(t.Step(p.Then).Result().Read("task.state")).To(matcher{fmt.Sprintf("the state %s that the call ended with", first.Shown()), first.Equal, nil})
}
