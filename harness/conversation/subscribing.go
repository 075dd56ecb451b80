package conversation

import (
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// Subscribe subscribes to a task and waits for the first event; closes states that the end of
// the stream is waited for.
func (c *Conversation) Subscribe(name, task string, closes bool) *Pending {
	watch, came := NewFirstEventNotifier()
	p := c.Start(Step{Name: name, Op: "resubscribe", Closes: closes, Quiet: c.PatienceForSlowMessage(), Until: watch}, dialect.Outgoing{Task: task})
	select {
	case <-came:
	case <-p.Done():
	case <-c.Context.Done():
	}
	return p
}

// OpenSlowStreamAndAwaitEvent opens a stream about the slow message and waits for its first event.
// It returns the call, the id of its task, which is empty if the stream ended
// before anything could be done about the task, or named none, and when that event
// had come: by then the work has begun.
func OpenSlowStreamAndAwaitEvent(c *Conversation, name string) (s *Pending, task string, eventAt time.Duration) {
	o, lasts := c.NewMessage("slow"), c.WorkTime("slow")
	o.Hurried = true // which changes nothing of a stream
	watch, came := NewFirstEventNotifier()
	s = c.Start(Step{Name: name, Op: "stream", Until: watch, Quiet: c.PatienceForSlowMessage()}, o)
	select {
	case task = <-came:
	case <-s.Done():
	case <-time.After(lasts):
	}
	eventAt = c.Client.Now()
	switch {
	case s.Ended(lasts / 8):
		task = ""
	case o.Task != "":
		task = o.Task
	}
	return s, task, eventAt
}
