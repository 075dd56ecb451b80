package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// Artifact sends what makes the agent produce an artifact, and looks its task
// up.
var Artifact = conversation.Scenario{Name: "artifact", Play: playArtifact}

func playArtifact(c *conversation.Conversation) {
	o := c.NewMessage("chunks")
	sent, task := c.SendMessage("send", o)
	c.PollSoon("poll", task, sent.State)
	c.GetTask("get", task)
	if sent.OK() && task != "" {
		c.Offer("send", o, sent)
	}
}
