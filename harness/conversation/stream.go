package conversation

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// readStream makes a streaming call and reads it to its end. A server that does
// not close after its final event is left alone after a short while or, if
// the step waits for closing, after the full window. So is one whose task has
// come to its end without a final event; if events say nothing of that, the end of
// the task is the final event. A probe that opens a silent stream is
// left alone after the window of silence. The task of any other stream that falls silent is
// looked up.
func (c *Conversation) readStream(s Step, call client.Call) *Reply {
	r := &Reply{}
	stop := &streamStopper{ch: make(chan struct{})}
	call.Stop = stop.ch
	quiet := s.Quiet
	if s.Role == record.Probe {
		quiet = c.Window("silence", 10*time.Second)
	}
	if quiet > 0 {
		stop.stopAfter(quiet, "silence", c.Client.Now())
	}
	reader, quietly := call.Events(), &streamActivity{task: s.Task, last: c.Client.Now()}
	over, looked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looked)
		r.looks = c.pollSilentStream(s, quietly, stop, over)
	}()
	r.Exchange = c.Client.Do(c.Context, call, func(piece []byte, at record.Instant) bool {
		for _, e := range reader.Feed(piece, at) {
			if !e.HasData {
				continue
			}
			data := e.Root
			was := r.Final
			c.readEvent(r, data)
			known := true
			switch {
			case r.Final && !was && s.Closes:
				stop.stopAfter(c.Window("must-close", 5*time.Second), "must-close", at)
			case r.Final && !was:
				stop.stopAfter(c.Window("after-final", 250*time.Millisecond), "after-final", at)
			case r.Final:
			case c.IsMessageEvent(data) && !c.Dialect.Stream.Messages && s.Closes:
				stop.stopAfter(c.Window("must-close", 5*time.Second), "must-close", at)
			case c.IsErrorEvent(data), c.IsMessageEvent(data) && !c.Dialect.Stream.Messages, c.mayEndStream(s, r):
				stop.stopAfter(c.Window("after-final", 250*time.Millisecond), "after-final", at)
			case c.AwaitsClient(r.State) && !c.marksFinalEvents():
				stop.stopAfter(c.PatienceForSlowMessage(), "silence", at)
			case c.IsTerminalOrAwaitsClient(r.State), c.IsMessageEvent(data) && r.State == "":
				stop.stopAfter(c.Window("must-close", 5*time.Second), "must-close", at)
			default:
				known = false
				stop.cancelTimer()
				if quiet > 0 {
					stop.stopAfter(quiet, "silence", at)
				}
			}
			quietly.noteEvent(r, at, known)
			if s.Until != nil && s.Until(r, data) {
				return false
			}
		}
		return true
	})
	close(over)
	<-looked
	if why, since, ok := stop.cancelTimerAndGetReason(); ok {
		c.Wait(why, r.End-since)
		if why == "silence" && len(r.looks) > 0 {
			c.noteSilentStream(s)
		}
	}
	c.parseReply(s.Op, r)
	return r
}

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
	since record.Instant
}

func (s *streamStopper) closeOnce() { s.once.Do(func() { close(s.ch) }) }

// stopAfter stops once the time is over; a time that was set before counts no more.
func (s *streamStopper) stopAfter(d time.Duration, why string, since record.Instant) {
	s.cancelTimer()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.why, s.since = why, since
	s.timer = time.AfterFunc(d, s.closeOnce)
}

// cancelTimer stops the timer that stopAfter started.
func (s *streamStopper) cancelTimer() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
}

// cancelTimerAndGetReason returns why, and since when, the time ran that is over; ok is false if none is.
func (s *streamStopper) cancelTimerAndGetReason() (why string, since record.Instant, ok bool) {
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
	last        record.Instant // when the latest event came, or the call was made
	known       bool           // how the stream is to end: nothing is looked up for it
}

// noteEvent notes an event.
func (q *streamActivity) noteEvent(r *Reply, at record.Instant, known bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.task = cmp.Or(q.task, r.Task)
	q.state, q.last, q.known = r.State, at, known
}

// readState reports since when the stream has been silent, and which state it showed before.
func (q *streamActivity) readState() (since record.Instant, task, state string, known bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.last, q.task, q.state, q.known
}

// pollSilentStream looks a task up when its stream has been silent for a while, until the
// stream is over. Once a look shows that the task has ended or waits for the client, of
// which the stream showed nothing, the stream is given the time in which servers have to
// close, and is left alone then.
func (c *Conversation) pollSilentStream(s Step, q *streamActivity, stop *streamStopper, over <-chan struct{}) (looks []record.Step) {
	if s.Role == record.Probe || !c.Dialect.Has("get") {
		return nil
	}
	timer := time.NewTimer(silentFor)
	defer timer.Stop()
	settled := record.Instant(-1) // when the event came after which a look showed a task at rest
	for wait := silentFor; len(looks) < mostSilentLooks; {
		select {
		case <-over:
			return looks
		case <-c.Context.Done():
			return looks
		case <-timer.C:
		}
		last, task, told, known := q.readState()
		silent := c.Client.Now() - last
		if silent < wait || task == "" || known || last == settled {
			timer.Reset(max(wait-silent, silentFor/4))
			continue
		}
		step := Step{Name: fmt.Sprintf("%s-silent-%d", s.Name, len(looks)+1), Op: "get", Task: task, Timeout: c.Window("must-close", 5*time.Second)}
		call, err := c.probeStyleAndEncodeCall(step, c.Request(step.Name, step.Op, dialect.Outgoing{Task: task}))
		if err != nil { // the binding has no words for it
			return looks
		}
		r := c.sendWithRateLimitRetries(step, call)
		looks = append(looks, c.labelBinding(newRecordedStep(step, r)))
		if now, _, _, _ := q.readState(); c.IsTerminalOrAwaitsClient(r.State) && r.State != told && now == last {
			settled = last
			stop.stopAfter(c.closeWindow(s), "silence", r.End)
		}
		wait *= 2
		timer.Reset(wait / 2)
	}
	return looks
}
