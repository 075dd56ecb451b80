package conversation

import (
	"cmp"
	"slices"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// taskLog keeps what is known of the tasks that a conversation began.
type taskLog struct {
	mu    sync.Mutex
	heard []taskProgress // of each, in the order in which they began
}

// taskProgress is what was last heard of a task.
type taskProgress struct {
	task, state string
	as          record.Caller // who asked
	begun       bool          // it may run, though nothing was heard of it
}

// noteTaskState keeps what a reply shows of a task's state.
func (c *Conversation) noteTaskState(s Step, r *Reply) {
	task, state := cmp.Or(r.Task, s.Task), r.State
	// What an interrupted run had just sent may have begun all the same.
	begun := r.Ended == record.Aborted && r.Conn != 0 && !s.Invalid && c.Dialect.Operation(s.Op).Agent
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

// HandOnTask leaves an unfinished task to another play, which cancels it in place of this one.
func (c *Conversation) HandOnTask(task string) {
	c.tasks.mu.Lock()
	defer c.tasks.mu.Unlock()
	c.tasks.heard = slices.DeleteFunc(c.tasks.heard, func(p taskProgress) bool { return p.task == task })
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
