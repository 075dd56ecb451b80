package task

import (
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// AskStream makes the agent ask in a stream and answers by another. If a task
// that waits can be followed, that is done in between.
var AskStream = conversation.Scenario{Name: "ask-stream", Play: func(c *conversation.Conversation) {
	o := c.NewMessage("ask")
	s := c.Call(conversation.Step{Name: "subscribe", Op: "stream"}, o)
	task := conversation.TaskID(o, s)
	if !c.AwaitsClient(c.PollBrieflyUntilAtRest("poll", task, s.State)) {
		c.EndPlayWithUnsentStep(conversation.Step{Name: "answer", Op: "stream"}, "subscribe", "the agent did not wait for an answer")
		return
	}
	if c.Writer.FollowsWaiting {
		c.Call(conversation.Step{Name: "waiting", Op: "resubscribe", Quiet: c.Window("silence", 10*time.Second)}, dialect.Outgoing{Task: task})
	}
	c.Call(conversation.Step{Name: "answer", Op: "stream"}, newAnswer(c, o, s))
}}
