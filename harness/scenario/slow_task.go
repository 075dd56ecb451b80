package scenario

import (
	"fmt"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// slow sends the message that takes time and looks the task up until it ends.
var slow = Scenario{
	Name: "slow", Doc: "a message that takes time, polled to its end", Burst: 2,
	Ops: []string{"send", "get"}, Needs: []string{"slow"}, Sends: 1,
	Play: func(c *Conversation) {
		o, lasts := c.NewMessage("slow"), c.WorkTime("slow")
		sent := c.Call(Step{Name: "send", Op: "send"}, o)
		c.Poll("poll", TaskID(o, sent), sent.State, lasts/8, c.Patience())
	},
}

// cancel cancels a running task and looks at it at once and after its declared
// end. The message is sent beside, since a server may hold the reply to it.
var cancel = Scenario{
	Name: "cancel", Doc: "a message that takes time, canceled while it runs", Burst: 5, Wide: 2, Outlasts: true,
	Ops: []string{"send", "get", "cancel"}, Needs: []string{"slow"}, Sends: 1,
	Play: func(c *Conversation) {
		o, lasts, began := c.NewMessage("slow"), c.WorkTime("slow"), c.Client.Now()
		sent := c.Start(Step{Name: "send", Op: "send"}, o)
		defer sent.Wait()
		task := o.Task
		if !sent.Ended(lasts*3/4) && task == "" {
			sent.EndUnnamed("cancel", "cancel")
			return
		}
		if task == "" {
			task = TaskID(o, sent.Wait())
		}
		before := c.Call(Step{Name: "before", Op: "get"}, dialect.Outgoing{Task: task})
		// On a slow machine the message may still be on its way.
		for i := 2; !before.OK() && c.Client.Now() < began+lasts/2 && !sent.Ended(lasts/16); i++ {
			before = c.Call(Step{Name: fmt.Sprintf("before-%d", i), Op: "get"}, dialect.Outgoing{Task: task})
		}
		if c.IsSettled(before.State) {
			c.EndPlay(Step{Name: "cancel", Op: "cancel"}, "before", "the task had ended before it could be canceled: make stimuli.slow take longer")
			c.WorkSince(began, lasts).MarkLate("cancel")
			return
		}
		if !before.OK() && !sent.Ended(0) { // the message may still be on its way
			c.EndPlay(Step{Name: "cancel", Op: "cancel"}, "before", "the server did not know the task when it was to be canceled")
			c.Play.Step("cancel").Late = "the message had not been answered yet"
			return
		}
		working := c.Client.Now() // by now the work has begun
		canceled := c.Call(Step{Name: "cancel", Op: "cancel"}, dialect.Outgoing{Task: task})
		if !c.IsCanceled(canceled.State) {
			c.WorkSince(began, lasts).MarkLate("cancel")
		}
		if !c.Writer.ClientTasks {
			c.Call(Step{Name: "cancel-again", Op: "cancel", Role: wire.Probe}, dialect.Outgoing{Task: task})
		}
		c.Call(Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
		c.Pause(working + lasts + lasts/8 - c.Client.Now())
		later := c.Call(Step{Name: "later", Op: "get"}, dialect.Outgoing{Task: task})
		if r := sent.Wait(); r.OK() && c.IsCanceled(later.State) {
			c.Offer("send", o, r)
		}
	},
}

// IsCanceled reports whether a state is that of a canceled task.
func (c *Setting) IsCanceled(state string) bool {
	s := c.Dialect.State(state)
	return s != nil && s.Outcome == "canceled"
}

// fail sends the message that makes the agent fail, streamed where the server
// streams, and looks at the task some times.
var fail = Scenario{
	Name: "fail", Doc: "a message that makes the agent fail, and look-ups of its task",
	Ops: []string{"send", "get"}, Needs: []string{"fail"}, Sends: 1,
	Play: func(c *Conversation) {
		o := c.NewMessage("fail")
		var begun *Reply
		step := "subscribe"
		if c.Dialect.Has("stream") && c.Claimed("streaming") {
			begun = c.Call(Step{Name: step, Op: "stream"}, o)
		}
		if begun == nil || !begun.IsStream() {
			step = "send"
			begun = c.Call(Step{Name: step, Op: "send"}, o)
		}
		task := TaskID(o, begun)
		c.PollSoon("poll", task, begun.State)
		c.LookUpRepeatedly(task, 3, 50*time.Millisecond)
		if task != "" {
			c.Offer(step, o, begun)
		}
	},
}
