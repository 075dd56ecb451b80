package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

var OutputHint = trial{name: "output-hint", stimulus: "data", on: listOutputHint}.toScenario()

func listOutputHint(c *conversation.Conversation, o dialect.Outgoing) ([]dialect.Optional, []omitted) {
	return optionalMembers(c.Writer.Hints, o), nil
}
