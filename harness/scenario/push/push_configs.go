package push

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Configs gives a finished task several webhooks, reads them one by one and
// together, and deletes one. Another task is streamed with a webhook.
var Configs = conversation.Scenario{Name: "push-configs", Play: func(c *conversation.Conversation) {
	o, made := c.ReuseOrSendQuickMessage("task", c.FirstDuePlay("two-streams", "stream"), "two-tasks") // whose webhooks are no one else's
	task := conversation.TaskID(o, made)
	c.PollBrieflyUntilAtRest("poll", task, made.State)
	if task == "" {
		c.Play.Stop = "no task was made that could have webhooks"
		return
	}
	give := func(name string, config dialect.Push) *conversation.Reply {
		return c.Call(conversation.Step{Name: name, Op: "push-set"}, dialect.Outgoing{Task: task, Push: c.Writer.Push(config)})
	}
	set := func(name, id string) (*conversation.Hook, *conversation.Reply) {
		h := conversation.NewHook(c, name)
		h.Task = task
		config := conversation.NewPushConfig(c, h)
		config.ID = id
		return h, give(name, config)
	}
	call := func(name, op, config string) {
		c.Call(conversation.Step{Name: name, Op: op}, dialect.Outgoing{Task: task, Config: config})
	}
	a, b := c.NewID(), c.NewID()
	c.Call(conversation.Step{Name: "list-none", Op: "push-list", Role: record.Probe}, dialect.Outgoing{Task: task})
	own, kept := set("set-own", "")
	ownID := c.ReadWebhookConfigText("push-set", "id", kept.Result)
	if c.Writer.NamedWebhooks {
		readWebhookIfIDGiven(c, "get-own", "set-own", task, ownID)
	} else {
		call("get-only", "push-get", "") // while there is no other that could be meant
	}
	set("set-a", a)
	call("get-a", "push-get", a)
	_, third := set("set-b", b)
	if c.Writer.NamedWebhooks { // by the ids that the server returned
		readWebhookIfIDGiven(c, "get-own-still", "set-own", task, ownID)
		readWebhookIfIDGiven(c, "get-b", "set-b", task, c.ReadWebhookConfigText("push-set", "id", third.Result))
	} else {
		call("get-a-still", "push-get", a)
		call("get-b", "push-get", b)
	}
	call("list-all", "push-list", "")
	listWebhooksPageByPage(c, task)
	probe := func(name, op, twin, task, config string) {
		c.Call(conversation.Step{Name: name, Op: op, Role: record.Probe, Twin: twin, Task: task}, dialect.Outgoing{Task: task, Config: config})
	}
	probe("get-stranger", "push-get", "get-a", task, c.NewID())
	unknown := c.NewID()
	probe("get-unknown", "push-get", "get-a", unknown, a)
	c.Call(conversation.Step{Name: "set-unknown", Op: "push-set", Role: record.Probe, Twin: "set-own", Task: unknown},
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
		guarded := give("set-guarded", withBearer(c, conversation.NewPushConfig(c, conversation.NewHook(c, "set-guarded"))))
		readWebhookIfIDGiven(c, "get-guarded", "set-guarded", task, c.ReadWebhookConfigText("push-set", "id", guarded.Result))
	} else {
		c.Call(conversation.Step{Name: "delete-no-config", Op: "push-delete", Role: record.Probe, Twin: "delete-a", Task: task, Invalid: true}, dialect.Outgoing{Task: task})
	}
	if c.CanStream() && conversation.NeedsStep(c, "list-streamed") {
		h := conversation.NewHook(c, "streamed")
		o := c.NewMessage("quick")
		o.Push = c.Writer.Push(conversation.NewPushConfig(c, h))
		s := c.Call(conversation.Step{Name: "stream", Op: "stream"}, o)
		h.Task = conversation.TaskID(o, s)
		list := c.Call(conversation.Step{Name: "list-streamed", Op: "push-list"}, dialect.Outgoing{Task: h.Task})
		if c.Receiver != nil && list.OK() && !containsHook(c, list, h) { // only a delivery can show that it was registered
			waitUntilDelivered(c, func() bool { return len(h.Inbox.Deliveries()) > 0 }, []*conversation.Hook{h})
		}
		if c.Writer.NamedWebhooks && ownID != "" && h.Task != "" {
			probe("get-elsewhere", "push-get", "get-own", h.Task, ownID)
		}
	}
}}

// containsHook reports whether a list of webhooks has that of a hook.
func containsHook(c *conversation.Conversation, list *conversation.Reply, h *conversation.Hook) bool {
	at, _ := c.Dialect.Pointer("push-list", "list")
	all := list.Result.At(at)
	return all != nil && slices.ContainsFunc(all.Elems, func(e *record.Node) bool { return c.ReadWebhookConfigText("push-list", "url", e) == h.URL })
}

// listWebhooksPageByPage asks for the list of a task's webhooks one by one, in steps page-1, page-2,
// …, if the protocol lets a list be paged.
func listWebhooksPageByPage(c *conversation.Conversation, task string) {
	next, paged := c.Dialect.Pointer("push-list", "next")
	if !paged {
		return
	}
	token := ""
	for i := 1; i <= conversation.MostPages && !c.Stopped(); i++ {
		r := c.Call(conversation.Step{Name: fmt.Sprintf("page-%d", i), Op: "push-list"}, dialect.Outgoing{Task: task, Listing: &dialect.Listing{Size: 1, Token: token}})
		if !r.OK() {
			return
		}
		if token = c.TextOrNoteOversized(r.Result.At(next)); token == "" {
			return
		}
	}
}
