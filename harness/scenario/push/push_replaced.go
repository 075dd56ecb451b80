package push

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Replaced replaces the webhook of a task while it runs. The delivery that
// must come to the new one is the fence: what has not come to the old one by
// then is not coming.
var Replaced = conversation.Scenario{Name: "push-replaced", Play: func(c *conversation.Conversation) {
	old, now := conversation.NewHook(c, "old"), conversation.NewHook(c, "new")
	o, lasts, began := c.NewMessage("slow"), c.WorkTime("slow"), c.Client.Now()
	o.Push = c.Writer.Push(conversation.NewPushConfig(c, old))
	sent := c.Start(conversation.Step{Name: "send", Op: "send"}, o)
	defer sent.Wait()
	task, known := sent.AwaitTaskOrEndPlay(o, lasts/2, "set", "push-set")
	if !known {
		return
	}
	old.Task, now.Task = task, task
	set := c.Call(conversation.Step{Name: "set", Op: "push-set"}, dialect.Outgoing{Task: task, Push: c.Writer.Push(conversation.NewPushConfig(c, now))})
	after := c.Call(conversation.Step{Name: "after", Op: "get"}, dialect.Outgoing{Task: task})
	switch {
	case set.Answer.Refuses("TaskNotFound") && o.Task != "": // we named the task, so nothing shows which of the two calls was read first
		c.Play.Step("set").Late = "the server may have read it before the message that begins the task"
		return
	case !isAccepted(set) && (!after.OK() || set.Answer.Refuses("TaskNotFound")) && !sent.Ended(0): // the message may have been on its way
		c.Play.Step("set").Late = "the message was not answered yet, and the server did not know the task"
		return
	case !isAccepted(set):
		c.Play.Stop = "the webhook could not be replaced while the task ran"
		return
	case c.IsTerminalOrAwaitsClient(after.State):
		c.Play.Step("after").Late = "the task had ended when its webhook had been replaced: make stimuli.slow take longer"
		return
	}
	c.NewAgentWork(began, lasts).MarkLateIfAfterWork("after")
	state := c.PollUntilAtRest("poll", task, after.State, lasts/4, c.PatienceForSlowMessage())
	if !c.IsTerminalOrAwaitsClient(state) {
		c.Play.Stop = "the task did not end within our time limit"
		return
	}
	// What shows no state may have been sent before the change.
	toldOld := func(x *record.Exchange) bool { return hasTerminalOrAwaitingState(c, x) }
	enough := func() bool { return mayHaveReportedEnd(c, now) || slices.ContainsFunc(old.Inbox.Deliveries(), toldOld) }
	awaitDelivery(c, "after", enough, now, old)
}}
