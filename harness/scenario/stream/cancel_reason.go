package stream

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// CancelReason cancels a streamed task and names a reason.
var CancelReason = conversation.Scenario{Name: "cancel-reason", Play: func(c *conversation.Conversation) {
	began, lasts := c.Client.Now(), c.WorkTime("slow")
	s, task, _ := conversation.OpenSlowStreamAndAwaitEvent(c, "subscribe")
	defer s.Wait()
	if task == "" {
		c.NotSent(conversation.Step{Name: "cancel", Op: "cancel"}, "subscribe", "no reply named a running task in time: make stimuli.slow take longer")
		return
	}
	c.Call(conversation.Step{Name: "cancel", Op: "cancel"}, dialect.Outgoing{Task: task, Reason: "The suite has seen enough."})
	c.NewAgentWork(began, lasts).MarkLateIfAfterWork("cancel")
}}
