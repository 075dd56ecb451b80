package limits

import (
	"fmt"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Flood makes cheap calls until one is refused for the rate limit that the
// operator or the card declares: no more than two windows allow and one, since
// they may lie over the border of two. Then it waits for the window to end, and
// sends the harmless message.
var Flood = conversation.Scenario{Name: "flood", Play: func(c *conversation.Conversation) {
	allowed := c.Limit.Requests + c.Limit.Burst
	if allowed > floodLimit {
		c.Play.Stop = fmt.Sprintf("the declared limit of %d requests is more than the %d requests that a2a-conform makes at most", allowed, floodLimit)
		return
	}
	window := c.Limit.Window()
	c.Client.Pace().AwaitRoom(c.Context, c.Limit.Requests)
	calls, refused := 2*allowed+1, false
	for i := 0; i < calls && !refused && !c.Stopped(); {
		var batch []*conversation.Pending
		for ; len(batch) < floodWidth && i < calls; i++ {
			id := c.NewID()
			batch = append(batch, c.Start(conversation.Step{Name: fmt.Sprintf("call-%d", i+1), Role: record.Probe, Op: "get", Rush: true}, dialect.Outgoing{Task: id}))
		}
		for _, p := range batch {
			r := p.Wait()
			if c.IsRateLimited(r) || r.Status() >= 500 || !r.Answered() {
				refused = true
				if a, ok := client.ReadAllowance(r.Response.Header(), time.Now()); ok && a.Reset > 0 && a.Reset < window {
					window = a.Reset
				}
			}
		}
	}
	if !refused {
		c.NotSent(conversation.Step{Name: "again-1", Op: "send"}, fmt.Sprintf("call-%d", calls), "no call had been refused")
		return
	}
	// Some servers count what they refuse, so that the second wait is longer.
	for i, wait := range []time.Duration{window, c.Limit.Window() + 2*time.Second} {
		c.Pause(wait)
		s := conversation.Step{Name: fmt.Sprintf("again-%d", i+1), Op: "send", Rush: true}
		if c.Stopped() || !c.IsRateLimited(c.Call(s, c.NewMessage("quick"))) {
			return
		}
	}
}}

const (
	floodWidth = 8    // calls at the same time
	floodLimit = 1000 // the largest declared limit that is tried
)
