package scenario

import (
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// stream sends the harmless message for streaming, reads to the end and looks
// the task up. It is the one that waits for the server to close.
var stream = Scenario{
	Name: "stream", Doc: "one harmless message, streamed to its end", Base: true,
	Ops: []string{"stream", "get"}, Claims: []string{"streaming"}, Sends: 1,
	Play: func(c *Conversation) {
		o := c.NewMessage("quick")
		s := c.Call(Step{Name: "subscribe", Op: "stream", Closes: true}, o)
		task := o.Task
		if task == "" {
			task = s.Task
		}
		if task == "" {
			c.NotSent(Step{Name: "get", Op: "get"}, "subscribe", "no event of the stream named a task")
			return
		}
		c.Call(Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
		if s.IsStream() && len(s.Events()) > 0 && !c.IsRefusedInStream(s) {
			c.Offer("subscribe", o, s)
		}
	},
}

// streamFault sends the message that makes the agent's stream break off.
var streamFault = Scenario{
	Name: "stream-fault", Doc: "a message whose stream ends with a fatal error",
	Ops: []string{"stream"}, Needs: []string{"crash"}, Claims: []string{"streaming"}, Sends: 1,
	Play: func(c *Conversation) { c.Call(Step{Name: "subscribe", Op: "stream"}, c.NewMessage("crash")) },
}

// readStream makes a streaming call and reads it to its end. A server that does
// not close after its final event is left alone after a short while or, where
// the step waits for closing, after the full window. So is one whose task has
// come to its end without a final event; where events say nothing of that, the end of
// the task is the final event. A probe that opens a silent stream is
// left alone after the window of silence. The task of any other stream that falls silent is
// looked up.
func (c *Conversation) readStream(s Step, call wire.Call) *Reply {
	r := &Reply{}
	stop := &streamStopper{ch: make(chan struct{})}
	call.Stop = stop.ch
	quiet := s.Quiet
	if s.Role == wire.Probe {
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
	r.Exchange = c.Client.Do(c.Context, call, func(piece []byte, at wire.Instant) bool {
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
				stop.stopAfter(c.Patience(), "silence", at)
			case c.IsSettled(r.State), c.IsMessageEvent(data) && r.State == "":
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
	if why, since, ok := stop.stopReason(); ok {
		c.Wait(why, r.End-since)
		if why == "silence" && len(r.looks) > 0 {
			c.noteSilentStream(s)
		}
	}
	c.parseReply(s.Op, r)
	return r
}

// mayEndStream reports whether a stream has come to a point where the server may end it or
// not, so that nothing is learnt from waiting. A task to which the stream's own message
// goes on may be shown as it was before.
func (c *Setting) mayEndStream(s Step, r *Reply) bool {
	return c.AwaitsClient(r.State) && !c.marksFinalEvents() && !(c.Dialect.Operation(s.Op).Agent && s.Task != "" && !r.moved)
}

// IsErrorEvent reports whether an event tells of an error instead of a result; a
// client waits for nothing after it.
func (c *Setting) IsErrorEvent(event *wire.Node) bool {
	a := c.CallBinding().Event("stream", event).AsResponse()
	return a.Failure.Exists() && a.Failure.Node.Kind == wire.Object && !a.Result.Exists()
}

// IsMessageEvent reports whether an event is a message instead of news of a task; it is
// all that there is to come.
func (c *Setting) IsMessageEvent(event *wire.Node) bool {
	result := c.CallBinding().Event("stream", event).Result.Node
	return result != nil && c.ResultKind("event", result) == "message"
}

// readEvent reads what a scenario needs of one event.
func (c *Conversation) readEvent(r *Reply, root *wire.Node) {
	result := c.CallBinding().Event("stream", root).Result.Node
	if result == nil {
		return
	}
	if r.Task == "" {
		r.Task = c.ReadText("event", "task.id", result)
	}
	if r.Ctx == "" {
		r.Ctx = c.ReadText("event", "task.context", result)
	}
	if state := c.ReadText("event", "task.state", result); state != "" {
		r.moved = r.moved || r.State != ""
		r.State = state
	}
	if c.FindPart("event", "event.artifact", result) != nil {
		return // an artifact says nothing of the end
	}
	if n := c.FindPart("event", "event.final", result); n != nil && n.Kind == wire.Bool && n.Bool {
		r.Final = true
	}
	if s := c.Dialect.State(r.State); s != nil && s.Terminal && !c.marksFinalEvents() {
		r.Final = true
	}
}

// marksFinalEvents reports whether the events of the dialect say which is the last. Where
// none does, a task that has ended says it, and a stream about a task that waits for
// the client may end or go on.
func (c *Setting) marksFinalEvents() bool {
	_, ok := c.Dialect.Pointer("event", "event.final")
	return ok
}
