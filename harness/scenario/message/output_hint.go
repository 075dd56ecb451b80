package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

var OutputHint = trial{name: "output-hint", doc: "a message with a hint about the wanted output", stimulus: "data", needs: []string{"data"},
	steps: map[string]string{
		"all":   "Calls {send} with the stimulus data and every hint about the wanted output.",
		"plain": "Calls {send} with the stimulus data and no hint.",
		"*":     "Calls {send} with the stimulus data and this hint alone.",
	},
	on: func(c *conversation.Conversation, o dialect.Outgoing) ([]dialect.Optional, []omitted) {
		return optionalMembers(c.Writer.Hints, o), nil
	}}.toScenario()
