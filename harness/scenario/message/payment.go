package message

import (
	"cmp"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Payment sends what the agent wants to be paid for and, if the operator
// gives a payment, pays and follows the task. No money is moved by us: a payment
// is what the operator has prepared.
var Payment = conversation.Scenario{Name: "payment", Play: func(c *conversation.Conversation) {
	o, sent, task := c.BeginTask("demand", "pay")
	asked := c.PollUntil("poll", task, sent, conversation.ShortPollPause, c.Window("soon", 5*time.Second), c.IsAtRest)
	pay := conversation.Step{Name: "pay", Op: "send"}
	switch {
	case c.Stimuli["pay"].Payment == nil:
		c.EndPlayWithUnsentStep(pay, "", "your configuration has no payment: stimuli: {pay: {text: …, payment: {…}}}")
		c.Play.Lacks = "pay"
		return
	case !c.AwaitsClient(asked.State):
		c.EndPlayWithUnsentStep(pay, "demand", "the agent did not wait for a payment")
		return
	}
	next := conversation.NewFollowUpMessage("The payment.", o, sent)
	next.Task = cmp.Or(next.Task, task)
	if a := c.Stimuli["pay"].Answer; a != "" {
		next.Text = a
	}
	next.MessageMetadata = c.Stimuli["pay"].Payment
	paid := c.Call(pay, next)
	c.PollUntilOtherStatusAtRest("after", task, asked.TaskStatus, paid)
	c.Call(conversation.Step{Name: "get", Op: "get", Role: record.Main}, dialect.Outgoing{Task: task})
}}
