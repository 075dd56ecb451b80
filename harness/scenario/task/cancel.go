package task

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Cancel cancels a running task and looks at it at once and after its declared
// end. The message is sent in parallel, since a server may hold the reply to it.
var Cancel = conversation.Scenario{Name: "cancel", Play: func(c *conversation.Conversation) {
	o, lasts, began := c.NewMessage("slow"), c.WorkTime("slow"), c.Client.Now()
	sent := c.Start(conversation.Step{Name: "send", Op: "send"}, o)
	defer sent.Wait()
	task, known := sent.AwaitTaskOrEndPlay(o, lasts*3/4, "cancel", "cancel")
	if !known {
		return
	}
	before := c.Call(conversation.Step{Name: "before", Op: "get"}, dialect.Outgoing{Task: task})
	// On a slow machine the message may still be on its way.
	for i := 2; !before.OK() && c.Client.Now() < began+lasts/2 && !sent.Ended(lasts/16); i++ {
		before = c.Call(conversation.Step{Name: fmt.Sprintf("before-%d", i), Op: "get"}, dialect.Outgoing{Task: task})
	}
	if c.IsTerminalOrAwaitsClient(before.State) {
		c.EndPlayWithUnsentStep(conversation.Step{Name: "cancel", Op: "cancel"}, "before", "the task had ended before it could be canceled: make stimuli.slow take longer")
		c.NewAgentWork(began, lasts).MarkLateIfAfterWork("cancel")
		return
	}
	if !before.OK() && !sent.Ended(0) { // the message may still be on its way
		c.EndPlayWithUnsentStep(conversation.Step{Name: "cancel", Op: "cancel"}, "before", "the server did not know the task when it was to be canceled")
		c.Play.Step("cancel").Late = "the message had not been answered yet"
		return
	}
	working := c.Client.Now() // by now the work has begun
	canceled := c.Call(conversation.Step{Name: "cancel", Op: "cancel"}, dialect.Outgoing{Task: task})
	if !c.IsCanceled(canceled.State) {
		c.NewAgentWork(began, lasts).MarkLateIfAfterWork("cancel")
	}
	if !c.Writer.ClientTasks {
		c.Call(conversation.Step{Name: "cancel-again", Op: "cancel", Role: record.Probe}, dialect.Outgoing{Task: task})
	}
	c.Call(conversation.Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
	c.Pause(working + lasts + lasts/8 - c.Client.Now())
	later := c.Call(conversation.Step{Name: "later", Op: "get"}, dialect.Outgoing{Task: task})
	if r := sent.Wait(); r.OK() && c.IsCanceled(later.State) {
		c.OfferStepUnderPlaysName("send", o, r)
	}
}}
