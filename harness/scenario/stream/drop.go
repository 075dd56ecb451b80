package stream

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Drop closes a stream after its first event and looks at the task until past
// its declared end.
var Drop = conversation.Scenario{
	Name: "drop", Doc: "a stream dropped after its first event, and look-ups of its task", Burst: 2,
	Ops: []string{"stream", "get"}, Needs: []string{"slow"}, Claims: []string{"streaming"}, Sends: 1,
	Steps: map[string]string{
		"subscribe": "Calls {stream} with the stimulus slow and closes the connection after the first event.",
		"poll-#":    "Calls {get} for the task until it ends.",
		"alive":     "Calls {send} with the stimulus quick, to see whether the server still answers.",
	},
	Play: func(c *conversation.Conversation) {
		o, lasts := c.NewMessage("slow"), c.WorkTime("slow")
		s := c.Call(conversation.Step{Name: "subscribe", Op: "stream", Until: conversation.UntilFirstEvent, Fresh: true, Quiet: c.Patience()}, o)
		if !s.IsStream() {
			c.Play.Stop = "no stream was opened"
			return
		}
		c.Poll("poll", conversation.TaskID(o, s), "", lasts/6, c.Patience())
		if !c.Stopped() && !c.Closing {
			c.Call(conversation.Step{Name: "alive", Op: "send", Role: record.Alive}, c.NewMessage("quick"))
		}
	},
}
