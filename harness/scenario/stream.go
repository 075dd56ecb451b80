package scenario

import (
	"time"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// stream sends the harmless message for streaming, reads to the end and looks
// the task up. It is the one that waits for the server to close.
var stream = Scenario{
	Name: "stream", Doc: "one harmless message, streamed to its end", Base: true,
	Ops: []string{"stream", "get"}, Claims: []string{"streaming"}, Sends: 1,
	Play: func(c *Conversation) {
		o := c.say("quick")
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
		if s.IsStream() && len(s.Events()) > 0 && !c.refusedInStream(s) {
			c.offer("subscribe", o, s)
		}
	},
}

// streamFault sends the message that makes the agent's stream break off.
var streamFault = Scenario{
	Name: "stream-fault", Doc: "a message whose stream ends with a fatal error",
	Ops: []string{"stream"}, Needs: []string{"crash"}, Claims: []string{"streaming"}, Sends: 1,
	Play: func(c *Conversation) { c.Call(Step{Name: "subscribe", Op: "stream"}, c.say("crash")) },
}

// stream makes a streaming call and reads it to its end. A server that does
// not close after its final event is left alone after a short while or, where
// the step waits for closing, after the full window. So is one whose task has
// come to its end without a final event; where events say nothing of that, the end of
// the task is the final event. A probe that opens a silent stream is
// left alone after the window of silence. The task of any other stream that falls silent is
// looked up.
func (c *Conversation) stream(s Step, call client.Call) *Reply {
	r := &Reply{}
	stop := &stopper{ch: make(chan struct{})}
	call.Stop = stop.ch
	quiet := s.Quiet
	if s.Role == record.Probe {
		quiet = c.window("silence", 10*time.Second)
	}
	if quiet > 0 {
		stop.after(quiet, "silence", c.Client.Now())
	}
	reader, quietly := call.Events(), &silence{task: s.Task, last: c.Client.Now()}
	over, looked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looked)
		r.looks = c.lookWhileSilent(s, quietly, stop, over)
	}()
	r.Exchange = c.Client.Do(c.Context, call, func(piece []byte, at record.Instant) bool {
		for _, e := range reader.Feed(piece, at) {
			if !e.HasData {
				continue
			}
			data := e.Root
			was := r.Final
			c.event(r, data)
			known := true
			switch {
			case r.Final && !was && s.Closes:
				stop.after(c.window("must-close", 5*time.Second), "must-close", at)
			case r.Final && !was:
				stop.after(c.window("after-final", 250*time.Millisecond), "after-final", at)
			case r.Final:
			case c.talk(data) && !c.Dialect.Stream.Messages && s.Closes:
				stop.after(c.window("must-close", 5*time.Second), "must-close", at)
			case c.broken(data), c.talk(data) && !c.Dialect.Stream.Messages, c.paused(s, r):
				stop.after(c.window("after-final", 250*time.Millisecond), "after-final", at)
			case c.waiting(r.State) && !c.saysFinal():
				stop.after(c.patience(), "silence", at)
			case c.settled(r.State), c.talk(data) && r.State == "":
				stop.after(c.window("must-close", 5*time.Second), "must-close", at)
			default:
				known = false
				stop.disarm()
				if quiet > 0 {
					stop.after(quiet, "silence", at)
				}
			}
			quietly.heard(r, at, known)
			if s.Until != nil && s.Until(r, data) {
				return false
			}
		}
		return true
	})
	close(over)
	<-looked
	if why, since, ok := stop.stopped(); ok {
		c.Wait(why, r.End-since)
		if why == "silence" && len(r.looks) > 0 {
			c.fellSilent(s)
		}
	}
	c.readReply(s.Op, r)
	return r
}

// paused reports whether a stream has come to a point where the server may end it or
// not, so that nothing is learnt from waiting. A task to which the stream's own message
// goes on may be shown as it was before.
func (c *Conversation) paused(s Step, r *Reply) bool {
	return c.waiting(r.State) && !c.saysFinal() && !(c.Dialect.Operation(s.Op).Agent && s.Task != "" && !r.moved)
}

// broken reports whether an event tells of an error instead of a result; a
// client waits for nothing after it.
func (c *Conversation) broken(event *record.Node) bool {
	a := c.binding().Event("stream", event).AsResponse()
	return a.Failure.Exists() && a.Failure.Node.Kind == record.Object && !a.Result.Exists()
}

// talk reports whether an event is a message instead of news of a task; it is
// all that there is to come.
func (c *Conversation) talk(event *record.Node) bool {
	result := c.binding().Event("stream", event).Result.Node
	return result != nil && c.sortOf("event", result) == "message"
}

// event reads what a scenario needs of one event.
func (c *Conversation) event(r *Reply, root *record.Node) {
	result := c.binding().Event("stream", root).Result.Node
	if result == nil {
		return
	}
	if r.Task == "" {
		r.Task = c.read("event", "task.id", result)
	}
	if r.Ctx == "" {
		r.Ctx = c.read("event", "task.context", result)
	}
	if state := c.read("event", "task.state", result); state != "" {
		r.moved = r.moved || r.State != ""
		r.State = state
	}
	if c.part("event", "event.artifact", result) != nil {
		return // an artifact says nothing of the end
	}
	if n := c.part("event", "event.final", result); n != nil && n.Kind == record.Bool && n.Bool {
		r.Final = true
	}
	if s := c.Dialect.State(r.State); s != nil && s.Terminal && !c.saysFinal() {
		r.Final = true
	}
}

// saysFinal reports whether the events of the dialect say which is the last. Where
// none does, a task that has ended says it, and a stream about a task that waits for
// the client may end or go on.
func (c *Conversation) saysFinal() bool {
	_, ok := c.Dialect.Pointer("event", "event.final")
	return ok
}
