package task

import (
	"cmp"
	"fmt"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// List lists tasks: those of a context in which nothing happens any more, all, and
// those of a context whose task has artifacts, with every filter. The tasks are those
// of other plays; if none are known, it makes two.
var List = conversation.Scenario{Name: "list", Play: func(c *conversation.Conversation) {
	done, waiting := findState(c, func(s schema.State) bool { return s.Outcome == "done" }), findState(c, func(s schema.State) bool { return s.Interrupted })
	if context := quietContext(c); context != "" {
		listQuiet(c, context, done)
	} else {
		c.NotSent(conversation.Step{Name: "context", Op: "list"}, "", "no context is known in which the server accepted several messages")
	}
	conversation.NewTaskList(c, "").FetchPage("all", dialect.Listing{})
	conversation.NewTaskList(c, c.NewID()).FetchPage("none", dialect.Listing{})
	conversation.NewTaskList(c, "").FetchPage("done", dialect.Listing{State: done})
	conversation.NewTaskList(c, "").FetchPage("asking", dialect.Listing{State: waiting})
	if _, made, ok := c.ReuseTask("artifact", record.Main, "artifact"); ok && made.Ctx != "" {
		no, yes := false, true
		conversation.NewTaskList(c, made.Ctx).FetchAll("bare", dialect.Listing{})
		conversation.NewTaskList(c, made.Ctx).FetchAll("without", dialect.Listing{Artifacts: &no})
		conversation.NewTaskList(c, made.Ctx).FetchAll("with", dialect.Listing{Artifacts: &yes})
	} else {
		c.NotSent(conversation.Step{Name: "bare", Op: "list"}, "", "no context is known in which the agent made an artifact")
	}
}}

// quietContext is a context in which several messages were taken, and nothing
// happens any more; "" if there is none.
func quietContext(c *conversation.Conversation) string {
	if _, made, ok := c.ReuseTask("made", record.Main, "sessions"); ok {
		return made.Ctx
	}
	o := c.NewMessage("quick")
	first := c.Call(conversation.Step{Name: "first", Op: "send"}, o)
	if !first.OK() || first.Ctx == "" {
		return ""
	}
	c.PollSoon("first-poll", conversation.TaskID(o, first), first.State)
	separateTimestamps(c)
	o = c.NewMessage("quick")
	o.Context = first.Ctx
	second := c.Call(conversation.Step{Name: "second", Op: "send"}, o)
	c.PollSoon("second-poll", conversation.TaskID(o, second), second.State)
	return first.Ctx
}

// listQuiet lists the tasks of a context in which nothing happens any more.
func listQuiet(c *conversation.Conversation, context, done string) {
	whole := conversation.NewTaskList(c, context).FetchAll("context", dialect.Listing{})
	token := ""
	for i := 1; i <= conversation.MostPages && !c.Stopped(); i++ {
		r := conversation.NewTaskList(c, context).FetchPage(fmt.Sprintf("page-%d", i), dialect.Listing{Size: 1, Token: token})
		if !r.OK() {
			break
		}
		if token = c.ReadText("list", "next", r.Result); token == "" {
			break
		}
	}
	conversation.NewTaskList(c, context).FetchAll("again-1", dialect.Listing{})
	conversation.NewTaskList(c, context).FetchAll("both", dialect.Listing{State: done})
	conversation.NewTaskList(c, context).FetchAll("neither", dialect.Listing{State: findState(c, func(s schema.State) bool { return s.Outcome == "failed" })})
	for _, n := range []int{0, 1} {
		c.Call(conversation.Step{Name: fmt.Sprintf("history-%d", n), Op: "list", Ctx: context}, dialect.Outgoing{Context: context, HistoryLength: &n})
	}
	conversation.NewTaskList(c, context).FetchAll("since", dialect.Listing{Since: cmp.Or(firstTimestamp(c, whole), hourAgo())})
}

// firstTimestamp is the time of the first task of a list; "" if there is none.
func firstTimestamp(c *conversation.Conversation, r *conversation.Reply) string {
	if !r.OK() {
		return ""
	}
	at, _ := c.Dialect.Pointer("get", "task.timestamp")
	if tasks := c.FindPart("list", "tasks", r.Result); tasks != nil && len(tasks.Elems) > 0 {
		return c.BoundedText(tasks.Elems[0].At(at))
	}
	return ""
}

// findState is the name of the first state of some sort.
func findState(c *conversation.Conversation, is func(schema.State) bool) string {
	for _, s := range c.Dialect.States {
		if is(s) {
			return s.Name
		}
	}
	return ""
}

// hourAgo is a time before the run by our own clock, as servers write it: one that shows no
// times of its own has to read ours all the same.
func hourAgo() string {
	return time.Now().Add(-time.Hour).UTC().Format("2006-01-02T15:04:05.000Z")
}
