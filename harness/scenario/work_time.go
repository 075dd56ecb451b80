package scenario

import (
	"cmp"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// unhurried is how long an agent is taken to work where the operator declares
// no duration.
const unhurried = 2 * time.Second

// WorkTime is how long the agent works on a stimulus.
func (c *Setting) WorkTime(stimulus string) time.Duration {
	if s := c.Stimuli[stimulus].Seconds; s > 0 {
		return time.Duration(s * float64(time.Second))
	}
	return unhurried
}

// NewMessage is a message with the text of a stimulus that begins a new task. The
// reply is to wait for the end of the work, unless the work is known to last.
func (c *Conversation) NewMessage(stimulus string) dialect.Outgoing {
	return c.NewMessageOf(c.spoken(stimulus), stimulus != "slow")
}

// NewMessageOf is a message with the text of this very stimulus.
func (c *Conversation) NewMessageOf(stimulus string, wait bool) dialect.Outgoing {
	o := dialect.Outgoing{Text: c.Stimuli[stimulus].Text, Task: c.NewTask(), Context: c.NewContext(), Blocking: &wait}
	if prefix := c.Stimuli[stimulus].MessageID; prefix != "" {
		o.Message = prefix + c.NewID()
	}
	return o
}

// Text returns the text of the stimulus that is sent for another.
func (c *Setting) Text(stimulus string) string { return c.Stimuli[c.spoken(stimulus)].Text }

// spoken is the stimulus that is said for another: for the harmless message, one
// that makes a task.
func (c *Setting) spoken(stimulus string) string {
	if stimulus != "quick" {
		return stimulus
	}
	c.offering.Lock()
	defer c.offering.Unlock()
	return cmp.Or(c.maker, stimulus)
}

// FollowUp is a message to a task that an earlier one began.
func FollowUp(text string, o dialect.Outgoing, r *Reply) dialect.Outgoing {
	next := dialect.Outgoing{Text: text, Task: TaskID(o, r), Context: o.Context, Blocking: o.Blocking}
	if r.Ctx != "" && o.Task == "" { // the server may have made another
		next.Context = r.Ctx
	}
	return next
}

// NewToken is a word that no agent says by itself.
func NewToken(c *Conversation) string { return "token-" + c.NewID() }

// IsSettled reports whether a task in that state has come to its end, or waits
// for the client.
func (c *Setting) IsSettled(state string) bool {
	s := c.Dialect.State(state)
	return s != nil && (s.Terminal || s.Interrupted)
}

// AwaitsClient reports whether a task in that state waits for the client.
func (c *Setting) AwaitsClient(state string) bool {
	s := c.Dialect.State(state)
	return s != nil && s.Interrupted
}

// TaskID is the id of the task that a call began: the client's own where it
// chooses, else the one the reply names.
func TaskID(o dialect.Outgoing, r *Reply) string {
	if o.Task != "" {
		return o.Task
	}
	return r.Task
}

// LookUp looks a task up with a limit on the messages of its history.
func (c *Conversation) LookUp(name, task string, history int) *Reply {
	return c.Call(Step{Name: name, Op: "get"}, dialect.Outgoing{Task: task, HistoryLength: &history})
}

// UntilFirstEvent is a condition to read a stream until: its first event has come.
func UntilFirstEvent(*Reply, *wire.Node) bool { return true }

// NotifyFirstEvent is a condition that never ends the reading, and a channel on which
// the first event sends the id of the task it names.
func NotifyFirstEvent() (func(*Reply, *wire.Node) bool, <-chan string) {
	came := make(chan string, 1)
	seen := false
	return func(r *Reply, _ *wire.Node) bool {
		if !seen {
			seen = true
			came <- r.Task
		}
		return false
	}, came
}

// OpenSlowStream opens a stream about the slow message and waits for its first event.
// It returns the call, the id of its task, which is empty if the stream ended
// before anything could be done about the task, or named none, and when that event
// had come: by then the work has begun.
func OpenSlowStream(c *Conversation, name string) (s *Pending, task string, begun time.Duration) {
	o, lasts := c.NewMessage("slow"), c.WorkTime("slow")
	o.Hurried = true // which changes nothing of a stream
	watch, came := NotifyFirstEvent()
	s = c.Start(Step{Name: name, Op: "stream", Until: watch, Quiet: c.Patience()}, o)
	select {
	case task = <-came:
	case <-s.Done():
	case <-time.After(lasts):
	}
	begun = c.Client.Now()
	switch {
	case s.Ended(lasts / 8):
		task = ""
	case o.Task != "":
		task = o.Task
	}
	return s, task, begun
}
