package conversation

import (
	"maps"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Class states whether a scenario may be played in parallel with others.
type Class int

// Scenario is one conversation.
type Scenario struct {
	Name   string
	Doc    string // what it does, for --plan
	Class  Class
	Base   bool        // part of every run: passive checks read it
	Risk   schema.Risk // harmless if empty
	Needs  []string    // stimuli without which it cannot be played
	Claims []string    // claims of the card without which it makes no sense
	Words  []string    // declarations of the operator without which it is not played
	Ops    []string    // operations the dialect must have
	// Binding is the only kind of binding in which it can be played; "" for all.
	Binding string
	Many    bool // the dialect must have servers with several agents
	// Several states that it alternates between the interfaces of an agent: it is
	// played once with each agent of which several are spoken to.
	Several bool
	Sends   int      // messages to the agent at most, for --plan
	Chain   int      // of them, those that wait for the answer to another; 0 if none does
	After   []string // the plays on whose messages it rests, if they are played
	// Instead are messages that it sends in place of the harmless one if all of
	// them are known.
	Instead []string
	Closes  bool // it ends with a sign that the agent still serves, after all that is shared
	First   bool // played before all others: its answers tell of a rate limit
	// Greets states that the play shows which message makes a task: if messages
	// may be answered without one, the others wait for it.
	Greets bool
	// Witness is the play whose first call is made even if the endpoint counts
	// as dead, so that there is always evidence of it.
	Witness bool
	Burst   int // calls that must follow each other closely; 0 if none must
	Probes  int // calls alongside them, if there are many
	Wide    int // calls under way at the same time at most; 0 for one
	// Outlasts states that the play waits until the slow message would have ended
	// for sure, though its task has ended before.
	Outlasts bool
	// Steps describes in a sentence what each step sends, by the name of the step. # takes
	// the place of a number, and * that of the members that a dialect's writer can put into a message,
	// which no requirement may name. {send} is replaced by the method of the operation send, and
	// likewise for other operations.
	Steps map[string]string
	Play  func(*Conversation)
	// Aftermath is the part of an exclusive play in which the agent takes its time
	// and nothing is done any more that could harm it; nil if there is none. It goes
	// on alongside that of others.
	Aftermath func(*Conversation)
	// Prepare is what an exclusive play needs and may do in company; nil if
	// nothing.
	Prepare func(*Conversation)
}

// Weight is about how long a play takes, in messages to an agent that takes its
// time. Those under way at the same time count for one, a slow one for one and a
// half, and for one more if its end is waited for in any case, thirty calls for
// one, and a stream for a little more than another message, since a server may not
// close it.
func (s Scenario) Weight() float64 {
	w := float64(min(s.Sends, 1)+s.Chain) + float64(s.Probes)/30
	if slices.Contains(s.Needs, "slow") || slices.Contains(s.Instead, "slow") {
		w += 0.5
	}
	if s.Outlasts {
		w++
	}
	if slices.Contains(s.Claims, "streaming") {
		w += 0.2
	}
	return w
}

// Harmless reports whether a play sends the harmless message.
func (s Scenario) Harmless(known map[string]operator.Stimulus) bool {
	if s.Sends == 0 || len(s.Needs) > 0 {
		return false
	}
	lacks := func(name string) bool { _, ok := known[name]; return !ok }
	return len(s.Instead) == 0 || slices.ContainsFunc(s.Instead, lacks)
}

// Possible reports whether the dialect has the operations of the scenario.
func (s Scenario) Possible(d *schema.Dialect) bool {
	for _, op := range s.Ops {
		if !d.Has(op) {
			return false
		}
	}
	spoken := func(b schema.Binding) bool { return b.Kind == s.Binding }
	if s.Binding != "" && !slices.ContainsFunc(slices.Collect(maps.Values(d.Bindings)), spoken) {
		return false
	}
	if s.Several && len(d.Bindings) < 2 {
		return false
	}
	return !s.Many || d.Agents.List != ""
}

// The classes: through the pool; alone; alone and by flag; alone, after all others.
const (
	Shared Class = iota
	Exclusive
	Disruptive
	Last
)
