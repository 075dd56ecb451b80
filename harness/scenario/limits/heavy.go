package limits

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// Heavy sends a very large message and a very deep one, and looks after each
// whether the server still serves.
var Heavy = conversation.Scenario{
	Name:    "heavy",
	Prepare: func(c *conversation.Conversation) { c.Prepared = newLargeTextMessage(c) },
	Play: func(c *conversation.Conversation) {
		large, _ := c.Prepared.(*heavyMessage)
		if large == nil {
			large = newLargeTextMessage(c)
		}
		c.Prepared = nil
		sendHeavyThenLivenessCall(c, large)
		if c.Writer.DataPart == nil {
			c.NotSent(conversation.Step{Name: "deep", Op: "send"}, "", "messages of this protocol have no part for data")
			return
		}
		o := c.NewMessage("quick")
		o.Parts = []map[string]any{c.Writer.DataPart(weighty)}
		what := fmt.Sprintf("a data part of %d nested arrays", deepData)
		sendHeavyThenLivenessCall(c, newHeavyMessage(c, "deep", what, o, `"`+weighty+`"`, filler{open: "[", close: "]", times: deepData}))
	},
}

const (
	largeText = 10 << 20 // bytes of text in one part
	deepData  = 20_000   // arrays, one inside the other
)

// newLargeTextMessage is the message with a very large text.
func newLargeTextMessage(c *conversation.Conversation) *heavyMessage {
	o := c.NewMessage("quick")
	o.Text = weighty
	return newHeavyMessage(c, "large", fmt.Sprintf("a text part of %d bytes", largeText), o, weighty, filler{open: "Ave. ", times: largeText / 5})
}
