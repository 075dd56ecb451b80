package judge

import (
	"slices"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/schema/shape"
)

// NewCase prepares the judging of a transcript. A nil cache is a new one.
func NewCase(d *schema.Dialect, t *record.Transcript, checks Checks, cache *Cache) *Case {
	if cache == nil {
		cache = NewCache()
	}
	binding.RegisterRecordTranslators(d)
	c := &Case{Dialect: d, Transcript: t, entire: t, Recorded: t, Checks: checks, binding: binding.ByNameOrDefault(d, singleBinding(t.Facts.Bindings)), cache: cache, instances: map[string][]Value{}, hasEchoes: map[*Document]bool{}, sights: map[string]string{}, Outages: findOutages(t),
		read: map[reading][]*Document{}}
	c.collectDocuments()
	c.access = sync.OnceValue(func() *access { return findExcusedCalls(c) })
	c.broken = sync.OnceValue(c.findViolations)
	c.echoes = sync.OnceValue(c.malformedMessageAndTaskIDs)
	c.stored = sync.OnceValue(c.collectMalformedStoredWebhooks)
	c.requests = sync.OnceValue(c.collectRequests)
	return c
}

// Part prepares the judging of a part of the transcript: what was held with one agent, or in one
// binding. What the run shows of credentials is that of the whole.
func (c *Case) Part(t *record.Transcript, of record.Subject) *Case {
	sub := NewCase(c.Dialect, t, c.Checks, c.cache.partCache(of))
	sub.Track, sub.subject, sub.entire, sub.access = c.Track, of.Agent, c.entire, c.access
	return sub
}

// SetSubject names the agent whose card is the one of the case, and states whether the binding of
// the case is another one than the agent prefers.
func (c *Case) SetSubject(agent string, bindingNotPreferred bool) {
	c.subject, c.secondary = agent, bindingNotPreferred
}

// CardTrackingReads returns the agent card as the check of a requirement reads it: what is read there counts
// as looked at.
func (c *Case) CardTrackingReads(req *schema.Requirement, r *CheckResult) (Value, bool) {
	v, ok := c.Card()
	v.t = &T{Case: c, Requirement: req, result: r}
	return v, ok
}

// Called reports whether the server called any webhook of the whole run, whatever it brought.
func (c *Case) Called() bool {
	if c.OfClient() {
		return false
	}
	for _, s := range c.entire.Steps() {
		if s.Exchange != nil && s.Exchange.Dir == record.In {
			return true
		}
	}
	return false
}

// Invocations counts the send and stream requests that were answered by
// anything but a refusal: each may have cost the agent's owner money.
func (c *Case) Invocations() int {
	n := 0
	for i := range c.Transcript.Plays {
		n += c.InvocationsOf(&c.Transcript.Plays[i])
	}
	return n
}

// InvocationsOf counts those of one play.
func (c *Case) InvocationsOf(p *record.Play) int {
	n := 0
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Exchange == nil || s.Of != "" || !c.Dialect.Operation(s.Op).Agent || !s.Exchange.Answered() {
			continue
		}
		by := c.BindingOf(p, s)
		if s.Exchange.IsStream() && !refusedInStream(by, s.Op, s.Exchange) || !s.Exchange.IsStream() && by.Decode(s.Op, s.Exchange).Result.Exists() {
			n++
		}
	}
	return n
}

// refusedInStream reports whether a stream is nothing but a refusal: its only event
// with data is an error.
func refusedInStream(b binding.Binding, op string, x *record.Exchange) bool {
	events := slices.DeleteFunc(slices.Clone(x.Events()), func(e record.Event) bool { return !e.HasData })
	if len(events) != 1 {
		return false
	}
	only := b.Event(op, events[0].Root).AsResponse()
	return only.Failure.Exists() && !only.Result.Exists()
}

// Cache returns what the case has read and validated so far.
func (c *Case) Cache() *Cache { return c.cache }

// collectDocuments lists every text of the server in the order of the exchanges. What was
// fetched once counts once, whatever led to it: two steps may share an exchange.
func (c *Case) collectDocuments() {
	seen := map[*record.Exchange]bool{}
	for p, s := range c.Transcript.Steps() {
		x := s.Exchange
		if x != nil && seen[x] || !c.OfClient() && c.isOtherBinding(p, s) {
			continue
		}
		seen[x] = true
		switch {
		case c.OfClient():
			if x != nil && x.Dir == record.In { // our responses are not judged
				c.documents = append(c.documents, c.readRequest(x, s, p))
			}
		case x != nil && x.Dir == record.In:
			c.documents = append(c.documents, c.readDelivery(x, s, p))
		case x != nil && x.Dir == record.Given:
			c.documents = append(c.documents, c.readBody(x, s, p))
		case x == nil || !x.Answered() || x.Ended == record.Aborted:
		case x.IsStream():
			c.documents = append(c.documents, c.readEvents(x, s, p)...)
		default:
			c.documents = append(c.documents, c.readBody(x, s, p))
		}
	}
}

// Texts lists every text of the server in the order of the exchanges.
func (c *Case) Texts() []*Document { return c.documents }

type givenShapes struct{ text string }

// Given returns the schema that the operator gave, compiled; nil if there is none.
func (c *Case) Given() *shape.Shapes {
	s := c.Transcript.Facts.Schema
	if s == nil {
		return nil
	}
	shapes, _ := c.Dialect.Once(givenShapes{s.Text}, func() any {
		compiled, err := shape.Compile(s.File, []byte(s.Text))
		if err != nil { // it was refused before anything was sent
			return (*shape.Shapes)(nil)
		}
		return compiled
	}).(*shape.Shapes)
	return shapes
}
