package stream

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// Followers streams the message that takes time and subscribes to its task alongside the
// stream, which continues. A third stream is dropped after its first event.
var Followers = conversation.Scenario{Name: "followers", Play: func(c *conversation.Conversation) {
	began, lasts := c.Client.Now(), c.WorkTime("slow")
	s, task, working := conversation.OpenSlowStreamAndAwaitEvent(c, "subscribe")
	defer s.Wait()
	if s.Over() {
		c.NotSent(conversation.Step{Name: "joined", Op: "resubscribe"}, "subscribe", "the stream had ended before another could be opened: make stimuli.slow take longer")
		c.NewAgentWork(began, lasts).MarkLateIfAfterWork("joined")
		c.NotSent(conversation.Step{Name: "dropped", Op: "resubscribe"}, "subscribe", "the stream had ended before another could be opened: make stimuli.slow take longer")
		c.Call(conversation.Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: s.Wait().Task})
		return
	}
	if task == "" {
		s.StopPlayLackingTaskID(working-began >= lasts, "joined", "resubscribe")
		return
	}
	joined := c.Subscribe("joined", task, false)
	c.Call(conversation.Step{Name: "dropped", Op: "resubscribe", Until: conversation.UntilFirstEvent, Fresh: true, Quiet: c.PatienceForSlowMessage()}, dialect.Outgoing{Task: task})
	joined.Wait()
	s.Wait()
	c.NewAgentWork(began, lasts).MarkLateIfNearWorkEnd("joined")
	c.NewAgentWork(began, lasts).MarkLateIfNearWorkEnd("dropped")
	c.Call(conversation.Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
}}
