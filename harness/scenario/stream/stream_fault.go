package stream

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// StreamFault sends the message that makes the agent's stream break off.
var StreamFault = conversation.Scenario{
	Name: "stream-fault", Doc: "a message whose stream ends with a fatal error",
	Ops: []string{"stream"}, Needs: []string{"crash"}, Claims: []string{"streaming"}, Sends: 1,
	Steps: map[string]string{
		"subscribe": "Calls {stream} with the stimulus crash and reads the stream.",
	},
	Play: func(c *conversation.Conversation) {
		c.Call(conversation.Step{Name: "subscribe", Op: "stream"}, c.NewMessage("crash"))
	},
}
