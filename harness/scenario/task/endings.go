package task

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Endings writes to tasks that came to another end than success. They are those of
// other plays; if none are known, it brings about such ends itself.
var Endings = conversation.Scenario{Name: "endings", Play: func(c *conversation.Conversation) {
	o, made, ok := c.ReuseUnlessTaskChanged("failed-made", record.Main, "fail")
	if !ok {
		o = c.NewMessage("fail")
		made = c.Call(conversation.Step{Name: "failed-made", Op: "send"}, o)
		c.PollBrieflyUntilAtRest("failed-poll", conversation.TaskID(o, made), made.State)
	}
	sendToTaskIfEnded(c, "failed", o, made)
	if o, made, ok = c.ReuseUnlessTaskChanged("canceled-made", record.Main, "cancel"); !ok {
		o = c.NewMessage("slow")
		made = c.Call(conversation.Step{Name: "canceled-made", Op: "send"}, o)
		r := c.Call(conversation.Step{Name: "canceled-cancel", Op: "cancel"}, dialect.Outgoing{Task: conversation.TaskID(o, made)})
		c.PollBrieflyUntilAtRest("canceled-poll", conversation.TaskID(o, made), r.State)
	}
	sendToTaskIfEnded(c, "canceled", o, made)
}}

// sendToTaskIfEnded sends a message to a task if a look-up shows that it has ended.
func sendToTaskIfEnded(c *conversation.Conversation, name string, o dialect.Outgoing, made *conversation.Reply) {
	before := c.Call(conversation.Step{Name: name + "-before", Op: "get"}, dialect.Outgoing{Task: conversation.TaskID(o, made)})
	if !c.IsTerminal(before.State) {
		c.NotSent(conversation.Step{Name: name, Op: "send"}, name+"-before", "the task had not ended: its state is %q", before.State)
		return
	}
	c.Call(conversation.Step{Name: name, Op: "send", Role: record.Probe}, conversation.NewFollowUpMessage(c.Text("quick")+" again", o, made))
}
