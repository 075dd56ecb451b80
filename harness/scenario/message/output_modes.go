package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// OutputModes accepts the first of the types that the agent, by its card,
// answers in, and no other.
var OutputModes = conversation.Scenario{Name: "output-modes", Play: func(c *conversation.Conversation) {
	modes := firstOutputMode(c)
	if len(modes) == 0 {
		c.Play.Stop = "the card lists no output modes"
		return
	}
	if _, _, ok := c.ReuseOfferedStep("send", record.Main, "kitchen-sink/acceptedOutputModes"); ok {
		return
	}
	o := c.NewMessage("quick")
	o.Modes = modes
	c.Call(conversation.Step{Name: "send", Op: "send"}, o)
}}

// firstOutputMode is the first of the types in which the agent answers by its card, alone.
func firstOutputMode(c *conversation.Conversation) []string {
	modes := c.Card.OutputModes()
	return modes[:min(1, len(modes))]
}
