package conversation

import (
	"maps"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Class states whether a scenario may be played in parallel with others.
type Class string

// The classes of scenarios.
const (
	Shared     Class = ""           // in parallel with others
	Exclusive  Class = "exclusive"  // alone
	Disruptive Class = "disruptive" // alone, and only if the operator allows it
	Last       Class = "last"       // alone, after all others
)

// Scenario is one conversation. Its declaration is read from the scenarios.yaml of its area, its
// code is in Go.
type Scenario struct {
	Name  string      `yaml:"id"`
	Doc   string      // what it does, for --plan
	Class Class       // shared if empty
	Base  bool        // it is part of every run, because passive checks read it
	Risk  schema.Risk // harmless if empty
	// Needs are the stimuli, Claims the claims of the card, and Declares the declarations of the
	// operator without which it is not played.
	Needs, Claims, Declares []string
	Ops                     []string // operations that the dialect must have
	Binding                 string   // the only kind of binding in which it can be played; "" for all
	MultiAgent              bool     `yaml:"multiAgent"` // the dialect must have servers with several agents
	// MultiInterface means that it alternates between the interfaces of an agent: it is played
	// once with each agent of which several are called.
	MultiInterface bool           `yaml:"multiInterface"`
	Webhook        bool           // the server must be able to deliver to a webhook of ours
	Sends          int            // messages to the agent at most, for --plan
	Chain          int            // how many of them wait for the answer to another
	After          []string       // the plays whose messages it reuses, if they are played
	AfterFirst     []string       `yaml:"afterFirst"` // of these plays it waits for the first that is played
	Reuses         map[string]int // messages that it need not send if another play was performed, by its name
	Rare           int            // messages that reach the agent of a few servers only: a server has to refuse them, or they take something unusual
	Instead        []string       // stimuli that it sends in place of quick if all of them are configured
	ProvesLiveness bool           `yaml:"provesLiveness"` // its last call shows that the agent still answers, after all that is shared
	First          bool           // it is played before all others, since its answers show a rate limit
	// ProvesTaskCreation means that the play shows which message creates a task: if messages
	// may be answered without one, the others wait for it.
	ProvesTaskCreation bool `yaml:"provesTaskCreation"`
	// ProbesDeadEndpoint means that its first call is made even if the endpoint counts as dead,
	// so that there is always evidence of it.
	ProbesDeadEndpoint bool `yaml:"probesDeadEndpoint"`
	Burst              int  // calls that must follow each other closely; 0 if none must
	// Promises means that plays which run at the same time wait for what it offers, from when it has its place in the pool.
	Promises bool
	Probes   int // calls in addition to the messages, if there are many
	Parallel int // calls under way at the same time at most; 0 for one
	// WaitsForWork means that the play waits until the work of the slow message would have been
	// done, even if its task ended before.
	WaitsForWork bool `yaml:"waitsForWork"`
	// Steps describes in a sentence what each step sends, by the name of the step. A # stands for
	// a number, and * for the members that the writer of a dialect can put into a message, which
	// no requirement may name. {send} is replaced by the method of the operation send, and
	// likewise for other operations.
	Steps map[string]string

	// Prepare is the part of an exclusive play that may run in parallel with others, before it;
	// nil if there is none.
	Prepare func(*Conversation) `yaml:"-"`
	Play    func(*Conversation) `yaml:"-"`
	// Finish is the part of an exclusive play in which the agent takes its time and no call can
	// harm it. It runs in parallel with that of others; nil if there is none.
	Finish func(*Conversation) `yaml:"-"`
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
	if s.WaitsForWork {
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
	if s.MultiInterface && len(d.Bindings) < 2 {
		return false
	}
	return !s.MultiAgent || d.Agents.List != ""
}
