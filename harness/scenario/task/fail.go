package task

import (
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// Fail sends the message that makes the agent fail, streamed if the server
// streams, and looks at the task some times.
var Fail = conversation.Scenario{Name: "fail", Play: func(c *conversation.Conversation) {
	o := c.NewMessage("fail")
	var begun *conversation.Reply
	step := "subscribe"
	if c.CanStream() {
		begun = c.Call(conversation.Step{Name: step, Op: "stream"}, o)
	}
	if begun == nil || !begun.IsStream() {
		step = "send"
		begun = c.Call(conversation.Step{Name: step, Op: "send"}, o)
	}
	task := conversation.TaskID(o, begun)
	c.PollBrieflyUntilAtRest("poll", task, begun.State)
	c.LookUpTaskRepeatedly(task, 3, 50*time.Millisecond)
	if task != "" {
		c.OfferStepUnderPlaysName(step, o, begun)
	}
}}
