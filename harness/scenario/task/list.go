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
	for _, s := range []struct{ name, context, state string }{{"all", "", ""}, {"none", c.NewID(), ""}, {"done", "", done}, {"asking", "", waiting}} {
		c.Call(conversation.Step{Name: s.name, Op: "list", Ctx: s.context}, dialect.Outgoing{Context: s.context, Listing: &dialect.Listing{State: s.state}})
	}
	if _, made, ok := c.ReuseUnlessTaskChanged("artifact", record.Main, "artifact"); ok && made.Ctx != "" {
		no, yes := false, true
		c.PageThroughTasksReturningFirst("bare", made.Ctx, dialect.Listing{})
		c.PageThroughTasksReturningFirst("without", made.Ctx, dialect.Listing{Artifacts: &no})
		c.PageThroughTasksReturningFirst("with", made.Ctx, dialect.Listing{Artifacts: &yes})
	} else {
		c.NotSent(conversation.Step{Name: "bare", Op: "list"}, "", "no context is known in which the agent made an artifact")
	}
}}

// quietContext is a context in which several messages were taken, and nothing
// happens any more; "" if there is none.
func quietContext(c *conversation.Conversation) string {
	if _, made, ok := c.ReuseUnlessTaskChanged("made", record.Main, "sessions"); ok {
		return made.Ctx
	}
	o, first := c.ReuseOrSendQuickMessage("first", "followed/list")
	c.WithdrawOffer("followed/list") // another attempt needs a context of its own
	if !first.OK() || first.Ctx == "" {
		return ""
	}
	c.PollBrieflyUntilAtRest("first-poll", conversation.TaskID(o, first), first.State)
	separateTimestamps(c)
	o = c.NewMessage("quick")
	o.Context = first.Ctx
	second := c.Call(conversation.Step{Name: "second", Op: "send"}, o)
	task := conversation.TaskID(o, second)
	if c.IsTerminal(c.PollBrieflyUntilAtRest("second-poll", task, second.State)) && task != "" {
		c.OfferStepUnderPlaysName("second", o, second) // to those who wait until it was listed
	}
	return first.Ctx
}

// listQuiet lists the tasks of a context in which nothing happens any more.
func listQuiet(c *conversation.Conversation, context, done string) {
	whole := c.PageThroughTasksReturningFirst("context", context, dialect.Listing{})
	c.PageThroughTasksReturningFirst("page-1", context, dialect.Listing{Size: 1})
	c.PageThroughTasksReturningFirst("again-1", context, dialect.Listing{})
	c.PageThroughTasksReturningFirst("both", context, dialect.Listing{State: done})
	c.PageThroughTasksReturningFirst("neither", context, dialect.Listing{State: findState(c, func(s schema.State) bool { return s.Outcome == "failed" })})
	for _, n := range []int{0, 1} {
		c.Call(conversation.Step{Name: fmt.Sprintf("history-%d", n), Op: "list", Ctx: context}, dialect.Outgoing{Context: context, HistoryLength: &n})
	}
	c.PageThroughTasksReturningFirst("since", context, dialect.Listing{Since: cmp.Or(firstTimestamp(c, whole), hourAgo())})
}

// firstTimestamp is the time of the first task of a list; "" if there is none.
func firstTimestamp(c *conversation.Conversation, r *conversation.Reply) string {
	if !r.OK() {
		return ""
	}
	at, _ := c.Dialect.Pointer("get", "task.timestamp")
	if tasks := c.FindPart("list", "tasks", r.Result); tasks != nil && len(tasks.Elems) > 0 {
		return c.TextOrNoteOversized(tasks.Elems[0].At(at))
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
