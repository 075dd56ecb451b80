package task

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// History asks for the messages of a task in several lengths.
var History = conversation.Scenario{Name: "history", Play: func(c *conversation.Conversation) {
	o, sent, ok := c.ReuseUnlessTaskChanged("send", record.Main, lettersOffer)
	c.WithdrawOffer(lettersOffer) // this play leaves the task to another
	lettered := ok
	if !ok && !conversation.NeedsStep(c, "send") { // only the looks are asked for
		o, sent, ok = c.ReuseUnlessTaskChanged("send", record.Main, "quick")
	}
	if !ok {
		five := 5
		o = c.NewMessage("quick")
		o.Text += " " + conversation.NewToken(c) + " " + letters
		o.HistoryLength = &five
		if c.Writer.ServerContexts {
			o.Context, o.Bare = "", true
		}
		sent = c.Call(conversation.Step{Name: "send", Op: "send"}, o)
		conversation.OfferToCrowd(c, "send", o, sent)
	}
	task := conversation.TaskID(o, sent)
	ended := c.PollBrieflyUntilAtRest("poll", task, sent.State)
	if task == "" {
		for _, look := range []string{"get-10", "get-50", "get-1"} {
			c.NotSent(conversation.Step{Name: look, Op: "get"}, "send", "the reply to send named no task")
		}
		return
	}
	var ten *conversation.Reply
	if lettered {
		_, ten, lettered = c.ReuseOfferedStep("get-10", record.Main, lettersLookOffer)
	}
	if !lettered {
		ten = c.LookUpTask("get-10", task, 10)
	}
	looks := []*conversation.Reply{ten, c.LookUpTask("get-50", task, 50), c.LookUpTask("get-1", task, 1)}
	if c.Play.Step("send").Of == "" || conversation.NeedsStep(c, "send") { // else others still look at the task
		offerIfUnchanged(c, o, sent, ended, looks...)
	}
}}

// lettersOffer is the name under which a message with these letters is offered.
const lettersOffer = "letters"

// lettersLookOffer is the name under which a look at the task of that message is offered, with historyLength 10: each look may be the
// last at which a server still knows a task.
const lettersLookOffer = "letters/look"

// letters are of several scripts: an accent of its own, right to left, and
// beyond the first 65536.
const letters = "Zoe\u0308 Привет 日本 שלום 😀"
