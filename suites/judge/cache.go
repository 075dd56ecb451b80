package judge

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// NewCache returns an empty cache. It may be shared by cases of one dialect.
func NewCache() *Cache {
	return &Cache{texts: map[reading][]*Document{}, shapes: map[textKey]shapeFindings{}, ours: map[*record.Exchange]error{}, parts: map[record.Subject]*Cache{}}
}

// Fork returns a cache that begins with what this one holds. What it learns besides
// goes with it.
func (c *Cache) Fork() *Cache {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := &Cache{texts: maps.Clone(c.texts), shapes: maps.Clone(c.shapes), ours: maps.Clone(c.ours), parts: map[record.Subject]*Cache{}}
	for of, part := range c.parts {
		out.parts[of] = part.Fork()
	}
	return out
}

// partCache returns the cache of a part of a case: one exchange may be of another step there.
func (c *Cache) partCache(part record.Subject) *Cache {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parts[part] == nil {
		c.parts[part] = NewCache()
	}
	return c.parts[part]
}

// remember returns what make returns for a key: of several calls with the key, all but the first
// that succeed find it in known. It is made without the lock, so that it may take its time.
func remember[K comparable, V any](mu *sync.Mutex, known map[K]V, key K, make func() (V, error)) (V, error) {
	mu.Lock()
	value, has := known[key]
	mu.Unlock()
	if has {
		return value, nil
	}
	value, err := make()
	if err == nil {
		mu.Lock()
		known[key] = value
		mu.Unlock()
	}
	return value, err
}

func (s *Document) cacheKey() textKey { return textKey{s.Exchange, s.Event} }

// readOnce reads the texts of an exchange that belongs to a step. What another case with the
// same cache has read is not read again; only the step is that of this one's transcript.
func (c *Case) readOnce(of reading, p *record.Play, s *record.Step, read func() []*Document) []*Document {
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	if known, ok := c.read[of]; ok {
		return known
	}
	all, ok := c.cache.texts[of]
	if !ok {
		all = read()
		c.cache.texts[of] = all
	}
	if len(all) > 0 && (all[0].Play != p || all[0].Step != s) {
		here := make([]*Document, len(all))
		for i, said := range all {
			here[i] = said.belongingTo(p, s)
		}
		all = here
	}
	c.read[of] = all
	return all
}

// belongingTo returns the same text, of a step of another transcript.
func (s *Document) belongingTo(p *record.Play, step *record.Step) *Document {
	return &Document{Kind: s.Kind, Op: s.Op, Exchange: s.Exchange, Event: s.Event, Root: s.Root, Written: s.Written, Answer: s.Answer, Faults: s.Faults,
		Step: step, Play: p}
}

// foundIn returns the violations of a text that was validated once, in the text of this case.
func foundIn(s *Document, all []Violation) []Violation {
	if len(all) == 0 || all[0].Document == s {
		return all
	}
	out := slices.Clone(all)
	for i := range out {
		out[i].Document = s
	}
	return out
}

func (c *Case) readBody(x *record.Exchange, s *record.Step, p *record.Play) *Document {
	return c.readOnce(reading{exchange: x}, p, s, func() []*Document {
		doc := x.Reply()
		answer := c.BindingOf(p, s).Decode(s.Op, x).AsResponse()
		said := &Document{Kind: kindOf(s, answer), Answer: answer, Op: s.Op, Exchange: x, Root: doc.Root, Faults: doc.Faults, Step: s, Play: p}
		said.readOtherwise()
		return []*Document{said}
	})[0]
}

// readDelivery returns what the server sent to our webhook.
func (c *Case) readDelivery(x *record.Exchange, s *record.Step, p *record.Play) *Document {
	return c.readOnce(reading{exchange: x}, p, s, func() []*Document {
		doc := x.Call()
		return []*Document{{Kind: Delivery, Op: s.Op, Exchange: x, Root: doc.Root, Faults: doc.Faults, Step: s, Play: p}}
	})[0]
}

func (c *Case) readEvents(x *record.Exchange, s *record.Step, p *record.Play) []*Document {
	return c.readOnce(reading{exchange: x, stream: true}, p, s, func() (out []*Document) {
		for i, e := range x.Events() {
			if e.HasData {
				said := &Document{Kind: EventText, Op: s.Op, Exchange: x, Event: i + 1, Root: e.Root, Faults: e.Document.Faults, Step: s, Play: p,
					Answer: c.BindingOf(p, s).Event(s.Op, e.Root).AsResponse()}
				said.readOtherwise()
				out = append(out, said)
			}
		}
		return out
	})
}

func kindOf(s *record.Step, answer binding.Answer) Kind {
	switch {
	case s.Op == "card" && s.Elsewhere:
		return CardElsewhere
	case s.Op == "card":
		return CardText
	case s.Op == "document":
		return OtherText
	}
	if beforeRPC(s, answer) || s.Exchange.Request.Recipe != nil {
		return OtherText
	}
	return ReplyText
}

// beforeRPC reports whether a call was refused before it came to the protocol:
// by a gate that knows clients or counts their calls, and does not speak
// the protocol. What answers a body of unusual size is judged no more closely.
func beforeRPC(s *record.Step, answer binding.Answer) bool {
	switch s.Exchange.Status() {
	case 401, 403, 407:
		return s.As != "" && !answer.Marked
	case 429:
		return !answer.Marked
	}
	return false
}

// streamAsReply reads a stream that consists of one error event as the error
// it carries: one of the legal forms of a refusal.
func (c *Case) streamAsReply(t *T, s *record.Step, p *record.Play) Value {
	events := c.readEvents(s.Exchange, s, p)
	first := slices.IndexFunc(events, func(e *Document) bool { return e.Root != nil })
	if i := slices.IndexFunc(events, func(e *Document) bool { return e.Answer.Bare || e.Answer.Marked }); i >= 0 {
		first = i // what comes before is for the checks on the form of events
	}
	if first >= 0 {
		e := events[first]
		return Value{t: t, doc: e, node: e.Root}
	}
	said := c.readBody(s.Exchange, s, p)
	return Value{t: t, doc: said, why: fmt.Sprintf("opened an event stream with %d events", len(events))}
}

// readAnswers returns the texts by which a step was answered.
func (c *Case) readAnswers(s *record.Step, p *record.Play) (out []Value) {
	var said []*Document
	if s.Exchange.IsStream() {
		said = c.readEvents(s.Exchange, s, p)
	} else if s.Exchange.Answered() {
		said = append(said, c.readBody(s.Exchange, s, p))
	}
	t := &T{Case: c, result: &CheckResult{}}
	for _, text := range said {
		out = append(out, Value{t: t, doc: text, node: text.Root})
	}
	return out
}

// BindingOf returns the binding in which a step of a play travelled.
func (c *Case) BindingOf(p *record.Play, s *record.Step) binding.Binding {
	if p == nil {
		return c.binding
	}
	if name := p.By(s); name != "" && name != c.binding.Name() {
		return binding.ByNameOrDefault(c.Dialect, name)
	}
	return c.binding
}

// isOtherBinding reports whether a step travelled by another binding than the one that is
// judged here.
func (c *Case) isOtherBinding(p *record.Play, s *record.Step) bool {
	here, by := singleBinding(c.Transcript.Facts.Bindings), p.By(s)
	return here != "" && by != "" && by != here
}

// Card returns the agent card of the run; ok is false if none was read.
func (c *Case) Card() (Value, bool) {
	for _, s := range c.documents {
		if s.isCard() && s.Play.Scenario == "card" && s.Step.Agent == c.subject {
			return Value{doc: s, node: s.Root}, true
		}
	}
	return Value{}, false
}

// isCard reports whether a text is a card that can be read.
func (s *Document) isCard() bool {
	return (s.Kind == CardText || s.Kind == CardElsewhere) && s.Root != nil && s.Root.Kind == record.Object && s.Exchange.Obtained()
}

// singleBinding returns the one binding that was spoken; "" if there are several, or none is
// named.
func singleBinding(bindings []string) string {
	if len(bindings) == 1 {
		return bindings[0]
	}
	return ""
}
