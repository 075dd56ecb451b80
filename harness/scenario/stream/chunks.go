package stream

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// Chunks streams an artifact that comes in pieces and looks the task up.
var Chunks = conversation.Scenario{
	Name: "chunks", Doc: "an artifact streamed in pieces, then a look-up of its task", Burst: 2,
	Ops: []string{"stream", "get"}, Needs: []string{"chunks"}, Claims: []string{"streaming"}, Sends: 1,
	Steps: map[string]string{
		"subscribe": "Calls {stream} with the stimulus chunks and reads the artifact in pieces.",
		"get":       "Calls {get} for the task of the stream.",
	},
	Play: func(c *conversation.Conversation) {
		o := c.NewMessage("chunks")
		s := c.Call(conversation.Step{Name: "subscribe", Op: "stream"}, o)
		c.Call(conversation.Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: conversation.TaskID(o, s)})
	},
}
