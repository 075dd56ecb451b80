package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// Waiting sends the message that takes time by a call that does not say whether it is
// to wait for the end.
var Waiting = conversation.Scenario{
	Name: "waiting", Doc: "a message that takes time, by a call that does not say whether to wait",
	Ops: []string{"send"}, Needs: []string{"slow"}, Sends: 1,
	Steps: map[string]string{
		"send": "Calls {send} with the stimulus slow and no member that states whether to wait for the end.",
	},
	Play: func(c *conversation.Conversation) {
		o := c.NewMessage("slow")
		o.Blocking = nil
		c.Call(conversation.Step{Name: "send", Op: "send"}, o)
	},
}
