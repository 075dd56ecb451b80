package scenario

import (
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// waiting sends the message that takes time by a call that does not say whether it is
// to wait for the end.
var waiting = Scenario{
	Name: "waiting", Doc: "a message that takes time, by a call that does not say whether to wait",
	Ops: []string{"send"}, Needs: []string{"slow"}, Sends: 1,
	Play: func(c *Conversation) {
		o := c.NewMessage("slow")
		o.Blocking = nil
		c.Call(Step{Name: "send", Op: "send"}, o)
	},
}

// repeated sends a message again that was taken before.
var repeated = Scenario{
	Name: "repeated", Doc: "a harmless message, sent again with the id that it had",
	Ops: []string{"send"}, Sends: 1, After: []string{"quick"},
	Play: func(c *Conversation) {
		o, first, ok := c.Reuse("first", wire.Main, "quick")
		if !ok {
			o = c.NewMessage("quick")
			first = c.Call(Step{Name: "first", Op: "send"}, o)
		}
		o.Message = sentMessageID(c, first)
		if o.Message == "" {
			c.Play.Stop = "the first message had no id"
			return
		}
		c.Call(Step{Name: "again", Op: "send", Role: wire.Probe}, o)
	},
}

// sentMessageID is the id of the message that a call of ours sent.
func sentMessageID(c *Conversation, r *Reply) string {
	message, _ := c.Dialect.Pointer("request", "message")
	id, _ := c.Dialect.Pointer("message", "id")
	params := c.CallBinding().Sent(r.Exchange).Params
	if params == nil {
		return ""
	}
	if n := params.At(message + id); n != nil && n.Kind == wire.String {
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
		o, none := c.NewMessage("quick"), 0
		o.Context, o.HistoryLength = c.NewID(), &none
		sent := c.Call(Step{Name: "send", Op: "send"}, o)
		if task := TaskID(o, sent); task != "" {
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
		play := endedPlay{c}
		o, made, ok := c.ReuseTask("failed-made", wire.Main, "fail")
		if !ok {
			o = c.NewMessage("fail")
			made = c.Call(Step{Name: "failed-made", Op: "send"}, o)
			c.PollSoon("failed-poll", TaskID(o, made), made.State)
		}
		play.writeToEnded("failed", o, made)
		if o, made, ok = c.ReuseTask("canceled-made", wire.Main, "cancel"); !ok {
			o = c.NewMessage("slow")
			made = c.Call(Step{Name: "canceled-made", Op: "send"}, o)
			r := c.Call(Step{Name: "canceled-cancel", Op: "cancel"}, dialect.Outgoing{Task: TaskID(o, made)})
			c.PollSoon("canceled-poll", TaskID(o, made), r.State)
		}
		play.writeToEnded("canceled", o, made)
	},
}

// writeToEnded sends a message to a task if a look-up shows that it has ended.
func (c endedPlay) writeToEnded(name string, o dialect.Outgoing, made *Reply) {
	before := c.Call(Step{Name: name + "-before", Op: "get"}, dialect.Outgoing{Task: TaskID(o, made)})
	if s := c.Dialect.State(before.State); s == nil || !s.Terminal {
		c.NotSent(Step{Name: name, Op: "send"}, name+"-before", "the task had not ended: its state is %q", before.State)
		return
	}
	c.Call(Step{Name: name, Op: "send", Role: wire.Probe}, FollowUp(c.Text("quick")+" again", o, made))
}
