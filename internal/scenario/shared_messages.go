package scenario

import (
	"cmp"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// An offer is an accepted message of a play that is over. A play that only needs a
// message to have been accepted, or a finished task to ask about, rests on it: each
// message may cost the agent's owner seconds and money. Conversations about the life
// of a task begin one of their own.
type offer struct {
	step  wire.Step
	about dialect.Outgoing
	reply *Reply
}

// offer lets other plays rest on a step of this one.
func (c *Conversation) offer(step string, o dialect.Outgoing, r *Reply) {
	c.offerAs(c.Play.Scenario, step, o, r)
}

// offerAs is offer under another name than that of the play.
func (c *Conversation) offerAs(name, step string, o dialect.Outgoing, r *Reply) {
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
	c.offers[name] = offer{shared, o, r}
}

// rest records what is offered under a name, by the play of that name as a rule, as
// a step of this one; ok is false where nothing is.
func (c *Conversation) rest(name string, role wire.Role, on string) (about dialect.Outgoing, r *Reply, ok bool) {
	of, ok := c.offered(on)
	if !ok {
		return about, nil, false
	}
	of.step.Name, of.step.Role = name, role
	c.keep(of.step)
	return of.about, of.reply, true
}

// greeting is the harmless message as it is offered under a name, else one of our own.
func (c *Conversation) greeting(step, on string) (dialect.Outgoing, *Reply) {
	if o, r, ok := c.rest(step, wire.Main, on); ok {
		return o, r
	}
	o := c.say("quick")
	return o, c.Call(Step{Name: step, Op: "send"}, o)
}

func (c *Conversation) offered(name string) (offer, bool) {
	c.offering.Lock()
	defer c.offering.Unlock()
	of, ok := c.offers[name]
	return of, ok
}

// withdraw leaves an offer to nobody else.
func (c *Conversation) withdraw(name string) {
	c.offering.Lock()
	defer c.offering.Unlock()
	delete(c.offers, name)
}

// promise says that the play is about to offer something. Others wait for it until kept
// is called, by which time it is offered or never will be.
func (c *Conversation) promise() (kept func()) {
	c.offering.Lock()
	defer c.offering.Unlock()
	if c.promises == nil {
		c.promises = map[string]chan struct{}{}
	}
	done := make(chan struct{})
	c.promises[c.Play.Scenario] = done
	return sync.OnceFunc(func() { close(done) })
}

// restOnPromise is rest for what a play promised, which is waited for; it reports whether
// anything came of it.
func (c *Conversation) restOnPromise(s Step, name string) bool {
	c.offering.Lock()
	done, promised := c.promises[name]
	c.offering.Unlock()
	if !promised {
		return false
	}
	<-done
	_, _, ok := c.rest(s.Name, s.Role, name)
	return ok
}
