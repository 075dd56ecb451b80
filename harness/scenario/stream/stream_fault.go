package stream

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// StreamFault sends the message that makes the agent's stream break off.
var StreamFault = conversation.Scenario{Name: "stream-fault", Play: func(c *conversation.Conversation) {
	c.Call(conversation.Step{Name: "subscribe", Op: "stream"}, c.NewMessage("crash"))
}}
