package task

import (
	"cmp"
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Ask makes the agent ask, looks at the history, answers without naming the
// session again, and looks at the longer history.
var Ask = conversation.Scenario{Name: "ask", Play: func(c *conversation.Conversation) {
	o, sent, ok := c.ReuseUnlessTaskChanged("send", record.Main, "foreign-context")
	if !ok {
		o, sent, _ = c.BeginTask("send", "ask")
	}
	task := conversation.TaskID(o, sent)
	if !c.AwaitsClient(c.PollBrieflyUntilAtRest("poll", task, sent.State)) {
		c.EndPlayWithUnsentStep(conversation.Step{Name: "answer", Op: "send"}, "send", "the agent did not wait for an answer")
		return
	}
	c.LookUpTask("waiting-1", task, 1)
	waiting := c.LookUpTask("waiting-50", task, 50)
	answer := newAnswer(c, o, sent)
	if c.Writer.RepliedContexts { // the task has one
		answer.Context = ""
	}
	if !c.Writer.ClientTasks { // who makes the task's id lets a reply be shortened
		for i := range 3 {
			c.LookUpTask(fmt.Sprintf("idle-%d", i+1), task, 50)
		}
		one := 1
		answer.HistoryLength = &one
	}
	answered := c.Call(conversation.Step{Name: "answer", Op: "send"}, answer)
	c.PollUntilOtherStatusAtRest("after", task, waiting.TaskStatus, answered)
	c.LookUpTask("done-1", task, 1)
	c.LookUpTask("done-50", task, 50)
}}

// newAnswer is the message that lets a waiting task go on. If the client chose
// the task's id, that is all it names.
func newAnswer(c *conversation.Conversation, o dialect.Outgoing, r *conversation.Reply) dialect.Outgoing {
	next := conversation.NewFollowUpMessage(cmp.Or(c.Stimuli["ask"].Answer, "yes"), o, r)
	if c.Writer.ClientTasks {
		next.Context = ""
	}
	return next
}
