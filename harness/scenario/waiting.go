package scenario

import (
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// waiting sends the message that takes time by a call that does not say whether it is
// to wait for the end.
var waiting = Scenario{
	Name: "waiting", Doc: "a message that takes time, by a call that does not say whether to wait",
	Ops: []string{"send"}, Needs: []string{"slow"}, Sends: 1,
	Play: func(c *Conversation) {
		o := c.say("slow")
		o.Blocking = nil
		c.Call(Step{Name: "send", Op: "send"}, o)
	},
}

// repeated sends a message again that was taken before.
var repeated = Scenario{
	Name: "repeated", Doc: "a harmless message, sent again with the id that it had",
	Ops: []string{"send"}, Sends: 1, After: []string{"quick"},
	Play: func(c *Conversation) {
		o, first, ok := c.rest("first", record.Main, "quick")
		if !ok {
			o = c.say("quick")
			first = c.Call(Step{Name: "first", Op: "send"}, o)
		}
		o.Message = c.sentID(first)
		if o.Message == "" {
			c.Play.Stop = "the first message had no id"
			return
		}
		c.Call(Step{Name: "again", Op: "send", Role: record.Probe}, o)
	},
}

// sentID is the id of the message that a call of ours sent.
func (c *Conversation) sentID(r *Reply) string {
	message, _ := c.Dialect.Pointer("request", "message")
	id, _ := c.Dialect.Pointer("message", "id")
	params := c.binding().Sent(r.Exchange).Params
	if params == nil {
		return ""
	}
	if n := params.At(message + id); n != nil && n.Kind == record.String {
		return n.String
	}
	return ""
}

// ownContext sends a message in a context that we made up, and looks at its task. The
// reply is to have no history, which even an agent that never asks can show.
var ownContext = Scenario{
	Name: "own-context", Doc: "a harmless message in a context that the client made up",
	Ops: []string{"send", "get"}, Sends: 1,
	Play: func(c *Conversation) {
		o, none := c.say("quick"), 0
		o.Context, o.HistoryLength = c.NewID(), &none
		sent := c.Call(Step{Name: "send", Op: "send"}, o)
		if task := named(o, sent); task != "" {
			c.Call(Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
		}
	},
}

// endings writes to tasks that came to another end than success. They are those of
// other plays; where none are known, it brings about such ends itself.
var endings = Scenario{
	Name: "endings", Doc: "messages to a task that failed and to one that was canceled",
	Ops: []string{"send", "get", "cancel"}, Needs: []string{"fail", "slow"}, Sends: 4, Chain: 1, After: []string{"fail", "cancel"},
	Play: func(c *Conversation) {
		o, made, ok := c.restOnTask("failed-made", record.Main, "fail")
		if !ok {
			o = c.say("fail")
			made = c.Call(Step{Name: "failed-made", Op: "send"}, o)
			c.soon("failed-poll", named(o, made), made.State)
		}
		c.writeTo("failed", o, made)
		if o, made, ok = c.restOnTask("canceled-made", record.Main, "cancel"); !ok {
			o = c.say("slow")
			made = c.Call(Step{Name: "canceled-made", Op: "send"}, o)
			r := c.Call(Step{Name: "canceled-cancel", Op: "cancel"}, dialect.Outgoing{Task: named(o, made)})
			c.soon("canceled-poll", named(o, made), r.State)
		}
		c.writeTo("canceled", o, made)
	},
}

// writeTo sends a message to a task if a look-up shows that it has ended.
func (c *Conversation) writeTo(name string, o dialect.Outgoing, made *Reply) {
	before := c.Call(Step{Name: name + "-before", Op: "get"}, dialect.Outgoing{Task: named(o, made)})
	if s := c.Dialect.State(before.State); s == nil || !s.Terminal {
		c.NotSent(Step{Name: name, Op: "send"}, name+"-before", "the task had not ended: its state is %q", before.State)
		return
	}
	c.Call(Step{Name: name, Op: "send", Role: record.Probe}, further(c.Stimuli[c.spoken("quick")].Text+" again", o, made))
}
