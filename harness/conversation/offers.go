package conversation

import (
	"cmp"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// An offer is an accepted message of a play that is over. A play that only needs a
// message to have been accepted, or a finished task to ask about, rests on it: each
// message may cost the agent's owner seconds and money. Conversations about the life
// of a task begin one of their own.
//
// Once a play has changed the task, no one is handed the task any more, nor is that play
// if it is held again: what one attempt left behind would be held against the server.
type offer struct {
	step    record.Step
	about   dialect.Outgoing
	reply   *Reply
	changed bool // the task is no longer as it was when it was offered
}

func (o offer) taskID() string { return cmp.Or(o.about.Task, o.reply.Task) }

// OfferStepUnderPlaysName lets other plays rest on a step of this one.
func (c *Conversation) OfferStepUnderPlaysName(step string, o dialect.Outgoing, r *Reply) {
	c.OfferStepUnderName(c.Play.Scenario, step, o, r)
}

// OfferStepUnderName is Offer under another name than that of the play.
func (c *Conversation) OfferStepUnderName(name, step string, o dialect.Outgoing, r *Reply) {
	s := c.Play.Step(step)
	if s == nil || s.Exchange == nil || s.Late != "" || s.Limited != "" {
		return
	}
	shared := *s
	shared.Of = cmp.Or(s.Of, c.Play.Scenario+"/"+step)
	c.offering.Lock()
	defer c.offering.Unlock()
	if c.offers == nil {
		c.offers = map[string]offer{}
	}
	c.offers[name] = offer{step: shared, about: o, reply: r}
}

// ReuseOfferedStep records what is offered under a name, by the play of that name as a rule, as
// a step of this one; ok is false if nothing is. It is the exchange that counts: the
// task may have changed since.
func (c *Conversation) ReuseOfferedStep(asStep string, role record.Role, offerName string) (about dialect.Outgoing, r *Reply, ok bool) {
	of, ok := c.findOffer(offerName)
	if !ok {
		return about, nil, false
	}
	of.step.Name, of.step.Role = asStep, role
	c.recordSteps(of.step)
	return of.about, of.reply, true
}

// ReuseUnlessTaskChanged is Reuse for a play that asks about the task, which no one may have changed.
func (c *Conversation) ReuseUnlessTaskChanged(asStep string, role record.Role, offerName string) (about dialect.Outgoing, r *Reply, ok bool) {
	if of, _ := c.findOffer(offerName); of.changed {
		return about, nil, false
	}
	return c.ReuseOfferedStep(asStep, role, offerName)
}

func (c *Setting) findOffer(name string) (offer, bool) {
	c.offering.Lock()
	defer c.offering.Unlock()
	of, ok := c.offers[name]
	return of, ok
}

// WithdrawOffer leaves an offer to no one else.
func (c *Setting) WithdrawOffer(name string) {
	c.offering.Lock()
	defer c.offering.Unlock()
	delete(c.offers, name)
}

// markOffersOfChangedTask notes for those that may reuse a task that it was changed, if a call did so. A
// call that was refused changes nothing.
func (c *Setting) markOffersOfChangedTask(s Step, r *Reply) {
	refused := r.Answered() && r.Answer.Failure.Exists() && !r.OK() || r.IsStream() && c.IsRefusedInStream(r)
	if s.Task == "" || r.NotSent != "" || refused || c.readsOnly(s.Op) {
		return
	}
	c.offering.Lock()
	defer c.offering.Unlock()
	for name, of := range c.offers {
		if of.taskID() == s.Task {
			of.changed = true
			c.offers[name] = of
		}
	}
}

// PromiseOffer announces that the play is about to offer something. Others wait for it until kept
// is called, by which time it is offered or never will be.
func PromiseOffer(c *Conversation) (kept func()) {
	c.offering.Lock()
	defer c.offering.Unlock()
	if c.promises == nil {
		c.promises = map[string]chan struct{}{}
	}
	done := make(chan struct{})
	c.promises[c.Play.Scenario] = done
	return sync.OnceFunc(func() { close(done) })
}

// AwaitAndReusePromisedStep is rest for what a play promised, which is waited for; it reports whether
// anything came of it.
func (c *Conversation) AwaitAndReusePromisedStep(s Step, name string) bool {
	c.offering.Lock()
	done, promised := c.promises[name]
	c.offering.Unlock()
	if !promised {
		return false
	}
	<-done
	_, _, ok := c.ReuseOfferedStep(s.Name, s.Role, name)
	return ok
}
