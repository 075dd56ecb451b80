package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// Waiting sends the message that takes time by a call that does not say whether it is
// to wait for the end.
var Waiting = conversation.Scenario{Name: "waiting", Play: func(c *conversation.Conversation) {
	o := c.NewMessage("slow")
	o.Blocking = nil
	c.Call(conversation.Step{Name: "send", Op: "send"}, o)
}}
