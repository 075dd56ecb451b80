package conversation

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Call makes a valid call and records it as a step.
func (c *Conversation) Call(s Step, o dialect.Outgoing) *Reply {
	call, ok := c.encodeUnlessTaskUnknown(&s, o)
	if !ok {
		return &Reply{Exchange: &record.Exchange{}}
	}
	return c.Send(s, call)
}

// encodeUnlessTaskUnknown writes the call of a step. One about a task is not made if there is none to name.
func (c *Conversation) encodeUnlessTaskUnknown(s *Step, o dialect.Outgoing) (call client.Call, ok bool) {
	s.Task, s.Ctx = cmp.Or(s.Task, o.Task), cmp.Or(s.Ctx, o.Context)
	if o.Task == "" && c.Dialect.Operation(s.Op).About == schema.AboutTask {
		c.NotSent(*s, "", "no earlier answer named a task to ask about")
		return call, false
	}
	return c.encodeStepOrRecordUnsent(s, c.Request(s.Name, s.Op, o))
}

// Post sends a request and records it as a step.
func (c *Conversation) Post(s Step, r binding.Request) *Reply {
	call, ok := c.encodeStepOrRecordUnsent(&s, r)
	if !ok {
		return &Reply{Exchange: &record.Exchange{}}
	}
	return c.Send(s, call)
}

// Raw sends a body as it is, or none, and records it as a step.
func (c *Conversation) Raw(s Step, body []byte) *Reply {
	call := client.Call{Method: s.Method, URL: s.URL, Header: http.Header{"Accept": {"application/json"}}}
	if s.Op == "card" {
		binding.SetHeaders(call.Header, c.Dialect.Headers)
	}
	if s.Op != "document" && s.Op != "card" {
		call = c.MustEncode(s, binding.Request{Op: s.Op})
	}
	call.Body = body
	return c.Send(s, call)
}

// Send makes a call that was written before and records it as a step.
func (c *Conversation) Send(s Step, call client.Call) *Reply {
	c.publishPlay()
	r := c.sendTryingOtherRoutes(s, call)
	c.recordSteps(failedAttemptSteps(s, r)...)
	c.recordSteps(newRecordedStep(s, r))
	c.recordSteps(r.looks...)
	if r.Final {
		c.Reached("final", s.Name)
	}
	return r
}

// Get fetches a document of the server.
func (c *Conversation) Get(name, op, url string) *Reply {
	return c.Raw(Step{Name: name, Op: op, Method: http.MethodGet, URL: url}, nil)
}

// Pending is a call that is under way while its play continues. The play must
// wait for every call it started.
type Pending struct {
	c     *Conversation
	step  Step
	at    int // its place among the steps of the play
	done  chan struct{}
	reply *Reply
	kept  bool
}

// Wait waits for the call to end and records it.
func (p *Pending) Wait() *Reply {
	p.c.publishPlay()
	<-p.done
	if !p.kept {
		p.kept = true
		p.c.Play.Steps[p.at] = p.c.labelBinding(newRecordedStep(p.step, p.reply))
		p.c.recordSteps(failedAttemptSteps(p.step, p.reply)...)
		p.c.recordSteps(p.reply.looks...)
		if p.reply.Final {
			p.c.Reached("final", p.step.Name)
		}
	}
	return p.reply
}

// Done is closed when the call has ended.
func (p *Pending) Done() <-chan struct{} { return p.done }

// Reply returns the answer of a call that has ended.
func (p *Pending) Reply() *Reply { return p.reply }

// Over reports whether the call has ended.
func (p *Pending) Over() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Ended waits for the end of the call, but no longer than d, and reports
// whether it came.
func (p *Pending) Ended(d time.Duration) bool {
	select {
	case <-p.done:
		return true
	case <-time.After(d):
	case <-p.c.Context.Done():
	}
	return false
}

// AwaitTaskOrEndPlay waits for the id of the task that a message on its way began. If that takes
// too long for the step that is about the task, it ends the play and known is false.
func (p *Pending) AwaitTaskOrEndPlay(o dialect.Outgoing, within time.Duration, step, op string) (task string, known bool) {
	if !p.Ended(within) && o.Task == "" {
		p.EndPlayForLateID(step, op)
		return "", false
	}
	if o.Task != "" {
		return o.Task, true
	}
	return TaskID(o, p.Wait()), true
}

// longerSlowText is the line of the configuration that has a task run for longer, so that its id is known in time.
const longerSlowText = "stimuli: {slow: {text: …, seconds: …}}"

// EndPlayForLateID ends a play whose task was not named in time, before the step that is
// about it. If the reply shows that the task had not ended yet, it only came late, and
// the play is performed once more.
func (p *Pending) EndPlayForLateID(step, op string) {
	c, r := p.c, p.Wait()
	c.EndPlayWithUnsentStep(Step{Name: step, Op: op}, "send", "the run did not know the task's id while the task ran: the server sends its reply only at the end")
	s := c.Play.Step(step)
	s.Remedy = longerSlowText
	if r.OK() && !c.IsTerminalOrAwaitsClient(r.State) {
		s.Late = "the reply with the task's id came too late"
	}
}

// StopPlayLackingTaskID ends a play whose stream named no task while the task ran, so that a step about
// it cannot be made. If the stream names one in the end, its event came too late, and the play
// is performed once more.
func (p *Pending) StopPlayLackingTaskID(workOver bool, step, op string) {
	c := p.c
	const why = "the run did not know the task's id while the task was streamed"
	if !workOver || p.Wait().Task == "" {
		c.Play.Stop = why
		return
	}
	c.EndPlayWithUnsentStep(Step{Name: step, Op: op}, "subscribe", why)
	c.Play.Step(step).Late = "the event with the task's id came too late"
}

// Start makes a valid call in the background. Its step keeps the place at which it was
// started, and is recorded once the play has waited for it.
func (c *Conversation) Start(s Step, o dialect.Outgoing) *Pending {
	call, ok := c.encodeUnlessTaskUnknown(&s, o)
	if !ok { // The call is over without having been made.
		p := &Pending{c: c, reply: &Reply{Exchange: &record.Exchange{}}, done: make(chan struct{}), kept: true}
		close(p.done)
		return p
	}
	return c.StartCall(s, call)
}

// StartCall makes a call that was written before in the background.
func (c *Conversation) StartCall(s Step, call client.Call) *Pending {
	c.publishPlay()
	p := &Pending{c: c, step: s, at: len(c.Play.Steps), done: make(chan struct{})}
	c.recordSteps(record.Step{Name: s.Name, Role: record.Main, Op: s.Op, NotSent: "the run did not wait for it"})
	go func() {
		defer close(p.done)
		p.reply = c.sendTryingOtherRoutes(s, call)
	}()
	return p
}

// WaitAll waits for all calls to end.
func WaitAll(calls []*Pending) {
	for _, p := range calls {
		p.Wait()
	}
}

// LookUpTask looks a task up with a limit on the messages of its history.
func (c *Conversation) LookUpTask(step, task string, historyLimit int) *Reply {
	return c.Call(Step{Name: step, Op: "get"}, dialect.Outgoing{Task: task, HistoryLength: &historyLimit})
}

// LookUpTaskRepeatedly looks a task up several times, in steps look-1, look-2, …
func (c *Conversation) LookUpTaskRepeatedly(task string, times int, apart time.Duration) (all []*Reply) {
	for i := 1; i <= times && task != "" && !c.Stopped(); i++ {
		if i > 1 {
			c.Pause(apart)
		}
		all = append(all, c.Call(Step{Name: fmt.Sprintf("look-%d", i), Op: "get"}, dialect.Outgoing{Task: task}))
	}
	return all
}

// ReuseOrSendQuickMessage returns the harmless message as it is offered under one of the names, else
// it sends one of its own in the given step.
func (c *Conversation) ReuseOrSendQuickMessage(step string, offerNames ...string) (dialect.Outgoing, *Reply) {
	for _, name := range offerNames {
		if o, r, ok := c.ReuseUnlessTaskChanged(step, record.Main, name); ok {
			return o, r
		}
	}
	o := c.NewMessage("quick")
	return o, c.Call(Step{Name: step, Op: "send"}, o)
}

// BeginTask sends the message of a stimulus in the given step. It returns the id of the task that
// came of it too.
func (c *Conversation) BeginTask(step, stimulus string) (o dialect.Outgoing, sent *Reply, task string) {
	o = c.NewMessage(stimulus)
	sent = c.Call(Step{Name: step, Op: "send"}, o)
	return o, sent, TaskID(o, sent)
}

// SendFirstMessageOrReuse sends the harmless message in the step "send", unless it was already sent to
// learn in which style the server takes calls.
func SendFirstMessageOrReuse(c *Conversation) (dialect.Outgoing, *Reply) {
	const step = "send"
	c.probeCallStyle(step)
	if of, ok := c.findOffer("style"); ok && c.Play.Step(step) != nil {
		return of.about, of.reply
	}
	return c.ReuseOrSendQuickMessage(step, "style")
}
