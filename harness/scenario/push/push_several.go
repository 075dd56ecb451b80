package push

import (
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// Several gives a running task three webhooks and deletes one of them. The
// deliveries to the others are the fence.
var Several = conversation.Scenario{Name: "push-several", Play: func(c *conversation.Conversation) {
	kept, second, gone := conversation.NewHook(c, "kept"), conversation.NewHook(c, "second"), conversation.NewHook(c, "gone")
	o, lasts, began := c.NewMessage("slow"), c.WorkTime("slow"), c.Client.Now()
	sent, task := sendHookedOrEndPlay(c, kept, o, lasts/2)
	defer sent.Wait()
	if task == "" {
		return
	}
	var id string // of the latest
	for _, h := range []*conversation.Hook{second, gone} {
		h.Task = task
		config := conversation.NewPushConfig(c, h)
		id = c.NewID()
		config.ID = id
		c.Call(conversation.Step{Name: "set-" + h.Name, Op: "push-set"}, dialect.Outgoing{Task: task, Push: c.Writer.Push(config)})
	}
	c.Call(conversation.Step{Name: "delete", Op: "push-delete"}, dialect.Outgoing{Task: task, Config: id})
	after := c.Call(conversation.Step{Name: "after", Op: "get"}, dialect.Outgoing{Task: task})
	if c.IsTerminalOrAwaitsClient(after.State) {
		c.Play.Step("after").Late = "the task had ended when its webhooks had been set: make stimuli.slow take longer"
		return
	}
	c.NewAgentWork(began, lasts).MarkLateIfAfterWork("after")
	if state := c.PollUntilAtRest("poll", task, after.State, lasts/4, c.PatienceForSlowMessage()); !c.IsTerminalOrAwaitsClient(state) {
		c.Play.Stop = "the task did not end within our time limit"
		return
	}
	awaitDelivery(c, "after", func() bool { return mayHaveReportedEnd(c, kept) && mayHaveReportedEnd(c, second) }, kept, second, gone)
}}

// sendHookedOrEndPlay sends a message with a webhook and returns the task, and its state, as
// soon as it is known; an empty one if that was too late.
func sendHookedOrEndPlay(c *conversation.Conversation, h *conversation.Hook, o dialect.Outgoing, within time.Duration) (sent *conversation.Pending, task string) {
	o.Push = c.Writer.Push(conversation.NewPushConfig(c, h))
	sent = c.Start(conversation.Step{Name: "send", Op: "send"}, o)
	task, known := sent.AwaitTaskOrEndPlay(o, within, "after", "get")
	if known {
		h.Task = task
	}
	return sent, task
}
