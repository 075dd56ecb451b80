package task

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// History asks for the messages of a task in several lengths.
var History = conversation.Scenario{Name: "history", Play: func(c *conversation.Conversation) {
	o, five := c.NewMessage("quick"), 5
	o.Text += " " + conversation.NewToken(c) + " " + letters
	o.HistoryLength = &five
	sent := c.Call(conversation.Step{Name: "send", Op: "send"}, o)
	task := conversation.TaskID(o, sent)
	ended := c.PollBrieflyUntilAtRest("poll", task, sent.State)
	if task == "" {
		for _, look := range []string{"get-10", "get-50", "get-1"} {
			c.NotSent(conversation.Step{Name: look, Op: "get"}, "send", "the reply to send named no task")
		}
		return
	}
	offerIfUnchanged(c, o, sent, ended, c.LookUpTask("get-10", task, 10), c.LookUpTask("get-50", task, 50), c.LookUpTask("get-1", task, 1))
}}

// letters are of several scripts: an accent of its own, right to left, and
// beyond the first 65536.
const letters = "Zoe\u0308 Привет 日本 שלום 😀"
