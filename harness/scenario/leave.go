package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Leaving is the operation of calls that tidy up. It is no operation of any
// dialect, so that they are judged as calls, not as what was asked for.
const Leaving = "leave"

// ownTasks keeps what is known of the tasks that a conversation began.
type ownTasks struct {
	mu    sync.Mutex
	order []string
	last  map[string]progress
}

type progress struct {
	state string
	as    wire.Caller // who asked last
}

// note keeps what a reply tells of the state of a task.
func (c *Conversation) note(s Step, r *Reply) {
	task, state := cmp.Or(r.Task, s.Task), r.State
	if s.Op == "cancel" && r.OK() && state == "" && c.confirmed(r) {
		state = c.canceled()
	}
	if task == "" || state == "" {
		return
	}
	b := &c.tasks
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last == nil {
		b.last = map[string]progress{}
	}
	if _, known := b.last[task]; !known {
		b.order = append(b.order, task)
	}
	b.last[task] = progress{state, s.As}
}

// canceled is the state of tasks that were canceled.
func (c *Conversation) canceled() string {
	i := slices.IndexFunc(c.Dialect.States, func(s schema.State) bool { return s.Outcome == "canceled" })
	if i < 0 {
		return ""
	}
	return c.Dialect.States[i].Name
}

// left are the tasks that had not come to their end when they were last heard
// of.
func (c *Conversation) left() (tasks []string) {
	c.tasks.mu.Lock()
	defer c.tasks.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.tasks.order), func(task string) bool {
		s := c.Dialect.State(c.tasks.last[task].state)
		return s == nil || s.Terminal
	})
}

// Leave cancels the tasks that the conversation leaves unfinished, as a guest
// puts the chairs back: they may cost the agent's owner something.
func (c *Conversation) Leave() {
	if len(c.tasks.order) == 0 || c.Dialect.Method("cancel") == "" || c.Context.Err() != nil || c.dead() != "" {
		return
	}
	for i, task := range c.left() {
		s := Step{Name: fmt.Sprintf("%s-%d", Leaving, i+1), Role: wire.Probe, Op: Leaving, Task: task, As: c.tasks.last[task].as}
		c.Post(s, c.Request(s.Name, "cancel", dialect.Outgoing{Task: task}))
	}
}
