package scenario

import (
	"cmp"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// unhurried is how long an agent is taken to work where the operator declares
// no duration.
const unhurried = 2 * time.Second

// lasts is how long the agent works on a stimulus.
func (c *Conversation) lasts(stimulus string) time.Duration {
	if s := c.Stimuli[stimulus].Seconds; s > 0 {
		return time.Duration(s * float64(time.Second))
	}
	return unhurried
}

// say is a message with the text of a stimulus that begins a new task. The
// reply is to wait for the end of the work, unless the work is known to last.
func (c *Conversation) say(stimulus string) dialect.Outgoing {
	return c.word(c.spoken(stimulus), stimulus != "slow")
}

// word is a message with the text of this very stimulus.
func (c *Conversation) word(stimulus string, wait bool) dialect.Outgoing {
	o := dialect.Outgoing{Text: c.Stimuli[stimulus].Text, Task: c.NewTask(), Context: c.NewContext(), Blocking: &wait}
	if prefix := c.Stimuli[stimulus].MessageID; prefix != "" {
		o.Message = prefix + c.NewID()
	}
	return o
}

// spoken is the stimulus that is said for another: for the harmless message, one
// that makes a task.
func (c *Conversation) spoken(stimulus string) string {
	if stimulus != "quick" {
		return stimulus
	}
	c.offering.Lock()
	defer c.offering.Unlock()
	return cmp.Or(c.maker, stimulus)
}

// further is a message to a task that an earlier one began.
func further(text string, o dialect.Outgoing, r *Reply) dialect.Outgoing {
	next := dialect.Outgoing{Text: text, Task: named(o, r), Context: o.Context, Blocking: o.Blocking}
	if r.Ctx != "" && o.Task == "" { // the server may have made another
		next.Context = r.Ctx
	}
	return next
}

// token is a word that no agent says by itself.
func (c *Conversation) token() string { return "token-" + c.NewID() }

// settled reports whether a task in that state has come to its end, or waits
// for the client.
func (c *Conversation) settled(state string) bool {
	s := c.Dialect.State(state)
	return s != nil && (s.Terminal || s.Interrupted)
}

// waiting reports whether a task in that state waits for the client.
func (c *Conversation) waiting(state string) bool {
	s := c.Dialect.State(state)
	return s != nil && s.Interrupted
}

// named is the id of the task that a call began: the client's own where it
// chooses, else the one the reply names.
func named(o dialect.Outgoing, r *Reply) string {
	if o.Task != "" {
		return o.Task
	}
	return r.Task
}

// look looks a task up with a limit on the messages of its history.
func (c *Conversation) look(name, task string, history int) *Reply {
	return c.Call(Step{Name: name, Op: "get"}, dialect.Outgoing{Task: task, HistoryLength: &history})
}

// first is a condition to read a stream until: its first event has come.
func first(*Reply, *record.Node) bool { return true }

// signal is a condition that never ends the reading, and a channel on which
// the first event sends the id of the task it names.
func signal() (func(*Reply, *record.Node) bool, <-chan string) {
	came := make(chan string, 1)
	seen := false
	return func(r *Reply, _ *record.Node) bool {
		if !seen {
			seen = true
			came <- r.Task
		}
		return false
	}, came
}

// streamed opens a stream about the slow message and waits for its first event.
// It returns the call, the id of its task, which is empty if the stream ended
// before anything could be done about the task, or named none, and when that event
// had come: by then the work has begun.
func (c *Conversation) streamed(name string) (s *Pending, task string, begun time.Duration) {
	o, lasts := c.say("slow"), c.lasts("slow")
	o.Hurried = true // which changes nothing of a stream
	watch, came := signal()
	s = c.Start(Step{Name: name, Op: "stream", Until: watch, Quiet: c.patience()}, o)
	select {
	case task = <-came:
	case <-s.done:
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
