package limits

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// Large sends a message of a size that a server may meet on any day, and looks
// whether it still serves.
var Large = conversation.Scenario{Name: "large", Play: func(c *conversation.Conversation) {
	o := c.NewMessage("quick")
	o.Text = weighty
	sendHeavyThenLivenessCall(c, newHeavyMessage(c, "text", fmt.Sprintf("a text part of %d bytes", sizableText), o, weighty, filler{open: "Ave ", times: sizableText / 4}))
}}
