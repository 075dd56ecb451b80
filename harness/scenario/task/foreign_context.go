package task

import (
	"bytes"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// ForeignContext answers the agent's question from another context; a task of another play that waits will do. If tasks can
// be listed, a second task is made in the context of the first, which is canceled
// then, so that it is the latest to change. If not, a task that kept waiting is left to another play.
var ForeignContext = conversation.Scenario{Name: "foreign-context", Play: func(c *conversation.Conversation) {
	o, sent, ok := c.ReuseUnlessTaskChanged("send", record.Main, "push-asked")
	c.WithdrawOffer("push-asked") // another attempt needs a task of its own
	if !ok {
		o, sent, _ = c.BeginTask("send", "ask")
	}
	task := conversation.TaskID(o, sent)
	if !c.AwaitsClient(c.PollBrieflyUntilAtRest("poll", task, sent.State)) {
		c.NotSent(conversation.Step{Name: "answer", Op: "send"}, "send", "the agent did not wait for an answer")
		return
	}
	lists := c.Dialect.Has("list")
	if lists {
		c.Call(conversation.Step{Name: "before", Op: "get"}, dialect.Outgoing{Task: task})
	}
	answer := newAnswer(c, o, sent)
	answer.Context, answer.Message = c.NewID(), conversation.NewMessageID(c)
	answered := c.Call(conversation.Step{Name: "answer", Op: "send", Role: record.Probe, Contradicts: true}, answer)
	after := c.Call(conversation.Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
	switch {
	case lists && sent.Ctx != "":
		moveToFront(c, task, sent.Ctx)
	case c.IsPlayDue("ask", "send") && !lists && !answered.OK() && c.AwaitsClient(after.State) && !bytes.Contains(after.Response.Body, []byte(answer.Message)):
		c.OfferStepUnderPlaysName("send", o, sent) // the task is as it was
		c.HandOnTask(task)
	}
}}

// moveToFront makes another task in a context, cancels the one that was there, and
// lists them.
func moveToFront(c *conversation.Conversation, task, context string) {
	o, none := c.NewMessage("quick"), 0
	o.Context, o.HistoryLength = context, &none
	beside := c.Call(conversation.Step{Name: "beside", Op: "send"}, o)
	c.PollBrieflyUntilAtRest("beside-poll", conversation.TaskID(o, beside), beside.State)
	separateTimestamps(c)
	about := dialect.Outgoing{Task: task, Metadata: map[string]any{"reason": map[string]any{"code": 1}}}
	if r := c.Call(conversation.Step{Name: "cancel", Op: "cancel"}, about); !r.OK() {
		about.Metadata = nil
		c.Call(conversation.Step{Name: "cancel-plain", Op: "cancel", Role: record.Twin}, about)
		c.Play.Step("cancel").Twin = "cancel-plain"
	}
	c.PageThroughTasksReturningFirst("list", context, dialect.Listing{})
}
