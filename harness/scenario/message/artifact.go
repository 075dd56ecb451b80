package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Artifact sends what makes the agent produce an artifact, and looks its task
// up. One that was sent together with another message will do.
var Artifact = conversation.Scenario{Name: "artifact", Play: func(c *conversation.Conversation) {
	o, sent, ok := c.ReuseOfferedStep("send", record.Main, conversation.ArtifactOffer)
	c.WithdrawOffer(conversation.ArtifactOffer) // another attempt needs a task of its own
	if !ok {
		o, sent, _ = c.BeginTask("send", "chunks")
	}
	task := conversation.TaskID(o, sent)
	c.PollBrieflyUntilAtRest("poll", task, sent.State)
	c.Call(conversation.Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
	if !ok {
		conversation.OfferToCrowd(c, "send", o, sent)
	}
	if sent.OK() && task != "" {
		c.OfferStepUnderPlaysName("send", o, sent)
	}
}}
