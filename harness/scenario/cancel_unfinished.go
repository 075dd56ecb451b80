package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Leaving is the operation of calls that tidy up. It is no operation of any
// dialect, so that they are judged as calls, not as what was asked for.
const Leaving = "leave"

// taskLog keeps what is known of the tasks that a conversation began.
type taskLog struct {
	mu    sync.Mutex
	heard []taskProgress // of each, in the order in which they began
}

// taskProgress is what was last heard of a task.
type taskProgress struct {
	task, state string
	as          wire.Caller // who asked
	begun       bool        // it may run, though nothing was heard of it
}

// noteTaskState keeps what a reply tells of the state of a task.
func (c *Conversation) noteTaskState(s Step, r *Reply) {
	task, state := cmp.Or(r.Task, s.Task), r.State
	// What an interrupted run had just sent may have begun all the same.
	begun := r.Ended == wire.Aborted && r.Conn != 0 && !s.Invalid && c.Dialect.Operation(s.Op).Agent
	if s.Op == "cancel" && r.OK() && state == "" && c.ConfirmsCancel(r) {
		state = c.canceledState()
	}
	if task == "" || state == "" && !begun {
		return
	}
	c.tasks.mu.Lock()
	defer c.tasks.mu.Unlock()
	now := taskProgress{task, state, s.As, begun && state == ""}
	if i := slices.IndexFunc(c.tasks.heard, func(p taskProgress) bool { return p.task == task }); i >= 0 {
		c.tasks.heard[i] = now
	} else {
		c.tasks.heard = append(c.tasks.heard, now)
	}
}

// canceledState is the state of tasks that were canceled.
func (c *Setting) canceledState() string {
	i := slices.IndexFunc(c.Dialect.States, func(s schema.State) bool { return s.Outcome == "canceled" })
	if i < 0 {
		return ""
	}
	return c.Dialect.States[i].Name
}

// unfinishedTasks are the tasks that had not come to their end when they were last heard
// of.
func (c *Conversation) unfinishedTasks() []taskProgress {
	c.tasks.mu.Lock()
	defer c.tasks.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.tasks.heard), func(p taskProgress) bool {
		s := c.Dialect.State(p.state)
		return !p.begun && (s == nil || s.Terminal)
	})
}

// Leave cancels the tasks that the conversation leaves unfinished, as a guest
// puts the chairs back: they may cost the agent's owner something. Where the run
// was interrupted there is a short time for it; where its own time is over, none.
func (c *Conversation) Leave() {
	left := c.unfinishedTasks()
	if len(left) == 0 || !c.Dialect.Has("cancel") || c.explainDeadEndpoint() != "" {
		return
	}
	if c.Context.Err() != nil && c.Farewell != nil {
		if last := c.Farewell(); last != nil {
			c.Context = last
		}
	}
	if c.Context.Err() != nil {
		return
	}
	for i, p := range left {
		step := fmt.Sprintf("%s-%d", Leaving, i+1)
		if r := c.cancelUnfinished(step, p); r.Answer.Refuses("TaskNotCancelable") {
			// The agent may still have been at work on its answer when the call came: a
			// server that has just said that the task waits refuses it for a moment.
			c.Pause(retryCancelAfter)
			c.cancelUnfinished(step+"-again", p)
		}
	}
}

// retryCancelAfter is how long a refused cancellation waits to be sent once more.
const retryCancelAfter = 50 * time.Millisecond

// cancelUnfinished asks for the cancellation of a task that the conversation leaves unfinished.
func (c *Conversation) cancelUnfinished(step string, p taskProgress) *Reply {
	return c.Post(Step{Name: step, Role: wire.Probe, Op: Leaving, Task: p.task, As: p.as},
		c.Request(step, "cancel", dialect.Outgoing{Task: p.task}))
}
