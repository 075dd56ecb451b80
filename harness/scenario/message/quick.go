// Package message has the scenarios about what a message contains and how it is answered.
package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// Quick sends the harmless message that any agent answers soon, and looks the
// task up. If a message answers it, there is nothing to look up: then another
// message is tried, which from then on is the harmless one.
var Quick = conversation.Scenario{Name: "quick", Play: func(c *conversation.Conversation) {
	o, sent := conversation.SendFirstMessageOrReuse(c)
	said, reply, greeting := o, sent, "send"
	if other := chooseTaskStimulusName(c); other != "" && c.IsMessageReply(sent) {
		at := len(c.Play.Steps) - 1
		again := c.NewMessage(other)
		r := c.Call(conversation.Step{Name: "task", Op: "send"}, again)
		if conversation.TaskID(again, r) != "" && !c.IsMessageReply(r) {
			greeting = "greeting"
			c.Play.Steps[at].Name, c.Play.Steps[len(c.Play.Steps)-1].Name = greeting, "send"
			c.ReplaceQuickStimulus(other)
			o, sent = again, r
		}
	}
	if c.IsMessageReply(reply) {
		c.OfferStepUnderName(answeredAlone, greeting, said, reply)
	}
	task := conversation.TaskID(o, sent)
	if task == "" {
		c.NotSent(conversation.Step{Name: "get", Op: "get"}, "send", "the reply to send named no task")
		return
	}
	c.Call(conversation.Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
	if sent.OK() {
		c.OfferStepUnderPlaysName("send", o, sent)
	}
}}

// chooseTaskStimulusName is a message that may make a task if the harmless one does not: one
// of the operator's that ends in success or, if he did not choose the harmless
// one, another of ours.
func chooseTaskStimulusName(c *conversation.Conversation) string {
	for _, name := range []string{"chunks", conversation.TaskStimulus, "slow"} {
		if _, ok := c.Stimulus(name); ok && c.Dialect.Sorted() {
			return name
		}
	}
	return ""
}

// answeredAlone is the name under which the harmless message is offered if it is
// answered by a message.
const answeredAlone = "answered by a message"
