package limits

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Together keeps as many slow calls going as the protocol allows one context,
// sends one more in that context, fills up to what it allows one client, and
// sends one more in a context of its own. What is refused is out of the way at
// once, so that all the others are within the limits.
var Together = conversation.Scenario{Name: "together", Play: func(c *conversation.Conversation) {
	limits := c.Dialect.Limits
	if limits.Calls == 0 || limits.Tasks == 0 {
		c.Play.Stop = "the protocol has no limit for calls at the same time"
		return
	}
	if !waitForRoom(c, limits.Calls+2) {
		return
	}
	var under []*conversation.Pending
	var names []string
	var said []dialect.Outgoing
	began := c.Client.Now()
	defer func() {
		conversation.WaitAll(under)
		for i, name := range names {
			conversation.OfferToCrowd(c, name, said[i], under[i].Reply())
		}
		c.NewAgentWork(began, c.WorkTime("slow")).MarkLateIfNearWorkEnd("call-beyond")
	}()
	start := func(name string, role record.Role, context string) *conversation.Pending {
		o := c.NewMessage("slow")
		o.Context = context
		p := c.Start(conversation.Step{Name: name, Role: role, Op: "send", Rush: true}, o)
		under, names, said = append(under, p), append(names, name), append(said, o)
		return p
	}
	busy := c.NewContext()
	for i := range limits.Tasks {
		start(fmt.Sprintf("task-%d", i+1), record.Main, busy)
	}
	start("task-beyond", record.Probe, busy)
	// Which of them is refused is the server's affair.
	open := len(under)
	for try := 0; try < 5 && open == len(under); try++ {
		c.Pause(c.WorkTime("slow") / 20)
		for _, p := range under {
			if p.Over() {
				open--
			}
		}
	}
	for i := open; i < limits.Calls; i++ {
		start(fmt.Sprintf("call-%d", i+1), record.Main, c.NewContext())
	}
	start("call-beyond", record.Probe, c.NewContext())
}}
