package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

var KitchenSink = trial{name: "kitchen-sink", stimulus: "quick", bare: true, on: listKitchenSink}.toScenario()

func listKitchenSink(c *conversation.Conversation, o dialect.Outgoing) ([]dialect.Optional, []omitted) {
	o.Modes = firstOutputMode(c)
	return optionalMembers(c.Writer.Kitchen, o), nil
}
