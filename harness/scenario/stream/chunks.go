package stream

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Chunks streams an artifact that comes in pieces and looks the task up. One that was streamed together with another will do.
var Chunks = conversation.Scenario{Name: "chunks", Play: func(c *conversation.Conversation) {
	o, s, ok := c.ReuseOfferedStep("subscribe", record.Main, "two-streams/a")
	if !ok {
		o = c.NewMessage("chunks")
		s = c.Call(conversation.Step{Name: "subscribe", Op: "stream"}, o)
	}
	c.Call(conversation.Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: conversation.TaskID(o, s)})
}}
