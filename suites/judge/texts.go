package judge

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// collect lists every text of the server in the order of the exchanges. What was
// fetched once counts once, whatever led to it: two steps may share an exchange.
func (c *Case) collect() {
	seen := map[*record.Exchange]bool{}
	for i := range c.Transcript.Plays {
		p := &c.Transcript.Plays[i]
		for j := range p.Steps {
			s := &p.Steps[j]
			x := s.Exchange
			if x != nil && seen[x] || c.foreign(p, s) {
				continue
			}
			seen[x] = true
			switch {
			case x != nil && x.Dir == record.In:
				c.said = append(c.said, c.delivery(x, s, p))
			case x != nil && x.Dir == record.Given:
				c.said = append(c.said, c.body(x, s, p))
			case x == nil || !x.Answered() || x.Ended == record.Aborted:
			case x.IsStream():
				c.said = append(c.said, c.events(x, s, p)...)
			default:
				c.said = append(c.said, c.body(x, s, p))
			}
		}
	}
}

func (c *Case) body(x *record.Exchange, s *record.Step, p *record.Play) *Said {
	return c.once(reading{exchange: x}, p, s, func() []*Said {
		doc := x.Reply()
		answer := c.by(p, s).Decode(s.Op, x).AsResponse()
		said := &Said{Kind: kindOf(s, answer), Answer: answer, Op: s.Op, Exchange: x, Root: doc.Root, Faults: doc.Faults, Step: s, Play: p}
		said.readOtherwise()
		return []*Said{said}
	})[0]
}

// delivery is what the server said by calling us.
func (c *Case) delivery(x *record.Exchange, s *record.Step, p *record.Play) *Said {
	return c.once(reading{exchange: x}, p, s, func() []*Said {
		doc := x.Call()
		return []*Said{{Kind: Delivery, Op: s.Op, Exchange: x, Root: doc.Root, Faults: doc.Faults, Step: s, Play: p}}
	})[0]
}

func (c *Case) events(x *record.Exchange, s *record.Step, p *record.Play) []*Said {
	return c.once(reading{exchange: x, stream: true}, p, s, func() (out []*Said) {
		for i, e := range x.Events() {
			if e.HasData {
				said := &Said{Kind: EventText, Op: s.Op, Exchange: x, Event: i + 1, Root: e.Root, Faults: e.Document.Faults, Step: s, Play: p,
					Answer: c.by(p, s).Event(s.Op, e.Root).AsResponse()}
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
	events := c.events(s.Exchange, s, p)
	first := slices.IndexFunc(events, func(e *Said) bool { return e.Root != nil })
	if i := slices.IndexFunc(events, func(e *Said) bool { return e.Answer.Bare || e.Answer.Marked }); i >= 0 {
		first = i // what comes before is for the checks on the form of events
	}
	if first >= 0 {
		e := events[first]
		return Value{t: t, said: e, node: e.Root}
	}
	said := c.body(s.Exchange, s, p)
	return Value{t: t, said: said, why: fmt.Sprintf("opened an event stream with %d events", len(events))}
}

// All returns every text of the server of the given kinds.
func (t *T) All(kinds ...Kind) []Value {
	var out []Value
	for _, s := range t.Case.said {
		if slices.Contains(kinds, s.Kind) && !t.leaves(s) {
			out = append(out, Value{t: t, said: s, node: s.Root, why: missing(s)})
		}
	}
	return out
}

// missing says what the server said in place of JSON; "" if it said JSON.
func missing(s *Said) string {
	switch {
	case s.Event > 0 && s.Root == nil:
		return "sent an event whose data is not JSON"
	case s.Kind != Delivery:
		return instead(s.Exchange, s.Root)
	case s.Root != nil:
		return ""
	case len(s.Exchange.Request.Body) == 0:
		return "delivered no body"
	}
	return "delivered a body that is not JSON"
}

// Texts lists every text of the server in the order of the exchanges.
func (c *Case) Texts() []*Said { return c.said }
