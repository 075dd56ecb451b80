package scenario

import (
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// TaskStimulus is the message that is to make a task where the harmless message
// is answered without one.
const TaskStimulus = "task"

// quick sends the harmless message that any agent answers soon, and looks the
// task up. Where a message answers it, there is nothing to look up: then another
// message is tried, which from then on is the harmless one.
var quick = Scenario{
	Name: "quick", Doc: "one harmless message, then a look-up of its task", Base: true, Witness: true, Greets: true,
	Ops: []string{"send", "get"}, Sends: 1,
	Play: func(c *Conversation) {
		o, sent := FirstMessage(c)
		said, reply, greeting := o, sent, "send"
		if other := chooseTaskMessage(c); other != "" && c.IsMessageReply(sent) {
			at := len(c.Play.Steps) - 1
			again := c.NewMessage(other)
			r := c.Call(Step{Name: "task", Op: "send"}, again)
			if TaskID(again, r) != "" && !c.IsMessageReply(r) {
				greeting = "greeting"
				c.Play.Steps[at].Name, c.Play.Steps[len(c.Play.Steps)-1].Name = greeting, "send"
				c.ReplaceQuick(other)
				o, sent = again, r
			}
		}
		if c.IsMessageReply(reply) {
			c.OfferAs(answeredAlone, greeting, said, reply)
		}
		task := TaskID(o, sent)
		if task == "" {
			c.NotSent(Step{Name: "get", Op: "get"}, "send", "the reply to send named no task")
			return
		}
		c.Call(Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
		if sent.OK() {
			c.Offer("send", o, sent)
		}
	},
}

// ReplaceQuick has a message said in place of the harmless one from now on.
func (c *Setting) ReplaceQuick(other string) {
	c.offering.Lock()
	defer c.offering.Unlock()
	c.maker = other
}

// IsMessageReply reports whether a call was answered with a message in place of a task.
func (c *Setting) IsMessageReply(r *Reply) bool {
	return r.OK() && r.Task == "" && c.ResultKind("send", r.Result) == "message"
}

// chooseTaskMessage is a message that may make a task where the harmless one does not: one
// of the operator's that ends in success or, where he did not choose the harmless
// one, another of ours.
func chooseTaskMessage(c *Conversation) string {
	for _, name := range []string{"chunks", TaskStimulus, "slow"} {
		if _, ok := c.Stimulus(name); ok && c.Dialect.Sorted() {
			return name
		}
	}
	return ""
}

// unknown asks about tasks that never were.
var unknown = Scenario{
	Name: "unknown", Doc: "questions about an unknown task", Base: true, First: true,
	Ops: []string{"get", "cancel"},
	Play: func(c *Conversation) {
		for _, op := range []string{"get", "cancel"} {
			id := c.NewID()
			c.Call(Step{Name: op, Role: wire.Probe, Op: op, Task: id}, dialect.Outgoing{Task: id})
		}
	},
}
