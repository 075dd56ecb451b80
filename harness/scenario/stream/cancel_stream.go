package stream

import (
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// CancelStream cancels a task on a second connection while it is streamed.
var CancelStream = conversation.Scenario{Name: "cancel-stream", Play: func(c *conversation.Conversation) {
	began, lasts := c.Client.Now(), c.WorkTime("slow")
	s, task, working := conversation.OpenSlowStreamAndAwaitEvent(c, "subscribe")
	defer s.Wait()
	if s.Ended(time.Millisecond) {
		c.EndPlayWithUnsentStep(conversation.Step{Name: "cancel", Op: "cancel"}, "subscribe", "the stream had ended before the task could be canceled: make stimuli.slow take longer")
		c.NewAgentWork(began, lasts).MarkLateIfAfterWork("cancel")
		return
	}
	if task == "" {
		s.StopPlayLackingTaskID(working-began >= lasts, "cancel", "cancel")
		return
	}
	canceled := c.Call(conversation.Step{Name: "cancel", Op: "cancel"}, dialect.Outgoing{Task: task})
	if !c.ConfirmsCancel(canceled) {
		c.NewAgentWork(began, lasts).MarkLateIfAfterWork("cancel")
	}
	look := c.Call(conversation.Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
	if c.ConfirmsCancel(canceled) {
		c.PollBrieflyUntilAtRest("after", task, look.State)
		c.Pause(working + lasts + lasts/8 - c.Client.Now())
		c.Call(conversation.Step{Name: "later", Op: "get"}, dialect.Outgoing{Task: task})
	}
}}
