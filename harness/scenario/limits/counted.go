package limits

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Counted makes cheap calls one after the other while no one else calls, so
// that the server's count of what remains can be followed.
var Counted = conversation.Scenario{Name: "counted", Play: func(c *conversation.Conversation) {
	c.Client.Pace().AwaitRoom(c.Context, countedCalls)
	for i := range countedCalls {
		c.Call(conversation.Step{Name: fmt.Sprintf("call-%d", i+1), Role: record.Probe, Op: "get"}, dialect.Outgoing{Task: c.NewID()})
	}
}}

const countedCalls = 5
