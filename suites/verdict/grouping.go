package verdict

import (
	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// grouping finds out what violations have in common. Each has one or more signs, and
// violations that share a sign, or are linked by others that do, have one mark.
type grouping struct {
	c        *Decider
	layers   map[layerName]*layerCount
	accepted map[acceptedFamily]map[string]bool // the kinds of flaws that were accepted
	rejected map[textName][]judge.Breach        // the places of the failures
	calls    map[callName][]judge.Breach        // the failures about whole answers, and about the details of errors
	joined   map[string]string                  // sets of signs, each with another of its set
}

// causeMark is what violations of one cause share.
type causeMark struct {
	name string
	by   int // the binding in which the violation was seen; 0 for the one that the agent prefers
}

// sign is something that a violation may have in common with others.
type sign struct {
	key   string
	words string // what is wrong, for people; empty if the failure states it
}

// callName is a call of a conversation, whatever the binding in which it was made.
type callName struct{ agent, scenario, step string }

// acceptedFamily is a family of operations in one binding.
type acceptedFamily struct{ binding, family string }

// textName names a body, or one event of a stream.
type textName struct {
	in    *record.Exchange
	event int
}

func exchangeEventKey(s *judge.Document) textName { return textName{s.Exchange, s.Event} }

func nameCall(s *judge.Document) callName {
	return callName{s.Step.Agent, s.Play.Scenario, s.Step.Name}
}

// findMark returns the sign that is for all that are joined with one.
func (g *grouping) findMark(sign string) string {
	for g.joined[sign] != "" {
		sign = g.joined[sign]
	}
	return sign
}

func (g *grouping) joinSigns(a, b string) {
	if a, b = g.findMark(a), g.findMark(b); a != b {
		g.joined[b] = a
	}
}

// flaw is what a probe changes in a valid call.
type flaw struct {
	place  string // from the envelope on, or the name of a header; "" if the probe is a whole body
	kind   string // absent, wrongType or wrongValue; "" outside of the parameters
	header bool
}

// layerCount is how the malformed calls of one layer were answered in one binding.
type layerCount struct {
	steps   map[string]bool // those that were answered, by conversation and name
	refused int             // those that were refused for their form, and not for something else
}

// layerName is the layer of a call in the binding in which it travelled: a server may
// check calls in one binding and not in another.
type layerName struct{ binding, layer string }

// decodeAnswer reads how a call was answered; a stream answers with its first event.
func decodeAnswer(b binding.Binding, op string, x *record.Exchange) binding.Answer {
	if x.IsStream() {
		if events := x.Events(); len(events) > 0 {
			return b.Event(op, events[0].Root).AsResponse()
		}
	}
	return b.Decode(op, x).AsResponse()
}
