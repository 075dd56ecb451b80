package scenario

import (
	"fmt"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// LookUpRepeatedly looks a task up several times, in steps look-1, look-2, …
func (c *Conversation) LookUpRepeatedly(task string, times int, apart time.Duration) (all []*Reply) {
	for i := 1; i <= times && task != "" && !c.Stopped(); i++ {
		if i > 1 {
			c.Pause(apart)
		}
		all = append(all, c.Call(Step{Name: fmt.Sprintf("look-%d", i), Op: "get"}, dialect.Outgoing{Task: task}))
	}
	return all
}

// stays watches a task that has ended: looks over some time, a subscription
// that comes too late, and a further message. A task whose history was looked at will do.
var stays = Scenario{
	Name: "stays", Doc: "a finished task: look-ups, a late subscription, a further message", Wide: 2, Probes: 8,
	Ops: []string{"send", "get"}, Sends: 2, After: []string{"history"},
	Play: func(c *Conversation) {
		play := endedPlay{c}
		o, sent := takeOverTask(c, "history")
		task := TaskID(o, sent)
		ended := c.PollSoon("poll", task, sent.State)
		var late *Pending
		if c.Dialect.Has("resubscribe") && c.Claimed("streaming") && task != "" {
			late = c.Start(Step{Name: "resubscribe", Op: "resubscribe", Role: wire.Probe}, dialect.Outgoing{Task: task})
		}
		looks := c.LookUpRepeatedly(task, 5, 60*time.Millisecond)
		var last *Reply
		if n := len(looks); n > 0 {
			last = looks[n-1]
		}
		if late != nil {
			late.Wait()
		}
		if !c.Writer.Continues { // no message can be sent to a task
			play.offerIfUnchanged(o, sent, ended, looks...)
			return
		}
		if last != nil && !last.OK() {
			c.EndPlay(Step{Name: "again", Op: "send"}, "look-5", "the last look-up did not find the task of the further message")
			return
		}
		if s := c.Dialect.State(stateOf(last)); s == nil || !s.Terminal {
			c.EndPlay(Step{Name: "again", Op: "send"}, "look-5", "the task had not ended when the further message was to be sent")
			return
		}
		c.Call(Step{Name: "again", Op: "send"}, FollowUp(o.Text+" again", o, sent))
		looks = append(looks, c.Call(Step{Name: "after-1", Op: "get"}, dialect.Outgoing{Task: task}))
		c.Pause(100 * time.Millisecond)
		looks = append(looks, c.Call(Step{Name: "after-2", Op: "get"}, dialect.Outgoing{Task: task}))
		play.offerIfUnchanged(o, sent, ended, looks...)
	},
}

// takeOverTask is the harmless message of a play that left its task to this one alone, so that
// what is done to the task next is no surprise to another; else one of our own.
func takeOverTask(c *Conversation, from string) (dialect.Outgoing, *Reply) {
	defer c.WithdrawOffer(from)
	return c.QuickMessage("send", from)
}

// endedPlay is a play about a task that has ended.
type endedPlay struct{ *Conversation }

// offerIfUnchanged leaves a task that has ended to another play if each look at it showed the
// state in which it did.
func (c endedPlay) offerIfUnchanged(o dialect.Outgoing, sent *Reply, ended string, looks ...*Reply) {
	changed := func(r *Reply) bool { return r.State != ended }
	if s := c.Dialect.State(ended); sent.OK() && s != nil && s.Terminal && !slices.ContainsFunc(looks, changed) {
		c.Offer("send", o, sent)
	}
}

func stateOf(r *Reply) string {
	if r == nil {
		return ""
	}
	return r.State
}
