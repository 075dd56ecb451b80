package stream

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// Chunks streams an artifact that comes in pieces and looks the task up.
var Chunks = conversation.Scenario{Name: "chunks", Play: func(c *conversation.Conversation) {
	o := c.NewMessage("chunks")
	s := c.Call(conversation.Step{Name: "subscribe", Op: "stream"}, o)
	c.Call(conversation.Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: conversation.TaskID(o, s)})
}}
