package task

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Finished brings a task to its end and then asks for what an ended task does
// not allow any more. A look before shows that the end is known to the server. A task
// that was watched and did not change will do.
var Finished = conversation.Scenario{Name: "finished", Play: func(c *conversation.Conversation) {
	o, sent := takeOverOrSendTask(c, c.FirstDuePlay("stays", "list"))
	o = conversation.NewFollowUpMessage(c.Text("quick"), o, sent)
	later := []conversation.Step{{Name: "cancel", Op: "cancel"}, {Name: "get", Op: "get"}}
	// If a message can be sent to a task at all. That it is sent plainly is
	// seen elsewhere.
	streams := c.Writer.Continues && c.CanStream()
	if streams {
		later = append(later, againByStream...)
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
	state := c.PollBrieflyUntilAtRest("poll", o.Task, sent.State)
	before := c.Call(conversation.Step{Name: "before", Op: "get"}, dialect.Outgoing{Task: o.Task})
	switch {
	case !c.IsTerminal(state):
		stop("before", "the task did not end: its state is %q", state)
		return
	case !before.OK() || before.State != state:
		stop("before", "the look-up of the task did not show the state %q in which it ended", state)
		return
	}
	c.Reached("ended", "before")
	c.Call(later[0], dialect.Outgoing{Task: o.Task})
	after := c.Call(later[1], dialect.Outgoing{Task: o.Task})
	if streams {
		writeByStream(c, o, after.OK() && after.State == state)
	}
}}

// againByStream are a message that is sent to an ended task by a stream, and the looks at
// the task around it.
var againByStream = []conversation.Step{
	{Name: "before-stream", Op: "get"}, {Name: "again-stream", Op: "stream", Role: record.Probe, Refused: true}, {Name: "after-stream", Op: "get"},
}

// writeByStream sends a message to an ended task by a stream. If our cancellation changed
// the task, or made it vanish, another one is brought to its end: a server that then does
// not know the task would refuse the message for that.
func writeByStream(c *conversation.Conversation, o dialect.Outgoing, asItWas bool) {
	if !asItWas {
		begun, made, task := c.BeginTask("again-made", "quick")
		if !made.OK() || task == "" {
			for _, s := range againByStream {
				c.NotSent(s, "again-made", "the cancellation changed the task that had ended, and no other one was made")
			}
			return
		}
		c.PollBrieflyUntilAtRest("again-poll", task, made.State)
		o = conversation.NewFollowUpMessage(c.Text("quick"), begun, made)
	}
	before := c.Call(againByStream[0], dialect.Outgoing{Task: o.Task})
	if !c.IsTerminal(before.State) {
		for _, s := range againByStream[1:] {
			c.NotSent(s, "before-stream", "the task had not ended: its state is %q", before.State)
		}
		return
	}
	c.Call(againByStream[1], o)
	c.Call(againByStream[2], dialect.Outgoing{Task: o.Task})
}
