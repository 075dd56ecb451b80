// Package judge turns a sealed transcript into verdicts. It is pure: it knows
// no network and no clock, so the same transcript always gives the same
// verdicts, in a run, in a replay, and years later.
package judge

import (
	"slices"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Case is a sealed transcript under judgement.
type Case struct {
	Dialect    *schema.Dialect
	Transcript *wire.Transcript
	Checks     Checks
	// Track remembers what each check looks at, and leaves excerpts out of the
	// evidence: it is for the proof, which judges thousands of times.
	Track bool

	binding binding.Binding  // by which it was spoken
	subject string           // the agent whose part of the conversations is judged; "" for the only one
	beside  bool             // which is not the one that the agent prefers
	entire  *wire.Transcript // of all subjects, of which the case may see a part
	// Recorded has the calls too that are kept from the checks of a dialect.
	Recorded *wire.Transcript
	cache    *Cache
	mu       sync.Mutex
	said     []*Said // all texts of the server, in order
	read     map[reading][]*Said
	outages  []Outage
	access   func() *access // what the transcript shows of the credentials of the run
	// What the checks of shape ask for again and again.
	instances map[string][]Value // by definition
	broken    []Violation        // nil until it was asked for
	ours      *echoes            // nil until it was asked for
	echoing   map[*Said]bool     // whether a text repeats something of ours
	storing   sync.Once
	stored    []storedWebhook // of malformed calls of ours
	asking    sync.Map        // of calls, by their exchange: what about says of them
	sighting  sync.Mutex
	sights    map[string]string // of behaviours that were denied, by their names
}

// NewCase prepares the judging of a transcript. A nil cache is a new one.
func NewCase(d *schema.Dialect, t *wire.Transcript, checks Checks, cache *Cache) *Case {
	if cache == nil {
		cache = NewCache()
	}
	binding.Ready(d)
	c := &Case{Dialect: d, Transcript: t, entire: t, Recorded: t, Checks: checks, binding: binding.Of(d, alone(t.Facts.Bindings)), cache: cache, instances: map[string][]Value{}, echoing: map[*Said]bool{}, outages: outages(t),
		read: map[reading][]*Said{}}
	c.collect()
	c.access = sync.OnceValue(c.findRefused)
	return c
}

// Cache is what the case has read and validated so far.
func (c *Case) Cache() *Cache { return c.cache }

// BindingOf is how what a step of a play said travelled.
func (c *Case) BindingOf(p *wire.Play, s *wire.Step) binding.Binding {
	if p == nil {
		return c.binding
	}
	if name := p.By(s); name != "" && name != c.binding.Name() {
		return binding.Of(c.Dialect, name)
	}
	return c.binding
}

// foreign reports whether a step travelled by another binding than the one that is
// judged here.
func (c *Case) foreign(p *wire.Play, s *wire.Step) bool {
	here, by := alone(c.Transcript.Facts.Bindings), p.By(s)
	return here != "" && by != "" && by != here
}

// Card is the agent card of the run; ok is false if none was read.
func (c *Case) Card() (Value, bool) {
	for _, s := range c.said {
		if s.isCard() && s.Play.Scenario == "card" && s.Step.Agent == c.subject {
			return Value{said: s, node: s.Root}, true
		}
	}
	return Value{}, false
}

// isCard reports whether a text is a card that can be read.
func (s *Said) isCard() bool {
	return (s.Kind == CardText || s.Kind == CardElsewhere) && s.Root != nil && s.Root.Kind == wire.Object && s.Exchange.Obtained()
}

// Cards are all agent cards of the server, those of its single agents included;
// without one the requirement is undecided.
func (t *T) Cards() []Value {
	var out []Value
	for _, s := range t.Case.said {
		if s.isCard() && !t.leaves(s) {
			out = append(out, Value{t: t, said: s, node: s.Root})
		}
	}
	if len(out) == 0 {
		t.StopIfRefused()
	}
	if len(out) == 0 && t.withheld != nil {
		t.vacuous = "all cards were excluded"
		panic(stopFailed{})
	}
	if len(out) == 0 {
		t.Stopped("no agent card could be read")
	}
	return out
}

// Card is the agent card; without one the requirement is undecided.
func (t *T) Card() Value {
	v, ok := t.Case.Card()
	if !ok {
		t.Stopped("no agent card could be read")
	}
	if t.leaves(v.said) {
		t.vacuous = "the card was excluded"
		panic(stopFailed{})
	}
	v.t = t
	return v
}

// Called reports whether the server called any webhook of the whole run, whatever it brought.
func (c *Case) Called() bool {
	for _, p := range c.entire.Plays {
		if slices.ContainsFunc(p.Steps, func(s wire.Step) bool { return s.Exchange != nil && s.Exchange.Dir == wire.In }) {
			return true
		}
	}
	return false
}

// Invocations counts the send and stream requests that were answered by
// anything but a refusal: each may have cost the agent's owner money.
func (c *Case) Invocations() int {
	n := 0
	for _, p := range c.Transcript.Plays {
		for _, s := range p.Steps {
			if s.Exchange == nil || s.Of != "" || !c.Dialect.Operation(s.Op).Agent || !s.Exchange.Answered() {
				continue
			}
			if s.Exchange.IsStream() {
				if !refusedInStream(c.BindingOf(&p, &s), s.Op, s.Exchange) {
					n++
				}
				continue
			}
			if c.BindingOf(&p, &s).Decode(s.Op, s.Exchange).Result.Exists() {
				n++
			}
		}
	}
	return n
}

// refusedInStream reports whether a stream is nothing but a refusal: its only event
// with data is an error.
func refusedInStream(b binding.Binding, op string, x *wire.Exchange) bool {
	events := slices.DeleteFunc(slices.Clone(x.Events()), func(e wire.Event) bool { return !e.HasData })
	if len(events) != 1 {
		return false
	}
	only := b.Event(op, events[0].Root).AsResponse()
	return only.Failure.Exists() && !only.Result.Exists()
}

// alone is the one binding that was spoken; "" where there are several, or none is
// named.
func alone(bindings []string) string {
	if len(bindings) == 1 {
		return bindings[0]
	}
	return ""
}

// Part prepares the judging of a part of the transcript: what was held with one agent, or in one
// binding. What the run shows of credentials is that of the whole.
func (c *Case) Part(t *wire.Transcript, of wire.Subject) *Case {
	sub := NewCase(c.Dialect, t, c.Checks, c.cache.of(of))
	sub.Track, sub.subject, sub.entire, sub.access = c.Track, of.Agent, c.entire, c.access
	return sub
}

// SetSubject names the agent whose card is the one of the case, and states whether the binding of
// the case is another one than the agent prefers.
func (c *Case) SetSubject(agent string, beside bool) { c.subject, c.beside = agent, beside }

// CardFor returns the agent card as the check of a requirement reads it: what is read there counts
// as looked at.
func (c *Case) CardFor(req *schema.Requirement, r *CheckResult) (Value, bool) {
	v, ok := c.Card()
	v.t = &T{Case: c, Requirement: req, result: r}
	return v, ok
}
