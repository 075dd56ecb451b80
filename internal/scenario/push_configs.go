package scenario

import (
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// pushConfigs gives a finished task several webhooks, reads them one by one and
// together, and deletes one. Another task is streamed with a webhook.
var pushConfigs = Scenario{
	Name: "push-configs", Doc: "a harmless message, several webhooks for its task, and a stream with a webhook",
	Ops: []string{"send", "push-set", "push-get", "push-list", "push-delete"}, Claims: []string{"push"}, Sends: 2, After: []string{"quick"},
	Play: func(c *Conversation) {
		o, made, ok := c.rest("task", wire.Main, "quick") // whose webhooks are nobody else's
		if !ok {
			o = c.say("quick")
			made = c.Call(Step{Name: "task", Op: "send"}, o)
		}
		task := named(o, made)
		c.soon("poll", task, made.State)
		if task == "" {
			c.Play.Stop = "no task was made that could have webhooks"
			return
		}
		set := func(name, id string) *Hook {
			h := c.hook(name)
			h.Task = task
			config := c.config(h)
			config.ID = id
			c.Call(Step{Name: name, Op: "push-set"}, dialect.Outgoing{Task: task, Push: c.Writer.Push(config)})
			return h
		}
		call := func(name, op, config string) {
			c.Call(Step{Name: name, Op: op}, dialect.Outgoing{Task: task, Config: config})
		}
		a, b := c.NewID(), c.NewID()
		c.Call(Step{Name: "list-none", Op: "push-list", Role: wire.Probe}, dialect.Outgoing{Task: task})
		own := set("set-own", "")
		call("get-only", "push-get", "") // while there is no other that could be meant
		set("set-a", a)
		call("get-a", "push-get", a)
		set("set-b", b)
		call("get-a-still", "push-get", a)
		call("get-b", "push-get", b)
		call("list-all", "push-list", "")
		probe := func(name, op, twin, task, config string) {
			c.Call(Step{Name: name, Op: op, Role: wire.Probe, Twin: twin, Task: task}, dialect.Outgoing{Task: task, Config: config})
		}
		probe("get-stranger", "push-get", "get-a", task, c.NewID())
		unknown := c.NewID()
		probe("get-unknown", "push-get", "get-a", unknown, a)
		c.Call(Step{Name: "set-unknown", Op: "push-set", Role: wire.Probe, Twin: "set-own", Task: unknown},
			dialect.Outgoing{Task: unknown, Push: c.Writer.Push(dialect.Push{URL: own.URL})})
		probe("list-unknown", "push-list", "list-all", unknown, "")
		probe("delete-unknown", "push-delete", "", unknown, a)
		set("set-a-again", a)
		call("list-replaced", "push-list", "")
		call("delete-a", "push-delete", a)
		call("list-deleted", "push-list", "")
		probe("delete-again", "push-delete", "delete-a", task, a)
		call("list-rest", "push-list", "")
		c.Call(Step{Name: "delete-no-config", Op: "push-delete", Role: wire.Probe, Twin: "delete-a", Task: task, Invalid: true}, dialect.Outgoing{Task: task})
		if c.Dialect.Has("stream") && c.Claimed("streaming") {
			h := c.hook("streamed")
			o := c.say("quick")
			o.Push = c.Writer.Push(c.config(h))
			s := c.Call(Step{Name: "stream", Op: "stream"}, o)
			h.Task = named(o, s)
			c.Call(Step{Name: "list-streamed", Op: "push-list"}, dialect.Outgoing{Task: h.Task})
		}
	},
}

// begun sends a message with a webhook and returns the task, and its state, as
// soon as it is known; an empty one where that was too late.
func (c *Conversation) begun(h *Hook, o dialect.Outgoing, within time.Duration) (sent *Pending, task string) {
	o.Push = c.Writer.Push(c.config(h))
	sent = c.Start(Step{Name: "send", Op: "send"}, o)
	if !sent.Ended(within) && o.Task == "" {
		c.unnamed("after", "get", sent)
		return sent, ""
	}
	if task = o.Task; task == "" {
		task = named(o, sent.Wait())
	}
	h.Task = task
	return sent, task
}

// pushSeveral gives a running task three webhooks and deletes one of them. The
// deliveries to the others are the fence.
var pushSeveral = Scenario{
	Name: "push-several", Doc: "a message that takes time, with three webhooks, one of them deleted on the way",
	Ops: []string{"send", "get", "push-set", "push-delete"}, Needs: []string{"slow"}, Claims: []string{"push"}, Sends: 1,
	Play: func(c *Conversation) {
		if c.Receiver == nil {
			c.Play.Stop = "the server was given no webhook to deliver to"
			return
		}
		kept, second, gone := c.hook("kept"), c.hook("second"), c.hook("gone")
		o, lasts, began := c.say("slow"), c.lasts("slow"), c.Client.Now()
		sent, task := c.begun(kept, o, lasts/2)
		defer sent.Wait()
		if task == "" {
			return
		}
		var id string // of the latest
		for _, h := range []*Hook{second, gone} {
			h.Task = task
			config := c.config(h)
			id = c.NewID()
			config.ID = id
			c.Call(Step{Name: "set-" + h.Name, Op: "push-set"}, dialect.Outgoing{Task: task, Push: c.Writer.Push(config)})
		}
		c.Call(Step{Name: "delete", Op: "push-delete"}, dialect.Outgoing{Task: task, Config: id})
		after := c.Call(Step{Name: "after", Op: "get"}, dialect.Outgoing{Task: task})
		if c.settled(after.State) {
			c.Play.Step("after").Late = "the task had ended when its webhooks had been set: give a longer slow"
			return
		}
		c.late("after", began, lasts)
		if state := c.follow("poll", task, after.State, lasts/4, c.patience()); !c.settled(state) {
			c.Play.Stop = "the task did not end within our patience"
			return
		}
		c.await("after", func() bool { return c.told(kept) && c.told(second) }, kept, second, gone)
	},
}

// pushAsked makes the agent ask, and waits for the webhook to be told.
var pushAsked = Scenario{
	Name: "push-asked", Doc: "a message with a webhook that makes the agent ask",
	Ops: []string{"send", "get", "push-list"}, Needs: []string{"ask"}, Claims: []string{"push"}, Sends: 1,
	Play: func(c *Conversation) {
		if c.Receiver == nil {
			c.Play.Stop = "the server was given no webhook to deliver to"
			return
		}
		h, o := c.hook("asked"), c.say("ask")
		o.Push = c.Writer.Push(c.config(h))
		sent := c.Call(Step{Name: "send", Op: "send"}, o)
		h.Task = named(o, sent)
		if !c.waiting(c.soon("poll", h.Task, sent.State)) {
			c.Play.Stop = "the agent did not wait for an answer"
			return
		}
		c.await("send", func() bool { return c.told(h) }, h)
	},
}

// pushFailing has every delivery fail, and looks what becomes of the task.
var pushFailing = Scenario{
	Name: "push-failing", Doc: "a message with a webhook that fails",
	Ops: []string{"send", "get", "push-list"}, Claims: []string{"push"}, Instead: []string{"slow"}, Sends: 1,
	Play: func(c *Conversation) {
		if c.Receiver == nil {
			c.Play.Stop = "the server was given no webhook to deliver to"
			return
		}
		h, o := c.hook("failing"), c.say(c.either("slow", "quick"))
		h.Inbox.Fail()
		o.Push = c.Writer.Push(c.config(h))
		sent := c.Call(Step{Name: "send", Op: "send"}, o)
		h.Task = named(o, sent)
		if !c.settled(c.follow("poll", h.Task, sent.State, 50*time.Millisecond, c.patience())) {
			c.Play.Stop = "the task did not come to its end within our patience"
			return
		}
		c.await("send", func() bool { return c.told(h) }, h)
		c.looks(h.Task, 3, 50*time.Millisecond)
	},
}
