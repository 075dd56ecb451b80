package auth

import (
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// NeedAuth sends the message that makes the agent ask for credentials of
// another system.
var NeedAuth = conversation.Scenario{Name: "need-auth", Play: func(c *conversation.Conversation) {
	o, sent, task := c.BeginTask("send", "needauth")
	state := c.PollBrieflyUntilAtRest("poll", task, sent.State)
	c.LookUpTask("look", task, 1)
	if c.Writer.Unlocks && task != "" && c.AwaitsClient(state) {
		writeToLocked(c, o, sent)
	}
}}

// writeToLocked follows a task that waits for credentials, if the server streams,
// and sends it a message.
func writeToLocked(c *conversation.Conversation, o dialect.Outgoing, sent *conversation.Reply) {
	task := conversation.TaskID(o, sent)
	if c.CanSubscribe() {
		watch, came := conversation.NewFirstEventNotifier()
		s := c.Start(conversation.Step{Name: "follow", Op: "resubscribe", Until: watch, Quiet: c.Window("linger", time.Second)}, dialect.Outgoing{Task: task})
		select {
		case <-came:
		case <-s.Done():
		}
		s.Ended(c.Window("linger", time.Second) / 2)
		defer s.Wait()
	}
	c.Call(conversation.Step{Name: "message", Op: "send"}, conversation.NewFollowUpMessage(c.Text("quick"), o, sent))
}
