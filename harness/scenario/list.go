package scenario

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// mostPages bounds how many pages of a list are turned.
const mostPages = 6

// list lists tasks: those of a context in which nothing happens any more, all, and
// those of a context whose task has artifacts, with every filter. The tasks are those
// of other plays; where none are known, it makes two.
var list = Scenario{
	Name: "list", Doc: "tasks of other conversations, listed in pages and by every filter",
	Ops: []string{"send", "list"}, Sends: 2, Chain: 1, Probes: 24, After: []string{"quick", "sessions", "artifact"},
	Play: func(c *Conversation) {
		done, waiting := c.findState(func(s schema.State) bool { return s.Outcome == "done" }), c.findState(func(s schema.State) bool { return s.Interrupted })
		if context := c.quietContext(); context != "" {
			c.listQuiet(context, done)
		} else {
			c.NotSent(Step{Name: "context", Op: "list"}, "", "no context is known in which the server accepted several messages")
		}
		c.list("all", "", dialect.Listing{})
		c.list("none", c.NewID(), dialect.Listing{})
		c.list("done", "", dialect.Listing{State: done})
		c.list("asking", "", dialect.Listing{State: waiting})
		if _, made, ok := c.ReuseTask("artifact", wire.Main, "artifact"); ok && made.Ctx != "" {
			no, yes := false, true
			c.listWhole("bare", made.Ctx, dialect.Listing{})
			c.listWhole("without", made.Ctx, dialect.Listing{Artifacts: &no})
			c.listWhole("with", made.Ctx, dialect.Listing{Artifacts: &yes})
		} else {
			c.NotSent(Step{Name: "bare", Op: "list"}, "", "no context is known in which the agent made an artifact")
		}
	},
}

// quietContext is a context in which several messages were taken, and nothing
// happens any more; "" if there is none.
func (c *Conversation) quietContext() string {
	if _, made, ok := c.ReuseTask("made", wire.Main, "sessions"); ok {
		return made.Ctx
	}
	o := c.NewMessage("quick")
	first := c.Call(Step{Name: "first", Op: "send"}, o)
	if !first.OK() || first.Ctx == "" {
		return ""
	}
	c.PollSoon("first-poll", TaskID(o, first), first.State)
	c.separateTimestamps()
	o = c.NewMessage("quick")
	o.Context = first.Ctx
	second := c.Call(Step{Name: "second", Op: "send"}, o)
	c.PollSoon("second-poll", TaskID(o, second), second.State)
	return first.Ctx
}

// listQuiet lists the tasks of a context in which nothing happens any more.
func (c *Conversation) listQuiet(context, done string) {
	whole := c.listWhole("context", context, dialect.Listing{})
	token := ""
	for i := 1; i <= mostPages && !c.Stopped(); i++ {
		r := c.list(fmt.Sprintf("page-%d", i), context, dialect.Listing{Size: 1, Token: token})
		if !r.OK() {
			break
		}
		if token = c.ReadText("list", "next", r.Result); token == "" {
			break
		}
	}
	c.listWhole("again-1", context, dialect.Listing{})
	c.listWhole("both", context, dialect.Listing{State: done})
	c.listWhole("neither", context, dialect.Listing{State: c.findState(func(s schema.State) bool { return s.Outcome == "failed" })})
	for _, n := range []int{0, 1} {
		c.Call(Step{Name: fmt.Sprintf("history-%d", n), Op: "list", Ctx: context}, dialect.Outgoing{Context: context, HistoryLength: &n})
	}
	c.listWhole("since", context, dialect.Listing{Since: cmp.Or(c.firstTimestamp(whole), c.hourAgo())})
}

// hourAgo is a time before the run by our own clock, as servers write it: one that shows no
// times of its own has to read ours all the same.
func (c *Conversation) hourAgo() string {
	return time.Now().Add(-time.Hour).UTC().Format("2006-01-02T15:04:05.000Z")
}

// list lists the tasks of a context, or of all where none is named.
func (c *Conversation) list(name, context string, l dialect.Listing) *Reply {
	return c.Call(Step{Name: name, Op: "list", Ctx: context}, dialect.Outgoing{Context: context, Listing: &l})
}

// listWhole lists the tasks of a context, and turns the pages of a server that sends fewer at
// a time, in steps NAME-2, NAME-3, …. It returns the first page.
func (c *Conversation) listWhole(name, context string, l dialect.Listing) *Reply {
	first := c.list(name, context, l)
	for r, i := first, 2; r.OK() && i <= mostPages && !c.Stopped(); i++ {
		if l.Token = c.ReadText("list", "next", r.Result); l.Token == "" {
			break
		}
		r = c.list(fmt.Sprintf("%s-%d", strings.TrimSuffix(name, "-1"), i), context, l)
	}
	return first
}

// firstTimestamp is the time of the first task of a list; "" if there is none.
func (c *Conversation) firstTimestamp(r *Reply) string {
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
func (c *Conversation) findState(is func(schema.State) bool) string {
	for _, s := range c.Dialect.States {
		if is(s) {
			return s.Name
		}
	}
	return ""
}

// separateTimestamps lets a little time pass where tasks can be listed by time, since a
// server may write it in milliseconds.
func (c *Conversation) separateTimestamps() {
	if c.Dialect.Has("list") {
		c.Pause(5 * time.Millisecond)
	}
}
