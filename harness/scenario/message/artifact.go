package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// Artifact sends what makes the agent produce an artifact, and looks its task
// up.
var Artifact = conversation.Scenario{Name: "artifact", Play: func(c *conversation.Conversation) {
	o, sent, task := c.BeginTask("send", "chunks")
	c.PollBrieflyUntilAtRest("poll", task, sent.State)
	c.Call(conversation.Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
	conversation.OfferToCrowd(c, "send", o, sent)
	if sent.OK() && task != "" {
		c.OfferStepUnderPlaysName("send", o, sent)
	}
}}
