package task

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// A messageToEndedTask is a message to a task that has ended, between looks at it.
type messageToEndedTask struct {
	Before string   `json:"before" step:"{}"`
	By     string   `json:"by" step:"{}"`
	After  []string `json:"after" step:"{}"`
}

func (m messageToEndedTask) stepNames() []string { return append([]string{m.Before, m.By}, m.After...) }

type unmovedParams struct {
	messageToEndedTask
	Also   []messageToEndedTask `json:"also"`   // considered if they were made
	Ignore []string             `json:"ignore"` // members of artifacts that may change from look to look
	// History compares the number of messages, too.
	History bool `json:"history"`
	Refused bool `json:"refused"` // the sentence is about a message that was refused
}

func checkEndedTaskUnchangedByMessage(t *judge.T, p unmovedParams) {
	moves := []messageToEndedTask{p.messageToEndedTask}
	for _, m := range p.Also {
		if !slices.ContainsFunc(m.stepNames(), func(s string) bool { _, made := t.Find(s); return !made }) {
			moves = append(moves, m)
		}
	}
	if p.Refused {
		moves = slices.DeleteFunc(moves, func(m messageToEndedTask) bool { return t.Step(m.By).Accepted() })
		observe.StopVacuousIf(t, len(moves) == 0, "every message was accepted")
	}
	judge.Each(t, moves, func(m messageToEndedTask) { p.checkTaskUnchangedByMessage(t, m) })
}

// checkTaskUnchangedByMessage accepts a refusal of the message, and the unchanged task as the answer.
func (p unmovedParams) checkTaskUnchangedByMessage(t *judge.T, m messageToEndedTask) {
	was := t.Step(m.Before).Result()
	state := was.Read("task.state")
	if !observe.IsTerminal(t, state) {
		t.StopUndecided("the task was in state %s, which is not terminal", state.Shown())
	}
	same := match.Should("the task to stay "+state.Shown(), state.Equal, nil)
	by := t.Step(m.By)
	if reply := by.Reply(); match.Present(reply.Result()) && reply.Result().Read("task.id").Is(by.Task) {
		t.Expect(reply.Result().Read("task.state")).ComparedWith(state).To(same)
	}
	judge.Each(t, t.Steps(m.After), func(s judge.Step) {
		now := s.Result()
		t.Expect(now.Read("task.state")).ComparedWith(state).To(same)
		expectArtifactsAndHistoryUnchanged(t, was, now, p.Ignore, p.History && was.Read("task.history").IsArray() && now.Read("task.history").IsArray())
	})
}

// haveAsManyMessages is satisfied by a history of as many messages as another.
func haveAsManyMessages(had judge.Value) match.Matcher {
	return match.Should(fmt.Sprintf("the history to stay as it was, with %d messages", len(had.Elems())),
		func(v judge.Value) bool { return len(v.Elems()) == len(had.Elems()) },
		func(v judge.Value) string { return fmt.Sprintf("returned %d messages", len(v.Elems())) })
}
