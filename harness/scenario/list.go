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
		play := listPlay{c}
		done, waiting := play.findState(func(s schema.State) bool { return s.Outcome == "done" }), play.findState(func(s schema.State) bool { return s.Interrupted })
		if context := play.quietContext(); context != "" {
			play.listQuiet(context, done)
		} else {
			c.NotSent(Step{Name: "context", Op: "list"}, "", "no context is known in which the server accepted several messages")
		}
		NewTaskList(c, "").FetchPage("all", dialect.Listing{})
		NewTaskList(c, c.NewID()).FetchPage("none", dialect.Listing{})
		NewTaskList(c, "").FetchPage("done", dialect.Listing{State: done})
		NewTaskList(c, "").FetchPage("asking", dialect.Listing{State: waiting})
		if _, made, ok := c.ReuseTask("artifact", wire.Main, "artifact"); ok && made.Ctx != "" {
			no, yes := false, true
			NewTaskList(c, made.Ctx).FetchAll("bare", dialect.Listing{})
			NewTaskList(c, made.Ctx).FetchAll("without", dialect.Listing{Artifacts: &no})
			NewTaskList(c, made.Ctx).FetchAll("with", dialect.Listing{Artifacts: &yes})
		} else {
			c.NotSent(Step{Name: "bare", Op: "list"}, "", "no context is known in which the agent made an artifact")
		}
	},
}

// listPlay is a play of list.
type listPlay struct{ *Conversation }

// quietContext is a context in which several messages were taken, and nothing
// happens any more; "" if there is none.
func (c listPlay) quietContext() string {
	if _, made, ok := c.ReuseTask("made", wire.Main, "sessions"); ok {
		return made.Ctx
	}
	o := c.NewMessage("quick")
	first := c.Call(Step{Name: "first", Op: "send"}, o)
	if !first.OK() || first.Ctx == "" {
		return ""
	}
	c.PollSoon("first-poll", TaskID(o, first), first.State)
	separateTimestamps(c.Conversation)
	o = c.NewMessage("quick")
	o.Context = first.Ctx
	second := c.Call(Step{Name: "second", Op: "send"}, o)
	c.PollSoon("second-poll", TaskID(o, second), second.State)
	return first.Ctx
}

// listQuiet lists the tasks of a context in which nothing happens any more.
func (c listPlay) listQuiet(context, done string) {
	whole := NewTaskList(c.Conversation, context).FetchAll("context", dialect.Listing{})
	token := ""
	for i := 1; i <= mostPages && !c.Stopped(); i++ {
		r := NewTaskList(c.Conversation, context).FetchPage(fmt.Sprintf("page-%d", i), dialect.Listing{Size: 1, Token: token})
		if !r.OK() {
			break
		}
		if token = c.ReadText("list", "next", r.Result); token == "" {
			break
		}
	}
	NewTaskList(c.Conversation, context).FetchAll("again-1", dialect.Listing{})
	NewTaskList(c.Conversation, context).FetchAll("both", dialect.Listing{State: done})
	NewTaskList(c.Conversation, context).FetchAll("neither", dialect.Listing{State: c.findState(func(s schema.State) bool { return s.Outcome == "failed" })})
	for _, n := range []int{0, 1} {
		c.Call(Step{Name: fmt.Sprintf("history-%d", n), Op: "list", Ctx: context}, dialect.Outgoing{Context: context, HistoryLength: &n})
	}
	NewTaskList(c.Conversation, context).FetchAll("since", dialect.Listing{Since: cmp.Or(c.firstTimestamp(whole), hourAgo())})
}

// hourAgo is a time before the run by our own clock, as servers write it: one that shows no
// times of its own has to read ours all the same.
func hourAgo() string {
	return time.Now().Add(-time.Hour).UTC().Format("2006-01-02T15:04:05.000Z")
}

// TaskList asks for the tasks of a context, or for all tasks if Context is empty.
type TaskList struct {
	*Conversation
	Context string
}

// NewTaskList returns the list of the tasks of a context, or of all tasks if context is empty.
func NewTaskList(c *Conversation, context string) TaskList { return TaskList{c, context} }

// FetchPage asks for one page of the list.
func (t TaskList) FetchPage(name string, l dialect.Listing) *Reply {
	return t.Call(Step{Name: name, Op: "list", Ctx: t.Context}, dialect.Outgoing{Context: t.Context, Listing: &l})
}

// FetchAll asks for all pages of the list, in steps NAME, NAME-2, NAME-3, …. It returns the
// first page.
func (c TaskList) FetchAll(name string, l dialect.Listing) *Reply {
	first := c.FetchPage(name, l)
	for r, i := first, 2; r.OK() && i <= mostPages && !c.Stopped(); i++ {
		if l.Token = c.ReadText("list", "next", r.Result); l.Token == "" {
			break
		}
		r = c.FetchPage(fmt.Sprintf("%s-%d", strings.TrimSuffix(name, "-1"), i), l)
	}
	return first
}

// firstTimestamp is the time of the first task of a list; "" if there is none.
func (c listPlay) firstTimestamp(r *Reply) string {
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
func (c listPlay) findState(is func(schema.State) bool) string {
	for _, s := range c.Dialect.States {
		if is(s) {
			return s.Name
		}
	}
	return ""
}

// separateTimestamps lets a little time pass where tasks can be listed by time, since a
// server may write it in milliseconds.
func separateTimestamps(c *Conversation) {
	if c.Dialect.Has("list") {
		c.Pause(5 * time.Millisecond)
	}
}
