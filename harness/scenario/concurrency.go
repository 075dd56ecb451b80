package scenario

import (
	"fmt"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// together keeps as many slow calls going as the protocol allows one context,
// sends one more in that context, fills up to what it allows one client, and
// sends one more in a context of its own. What is refused is out of the way at
// once, so that all the others are within the limits.
var together = Scenario{
	Name: "together", Doc: "slow messages at the same time, up to the limits for one context and one client, and one beyond each",
	Class: Exclusive, Ops: []string{"send"}, Needs: []string{"slow"}, Sends: 12,
	Play: func(c *Conversation) {
		limits := c.Dialect.Limits
		if limits.Calls == 0 || limits.Tasks == 0 {
			c.Play.Stop = "the protocol has no limit for calls at the same time"
			return
		}
		if !waitForRoom(c, limits.Calls+2) {
			return
		}
		var under []*Pending
		began := c.Client.Now()
		defer func() {
			for _, p := range under {
				p.Wait()
			}
			c.WorkSince(began, c.WorkTime("slow")).MarkTooLate("call-beyond")
		}()
		start := func(name string, role wire.Role, context string) *Pending {
			o := c.NewMessage("slow")
			o.Context = context
			p := c.Start(Step{Name: name, Role: role, Op: "send", Rush: true}, o)
			under = append(under, p)
			return p
		}
		busy := c.NewContext()
		for i := range limits.Tasks {
			start(fmt.Sprintf("task-%d", i+1), wire.Main, busy)
		}
		start("task-beyond", wire.Probe, busy)
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
			start(fmt.Sprintf("call-%d", i+1), wire.Main, c.NewContext())
		}
		start("call-beyond", wire.Probe, c.NewContext())
	},
}

// waitForRoom waits until so many calls can be made at once, and says so where the
// server's rate limit has no room for them.
func waitForRoom(c *Conversation, calls int) bool {
	pace := c.Client.Pace()
	if limit := pace.Limit(); limit > 0 && limit < calls {
		c.Play.Stop = fmt.Sprintf("the server's rate limit of %d requests leaves no room for %d at the same time", limit, calls)
		return false
	}
	pace.Room(c.Context, calls)
	return true
}

// long sends the message that an agent works on longer than any call may take,
// once in a call and once in a stream, and lets the server end both.
var long = Scenario{
	Name: "long", Doc: "a message that takes longer than a call or a stream may last",
	Class: Exclusive, Ops: []string{"send", "stream"}, Needs: []string{"long"}, Sends: 2,
	Play: func(c *Conversation) {
		patience := c.WorkTime("long") + 30*time.Second
		call := c.Start(Step{Name: "call", Op: "send", Timeout: patience}, c.NewMessage("long"))
		if c.Claimed("streaming") {
			c.Call(Step{Name: "stream", Op: "stream", Timeout: patience, Quiet: patience}, c.NewMessage("long"))
		} else {
			c.NotSent(Step{Name: "stream", Op: "stream"}, "", "the card does not declare streaming")
		}
		call.Wait()
	},
}
