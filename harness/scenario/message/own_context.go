package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// OwnContext sends a message in a context that we made up, and looks at its task. The
// reply is to have no history, which even an agent that never asks can show.
var OwnContext = conversation.Scenario{Name: "own-context", Play: func(c *conversation.Conversation) {
	o, sent, ok := c.ReuseOfferedStep("send", record.Main, conversation.PackedFor(c.Play.Scenario))
	if !ok {
		none := 0
		o = c.NewMessage("quick")
		o.Context, o.HistoryLength = c.NewID(), &none
		sent = c.Call(conversation.Step{Name: "send", Op: "send"}, o)
	}
	if task := conversation.TaskID(o, sent); task != "" {
		c.Call(conversation.Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
	}
}}
