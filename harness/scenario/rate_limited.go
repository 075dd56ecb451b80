package scenario

import (
	"fmt"
	"net/http"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// Bounds on the patience with a server that refuses calls for its rate limit
// though the run kept below what it knew of that limit.
const (
	limitTries = 3                // attempts at one call
	limitCalls = 3                // calls that are given up before none is repeated any more
	limitPause = time.Second      // where the server does not say how long to wait
	limitWait  = 90 * time.Second // the longest wait that is granted
)

// sendWithRetries sends a body and reads the answer. A call that is refused for the
// rate limit says nothing of what it was made for: it is repeated when the
// server says so, and every attempt is kept.
func (c *Conversation) sendWithRetries(s Step, call wire.Call) *Reply {
	var refused []*wire.Exchange
	for {
		r := c.sendOnce(s, call)
		r.limited = refused
		if s.Rush || !c.IsRateLimited(r) {
			return r
		}
		wait := wire.RetryAfter(r.Response.Header(), time.Now())
		if wait == 0 {
			wait = limitPause << len(refused)
		}
		end, bounded := c.Context.Deadline()
		reset, repeatable := r.ResetForLoad()
		switch {
		case reset && call.Once && !repeatable: // it may have begun
			r.GaveUp = "the server reset its stream with ENHANCE_YOUR_CALM, so it limits calls"
		case c.Client.Pace().GivenUp() >= limitCalls:
			r.GaveUp = "the server refused it because of its rate limit, like many calls before"
		case len(refused)+1 == limitTries:
			r.GaveUp = fmt.Sprintf("the server refused it %d times because of its rate limit", limitTries)
		case wait > limitWait || bounded && time.Until(end) < wait:
			r.GaveUp = fmt.Sprintf("the server refused it because of its rate limit, and asks to wait %.0f s", wait.Seconds())
		default:
			c.Client.Pace().Refused(wait)
			refused = append(refused, r.Exchange)
			continue
		}
		c.Client.Pace().GiveUp()
		return r
	}
}

// IsRateLimited reports whether a call was refused for the server's rate limit.
func (c *Setting) IsRateLimited(r *Reply) bool {
	if r.Status() == http.StatusTooManyRequests {
		return true
	}
	if limits, _ := r.ResetForLoad(); limits {
		return true
	}
	return r.Answer.Refuses("RateLimitExceeded", "RateLimited")
}

// recordedRefusals are the earlier attempts at a step.
func recordedRefusals(s Step, r *Reply) (out []wire.Step) {
	for i, x := range r.limited {
		out = append(out, wire.Step{Name: fmt.Sprintf("%s-limited-%d", s.Name, i+1), Role: wire.Probe, Op: s.Op,
			Task: s.Task, Context: s.Ctx, Invalid: s.Invalid, As: s.As, Exchange: x})
	}
	return out
}
