package task

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// Turns sends three messages in one context, one after the other.
var Turns = conversation.Scenario{Name: "turns", Play: func(c *conversation.Conversation) {
	context := c.NewContext()
	for _, name := range []string{"first", "second", "third"} {
		o := c.NewMessage("quick")
		o.Context = context
		if r := c.Call(conversation.Step{Name: name, Op: "send"}, o); context == "" {
			context = r.Ctx
		}
	}
}}
