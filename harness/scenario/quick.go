package scenario

import (
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/google/uuid"
)

// quick sends the harmless message that any agent answers soon, and looks the
// task up.
var quick = Scenario{
	Name: "quick", Doc: "one harmless message, then a look at its task", Base: true, Witness: true,
	Ops: []string{"send", "get"}, Sends: 1,
	Play: func(c *Conversation) {
		o := c.say("quick")
		sent := c.Call(Step{Name: "send", Op: "send"}, o)
		task := o.Task
		if task == "" {
			task = sent.Task
		}
		if task == "" {
			c.NotSent(Step{Name: "get", Op: "get"}, "send", "the reply to send named no task")
			return
		}
		c.Call(Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
	},
}

// unknown asks about tasks that never were.
var unknown = Scenario{
	Name: "unknown", Doc: "questions about a task that never was", Base: true, First: true,
	Ops: []string{"get", "cancel"},
	Play: func(c *Conversation) {
		for _, op := range []string{"get", "cancel"} {
			id := uuid.NewString()
			c.Call(Step{Name: op, Role: wire.Probe, Op: op, Task: id}, dialect.Outgoing{Task: id})
		}
	},
}
