package scenario

import (
	"fmt"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// pushConfigs gives a finished task several webhooks, reads them one by one and
// together, and deletes one. Another task is streamed with a webhook.
var pushConfigs = Scenario{
	Name: "push-configs", Doc: "a harmless message, several webhooks for its task, and a stream with a webhook",
	Ops: []string{"send", "push-set", "push-get", "push-list", "push-delete"}, Claims: []string{"push"}, Sends: 2, After: []string{"stream", "two-tasks"},
	Play: func(c *Conversation) {
		play := pushPlay{c}
		o, made := c.QuickMessage("task", "stream", "two-tasks") // whose webhooks are nobody else's
		task := TaskID(o, made)
		c.PollSoon("poll", task, made.State)
		if task == "" {
			c.Play.Stop = "no task was made that could have webhooks"
			return
		}
		give := func(name string, config dialect.Push) *Reply {
			return c.Call(Step{Name: name, Op: "push-set"}, dialect.Outgoing{Task: task, Push: c.Writer.Push(config)})
		}
		set := func(name, id string) (*Hook, *Reply) {
			h := NewHook(c, name)
			h.Task = task
			config := PushConfig(c, h)
			config.ID = id
			return h, give(name, config)
		}
		call := func(name, op, config string) {
			c.Call(Step{Name: name, Op: op}, dialect.Outgoing{Task: task, Config: config})
		}
		a, b := c.NewID(), c.NewID()
		c.Call(Step{Name: "list-none", Op: "push-list", Role: wire.Probe}, dialect.Outgoing{Task: task})
		own, kept := set("set-own", "")
		ownID := c.ReadWebhook("push-set", "id", kept.Result)
		if c.Writer.NamedWebhooks {
			play.readWebhookByID("get-own", "set-own", task, ownID)
		} else {
			call("get-only", "push-get", "") // while there is no other that could be meant
		}
		set("set-a", a)
		call("get-a", "push-get", a)
		_, third := set("set-b", b)
		if c.Writer.NamedWebhooks { // by the ids that the server told
			play.readWebhookByID("get-own-still", "set-own", task, ownID)
			play.readWebhookByID("get-b", "set-b", task, c.ReadWebhook("push-set", "id", third.Result))
		} else {
			call("get-a-still", "push-get", a)
			call("get-b", "push-get", b)
		}
		call("list-all", "push-list", "")
		play.readWebhookPages(task)
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
		if c.Writer.NamedWebhooks {
			probe("get-deleted", "push-get", "get-a", task, a)
		}
		probe("delete-again", "push-delete", "delete-a", task, a)
		call("list-rest", "push-list", "")
		if c.Writer.NamedWebhooks {
			guarded := give("set-guarded", play.withBearer(PushConfig(c, NewHook(c, "set-guarded"))))
			play.readWebhookByID("get-guarded", "set-guarded", task, c.ReadWebhook("push-set", "id", guarded.Result))
		} else {
			c.Call(Step{Name: "delete-no-config", Op: "push-delete", Role: wire.Probe, Twin: "delete-a", Task: task, Invalid: true}, dialect.Outgoing{Task: task})
		}
		if c.Dialect.Has("stream") && c.Claimed("streaming") && NeedsStep(c, "list-streamed") {
			h := NewHook(c, "streamed")
			o := c.NewMessage("quick")
			o.Push = c.Writer.Push(PushConfig(c, h))
			s := c.Call(Step{Name: "stream", Op: "stream"}, o)
			h.Task = TaskID(o, s)
			list := c.Call(Step{Name: "list-streamed", Op: "push-list"}, dialect.Outgoing{Task: h.Task})
			if c.Receiver != nil && list.OK() && !play.containsHook(list, h) { // only a delivery can show that it was registered
				play.isDelivered(func() bool { return len(h.Inbox.Deliveries()) > 0 }, []*Hook{h})
			}
			if c.Writer.NamedWebhooks && ownID != "" && h.Task != "" {
				probe("get-elsewhere", "push-get", "get-own", h.Task, ownID)
			}
		}
	},
}

// containsHook reports whether a list of webhooks has that of a hook.
func (c pushPlay) containsHook(list *Reply, h *Hook) bool {
	at, _ := c.Dialect.Pointer("push-list", "list")
	all := list.Result.At(at)
	return all != nil && slices.ContainsFunc(all.Elems, func(e *wire.Node) bool { return c.ReadWebhook("push-list", "url", e) == h.URL })
}

// ReadWebhook is a text such as the id or the url of the webhook in a result, or in an
// element of a list; "" where it has none.
func (c *Conversation) ReadWebhook(op, what string, result *wire.Node) string {
	holder, _ := c.Dialect.Pointer(op, "webhook")
	at, _ := c.Dialect.Pointer("webhook", what)
	if result == nil {
		return ""
	}
	return c.BoundedText(result.At(holder + at))
}

// readWebhookByID reads a webhook by the id that the server gave it in an earlier step.
func (c pushPlay) readWebhookByID(name, because, task, id string) {
	if id == "" {
		c.NotSent(Step{Name: name, Op: "push-get"}, because, "the server gave the webhook no id by which it could be read")
		return
	}
	c.Call(Step{Name: name, Op: "push-get"}, dialect.Outgoing{Task: task, Config: id})
}

// readWebhookPages asks for the list of a task's webhooks one by one, in steps page-1, page-2,
// …, where the protocol lets a list be paged.
func (c pushPlay) readWebhookPages(task string) {
	next, paged := c.Dialect.Pointer("push-list", "next")
	if !paged {
		return
	}
	token := ""
	for i := 1; i <= mostPages && !c.Stopped(); i++ {
		r := c.Call(Step{Name: fmt.Sprintf("page-%d", i), Op: "push-list"}, dialect.Outgoing{Task: task, Listing: &dialect.Listing{Size: 1, Token: token}})
		if !r.OK() {
			return
		}
		if token = c.BoundedText(r.Result.At(next)); token == "" {
			return
		}
	}
}

// sendWithHook sends a message with a webhook and returns the task, and its state, as
// soon as it is known; an empty one where that was too late.
func (c pushPlay) sendWithHook(h *Hook, o dialect.Outgoing, within time.Duration) (sent *Pending, task string) {
	o.Push = c.Writer.Push(PushConfig(c.Conversation, h))
	sent = c.Start(Step{Name: "send", Op: "send"}, o)
	task, known := sent.TaskInTime(o, within, "after", "get")
	if known {
		h.Task = task
	}
	return sent, task
}

// pushSeveral gives a running task three webhooks and deletes one of them. The
// deliveries to the others are the fence.
var pushSeveral = Scenario{
	Name: "push-several", Doc: "a message that takes time, with three webhooks, one of them deleted on the way",
	Ops: []string{"send", "get", "push-set", "push-delete"}, Needs: []string{"slow"}, Claims: []string{"push"}, Sends: 1,
	Play: func(c *Conversation) {
		play := pushPlay{c}
		if c.Receiver == nil {
			c.Play.Stop = "this run offers the server no webhook to deliver to"
			return
		}
		kept, second, gone := NewHook(c, "kept"), NewHook(c, "second"), NewHook(c, "gone")
		o, lasts, began := c.NewMessage("slow"), c.WorkTime("slow"), c.Client.Now()
		sent, task := play.sendWithHook(kept, o, lasts/2)
		defer sent.Wait()
		if task == "" {
			return
		}
		var id string // of the latest
		for _, h := range []*Hook{second, gone} {
			h.Task = task
			config := PushConfig(c, h)
			id = c.NewID()
			config.ID = id
			c.Call(Step{Name: "set-" + h.Name, Op: "push-set"}, dialect.Outgoing{Task: task, Push: c.Writer.Push(config)})
		}
		c.Call(Step{Name: "delete", Op: "push-delete"}, dialect.Outgoing{Task: task, Config: id})
		after := c.Call(Step{Name: "after", Op: "get"}, dialect.Outgoing{Task: task})
		if c.IsSettled(after.State) {
			c.Play.Step("after").Late = "the task had ended when its webhooks had been set: make stimuli.slow take longer"
			return
		}
		c.WorkSince(began, lasts).MarkLate("after")
		if state := c.Poll("poll", task, after.State, lasts/4, c.Patience()); !c.IsSettled(state) {
			c.Play.Stop = "the task did not end within our time limit"
			return
		}
		play.awaitDelivery("after", func() bool { return play.reportsEnd(kept) && play.reportsEnd(second) }, kept, second, gone)
	},
}

// pushAsked makes the agent ask, and waits for the webhook to be told.
var pushAsked = Scenario{
	Name: "push-asked", Doc: "a message with a webhook that makes the agent ask",
	Ops: []string{"send", "get", "push-list"}, Needs: []string{"ask"}, Claims: []string{"push"}, Sends: 1,
	Play: func(c *Conversation) {
		play := pushPlay{c}
		if c.Receiver == nil {
			c.Play.Stop = "this run offers the server no webhook to deliver to"
			return
		}
		h, o := NewHook(c, "asked"), c.NewMessage("ask")
		config := PushConfig(c, h)
		if c.Writer.NamedWebhooks {
			config.ID = c.NewID()
		}
		o.Push = c.Writer.Push(config)
		sent := c.Call(Step{Name: "send", Op: "send"}, o)
		h.Task = TaskID(o, sent)
		if !c.AwaitsClient(c.PollSoon("poll", h.Task, sent.State)) {
			c.Play.Stop = "the agent did not wait for an answer"
			return
		}
		play.awaitDelivery("send", func() bool { return play.reportsEnd(h) }, h)
		if c.Writer.NamedWebhooks {
			play.readAskedWebhook(h.Task, config.ID)
		}
	},
}

// readAskedWebhook reads the webhook of a task that goes on several times, by the id that a
// list has for it, else by ours.
func (c pushPlay) readAskedWebhook(task, id string) {
	list := c.Call(Step{Name: "list", Op: "push-list"}, dialect.Outgoing{Task: task})
	at, _ := c.Dialect.Pointer("push-list", "list")
	if list.OK() {
		if all := list.Result.At(at); all != nil && len(all.Elems) > 0 {
			id = c.ReadWebhook("push-list", "id", all.Elems[0])
		}
	}
	for _, name := range []string{"get-1", "get-2"} {
		c.readWebhookByID(name, "list", task, id)
	}
}

// pushFailing has every delivery fail, and looks what becomes of the task.
var pushFailing = Scenario{
	Name: "push-failing", Doc: "a message with a webhook that fails",
	Ops: []string{"send", "get", "push-list"}, Claims: []string{"push"}, Instead: []string{"slow"}, Sends: 1,
	Play: func(c *Conversation) {
		play := pushPlay{c}
		if c.Receiver == nil {
			c.Play.Stop = "this run offers the server no webhook to deliver to"
			return
		}
		h, o := NewHook(c, "failing"), c.NewMessage(c.FirstConfigured("slow", "quick"))
		h.Inbox.Fail()
		o.Push = c.Writer.Push(PushConfig(c, h))
		sent := c.Call(Step{Name: "send", Op: "send"}, o)
		h.Task = TaskID(o, sent)
		if !c.IsSettled(c.Poll("poll", h.Task, sent.State, 50*time.Millisecond, c.Patience())) {
			c.Play.Stop = "the task did not end within our time limit"
			return
		}
		play.awaitDelivery("send", func() bool { return play.reportsEnd(h) }, h)
		c.LookUpRepeatedly(h.Task, 3, 30*time.Millisecond)
	},
}

// pushTrouble sends a message with a webhook that fails, and asks for credentials by
// name and password. While the task runs it is given another webhook, which leaves
// deliveries without an answer for as long as the play lasts, or until it has shown that
// the agent waits for it.
var pushTrouble = Scenario{
	Name: "push-trouble", Doc: "a message with a webhook that fails, and another that does not answer", Wide: 2,
	Ops: []string{"send", "get", "push-set", "push-list"}, Claims: []string{"push"}, Instead: []string{"slow"}, Sends: 1,
	Play: func(c *Conversation) {
		play := pushPlay{c}
		if c.Receiver == nil {
			c.Play.Stop = "this run offers the server no webhook to deliver to"
			return
		}
		failing, hanging := NewHook(c, "failing"), NewHook(c, "hanging")
		failing.Inbox.Fail()
		hanging.Inbox.Hold()
		o, lasts, began := c.NewMessage(c.FirstConfigured("slow", "quick")), c.WorkTime("slow"), c.Client.Now()
		config := PushConfig(c, failing)
		o.Push = c.Writer.Push(play.withCredentials("Basic", config))
		sent := c.Call(Step{Name: "send", Op: "send"}, o)
		if !sent.OK() { // it may not speak the scheme
			began = c.Client.Now()
			o.Task, o.Push = c.NewTask(), c.Writer.Push(config)
			sent = c.Call(Step{Name: "send-plain", Op: "send"}, o)
		}
		task := TaskID(o, sent)
		if !sent.OK() || task == "" {
			c.Play.Stop = "no task was made with a webhook"
			return
		}
		failing.Task, hanging.Task = task, task
		if set := (Step{Name: "set", Op: "push-set"}); c.IsSettled(sent.State) {
			c.NotSent(set, "send", "the task had ended before it could have a second webhook: make stimuli.slow take longer")
		} else {
			c.Call(set, dialect.Outgoing{Task: task, Push: c.Writer.Push(PushConfig(c, hanging))})
		}
		state := c.Poll("poll", task, sent.State, lasts/8, lasts+c.Window("soon", 5*time.Second))
		held := hanging.Inbox.Holding() > 0
		if !c.IsSettled(state) { // the agent waits for the webhook, or it takes its time
			hanging.Inbox.Release()
			state = c.Poll("freed", task, state, lasts/8, c.Patience())
		}
		if c.IsSettled(state) {
			play.awaitDelivery("send", func() bool { return play.reportsEnd(failing) }, failing)
			c.LookUpRepeatedly(task, 3, 50*time.Millisecond)
		}
		if held = held || hanging.Inbox.Holding() > 0; !held {
			c.WorkSince(began, lasts).MarkLate("set")
		}
		hanging.Inbox.Release()
		if held { // what was held is kept once it is answered
			play.isDelivered(func() bool { return len(hanging.Inbox.Deliveries()) > 0 }, []*Hook{hanging})
		}
		if !c.IsSettled(state) {
			c.Play.Stop = "the task did not end within our time limit"
		}
	},
}
