package task

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// History asks for the messages of a task in several lengths.
var History = conversation.Scenario{
	Name: "history", Doc: "one harmless message, and looks at the messages of its task",
	Ops: []string{"send", "get"}, Sends: 1,
	Steps: map[string]string{
		"send":   "Calls {send} with the stimulus quick, a random word and letters of several scripts, and historyLength 5.",
		"poll-#": "Calls {get} for the task until it ends.",
		"get-1":  "Calls {get} for the task with historyLength 1.",
		"get-10": "Calls {get} for the task with historyLength 10.",
		"get-50": "Calls {get} for the task with historyLength 50.",
	},
	Play: func(c *conversation.Conversation) {
		play := endedPlay{c}
		o, five := c.NewMessage("quick"), 5
		o.Text += " " + conversation.NewToken(c) + " " + letters
		o.HistoryLength = &five
		sent := c.Call(conversation.Step{Name: "send", Op: "send"}, o)
		task := conversation.TaskID(o, sent)
		ended := c.PollSoon("poll", task, sent.State)
		if task == "" {
			for _, look := range []string{"get-10", "get-50", "get-1"} {
				c.NotSent(conversation.Step{Name: look, Op: "get"}, "send", "the reply to send named no task")
			}
			return
		}
		play.offerIfUnchanged(o, sent, ended, c.LookUp("get-10", task, 10), c.LookUp("get-50", task, 50), c.LookUp("get-1", task, 1))
	},
}

// letters are of several scripts: an accent of its own, right to left, and
// beyond the first 65536.
const letters = "Zoe\u0308 Привет 日本 שלום 😀"
