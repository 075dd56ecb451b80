package scenario

import (
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// WebhookCredential is the name of the secret that servers are to show to our
// webhook: it stands in the records in place of the value.
const WebhookCredential = "webhook-credential"

// Delivery is the operation of a step in which the server called us.
const Delivery = "delivery"

// Nowhere is where webhook URLs lead that no delivery is awaited at.
const Nowhere = "https://nowhere.invalid/"

// Hook is a webhook URL of a play.
type Hook struct {
	Name    string
	URL     string
	Play    string
	Subject record.Subject
	Attempt int
	Task    string       // whose changes are to be delivered
	Inbox   *client.Hook // nil where the server cannot reach us
}

// Hooks are the webhook URLs that the plays of a run made, in order.
func (s *Setting) Hooks() []*Hook {
	s.hooking.Lock()
	defer s.hooking.Unlock()
	return s.hooks
}

// hook makes a webhook URL for the play. Where the server cannot reach us it
// leads nowhere.
func (c *Conversation) hook(name string) *Hook {
	h := &Hook{Name: name, Play: c.Play.Scenario, Subject: c.Play.Subject, Attempt: c.Play.Attempt}
	if c.Receiver != nil {
		h.Inbox = c.Receiver.Hook(c.NewID())
		h.URL = h.Inbox.URL()
	} else {
		h.URL = Nowhere + c.NewID() + client.HookQuery
	}
	c.hooking.Lock()
	defer c.hooking.Unlock()
	c.hooks = append(c.hooks, h)
	return h
}

// config is a push configuration with the hook's URL and a token of its own.
func (c *Conversation) config(h *Hook) dialect.Push {
	return dialect.Push{URL: h.URL, Token: c.token()}
}

// guarded is the configuration with a demand for credentials.
func (c *Conversation) guarded(p dialect.Push) dialect.Push { return c.guardedBy("Bearer", p) }

// guardedBy is guarded with the credentials in a certain scheme.
func (c *Conversation) guardedBy(scheme string, p dialect.Push) dialect.Push {
	p.Scheme, p.Credentials = scheme, c.Credential
	return p
}

// await waits for deliveries to one of the hooks, until they are what the play
// waits for or the window is over, and records which of them it was. Where the
// server cannot reach us there is nothing to wait for. If deliveries may have come that
// there was no room for, nobody knows what came.
func (c *Conversation) await(step string, enough func() bool, hooks ...*Hook) {
	if c.Receiver == nil {
		return
	}
	missed := func(h *Hook) bool { return c.Receiver.Missed(h.Inbox) }
	switch {
	case c.delivered(enough, hooks):
		c.Reached("delivered", step)
	case c.Stopped():
	case slices.ContainsFunc(hooks, missed):
		c.Reached("unreceived", step)
	default:
		c.Reached("undelivered", step)
	}
}

func (c *Conversation) delivered(enough func() bool, hooks []*Hook) bool {
	window := c.window("delivery", 5*time.Second)
	timer := time.NewTimer(window)
	defer timer.Stop()
	for {
		var news [3]<-chan struct{} // a nil one never comes
		for i, h := range hooks {
			news[i] = h.Inbox.News(len(h.Inbox.Deliveries()) + h.Inbox.Surplus())
		}
		if enough() {
			return true
		}
		select {
		case <-news[0]:
		case <-news[1]:
		case <-news[2]:
		case <-timer.C:
			c.Wait("delivery", window)
			return false
		case <-c.Context.Done():
			return false
		}
	}
}

// told reports whether a delivery to the hook says that the task has ended, or
// does not say what became of it.
func (c *Conversation) told(h *Hook) bool {
	for _, x := range h.Inbox.Deliveries() {
		states := c.states(x)
		for _, s := range states {
			if c.settled(s) {
				return true
			}
		}
		if len(states) == 0 && !c.stateless(x) {
			return true
		}
	}
	return false
}

// stateless reports whether the body of a delivery is of a sort that says nothing of
// the task's state.
func (c *Conversation) stateless(x *record.Exchange) bool {
	sort, _ := binding.Content(c.Dialect, Delivery, x.Call().Root)
	_, tells := c.Dialect.Pointer(sort, "task.state")
	return sort != "" && c.Dialect.Held(Delivery) && !tells
}

// states are the task states that the body of a delivery names.
func (c *Conversation) states(x *record.Exchange) []string {
	var out []string
	for _, f := range x.Call().Root.Find(c.Dialect.Delivered.Status) {
		if n := f.Node.At(c.Dialect.Delivered.State); n != nil && n.Kind == record.String && c.Dialect.State(n.String) != nil {
			out = append(out, n.String)
		}
	}
	return out
}

// taken reports whether a configuration was accepted: what the result of that
// is, not every protocol says.
func taken(r *Reply) bool {
	return r.Answer.Result.Exists() && !r.Answer.Failure.Exists()
}

// push sends a message with a webhook and waits for the delivery. Another task
// that is made meanwhile is given a webhook and a second one, which leaves the
// first task's alone.
var push = Scenario{
	Name: "push", Doc: "two harmless messages, one with a webhook, and changes of the webhooks", Wide: 2, Probes: 14,
	Ops: []string{"send", "get", "push-set", "push-get"}, Claims: []string{"push"}, Sends: 2,
	Play: func(c *Conversation) {
		oo := c.say("quick")
		beside := c.Start(Step{Name: "other", Op: "send"}, oo)
		first := c.hook("delivery")
		config := c.config(first)
		o := c.say("quick")
		o.Push = c.Writer.Push(c.guarded(config))
		at := len(c.Play.Steps)
		sent := c.Call(Step{Name: "send", Op: "send"}, o)
		if !sent.OK() { // it may not speak the scheme that the webhook asks for
			o.Task, o.Push = c.NewTask(), c.Writer.Push(config)
			at = len(c.Play.Steps)
			sent = c.Call(Step{Name: "send-plain", Op: "send"}, o)
		}
		task := named(o, sent)
		if !sent.OK() || task == "" {
			for _, s := range []Step{{Name: "get-sent", Op: "push-get"}, {Name: "get-task", Op: "get"}, {Name: "get-first", Op: "push-get"}} {
				c.NotSent(s, "send-plain", "no task was made with a webhook")
			}
		} else {
			first.Task = task
			defer func() { c.offer(c.Play.Steps[at].Name, o, sent) }()
			state := c.soon("poll", task, sent.State)
			if !c.Writer.NamedWebhooks { // else it is read in a list only, since the server named it
				c.Call(Step{Name: "get-sent", Op: "push-get"}, dialect.Outgoing{Task: task})
			}
			if c.Dialect.Has("push-list") {
				c.Call(Step{Name: "list-sent", Op: "push-list"}, dialect.Outgoing{Task: task})
			}
			if c.settled(state) {
				c.await("send", func() bool { return c.told(first) }, first)
			}
			c.Call(Step{Name: "get-task", Op: "get"}, dialect.Outgoing{Task: task})
		}
		if c.Dialect.Has("push-list") {
			return // a task may have several, which are changed in other conversations
		}

		made := beside.Wait()
		other := named(oo, made)
		if !made.OK() || other == "" {
			c.Play.Stop = "no second task was made"
			return
		}
		second, third := c.hook("second"), c.hook("third")
		second.Task, third.Task = other, other
		read := func(name, task string) {
			c.Call(Step{Name: name, Op: "push-get"}, dialect.Outgoing{Task: task})
		}
		set := func(name string, config dialect.Push) {
			c.Call(Step{Name: name, Op: "push-set"}, dialect.Outgoing{Task: other, Push: c.Writer.Push(config)})
		}
		read("get-none", other)
		set("set", c.config(second))
		read("get", other)
		set("set-again", c.config(third))
		read("get-again", other)
		if first.Task != "" {
			read("get-first", task)
		}
		set("set-guarded", c.guarded(c.config(third)))
		read("get-guarded", other)
		if !c.Dialect.Has("push-delete") { // else there is a word for it
			c.Call(Step{Name: "clear", Op: "push-set", Role: record.Probe}, dialect.Outgoing{Task: other})
			c.Call(Step{Name: "get-cleared", Op: "push-get", Role: record.Probe}, dialect.Outgoing{Task: other})
		}
		unknown := c.NewID()
		c.Call(Step{Name: "get-unknown", Op: "push-get", Role: record.Probe, Twin: "get", Task: unknown}, dialect.Outgoing{Task: unknown})
		c.Call(Step{Name: "set-unknown", Op: "push-set", Role: record.Probe, Twin: "set", Task: unknown},
			dialect.Outgoing{Task: unknown, Push: c.Writer.Push(c.config(second))})
	},
}

// pushReplaced replaces the webhook of a task while it runs. The delivery that
// must come to the new one is the fence: what has not come to the old one by
// then is not coming.
var pushReplaced = Scenario{
	Name: "push-replaced", Doc: "a message that takes time, whose webhook is replaced on the way", Wide: 2,
	Ops: []string{"send", "get", "push-set", "push-get"}, Needs: []string{"slow"}, Claims: []string{"push"}, Sends: 1, Burst: 3,
	Play: func(c *Conversation) {
		if c.Receiver == nil {
			c.Play.Stop = "this run offers the server no webhook to deliver to"
			return
		}
		old, now := c.hook("old"), c.hook("new")
		o, lasts, began := c.say("slow"), c.lasts("slow"), c.Client.Now()
		o.Push = c.Writer.Push(c.config(old))
		sent := c.Start(Step{Name: "send", Op: "send"}, o)
		defer sent.Wait()
		task, known := c.begunBy(sent, o, lasts/2, "set", "push-set")
		if !known {
			return
		}
		old.Task, now.Task = task, task
		set := c.Call(Step{Name: "set", Op: "push-set"}, dialect.Outgoing{Task: task, Push: c.Writer.Push(c.config(now))})
		after := c.Call(Step{Name: "after", Op: "get"}, dialect.Outgoing{Task: task})
		switch {
		case !taken(set) && (!after.OK() || set.Answer.Refuses("TaskNotFound")) && !sent.Ended(0): // the message may have been on its way
			c.Play.Step("set").Late = "the message was not answered yet, and the server did not know the task"
			return
		case !taken(set):
			c.Play.Stop = "the webhook could not be replaced while the task ran"
			return
		case c.settled(after.State):
			c.Play.Step("after").Late = "the task had ended when its webhook had been replaced: make stimuli.slow take longer"
			return
		}
		c.late("after", began, lasts)
		state := c.follow("poll", task, after.State, lasts/4, c.patience())
		if !c.settled(state) {
			c.Play.Stop = "the task did not end within our time limit"
			return
		}
		// What tells no state may have been sent before the change.
		ended := func(h *Hook) bool {
			for _, x := range h.Inbox.Deliveries() {
				for _, s := range c.states(x) {
					if c.settled(s) {
						return true
					}
				}
			}
			return false
		}
		c.await("after", func() bool { return c.told(now) || ended(old) }, now, old)
	},
}
