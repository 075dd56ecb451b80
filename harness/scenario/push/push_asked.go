package push

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// Asked makes the agent ask, and waits for the delivery to the webhook. The task that waits is left to another play.
var Asked = conversation.Scenario{Name: "push-asked", Play: func(c *conversation.Conversation) {
	h, o := conversation.NewHook(c, "asked"), c.NewMessage("ask")
	config := conversation.NewPushConfig(c, h)
	if c.Writer.NamedWebhooks {
		config.ID = c.NewID()
	}
	o.Push = c.Writer.Push(config)
	sent := c.Call(conversation.Step{Name: "send", Op: "send"}, o)
	h.Task = conversation.TaskID(o, sent)
	if !c.AwaitsClient(c.PollBrieflyUntilAtRest("poll", h.Task, sent.State)) {
		c.Play.Stop = "the agent did not wait for an answer"
		return
	}
	awaitDelivery(c, "send", func() bool { return mayHaveReportedEnd(c, h) }, h)
	if c.Writer.NamedWebhooks {
		getFirstListedWebhookTwice(c, h.Task, config.ID)
	}
	if sent.OK() && c.IsPlayDue("foreign-context", "send") {
		c.OfferStepUnderPlaysName("send", o, sent)
		c.HandOnTask(h.Task)
	}
}}

// getFirstListedWebhookTwice reads the webhook of a task that continues, several times, by the id that a
// list has for it, else by ours.
func getFirstListedWebhookTwice(c *conversation.Conversation, task, fallbackID string) {
	list := c.Call(conversation.Step{Name: "list", Op: "push-list"}, dialect.Outgoing{Task: task})
	at, _ := c.Dialect.Pointer("push-list", "list")
	if list.OK() {
		if all := list.Result.At(at); all != nil && len(all.Elems) > 0 {
			fallbackID = c.ReadWebhookConfigText("push-list", "id", all.Elems[0])
		}
	}
	for _, name := range []string{"get-1", "get-2"} {
		readWebhookIfIDGiven(c, name, "list", task, fallbackID)
	}
}
