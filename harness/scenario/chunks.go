package scenario

import (
	"fmt"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// chunks streams an artifact that comes in pieces and looks the task up.
var chunks = Scenario{
	Name: "chunks", Doc: "an artifact streamed in pieces, then a look-up of its task", Burst: 2,
	Ops: []string{"stream", "get"}, Needs: []string{"chunks"}, Claims: []string{"streaming"}, Sends: 1,
	Play: func(c *Conversation) {
		o := c.NewMessage("chunks")
		s := c.Call(Step{Name: "subscribe", Op: "stream"}, o)
		c.Call(Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: TaskID(o, s)})
	},
}

// twoStreams opens two streams at the same time: one with chunks, and a slow
// one whose call has a number as id. Where the agent shows neither, both carry
// the harmless message.
var twoStreams = Scenario{
	Name: "two-streams", Doc: "two streams at the same time, one of them with a number as id", Burst: 2, Wide: 2, Instead: []string{"chunks", "slow"},
	Ops: []string{"stream"}, Claims: []string{"streaming"}, Sends: 2,
	Play: func(c *Conversation) {
		oa, ob := c.NewMessage(c.FirstConfigured("chunks", "quick")), c.NewMessage(c.FirstConfigured("slow", "quick"))
		request := c.Request("b", "stream", ob)
		request.ID = 7
		s := Step{Name: "b", Op: "stream", Task: ob.Task, Ctx: ob.Context}
		a := c.Start(Step{Name: "a", Op: "stream"}, oa)
		b := c.StartCall(s, c.MustEncode(s, request))
		a.Wait()
		b.Wait()
	},
}

// FirstConfigured is the first stimulus that is there.
func (c *Setting) FirstConfigured(names ...string) string {
	for _, n := range names {
		if _, ok := c.Stimulus(n); ok {
			return n
		}
	}
	return names[len(names)-1]
}

// Patience is how long the slow message may take, and a stream about it stay
// silent: three times what is declared, and no less than a slow machine needs.
func (c *Setting) Patience() time.Duration {
	return max(3*c.WorkTime("slow"), c.Window("settle", 10*time.Second))
}

// TaskInTime waits for the id of the task that a message on its way began. If that takes
// too long for the step that is about the task, it ends the play and known is false.
func (p *Pending) TaskInTime(o dialect.Outgoing, within time.Duration, step, op string) (task string, known bool) {
	if !p.Ended(within) && o.Task == "" {
		p.EndUnnamed(step, op)
		return "", false
	}
	if o.Task != "" {
		return o.Task, true
	}
	return TaskID(o, p.Wait()), true
}

// EndUnnamed ends a play whose task was not named in time, before the step that is
// about it. If the reply shows that the task had not ended yet, it only came late, and
// the play is performed once more.
func (p *Pending) EndUnnamed(step, op string) {
	c, r := p.c, p.Wait()
	c.EndPlay(Step{Name: step, Op: op}, "send", "the run did not know the task's id while the task ran: the server sends its reply only at the end")
	if r.OK() && !c.IsSettled(r.State) {
		c.Play.Step(step).Late = "the reply with the task's id came too late"
	}
}

// Work is the time in which an agent works on a message.
type Work struct {
	c     *Conversation
	began wire.Instant
	lasts time.Duration
}

// WorkSince returns the work that began with a message and lasts as long as declared.
func (c *Conversation) WorkSince(began wire.Instant, lasts time.Duration) Work {
	return Work{c, began, lasts}
}

// MarkLate marks a step that had to come while the task ran, and was answered only
// after its declared end, or was due only then and not made: it shows nothing
// about the server. The play is then performed once more.
func (w Work) MarkLate(step string) {
	c, began, lasts := w.c, w.began, w.lasts
	s := c.Play.Step(step)
	if s == nil || s.Unsayable { // no time is early enough for what cannot be said
		return
	}
	what, at := "due", c.Client.Now()
	if s.Exchange != nil {
		what, at = "answered", s.Exchange.End
	}
	if at-began >= lasts {
		s.Late = fmt.Sprintf("it was %s %.2f s after the message, whose work lasts %.2f s", what, (at - began).Seconds(), lasts.Seconds())
	}
}

// EndUnnamedStream ends a play whose stream named no task while the task ran, so that a step about
// it cannot be made. If the stream names one in the end, its event came too late, and the play
// is performed once more.
func (p *Pending) EndUnnamedStream(over bool, step, op string) {
	c := p.c
	const why = "the run did not know the task's id while the task was streamed"
	if !over || p.Wait().Task == "" {
		c.Play.Stop = why
		return
	}
	c.EndPlay(Step{Name: step, Op: op}, "subscribe", why)
	c.Play.Step(step).Late = "the event with the task's id came too late"
}

// MarkTooLate marks a subscription that was made when the work was as good as done.
func (w Work) MarkTooLate(step string) {
	s := w.c.Play.Step(step)
	if s == nil || s.Exchange == nil || s.Late != "" {
		return
	}
	if at := s.Exchange.Start - w.began; at > w.lasts*3/4 {
		s.Late = fmt.Sprintf("it was made %.2f s after the message, whose work lasts %.2f s", at.Seconds(), w.lasts.Seconds())
	}
}

// cancelStream cancels a task on a second connection while it is streamed.
var cancelStream = Scenario{
	Name: "cancel-stream", Doc: "a task canceled while it is streamed", Burst: 3, Wide: 2, Outlasts: true,
	Ops: []string{"stream", "get", "cancel"}, Needs: []string{"slow"}, Claims: []string{"streaming"}, Sends: 1,
	Play: func(c *Conversation) {
		began, lasts := c.Client.Now(), c.WorkTime("slow")
		s, task, working := OpenSlowStream(c, "subscribe")
		defer s.Wait()
		if s.Ended(time.Millisecond) {
			c.EndPlay(Step{Name: "cancel", Op: "cancel"}, "subscribe", "the stream had ended before the task could be canceled: make stimuli.slow take longer")
			c.WorkSince(began, lasts).MarkLate("cancel")
			return
		}
		if task == "" {
			s.EndUnnamedStream(working-began >= lasts, "cancel", "cancel")
			return
		}
		canceled := c.Call(Step{Name: "cancel", Op: "cancel"}, dialect.Outgoing{Task: task})
		if !c.ConfirmsCancel(canceled) {
			c.WorkSince(began, lasts).MarkLate("cancel")
		}
		look := c.Call(Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
		if c.ConfirmsCancel(canceled) {
			c.PollSoon("after", task, look.State)
			c.Pause(working + lasts + lasts/8 - c.Client.Now())
			c.Call(Step{Name: "later", Op: "get"}, dialect.Outgoing{Task: task})
		}
	},
}

// ConfirmsCancel reports whether a cancellation was confirmed, by a word or by the
// state of the task.
func (c *Setting) ConfirmsCancel(r *Reply) bool {
	if p, ok := c.Dialect.Pointer("cancel", "task.canceled"); ok && r.OK() {
		n := r.Result.At(p)
		return n != nil && n.Kind == wire.Bool && n.Bool
	}
	s := c.Dialect.State(r.State)
	return s != nil && s.Outcome == "canceled"
}

// drop closes a stream after its first event and looks at the task until past
// its declared end.
var drop = Scenario{
	Name: "drop", Doc: "a stream dropped after its first event, and look-ups of its task", Burst: 2,
	Ops: []string{"stream", "get"}, Needs: []string{"slow"}, Claims: []string{"streaming"}, Sends: 1,
	Play: func(c *Conversation) {
		o, lasts := c.NewMessage("slow"), c.WorkTime("slow")
		s := c.Call(Step{Name: "subscribe", Op: "stream", Until: UntilFirstEvent, Fresh: true, Quiet: c.Patience()}, o)
		if !s.IsStream() {
			c.Play.Stop = "no stream was opened"
			return
		}
		c.Poll("poll", TaskID(o, s), "", lasts/6, c.Patience())
		if !c.Stopped() && !c.Closing {
			c.Call(Step{Name: "alive", Op: "send", Role: wire.Alive}, c.NewMessage("quick"))
		}
	},
}

// resubscribe drops a stream and takes its task up again, twice at the same
// time: plainly, and with the optional members.
var resubscribe = Scenario{
	Name: "resubscribe", Doc: "a stream dropped and resumed", Burst: 4, Wide: 3,
	Ops: []string{"stream", "resubscribe", "get"}, Needs: []string{"slow"}, Claims: []string{"streaming"}, Sends: 1,
	Play: func(c *Conversation) {
		o := c.NewMessage("slow")
		s := c.Call(Step{Name: "subscribe", Op: "stream", Until: UntilFirstEvent, Fresh: true, Quiet: c.Patience()}, o)
		task := TaskID(o, s)
		if !s.IsStream() || task == "" {
			c.Play.Stop = "no stream was opened that could be resumed"
			return
		}
		look := c.Call(Step{Name: "look", Op: "get"}, dialect.Outgoing{Task: task})
		if c.IsSettled(look.State) {
			for _, n := range []string{"plain", "members"} {
				c.NotSent(Step{Name: n, Op: "resubscribe"}, "look", "the task had ended before its stream could be resumed: make stimuli.slow take longer")
				c.WorkSince(s.Start, c.WorkTime("slow")).MarkLate(n)
			}
			return
		}
		five := 5
		plain := c.Start(Step{Name: "plain", Op: "resubscribe", Closes: true, Quiet: c.Patience()}, dialect.Outgoing{Task: task})
		members := c.Start(Step{Name: "members", Op: "resubscribe", Quiet: c.Patience()},
			dialect.Outgoing{Task: task, HistoryLength: &five, Metadata: map[string]any{"a": 1}})
		for name, p := range map[string]*Pending{"plain": plain, "members": members} {
			if r := p.Wait(); !r.IsStream() || len(r.Events()) == 0 || c.IsRefusedInStream(r) {
				c.WorkSince(s.Start, c.WorkTime("slow")).MarkLate(name)
			}
			c.WorkSince(s.Start, c.WorkTime("slow")).MarkTooLate(name)
		}
	},
}

// IsRefusedInStream reports whether a stream begins with an error: the subscription
// was refused by it.
func (c *Setting) IsRefusedInStream(r *Reply) bool {
	for _, e := range r.Events() {
		if e.HasData {
			return c.IsErrorEvent(e.Root)
		}
	}
	return false
}
