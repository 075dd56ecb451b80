package auth

import (
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// NeedAuth sends the message that makes the agent ask for credentials of
// another system.
var NeedAuth = conversation.Scenario{
	Name: "need-auth", Doc: "a message for which the agent needs further credentials",
	Ops: []string{"send", "get"}, Needs: []string{"needauth"}, Sends: 1,
	Steps: map[string]string{
		"send":    "Calls {send} with the stimulus needauth, for which the agent needs further credentials.",
		"poll-#":  "Calls {get} for the task until it waits for credentials.",
		"look":    "Calls {get} for the waiting task with historyLength 1.",
		"follow":  "Calls {resubscribe} for the waiting task.",
		"message": "Calls {send} with a message to the waiting task.",
	},
	Play: func(c *conversation.Conversation) {
		play := needAuthPlay{c}
		o := c.NewMessage("needauth")
		sent := c.Call(conversation.Step{Name: "send", Op: "send"}, o)
		task := conversation.TaskID(o, sent)
		state := c.PollSoon("poll", task, sent.State)
		c.LookUp("look", task, 1)
		if c.Writer.Unlocks && task != "" && c.AwaitsClient(state) {
			play.writeToLocked(o, sent)
		}
	},
}

// needAuthPlay is a play of need-auth.
type needAuthPlay struct{ *conversation.Conversation }

// writeToLocked follows a task that waits for credentials, if the server streams,
// and sends it a message.
func (c needAuthPlay) writeToLocked(o dialect.Outgoing, sent *conversation.Reply) {
	task := conversation.TaskID(o, sent)
	if c.Dialect.Has("resubscribe") && c.Claimed("streaming") {
		watch, came := conversation.NotifyFirstEvent()
		s := c.Start(conversation.Step{Name: "follow", Op: "resubscribe", Until: watch, Quiet: c.Window("linger", time.Second)}, dialect.Outgoing{Task: task})
		select {
		case <-came:
		case <-s.Done():
		}
		s.Ended(c.Window("linger", time.Second) / 2)
		defer s.Wait()
	}
	c.Call(conversation.Step{Name: "message", Op: "send"}, conversation.FollowUp(c.Text("quick"), o, sent))
}
