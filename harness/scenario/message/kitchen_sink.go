package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

var KitchenSink = trial{name: "kitchen-sink", doc: "one message with every optional member", stimulus: "quick", bare: true,
	steps: map[string]string{
		"all":   "Calls {send} with the stimulus quick and every optional member at once.",
		"plain": "Calls {send} with the stimulus quick and no optional member.",
		"*":     "Calls {send} with the stimulus quick and this optional member alone.",
	},
	on: func(c *conversation.Conversation, o dialect.Outgoing) ([]dialect.Optional, []omitted) {
		o.Modes = firstOutputMode(c)
		return optionalMembers(c.Writer.Kitchen, o), nil
	}}.toScenario()
