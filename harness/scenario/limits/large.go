package limits

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Large sends a message of a size that a server may meet on any day, and looks
// whether it still serves.
var Large = conversation.Scenario{
	Name: "large", Doc: "a text of 1 MB",
	Class: conversation.Exclusive, Risk: schema.Heavy, Ops: []string{"send", "get"}, Sends: 2,
	Steps: map[string]string{
		"text":       "Calls {send} with a text of 1 MB.",
		"text-alive": "Makes a small call after the large message, to see whether the server still answers.",
	},
	Play: func(c *conversation.Conversation) {
		play := heavyPlay{c}
		o := c.NewMessage("quick")
		o.Text = weighty
		play.sendParcel(play.newParcel("text", fmt.Sprintf("a text part of %d bytes", sizableText), o, weighty, filler{open: "Ave ", times: sizableText / 4}))
	},
}
