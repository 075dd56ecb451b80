package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Unknown asks about tasks that never were.
var Unknown = conversation.Scenario{Name: "unknown", Play: func(c *conversation.Conversation) {
	for _, op := range []string{"get", "cancel"} {
		id := c.NewID()
		c.Call(conversation.Step{Name: op, Role: record.Probe, Op: op, Task: id}, dialect.Outgoing{Task: id})
	}
}}
