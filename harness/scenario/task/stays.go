package task

import (
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Stays watches a task that has ended: looks over some time, a subscription
// that comes too late, and a further message. A task whose history was looked at will do.
var Stays = conversation.Scenario{Name: "stays", Play: func(c *conversation.Conversation) {
	from := "history"
	if !conversation.NeedsStep(c, "look-5") { // any task that has ended will do
		from = c.FirstDuePlay("history", "slow")
	}
	o, sent := takeOverOrSendTask(c, from)
	task := conversation.TaskID(o, sent)
	ended := c.PollBrieflyUntilAtRest("poll", task, sent.State)
	var late *conversation.Pending
	if c.CanSubscribe() && task != "" {
		late = c.Start(conversation.Step{Name: "resubscribe", Op: "resubscribe", Role: record.Probe}, dialect.Outgoing{Task: task})
	}
	looks := c.LookUpTaskRepeatedly(task, 5, 60*time.Millisecond)
	if late != nil {
		late.Wait()
	}
	if !c.Writer.Continues { // no message can be sent to a task
		offerIfUnchanged(c, o, sent, ended, looks...)
		return
	}
	switch n := len(looks); {
	case n > 0 && !looks[n-1].OK():
		c.EndPlayWithUnsentStep(conversation.Step{Name: "again", Op: "send"}, "look-5", "the last look-up did not find the task of the further message")
		return
	case n == 0 || !c.IsTerminal(looks[n-1].State):
		c.EndPlayWithUnsentStep(conversation.Step{Name: "again", Op: "send"}, "look-5", "the task had not ended when the further message was to be sent")
		return
	}
	c.Call(conversation.Step{Name: "again", Op: "send", Refused: true}, conversation.NewFollowUpMessage(c.Text("quick")+" again", o, sent))
	looks = append(looks, c.Call(conversation.Step{Name: "after-1", Op: "get"}, dialect.Outgoing{Task: task}))
	c.Pause(100 * time.Millisecond)
	looks = append(looks, c.Call(conversation.Step{Name: "after-2", Op: "get"}, dialect.Outgoing{Task: task}))
	offerIfUnchanged(c, o, sent, ended, looks...)
}}

// takeOverOrSendTask is the harmless message of a play that left its task to this one alone, so that
// what is done to the task next is no surprise to another; else one of our own.
func takeOverOrSendTask(c *conversation.Conversation, from string) (dialect.Outgoing, *conversation.Reply) {
	if from == "" {
		return conversation.SendFirstMessageOrReuse(c)
	}
	defer c.WithdrawOffer(from)
	return c.ReuseOrSendQuickMessage("send", from)
}

// offerIfUnchanged leaves a task that has ended to another play if each look at it showed the
// state in which it did.
func offerIfUnchanged(c *conversation.Conversation, o dialect.Outgoing, sent *conversation.Reply, ended string, looks ...*conversation.Reply) {
	changed := func(r *conversation.Reply) bool { return r.State != ended }
	if sent.OK() && c.IsTerminal(ended) && !slices.ContainsFunc(looks, changed) {
		c.OfferStepUnderPlaysName("send", o, sent)
	}
}
