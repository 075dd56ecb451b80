package task

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// TwoTasks begins two tasks at the same time, without a session.
var TwoTasks = conversation.Scenario{Name: "two-tasks", Play: func(c *conversation.Conversation) {
	five := 5
	ours := func() dialect.Outgoing {
		return dialect.Outgoing{Text: c.Text("quick") + " " + conversation.NewToken(c), Task: c.NewTask(), HistoryLength: &five}
	}
	oa, ob := ours(), ours()
	oa.Text += " " + letters
	a := c.Start(conversation.Step{Name: "a", Op: "send"}, oa)
	b := c.Start(conversation.Step{Name: "b", Op: "send"}, ob)
	ra, rb := a.Wait(), b.Wait()
	look := c.LookUpTask("get-a", conversation.TaskID(oa, ra), 10)
	c.LookUpTask("get-b", conversation.TaskID(ob, rb), 10)
	if ra.OK() && conversation.TaskID(oa, ra) != "" {
		c.OfferStepUnderName(lettersOffer, "a", oa, ra)
		c.OfferStepUnderName(lettersLookOffer, "get-a", dialect.Outgoing{Task: conversation.TaskID(oa, ra)}, look)
	}
	if rb.OK() && conversation.TaskID(ob, rb) != "" {
		c.OfferStepUnderPlaysName("b", ob, rb)
	}
}}
