package scenario

import (
	"fmt"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// silentFor is how long a stream is silent before its task is looked up. An agent may
// well work for longer without a word, so the look decides nothing by itself.
const silentFor = 3 * time.Second

// mostSilentLooks bounds how often the task of a silent stream is looked up. The time
// between two looks doubles.
const mostSilentLooks = 4

// streamStopper closes a channel once, now or later.
type streamStopper struct {
	ch   chan struct{}
	once sync.Once

	mu    sync.Mutex
	timer *time.Timer
	why   string
	since wire.Instant
}

func (s *streamStopper) closeOnce() { s.once.Do(func() { close(s.ch) }) }

// stopAfter stops once the time is over; a time that was set before counts no more.
func (s *streamStopper) stopAfter(d time.Duration, why string, since wire.Instant) {
	s.cancelTimer()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.why, s.since = why, since
	s.timer = time.AfterFunc(d, s.closeOnce)
}

// cancelTimer takes back what after set.
func (s *streamStopper) cancelTimer() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
}

// stopReason returns why, and since when, the time ran that is over; ok is false if none is.
func (s *streamStopper) stopReason() (why string, since wire.Instant, ok bool) {
	s.cancelTimer()
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.ch:
		return s.why, s.since, s.timer != nil
	default:
		return "", 0, false
	}
}

// A streamActivity is what is known of a stream that may have fallen silent, for whoever looks
// at its task meanwhile.
type streamActivity struct {
	mu          sync.Mutex
	task, state string
	last        wire.Instant // when the latest event came, or the call was made
	known       bool         // how the stream is to end: nothing is looked up for it
}

// noteEvent notes an event.
func (q *streamActivity) noteEvent(r *Reply, at wire.Instant, known bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.task == "" {
		q.task = r.Task
	}
	q.state, q.last, q.known = r.State, at, known
}

// snapshot reports since when the stream has been silent, and what it told before.
func (q *streamActivity) snapshot() (since wire.Instant, task, state string, known bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.last, q.task, q.state, q.known
}

// pollSilentStream looks a task up when its stream has been silent for a while, until the
// stream is over. Once a look shows that the task has ended or waits for the client, of
// which the stream told nothing, the stream is given the time in which servers have to
// close, and is left alone then.
func (c *Conversation) pollSilentStream(s Step, q *streamActivity, stop *streamStopper, over <-chan struct{}) (looks []wire.Step) {
	if s.Role == wire.Probe || !c.Dialect.Has("get") {
		return nil
	}
	timer := time.NewTimer(silentFor)
	defer timer.Stop()
	settled := wire.Instant(-1) // when the event came after which a look showed a task at rest
	for wait := silentFor; len(looks) < mostSilentLooks; {
		select {
		case <-over:
			return looks
		case <-c.Context.Done():
			return looks
		case <-timer.C:
		}
		last, task, told, known := q.snapshot()
		silent := c.Client.Now() - last
		if silent < wait || task == "" || known || last == settled {
			timer.Reset(max(wait-silent, silentFor/4))
			continue
		}
		step := Step{Name: fmt.Sprintf("%s-silent-%d", s.Name, len(looks)+1), Op: "get", Task: task, Timeout: c.Window("must-close", 5*time.Second)}
		call, err := c.encode(step, c.Request(step.Name, step.Op, dialect.Outgoing{Task: task}))
		if err != nil { // the binding has no words for it
			return looks
		}
		r := c.sendWithRetries(step, call)
		looks = append(looks, c.labelBinding(newRecordedStep(step, r)))
		if now, _, _, _ := q.snapshot(); c.IsSettled(r.State) && r.State != told && now == last {
			settled = last
			stop.stopAfter(c.closeWindow(s), "silence", r.End)
		}
		wait *= 2
		timer.Reset(wait / 2)
	}
	return looks
}

// closeWindow is how long a stream may still be silent once its task has come to rest.
// A server whose streams of that kind were given the full time once is known well enough,
// except by the step that waits for the end.
func (c *Setting) closeWindow(s Step) time.Duration {
	c.offering.Lock()
	defer c.offering.Unlock()
	if c.silent[s.Op] && !s.Closes {
		return c.Window("after-final", 250*time.Millisecond)
	}
	return c.Window("must-close", 5*time.Second)
}

// noteSilentStream notes that a stream was given the full time.
func (c *Setting) noteSilentStream(s Step) {
	c.offering.Lock()
	defer c.offering.Unlock()
	if c.silent == nil {
		c.silent = map[string]bool{}
	}
	c.silent[s.Op] = true
}
