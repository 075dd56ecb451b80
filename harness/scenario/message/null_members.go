package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

var NullMembers = trial{name: "null-members", stimulus: "quick", bare: true, on: listNullMembers}.toScenario()

func listNullMembers(c *conversation.Conversation, o dialect.Outgoing) ([]dialect.Optional, []omitted) {
	return optionalMembers(c.Writer.Nulls, o), nil
}
