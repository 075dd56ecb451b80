package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// Artifact sends what makes the agent produce an artifact, and looks its task
// up.
var Artifact = conversation.Scenario{
	Name: "artifact", Doc: "a message that leads to an artifact, then a look at its task",
	Ops: []string{"send", "get"}, Needs: []string{"chunks"}, Sends: 1,
	Steps: map[string]string{
		"send":   "Calls {send} with the stimulus chunks, which leads to an artifact.",
		"poll-#": "Calls {get} for the task until it ends.",
		"get":    "Calls {get} for the task that has ended.",
	},
	Play: func(c *conversation.Conversation) {
		o := c.NewMessage("chunks")
		sent := c.Call(conversation.Step{Name: "send", Op: "send"}, o)
		task := conversation.TaskID(o, sent)
		c.PollSoon("poll", task, sent.State)
		c.Call(conversation.Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
		if sent.OK() && task != "" {
			c.Offer("send", o, sent)
		}
	},
}
