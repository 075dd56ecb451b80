package scenario

import (
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
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
	Subject wire.Subject
	Attempt int
	Task    string     // whose changes are to be delivered
	Inbox   *wire.Hook // nil where the server cannot reach us
}

// Hooks are the webhook URLs that the plays of a run made, in order.
func (s *Setting) Hooks() []*Hook {
	s.hooking.Lock()
	defer s.hooking.Unlock()
	return s.hooks
}

// NewHook makes a webhook URL for the play. Where the server cannot reach us it
// leads nowhere.
func NewHook(c *Conversation, name string) *Hook {
	h := &Hook{Name: name, Play: c.Play.Scenario, Subject: c.Play.Subject, Attempt: c.Play.Attempt}
	if c.Receiver != nil {
		h.Inbox = c.Receiver.Hook(c.NewID())
		h.URL = h.Inbox.URL()
	} else {
		h.URL = Nowhere + c.NewID() + wire.HookQuery
	}
	c.hooking.Lock()
	defer c.hooking.Unlock()
	c.hooks = append(c.hooks, h)
	return h
}

// PushConfig is a push configuration with the hook's URL and a token of its own.
func PushConfig(c *Conversation, h *Hook) dialect.Push {
	return dialect.Push{URL: h.URL, Token: NewToken(c)}
}

// pushPlay is a play with webhooks.
type pushPlay struct{ *Conversation }

// withBearer is the configuration with a demand for credentials.
func (c pushPlay) withBearer(p dialect.Push) dialect.Push { return c.withCredentials("Bearer", p) }

// withCredentials is guarded with the credentials in a certain scheme.
func (c pushPlay) withCredentials(scheme string, p dialect.Push) dialect.Push {
	p.Scheme, p.Credentials = scheme, c.Credential
	return p
}

// awaitDelivery waits for deliveries to one of the hooks, until they are what the play
// waits for or the window is over, and records which of them it was. Where the
// server cannot reach us there is nothing to wait for. If deliveries may have come that
// there was no room for, nobody knows what came.
func (c pushPlay) awaitDelivery(step string, enough func() bool, hooks ...*Hook) {
	if c.Receiver == nil {
		return
	}
	missed := func(h *Hook) bool { return c.Receiver.Missed(h.Inbox) }
	switch {
	case c.isDelivered(enough, hooks):
		c.Reached("delivered", step)
	case c.Stopped():
	case slices.ContainsFunc(hooks, missed):
		c.Reached("unreceived", step)
	default:
		c.Reached("undelivered", step)
	}
}

func (c pushPlay) isDelivered(enough func() bool, hooks []*Hook) bool {
	window := c.Window("delivery", 5*time.Second)
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

// reportsEnd reports whether a delivery to the hook says that the task has ended, or
// does not say what became of it.
func (c pushPlay) reportsEnd(h *Hook) bool {
	for _, x := range h.Inbox.Deliveries() {
		states := deliveredStates(c.Conversation, x)
		for _, s := range states {
			if c.IsSettled(s) {
				return true
			}
		}
		if len(states) == 0 && !omitsState(c.Conversation, x) {
			return true
		}
	}
	return false
}

// omitsState reports whether the body of a delivery is of a sort that says nothing of
// the task's state.
func omitsState(c *Conversation, x *wire.Exchange) bool {
	sort, _ := binding.Content(c.Dialect, Delivery, x.Call().Root)
	_, tells := c.Dialect.Pointer(sort, "task.state")
	return sort != "" && c.Dialect.Held(Delivery) && !tells
}

// deliveredStates are the task states that the body of a delivery names.
func deliveredStates(c *Conversation, x *wire.Exchange) []string {
	var out []string
	for _, f := range x.Call().Root.Find(c.Dialect.Delivered.Status) {
		if n := f.Node.At(c.Dialect.Delivered.State); n != nil && n.Kind == wire.String && c.Dialect.State(n.String) != nil {
			out = append(out, n.String)
		}
	}
	return out
}

// isAccepted reports whether a configuration was accepted: what the result of that
// is, not every protocol says.
func isAccepted(r *Reply) bool {
	return r.Answer.Result.Exists() && !r.Answer.Failure.Exists()
}

// push sends a message with a webhook and waits for the delivery. Another task
// that is made meanwhile is given a webhook and a second one, which leaves the
// first task's alone.
var push = Scenario{
	Name: "push", Doc: "two harmless messages, one with a webhook, and changes of the webhooks", Wide: 2, Probes: 14,
	Ops: []string{"send", "get", "push-set", "push-get"}, Claims: []string{"push"}, Sends: 2,
	Play: func(c *Conversation) {
		play := pushPlay{c}
		oo := c.NewMessage("quick")
		beside := c.Start(Step{Name: "other", Op: "send"}, oo)
		first := NewHook(c, "delivery")
		config := PushConfig(c, first)
		o := c.NewMessage("quick")
		o.Push = c.Writer.Push(play.withBearer(config))
		at := len(c.Play.Steps)
		sent := c.Call(Step{Name: "send", Op: "send"}, o)
		if !sent.OK() { // it may not speak the scheme that the webhook asks for
			o.Task, o.Push = c.NewTask(), c.Writer.Push(config)
			at = len(c.Play.Steps)
			sent = c.Call(Step{Name: "send-plain", Op: "send"}, o)
		}
		task := TaskID(o, sent)
		if !sent.OK() || task == "" {
			for _, s := range []Step{{Name: "get-sent", Op: "push-get"}, {Name: "get-task", Op: "get"}, {Name: "get-first", Op: "push-get"}} {
				c.NotSent(s, "send-plain", "no task was made with a webhook")
			}
		} else {
			first.Task = task
			defer func() { c.Offer(c.Play.Steps[at].Name, o, sent) }()
			state := c.PollSoon("poll", task, sent.State)
			if !c.Writer.NamedWebhooks { // else it is read in a list only, since the server named it
				c.Call(Step{Name: "get-sent", Op: "push-get"}, dialect.Outgoing{Task: task})
			}
			if c.Dialect.Has("push-list") {
				c.Call(Step{Name: "list-sent", Op: "push-list"}, dialect.Outgoing{Task: task})
			}
			if c.IsSettled(state) {
				play.awaitDelivery("send", func() bool { return play.reportsEnd(first) }, first)
			}
			c.Call(Step{Name: "get-task", Op: "get"}, dialect.Outgoing{Task: task})
		}
		if c.Dialect.Has("push-list") {
			return // a task may have several, which are changed in other conversations
		}

		made := beside.Wait()
		other := TaskID(oo, made)
		if !made.OK() || other == "" {
			c.Play.Stop = "no second task was made"
			return
		}
		second, third := NewHook(c, "second"), NewHook(c, "third")
		second.Task, third.Task = other, other
		read := func(name, task string) {
			c.Call(Step{Name: name, Op: "push-get"}, dialect.Outgoing{Task: task})
		}
		set := func(name string, config dialect.Push) {
			c.Call(Step{Name: name, Op: "push-set"}, dialect.Outgoing{Task: other, Push: c.Writer.Push(config)})
		}
		read("get-none", other)
		set("set", PushConfig(c, second))
		read("get", other)
		set("set-again", PushConfig(c, third))
		read("get-again", other)
		if first.Task != "" {
			read("get-first", task)
		}
		set("set-guarded", play.withBearer(PushConfig(c, third)))
		read("get-guarded", other)
		if !c.Dialect.Has("push-delete") { // else there is a word for it
			c.Call(Step{Name: "clear", Op: "push-set", Role: wire.Probe}, dialect.Outgoing{Task: other})
			c.Call(Step{Name: "get-cleared", Op: "push-get", Role: wire.Probe}, dialect.Outgoing{Task: other})
		}
		unknown := c.NewID()
		c.Call(Step{Name: "get-unknown", Op: "push-get", Role: wire.Probe, Twin: "get", Task: unknown}, dialect.Outgoing{Task: unknown})
		c.Call(Step{Name: "set-unknown", Op: "push-set", Role: wire.Probe, Twin: "set", Task: unknown},
			dialect.Outgoing{Task: unknown, Push: c.Writer.Push(PushConfig(c, second))})
	},
}

// pushReplaced replaces the webhook of a task while it runs. The delivery that
// must come to the new one is the fence: what has not come to the old one by
// then is not coming.
var pushReplaced = Scenario{
	Name: "push-replaced", Doc: "a message that takes time, whose webhook is replaced on the way", Wide: 2,
	Ops: []string{"send", "get", "push-set", "push-get"}, Needs: []string{"slow"}, Claims: []string{"push"}, Sends: 1, Burst: 3,
	Play: func(c *Conversation) {
		play := pushPlay{c}
		if c.Receiver == nil {
			c.Play.Stop = "this run offers the server no webhook to deliver to"
			return
		}
		old, now := NewHook(c, "old"), NewHook(c, "new")
		o, lasts, began := c.NewMessage("slow"), c.WorkTime("slow"), c.Client.Now()
		o.Push = c.Writer.Push(PushConfig(c, old))
		sent := c.Start(Step{Name: "send", Op: "send"}, o)
		defer sent.Wait()
		task, known := sent.TaskInTime(o, lasts/2, "set", "push-set")
		if !known {
			return
		}
		old.Task, now.Task = task, task
		set := c.Call(Step{Name: "set", Op: "push-set"}, dialect.Outgoing{Task: task, Push: c.Writer.Push(PushConfig(c, now))})
		after := c.Call(Step{Name: "after", Op: "get"}, dialect.Outgoing{Task: task})
		switch {
		case !isAccepted(set) && (!after.OK() || set.Answer.Refuses("TaskNotFound")) && !sent.Ended(0): // the message may have been on its way
			c.Play.Step("set").Late = "the message was not answered yet, and the server did not know the task"
			return
		case !isAccepted(set):
			c.Play.Stop = "the webhook could not be replaced while the task ran"
			return
		case c.IsSettled(after.State):
			c.Play.Step("after").Late = "the task had ended when its webhook had been replaced: make stimuli.slow take longer"
			return
		}
		c.WorkSince(began, lasts).MarkLate("after")
		state := c.Poll("poll", task, after.State, lasts/4, c.Patience())
		if !c.IsSettled(state) {
			c.Play.Stop = "the task did not end within our time limit"
			return
		}
		// What tells no state may have been sent before the change.
		ended := func(h *Hook) bool {
			for _, x := range h.Inbox.Deliveries() {
				for _, s := range deliveredStates(c, x) {
					if c.IsSettled(s) {
						return true
					}
				}
			}
			return false
		}
		play.awaitDelivery("after", func() bool { return play.reportsEnd(now) || ended(old) }, now, old)
	},
}
