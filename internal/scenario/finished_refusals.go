package scenario

import (
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// finished brings a task to its end and then asks for what an ended task does
// not allow any more. A look before shows that the end is known to the server. A task
// that was watched and did not change will do.
var finished = Scenario{
	Name: "finished", Doc: "a task brought to its end, then canceled and written to",
	Ops: []string{"send", "get", "cancel"}, Sends: 2, After: []string{"stays"},
	Play: func(c *Conversation) {
		o, sent := c.inherited("stays")
		o = further(o.Text, o, sent)
		later := []Step{{Name: "cancel", Op: "cancel"}, {Name: "get", Op: "get"}}
		// Where a message can be sent to a task at all. That it is sent plainly is
		// seen elsewhere.
		if c.Writer.Continues && c.Dialect.Has("stream") && c.Claimed("streaming") {
			later = append(later, Step{Name: "again-stream", Op: "stream", Role: wire.Probe}, Step{Name: "after-stream", Op: "get"})
		}
		stop := func(because, why string, args ...any) {
			for _, s := range later {
				c.NotSent(s, because, why, args...)
			}
		}
		if !sent.OK() || o.Task == "" {
			stop("send", "no task was made")
			return
		}
		state := c.soon("poll", o.Task, sent.State)
		before := c.Call(Step{Name: "before", Op: "get"}, dialect.Outgoing{Task: o.Task})
		switch s := c.Dialect.State(state); {
		case s == nil || !s.Terminal:
			stop("before", "the task did not end: its state is %q", state)
			return
		case !before.OK() || before.State != state:
			stop("before", "the look-up of the task did not show the state %q in which it ended", state)
			return
		}
		c.Reached("ended", "before")
		for _, s := range later {
			if c.Dialect.Operation(s.Op).Agent {
				c.Call(s, o)
			} else {
				c.Call(s, dialect.Outgoing{Task: o.Task})
			}
		}
	},
}
