package limits

import (
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// Long sends the message that an agent works on longer than any call may take,
// once in a call and once in a stream, and lets the server end both.
var Long = conversation.Scenario{Name: "long", Play: func(c *conversation.Conversation) {
	patience := c.WorkTime("long") + 30*time.Second
	call := c.Start(conversation.Step{Name: "call", Op: "send", Timeout: patience}, c.NewMessage("long"))
	if c.Claimed("streaming") {
		c.Call(conversation.Step{Name: "stream", Op: "stream", Timeout: patience, Quiet: patience}, c.NewMessage("long"))
	} else {
		c.NotSent(conversation.Step{Name: "stream", Op: "stream"}, "", "the card does not declare streaming")
	}
	call.Wait()
}}
