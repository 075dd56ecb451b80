package scenario

import (
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// Pending is a call that is under way while its play goes on. The play must
// wait for every call it started.
type Pending struct {
	c     *Conversation
	step  Step
	at    int // its place among the steps of the play
	done  chan struct{}
	reply *Reply
	kept  bool
	// unsent reports that the call was never made.
	unsent bool
}

// Start makes a valid call in the background. It is recorded where it was
// started, once it was waited for.
func (c *Conversation) Start(s Step, o dialect.Outgoing) *Pending {
	if s.Task == "" {
		s.Task = o.Task
	}
	if s.Ctx == "" {
		s.Ctx = o.Context
	}
	if c.lacksTask(s, o) {
		c.NotSent(s, "", "%s", noTaskToAskAbout)
		return newUnsentCall(c)
	}
	request := c.Request(s.Name, s.Op, o)
	call, ok := c.prepareCall(&s, request)
	if !ok {
		return newUnsentCall(c)
	}
	return c.StartCall(s, call)
}

// newUnsentCall is a call that is over without having been made.
func newUnsentCall(c *Conversation) *Pending {
	p := &Pending{c: c, unsent: true, reply: &Reply{Exchange: &wire.Exchange{}}, done: make(chan struct{}), kept: true}
	close(p.done)
	return p
}

// StartCall makes a call that was written before in the background.
func (c *Conversation) StartCall(s Step, call wire.Call) *Pending {
	c.publishPlay()
	p := &Pending{c: c, step: s, at: len(c.Play.Steps), done: make(chan struct{})}
	c.recordSteps(wire.Step{Name: s.Name, Role: wire.Main, Op: s.Op, NotSent: "the run did not wait for it"})
	go func() {
		defer close(p.done)
		p.reply = c.sendInAnyWay(s, call)
	}()
	return p
}

// Wait waits for the call to end and records it.
func (p *Pending) Wait() *Reply {
	if !p.unsent {
		p.c.publishPlay()
	}
	<-p.done
	if !p.kept {
		p.kept = true
		p.c.Play.Steps[p.at] = p.c.labelBinding(newRecordedStep(p.step, p.reply))
		p.c.recordSteps(append(recordedDetours(p.step, p.reply), recordedRefusals(p.step, p.reply)...)...)
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
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return false
	case <-p.c.Context.Done():
		return false
	}
}

// Pause lets time pass in which an agent works.
func (c *Conversation) Pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.Context.Done():
	}
}
