package stream

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Drop closes a stream after its first event and looks at the task until past
// its declared end.
var Drop = conversation.Scenario{Name: "drop", Play: func(c *conversation.Conversation) {
	o, lasts := c.NewMessage("slow"), c.WorkTime("slow")
	s := c.Call(conversation.Step{Name: "subscribe", Op: "stream", Until: conversation.UntilFirstEvent, Fresh: true, Quiet: c.PatienceForSlowMessage()}, o)
	if !s.IsStream() {
		c.Play.Stop = "no stream was opened"
		return
	}
	c.PollUntilAtRest("poll", conversation.TaskID(o, s), "", lasts/6, c.PatienceForSlowMessage())
	if !c.Stopped() && !c.Closing {
		c.Call(conversation.Step{Name: "alive", Op: "send", Role: record.Alive}, c.NewMessage("quick"))
	}
}}
