package stream

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// Resubscribe drops a stream and takes its task up again, twice at the same
// time: plainly, and with the optional members.
var Resubscribe = conversation.Scenario{Name: "resubscribe", Play: func(c *conversation.Conversation) {
	o := c.NewMessage("slow")
	s := c.Call(conversation.Step{Name: "subscribe", Op: "stream", Until: conversation.UntilFirstEvent, Fresh: true, Quiet: c.PatienceForSlowMessage()}, o)
	task := conversation.TaskID(o, s)
	if !s.IsStream() || task == "" {
		c.Play.Stop = "no stream was opened that could be resumed"
		return
	}
	look := c.Call(conversation.Step{Name: "look", Op: "get"}, dialect.Outgoing{Task: task})
	if c.IsTerminalOrAwaitsClient(look.State) {
		for _, n := range []string{"plain", "members"} {
			c.NotSent(conversation.Step{Name: n, Op: "resubscribe"}, "look", "the task had ended before its stream could be resumed: make stimuli.slow take longer")
			c.NewAgentWork(s.Start, c.WorkTime("slow")).MarkLateIfAfterWork(n)
		}
		return
	}
	five := 5
	plain := c.Start(conversation.Step{Name: "plain", Op: "resubscribe", Closes: true, Quiet: c.PatienceForSlowMessage()}, dialect.Outgoing{Task: task})
	members := c.Start(conversation.Step{Name: "members", Op: "resubscribe", Quiet: c.PatienceForSlowMessage()},
		dialect.Outgoing{Task: task, HistoryLength: &five, Metadata: map[string]any{"a": 1}})
	for name, p := range map[string]*conversation.Pending{"plain": plain, "members": members} {
		if r := p.Wait(); !r.IsStream() || len(r.Events()) == 0 || c.IsRefusedInStream(r) {
			c.NewAgentWork(s.Start, c.WorkTime("slow")).MarkLateIfAfterWork(name)
		}
		c.NewAgentWork(s.Start, c.WorkTime("slow")).MarkLateIfNearWorkEnd(name)
	}
}}
