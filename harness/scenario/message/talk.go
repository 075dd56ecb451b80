package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Talk sends what an agent answers without making a task of it, and has it
// streamed too. If no such message is known, the harmless one may have shown to
// be one.
var Talk = conversation.Scenario{Name: "talk", Play: func(c *conversation.Conversation) {
	stimulus := "message"
	if _, ok := c.Stimulus(stimulus); ok {
		o := c.NewMessage(stimulus)
		o.Hurried = true // which changes nothing of a message
		defer c.Start(conversation.Step{Name: "send", Op: "send"}, o).Wait()
	} else if _, _, ok = c.ReuseOfferedStep("send", record.Main, answeredAlone); !ok {
		conversation.StopForMissingStimulus(c, stimulus)
		return
	} else {
		stimulus = "quick"
	}
	if c.CanStream() && conversation.NeedsStep(c, "subscribe") {
		c.Call(conversation.Step{Name: "subscribe", Op: "stream", Closes: true}, conversation.NewUnsubstitutedMessage(c, stimulus))
	}
}}
