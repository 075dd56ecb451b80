package conversation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	changed bool          // the task is no longer as it was when it was offered
	looks   []record.Step // at the task, which go with it
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

// OfferToCrowd lets the play that looks at calls at the same time rest on an accepted message, if the server was to name its context
// wherever contexts are the server's to name.
func OfferToCrowd(c *Conversation, step string, o dialect.Outgoing, r *Reply) {
	if r.OK() && (!c.Writer.ServerContexts || o.Context == "") {
		c.OfferStepUnderName(crowdOffers+c.Play.Scenario+"/"+step, step, o, r)
	}
}

// PackedFor is the name under which a message is offered that carries what several plays try, to one of them or, as PLAY/PROBE, to
// one probe of it.
func PackedFor(play string) string { return "packed/" + play }

// ArtifactOffer is the name under which a message is offered that leads to an artifact.
const ArtifactOffer = "sessions/artifact"

// crowdOffers is what the names begin with under which messages are offered to the play that looks at calls at the same time.
const crowdOffers = "crowd/"

// ReuseSimultaneousSteps records accepted messages of other plays that were under way at the same time as steps PREFIX-1,
// PREFIX-2, …, if there are that many in as many contexts at least. It reports whether there are.
func (c *Conversation) ReuseSimultaneousSteps(prefix string, least int) bool {
	names, all := c.listCrowdOffers()
	for _, last := range all { // to begin
		var together []string
		contexts := map[string]bool{}
		for i, of := range all {
			if of.step.Exchange.Start <= last.step.Exchange.Start && last.step.Exchange.Start < of.step.Exchange.End {
				together = append(together, names[i])
				contexts[cmp.Or(of.about.Context, names[i])] = true
			}
		}
		if len(contexts) < least {
			continue
		}
		for i, name := range together {
			c.ReuseOfferedStep(fmt.Sprintf("%s-%d", prefix, i+1), record.Main, name)
		}
		return true
	}
	return false
}

// listCrowdOffers returns what is offered to the play that looks at calls at the same time, in the order of its names.
func (c *Setting) listCrowdOffers() (names []string, all []offer) {
	c.offering.Lock()
	defer c.offering.Unlock()
	for _, name := range slices.Sorted(maps.Keys(c.offers)) {
		if strings.HasPrefix(name, crowdOffers) {
			names, all = append(names, name), append(all, c.offers[name])
		}
	}
	return names, all
}

// OfferTaskWithLooks is OfferStepUnderPlaysName for a task that was looked up until it ended, in steps whose names begin with a
// prefix and a hyphen.
func (c *Conversation) OfferTaskWithLooks(step, prefix string, o dialect.Outgoing, r *Reply) {
	c.OfferStepUnderPlaysName(step, o, r)
	var looks []record.Step
	for _, s := range c.Play.Steps {
		if strings.HasPrefix(s.Name, prefix+"-") && s.Exchange != nil {
			s.Of = c.Play.Scenario + "/" + s.Name
			looks = append(looks, s)
		}
	}
	c.offering.Lock()
	defer c.offering.Unlock()
	if of, ok := c.offers[c.Play.Scenario]; ok {
		of.looks = looks
		c.offers[c.Play.Scenario] = of
	}
}

// ReuseOfferedTaskWithLooks is ReuseOfferedStep with the looks at the task, in steps PREFIX-1, PREFIX-2, … It reports false if
// nothing is offered with looks.
func (c *Conversation) ReuseOfferedTaskWithLooks(asStep, prefix, offerName string) bool {
	of, ok := c.findOffer(offerName)
	if !ok || len(of.looks) == 0 {
		return false
	}
	c.ReuseOfferedStep(asStep, record.Main, offerName)
	for i, look := range of.looks {
		look.Name = fmt.Sprintf("%s-%d", prefix, i+1)
		c.recordSteps(look)
	}
	return true
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

// promise is what a play is about to offer.
type promise struct {
	done chan struct{} // is closed once it is offered, or never will be
	kept func()
}

// PromiseOffer announces that a play is about to offer something. Others wait for it until kept is called, by which time it is
// offered or never will be. A play makes one promise, whoever announces it.
func (c *Setting) PromiseOffer(play string) (kept func()) {
	c.offering.Lock()
	defer c.offering.Unlock()
	p, made := c.promises[play]
	if !made {
		if c.promises == nil {
			c.promises = map[string]promise{}
		}
		done := make(chan struct{})
		p = promise{done, sync.OnceFunc(func() { close(done) })}
		c.promises[play] = p
	}
	return p.kept
}

// AwaitAndReusePromisedStep is rest for what a play promised, which is waited for; it reports whether
// anything came of it.
func (c *Conversation) AwaitAndReusePromisedStep(s Step, name string) bool {
	if !c.AwaitPromise(name) {
		return false
	}
	_, _, ok := c.ReuseOfferedStep(s.Name, s.Role, name)
	return ok
}

// AwaitPromise waits until a play has kept its promise, and reports whether it made one. One that has not begun is not
// waited for: it may need the place of the play that would wait.
func (c *Setting) AwaitPromise(play string) bool {
	c.offering.Lock()
	p, promised := c.promises[play]
	c.offering.Unlock()
	if promised {
		<-p.done
	}
	return promised
}
