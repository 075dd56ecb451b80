package stream

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// Followers streams the message that takes time and subscribes to its task alongside the
// stream, which continues. A third stream is dropped after its first event.
var Followers = conversation.Scenario{
	Name: "followers", Doc: "a streamed task with a second subscription to it, and a third that is dropped", Burst: 4, Wide: 3,
	Ops: []string{"stream", "resubscribe", "get"}, Needs: []string{"slow"}, Claims: []string{"streaming"}, Sends: 1,
	Steps: map[string]string{
		"subscribe": "Calls {stream} with the stimulus slow and keeps reading the stream.",
		"joined":    "Calls {resubscribe} for the streamed task on another connection.",
		"dropped":   "Calls {resubscribe} for the streamed task and closes the connection after the first event.",
		"get":       "Calls {get} for the task when its streams have ended.",
	},
	Play: func(c *conversation.Conversation) {
		began, lasts := c.Client.Now(), c.WorkTime("slow")
		s, task, working := conversation.OpenSlowStream(c, "subscribe")
		defer s.Wait()
		if s.Over() {
			c.NotSent(conversation.Step{Name: "joined", Op: "resubscribe"}, "subscribe", "the stream had ended before another could be opened: make stimuli.slow take longer")
			c.WorkSince(began, lasts).MarkLate("joined")
			c.NotSent(conversation.Step{Name: "dropped", Op: "resubscribe"}, "subscribe", "the stream had ended before another could be opened: make stimuli.slow take longer")
			c.Call(conversation.Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: s.Wait().Task})
			return
		}
		if task == "" {
			s.EndUnnamedStream(working-began >= lasts, "joined", "resubscribe")
			return
		}
		joined := c.Subscribe("joined", task, false)
		c.Call(conversation.Step{Name: "dropped", Op: "resubscribe", Until: conversation.UntilFirstEvent, Fresh: true, Quiet: c.Patience()}, dialect.Outgoing{Task: task})
		joined.Wait()
		s.Wait()
		c.WorkSince(began, lasts).MarkTooLate("joined")
		c.WorkSince(began, lasts).MarkTooLate("dropped")
		c.Call(conversation.Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
	},
}
