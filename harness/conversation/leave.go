package conversation

import (
	"fmt"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Leaving is the operation of calls that tidy up. It is no operation of any
// dialect, so that they are judged as calls, not as what was asked for.
const Leaving = "leave"

// Leave cancels the tasks that the conversation leaves unfinished, since
// they may cost the agent's owner something. If the run
// was interrupted there is a short time for it; if its own time is over, none.
func (c *Conversation) Leave() {
	left := c.unfinishedTasks()
	if len(left) == 0 || !c.Dialect.Has("cancel") || c.explainDeadEndpoint() != "" {
		return
	}
	if c.Context.Err() != nil && c.CleanupContext != nil {
		if last := c.CleanupContext(); last != nil {
			c.Context = last
		}
	}
	if c.Context.Err() != nil {
		return
	}
	for i, p := range left {
		step := fmt.Sprintf("%s-%d", Leaving, i+1)
		if r := c.sendCancelUnconditionally(step, p); r.Answer.Refuses("TaskNotCancelable") {
			// The agent may still have been at work on its answer when the call came: a
			// server that has just reported that the task waits refuses it for a moment.
			c.Pause(retryCancelAfter)
			c.sendCancelUnconditionally(step+"-again", p)
		}
	}
}

// retryCancelAfter is how long a refused cancellation waits to be sent once more.
const retryCancelAfter = 50 * time.Millisecond

// sendCancelUnconditionally asks for the cancellation of a task that the conversation leaves unfinished.
func (c *Conversation) sendCancelUnconditionally(step string, p taskProgress) *Reply {
	return c.Post(Step{Name: step, Role: record.Probe, Op: Leaving, Task: p.task, As: p.as},
		c.Request(step, "cancel", dialect.Outgoing{Task: p.task}))
}
