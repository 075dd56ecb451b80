package limits

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// Heavy sends a very large message and a very deep one, and looks after each
// whether the server still serves.
var Heavy = conversation.Scenario{Name: "heavy", Prepare: prepareHeavy, Play: playHeavy}

func prepareHeavy(c *conversation.Conversation) { c.Prepared = heavyPlay{c}.newLargeMessage() }

func playHeavy(c *conversation.Conversation) {
	play := heavyPlay{c}
	large, _ := c.Prepared.(*heavyMessage)
	if large == nil {
		large = play.newLargeMessage()
	}
	c.Prepared = nil
	play.sendParcel(large)
	if c.Writer.DataPart == nil {
		c.NotSent(conversation.Step{Name: "deep", Op: "send"}, "", "messages of this protocol have no part for data")
		return
	}
	o := c.NewMessage("quick")
	o.Parts = []map[string]any{c.Writer.DataPart(weighty)}
	play.sendParcel(play.newParcel("deep", fmt.Sprintf("a data part of %d nested arrays", deepData), o, `"`+weighty+`"`, filler{open: "[", close: "]", times: deepData}))
}

const (
	largeText = 10 << 20 // bytes of text in one part
	deepData  = 20_000   // arrays, one inside the other
)

// newLargeMessage is the message with a very large text.
func (c heavyPlay) newLargeMessage() *heavyMessage {
	o := c.NewMessage("quick")
	o.Text = weighty
	return c.newParcel("large", fmt.Sprintf("a text part of %d bytes", largeText), o, weighty, filler{open: "Ave. ", times: largeText / 5})
}
