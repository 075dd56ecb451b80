package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

var KitchenSink = trial{name: "kitchen-sink", doc: "one message with every optional member", stimulus: "quick", bare: true,
	on: func(c *conversation.Conversation, o dialect.Outgoing) ([]dialect.Optional, []omitted) {
		o.Modes = firstOutputMode(c)
		return optionalMembers(c.Writer.Kitchen, o), nil
	}}.toScenario()
