package push

import (
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// Failing has every delivery fail, and looks what becomes of the task.
var Failing = conversation.Scenario{Name: "push-failing", Play: func(c *conversation.Conversation) {
	h, o := conversation.NewHook(c, "failing"), c.NewMessage(c.FirstConfiguredOrLastStimulus("slow", "quick"))
	h.Inbox.Fail()
	o.Push = c.Writer.Push(conversation.NewPushConfig(c, h))
	sent := c.Call(conversation.Step{Name: "send", Op: "send"}, o)
	h.Task = conversation.TaskID(o, sent)
	if !c.IsTerminalOrAwaitsClient(c.PollUntilAtRest("poll", h.Task, sent.State, 50*time.Millisecond, c.PatienceForSlowMessage())) {
		c.Play.Stop = "the task did not end within our time limit"
		return
	}
	awaitDelivery(c, "send", func() bool { return mayHaveReportedEnd(c, h) }, h)
	c.LookUpTaskRepeatedly(h.Task, 3, 30*time.Millisecond)
}}
