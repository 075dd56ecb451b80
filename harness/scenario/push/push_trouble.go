package push

import (
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// Trouble sends a message with a webhook that fails, and asks for credentials by
// name and password. While the task runs it is given another webhook, which leaves
// deliveries without an answer for as long as the play lasts, or until it has shown that
// the agent waits for it.
var Trouble = conversation.Scenario{Name: "push-trouble", Play: func(c *conversation.Conversation) {
	failing, hanging := conversation.NewHook(c, "failing"), conversation.NewHook(c, "hanging")
	failing.Inbox.Fail()
	hanging.Inbox.Hold()
	o, lasts, began := c.NewMessage(c.FirstConfiguredOrLastStimulus("slow", "quick")), c.WorkTime("slow"), c.Client.Now()
	config := conversation.NewPushConfig(c, failing)
	o.Push = c.Writer.Push(withCredentials(c, "Basic", config))
	sent := c.Call(conversation.Step{Name: "send", Op: "send"}, o)
	if !sent.OK() { // it may not speak the scheme
		began = c.Client.Now()
		o.Task, o.Push = c.NewTask(), c.Writer.Push(config)
		sent = c.Call(conversation.Step{Name: "send-plain", Op: "send"}, o)
	}
	task := conversation.TaskID(o, sent)
	if !sent.OK() || task == "" {
		c.Play.Stop = "no task was made with a webhook"
		return
	}
	failing.Task, hanging.Task = task, task
	if set := (conversation.Step{Name: "set", Op: "push-set"}); c.IsTerminalOrAwaitsClient(sent.State) {
		c.NotSent(set, "send", "the task had ended before it could have a second webhook: make stimuli.slow take longer")
	} else {
		c.Call(set, dialect.Outgoing{Task: task, Push: c.Writer.Push(conversation.NewPushConfig(c, hanging))})
	}
	state := c.PollUntilAtRest("poll", task, sent.State, lasts/8, lasts+c.Window("soon", 5*time.Second))
	held := hanging.Inbox.Holding() > 0
	if !c.IsTerminalOrAwaitsClient(state) { // the agent waits for the webhook, or it takes its time
		hanging.Inbox.Release()
		state = c.PollUntilAtRest("freed", task, state, lasts/8, c.PatienceForSlowMessage())
	}
	if c.IsTerminalOrAwaitsClient(state) {
		awaitDelivery(c, "send", func() bool { return mayHaveReportedEnd(c, failing) }, failing)
		c.LookUpTaskRepeatedly(task, 3, 50*time.Millisecond)
	}
	if held = held || hanging.Inbox.Holding() > 0; !held {
		c.NewAgentWork(began, lasts).MarkLateIfAfterWork("set")
	}
	hanging.Inbox.Release()
	if held { // what was held is kept once it is answered
		waitUntilDelivered(c, func() bool { return len(hanging.Inbox.Deliveries()) > 0 }, []*conversation.Hook{hanging})
	}
	if !c.IsTerminalOrAwaitsClient(state) {
		c.Play.Stop = "the task did not end within our time limit"
	}
}}
