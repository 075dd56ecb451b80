// Package push has the scenarios about webhooks and what is delivered to them.
package push

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Push sends a message with a webhook and waits for the delivery. Another task
// that is made meanwhile is given a webhook and a second one, which leaves the
// first task's alone.
var Push = conversation.Scenario{Name: "push", Play: func(c *conversation.Conversation) {
	several := c.Dialect.Has("push-list") // then a task may have several webhooks, which are changed in other conversations
	var beside func() (dialect.Outgoing, *conversation.Reply)
	if !several {
		beside = startOtherOrReuse(c)
	}
	first := conversation.NewHook(c, "delivery")
	config := conversation.NewPushConfig(c, first)
	o := c.NewMessage("quick")
	o.Push = c.Writer.Push(withBearer(c, config))
	at := len(c.Play.Steps)
	sent := c.Call(conversation.Step{Name: "send", Op: "send"}, o)
	if !sent.OK() { // it may not speak the scheme that the webhook asks for
		o.Task, o.Push = c.NewTask(), c.Writer.Push(config)
		at = len(c.Play.Steps)
		sent = c.Call(conversation.Step{Name: "send-plain", Op: "send"}, o)
	}
	task := conversation.TaskID(o, sent)
	if !sent.OK() || task == "" {
		for _, s := range []conversation.Step{{Name: "get-sent", Op: "push-get"}, {Name: "get-task", Op: "get"}, {Name: "get-first", Op: "push-get"}} {
			c.NotSent(s, "send-plain", "no task was made with a webhook")
		}
	} else {
		first.Task = task
		defer func() { c.OfferStepUnderPlaysName(c.Play.Steps[at].Name, o, sent) }()
		state := c.PollBrieflyUntilAtRest("poll", task, sent.State)
		if !c.Writer.NamedWebhooks { // else it is read in a list only, since the server named it
			c.Call(conversation.Step{Name: "get-sent", Op: "push-get"}, dialect.Outgoing{Task: task})
		}
		if c.Dialect.Has("push-list") {
			c.Call(conversation.Step{Name: "list-sent", Op: "push-list"}, dialect.Outgoing{Task: task})
		}
		if c.IsTerminalOrAwaitsClient(state) {
			awaitDelivery(c, "send", func() bool { return mayHaveReportedEnd(c, first) }, first)
		}
		c.Call(conversation.Step{Name: "get-task", Op: "get"}, dialect.Outgoing{Task: task})
	}
	if several {
		return
	}

	oo, made := beside()
	other := conversation.TaskID(oo, made)
	if !made.OK() || other == "" {
		c.Play.Stop = "no second task was made"
		return
	}
	second, third := conversation.NewHook(c, "second"), conversation.NewHook(c, "third")
	second.Task, third.Task = other, other
	read := func(name, task string) {
		c.Call(conversation.Step{Name: name, Op: "push-get"}, dialect.Outgoing{Task: task})
	}
	set := func(name string, config dialect.Push) {
		c.Call(conversation.Step{Name: name, Op: "push-set"}, dialect.Outgoing{Task: other, Push: c.Writer.Push(config)})
	}
	read("get-none", other)
	set("set", conversation.NewPushConfig(c, second))
	read("get", other)
	set("set-again", conversation.NewPushConfig(c, third))
	read("get-again", other)
	if first.Task != "" {
		read("get-first", task)
	}
	set("set-guarded", withBearer(c, conversation.NewPushConfig(c, third)))
	read("get-guarded", other)
	if !c.Dialect.Has("push-delete") { // else there is a word for it
		c.Call(conversation.Step{Name: "clear", Op: "push-set", Role: record.Probe}, dialect.Outgoing{Task: other})
		c.Call(conversation.Step{Name: "get-cleared", Op: "push-get", Role: record.Probe}, dialect.Outgoing{Task: other})
	}
	unknown := c.NewID()
	c.Call(conversation.Step{Name: "get-unknown", Op: "push-get", Role: record.Probe, Twin: "get", Task: unknown}, dialect.Outgoing{Task: unknown})
	c.Call(conversation.Step{Name: "set-unknown", Op: "push-set", Role: record.Probe, Twin: "set", Task: unknown},
		dialect.Outgoing{Task: unknown, Push: c.Writer.Push(conversation.NewPushConfig(c, second))})
}}

// startOtherOrReuse begins a second task, or takes over that of another play, and returns how to wait for it.
func startOtherOrReuse(c *conversation.Conversation) (wait func() (dialect.Outgoing, *conversation.Reply)) {
	const step, from = "other", "two-tasks"
	if o, made, ok := c.ReuseUnlessTaskChanged(step, record.Main, from); ok {
		c.WithdrawOffer(from)
		return func() (dialect.Outgoing, *conversation.Reply) { return o, made }
	}
	o := c.NewMessage("quick")
	beside := c.Start(conversation.Step{Name: step, Op: "send"}, o)
	return func() (dialect.Outgoing, *conversation.Reply) { return o, beside.Wait() }
}
