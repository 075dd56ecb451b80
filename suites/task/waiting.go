package task

import (
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type waitsParams struct {
	observe.OnSteps
	Asks bool `json:"asks"` // the message makes the agent ask, so that the reply cannot be long in coming
}

// checkReplyWaitsForEnd accepts any state in which the work has ended, since a server may give up
// work that takes very long.
func checkReplyWaitsForEnd(t *judge.T, p waitsParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		observe.StopIfFailedInside(t, s)
		if p.Asks {
			t.Expect(s.Reply()).To(match.BeAReply(t))
		}
		result := s.Result()
		if observe.IsMessage(result) {
			t.OK(result)
			return
		}
		state := result.Read("task.state")
		if t.Case.Dialect.State(state.Text()) == nil {
			t.StopUndecided("the call %s/%s shows no known state", s.Play.Scenario, s.Name)
		}
		t.Expect(state).To(match.Should("a task that has ended or waits for the client, since the call did not ask for a reply at once",
			func(v judge.Value) bool { return observe.IsTerminalOrInterrupted(t, v) }, func(v judge.Value) string { return "returned the task in state " + v.Shown() }))
		if known := t.Case.Dialect.State(state.Text()); p.Asks && known != nil && !known.Interrupted {
			t.StopUndecided("the agent did not ask: the task is in state %s", state.Shown())
		}
	})
}

// checkReplyShowsLatestTask leaves a reply that came too early to another requirement.
func checkReplyShowsLatestTask(t *judge.T, p lookUpParams) {
	sent, look := t.Step(p.Step).Result(), t.Step(p.Then).Result()
	observe.StopVacuousIf(t, observe.IsMessage(sent), "the call was answered with a message")
	if !observe.IsTerminalOrInterrupted(t, sent.Read("task.state")) {
		t.StopUndecided("the reply came before the task had ended")
	}
	state := look.Read("task.state")
	t.Expect(sent.Read("task.state")).ComparedWith(state).To(match.Should("the state that a look-up showed right after it, "+state.Shown(), state.Equal, nil))
	expectTaskHasArtifactsOf(t, sent, look, p.Ignore, "returned", "as a look-up showed it right after it")
}

// checkServerMadeDistinctTaskIDs needs the calls that the catalogue names, and also reads every other call of
// the run that begins a task, in any binding.
func checkServerMadeDistinctTaskIDs(t *judge.T, p observe.OnSteps) {
	checkServerMadeTaskID(t, p)
	expectDistinctTasks(t, append(t.Steps(p.Steps), observe.CallsWithoutTaskOrContext(t)...))
}
