package scenario

import (
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// payment sends what the agent wants to be paid for and, where the operator
// gives a payment, pays and follows the task. No money is moved by us: a payment
// is what the operator has prepared.
var payment = Scenario{
	Name: "payment", Doc: "a message that has to be paid for and, where a payment is given, the payment",
	Ops: []string{"send", "get"}, Needs: []string{"pay"}, Sends: 2, Chain: 1,
	Play: func(c *Conversation) {
		o := c.say("pay")
		sent := c.Call(Step{Name: "demand", Op: "send"}, o)
		task := named(o, sent)
		asked := c.until("poll", task, sent, often, c.window("soon", 5*time.Second), c.atRest)
		pay := Step{Name: "pay", Op: "send"}
		switch {
		case c.Stimuli["pay"].Payment == nil:
			c.end(pay, "", "your configuration has no payment: stimuli: {pay: {text: …, payment: {…}}}")
			c.Play.Lacks = "pay"
			return
		case !c.waiting(asked.State):
			c.end(pay, "demand", "the agent did not wait for a payment")
			return
		}
		next := further("The payment.", o, sent)
		if next.Task == "" {
			next.Task = task
		}
		if a := c.Stimuli["pay"].Answer; a != "" {
			next.Text = a
		}
		next.MessageMetadata = c.Stimuli["pay"].Payment
		paid := c.Call(pay, next)
		c.onward("after", task, asked.TaskStatus, paid)
		c.Call(Step{Name: "get", Op: "get", Role: record.Main}, dialect.Outgoing{Task: task})
	},
}
