package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

var NullMembers = trial{name: "null-members", doc: "one message with every optional member given as null", stimulus: "quick", bare: true,
	steps: map[string]string{
		"all":   "Calls {send} with every optional member given as null.",
		"plain": "Calls {send} with the stimulus quick and no optional member.",
		"*":     "Calls {send} with this optional member alone given as null.",
	},
	on: func(c *conversation.Conversation, o dialect.Outgoing) ([]dialect.Optional, []omitted) {
		return optionalMembers(c.Writer.Nulls, o), nil
	}}.toScenario()
