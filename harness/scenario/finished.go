package scenario

import (
	"fmt"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// finished brings a task to its end and then asks for what an ended task does
// not allow any more.
var finished = Scenario{
	Name: "finished", Doc: "a task brought to its end, then canceled and written to",
	Ops: []string{"send", "get", "cancel"}, Sends: 2,
	Play: func(c *Conversation) {
		o := dialect.Outgoing{Text: c.Stimuli["quick"].Text, Task: c.NewTask(), Context: c.NewContext()}
		r := c.Call(Step{Name: "send", Op: "send"}, o)
		if o.Task == "" {
			o.Task = r.Task
		}
		step, why := c.untilEnded("send", o.Task, r)
		if why != "" {
			for _, s := range []Step{{Name: "cancel", Op: "cancel"}, {Name: "get", Op: "get"}, {Name: "again", Op: "send"}, {Name: "get-again", Op: "get"}} {
				c.NotSent(s, step, "%s", why)
			}
			return
		}
		c.Reached("ended", step)
		c.Call(Step{Name: "cancel", Op: "cancel"}, dialect.Outgoing{Task: o.Task})
		c.Call(Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: o.Task})
		c.Call(Step{Name: "again", Op: "send"}, o)
		c.Call(Step{Name: "get-again", Op: "get"}, dialect.Outgoing{Task: o.Task})
	},
}

// untilEnded looks a task up until its state is terminal. It returns the step
// that showed the last state, and why the task cannot be called ended.
func (c *Conversation) untilEnded(step, task string, r *Reply) (last, why string) {
	if !r.OK() || task == "" {
		return step, "no task was made"
	}
	patience := c.window("settle", 10*time.Second)
	begun, pause := c.Client.Now(), 20*time.Millisecond
	for n := 1; ; n++ {
		s := c.Dialect.State(r.State)
		switch {
		case s != nil && s.Terminal:
			return step, ""
		case s != nil && s.Interrupted:
			return step, fmt.Sprintf("the task waits in state %s instead of ending", r.State)
		case c.Client.Now()-begun > patience:
			c.Wait("settle", c.Client.Now()-begun)
			return step, fmt.Sprintf("the task had not ended after %.0f s", patience.Seconds())
		}
		select {
		case <-c.Context.Done():
			return step, "the run's time was over"
		case <-time.After(pause):
		}
		pause = min(2*pause, 500*time.Millisecond)
		step = fmt.Sprintf("look-%d", n)
		if r = c.Call(Step{Name: step, Op: "get"}, dialect.Outgoing{Task: task}); !r.OK() {
			return step, "the task could not be looked up"
		}
	}
}
