package message

import (
	"cmp"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Unsupported asks for what the card does not claim. What it claims is not
// asked for here.
var Unsupported = conversation.Scenario{Name: "unsupported", Play: func(c *conversation.Conversation) {
	if !c.Card.Exists() {
		c.Play.Stop = "no agent card could be read"
		return
	}
	push := c.Writer.Push != nil && !c.Claimed("push")
	stream := c.Dialect.Has("stream") && !c.Claimed("streaming")
	if !push && !stream {
		c.Play.Stop = "the card declares every optional feature"
		return
	}
	text := c.Text("quick")
	o := c.NewMessage("quick")
	made := c.Call(conversation.Step{Name: "task", Op: "send"}, o)
	o.Task = cmp.Or(o.Task, made.Task)
	about := func(name, op string, o dialect.Outgoing) {
		s := conversation.Step{Name: name, Role: record.Probe, Op: op, Twin: "task"}
		switch {
		case !c.Dialect.Has(op):
		case !made.OK() || o.Task == "":
			c.NotSent(s, "task", "no task could be made to ask about")
		default:
			c.Call(s, o)
		}
	}
	if push {
		known := c.NewID()
		config := c.Writer.Push(dialect.Push{ID: known, URL: conversation.Nowhere})
		about("push-set", "push-set", dialect.Outgoing{Task: o.Task, Push: config})
		about("push-get", "push-get", dialect.Outgoing{Task: o.Task, Config: known})
		about("push-list", "push-list", dialect.Outgoing{Task: o.Task})
		about("push-delete", "push-delete", dialect.Outgoing{Task: o.Task, Config: known})
		c.Call(conversation.Step{Name: "send-with-push", Role: record.Probe, Op: "send", Twin: "task"},
			dialect.Outgoing{Text: text, Task: c.NewTask(), Context: c.NewContext(), Push: config})
	}
	if stream {
		c.Call(conversation.Step{Name: "stream", Role: record.Probe, Op: "stream", Twin: "task", Refused: true},
			dialect.Outgoing{Text: text, Task: c.NewTask(), Context: c.NewContext()})
		about("resubscribe", "resubscribe", dialect.Outgoing{Task: o.Task})
	}
}}
