package conversation

import (
	"fmt"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// lostInARow is how many look-ups one after the other may be lost on the way, as
// at a gateway that is busy, before a task is followed no further.
const lostInARow = 3

// untoldInARow is how many results one after the other may tell no state before a task
// is followed no further: what such a server answers will not come to tell one.
const untoldInARow = 5

// longestPause bounds how long a task that may take its time is left alone between
// two look-ups.
const longestPause = time.Second

// PollUntilAtRest looks a task up until it is settled or the patience is over, in steps
// NAME-1, NAME-2, …, and returns its last state. A refused look ends it.
func (c *Conversation) PollUntilAtRest(stepPrefix, task, state string, every, patience time.Duration) string {
	return c.PollUntil(stepPrefix, task, &Reply{State: state}, func(int) time.Duration { return every }, patience, c.IsAtRest).State
}

// PollBrieflyUntilAtRest follows a task that is expected to be settled almost at once.
func (c *Conversation) PollBrieflyUntilAtRest(stepPrefix, task, state string) string {
	return c.PollUntilAtRest(stepPrefix, task, state, 50*time.Millisecond, c.Window("soon", 5*time.Second))
}

// PollUntilOtherStatusAtRest follows a task that waited with a certain status until it is settled with
// another: an agent may take an answer down at once and go on only later. If the
// answer was refused, or led to another task, nothing is to be waited for.
func (c *Conversation) PollUntilOtherStatusAtRest(stepPrefix, task string, waited *record.Node, answered *Reply) *Reply {
	if !answered.OK() || answered.Task != "" && answered.Task != task {
		return c.PollUntil(stepPrefix, task, answered, ShortPollPause, c.Window("soon", 5*time.Second), c.IsAtRest)
	}
	return c.PollUntil(stepPrefix, task, answered, growingPollPause, max(c.PatienceForSlowMessage(), 3*c.WorkTime("ask")), func(r *Reply) bool {
		return c.IsAtRest(r) && !(c.AwaitsClient(r.State) && r.TaskStatus.Equal(waited))
	})
}

// PollUntil looks a task up until what is known of it will do or the patience is over,
// and returns the last that was learnt of it.
func (c *Conversation) PollUntil(stepPrefix, task string, known *Reply, pause func(look int) time.Duration, patience time.Duration, enough func(*Reply) bool) *Reply {
	over := c.Client.Now() + patience
	for i, lost, untold := 1, 0, 0; task != "" && !enough(known) && c.Client.Now() < over && !c.Stopped(); i++ {
		wait := max(pause(i), 10*time.Millisecond)
		if (known.State != "" || untold > 0) && c.Dialect.State(known.State) == nil { // it may never be one that is known
			wait = max(wait, growingPollPause(i))
		}
		c.Pause(wait)
		r := c.Call(Step{Name: fmt.Sprintf("%s-%d", stepPrefix, i), Op: "get"}, dialect.Outgoing{Task: task})
		switch lost++; {
		case r.OK() && r.State != "":
			known, lost, untold = r, 0, 0
		case r.OK():
			if known, lost, untold = r, 0, untold+1; untold == untoldInARow {
				return known
			}
		case lost == lostInARow || !c.isTransient(r):
			return known
		}
	}
	return known
}

func ShortPollPause(int) time.Duration { return 50 * time.Millisecond }

func growingPollPause(look int) time.Duration {
	return min(ShortPollPause(look)<<min(look-1, 10), longestPause)
}
