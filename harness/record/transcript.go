package record

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
)

// Role is what a step is for within its play.
type Role string

// The roles of a step.
const (
	Main  Role = "main"  // a move of the conversation
	Twin  Role = "twin"  // the valid request with which a refusal is compared
	Probe Role = "probe" // a request off the path: malformed, unusual, or about nothing
	Fence Role = "fence" // shows that nothing was left to come
	Alive Role = "alive" // shows that the server still serves
)

// Side is on which way the exchange of a step was made, if a conversation is held directly and through a gateway.
type Side string

// The sides.
const (
	DirectSide  Side = "direct"  // we called the server itself
	ThroughSide Side = "through" // we called the gateway
	ArrivedSide Side = "arrived" // the gateway called the server
)

// NumberStep returns the name of the next step that is called so: numbered from the second one on. It keeps count.
func NumberStep(count map[string]int, name string) string {
	if count[name]++; count[name] > 1 {
		return fmt.Sprintf("%s-%d", name, count[name])
	}
	return name
}

// Step is one move of a play: an exchange, or the reason why it was not made.
type Step struct {
	Name    string `json:"name"`
	Role    Role   `json:"role"`
	Op      string `json:"op"`                // the operation asked for, in the words of dialect.yaml; "card" for a card
	Twin    string `json:"twin,omitempty"`    // the step of the same play whose acceptance makes this refusal count
	Task    string `json:"task,omitempty"`    // the task it is about, if the suite knows it
	Context string `json:"context,omitempty"` // the session or context it was sent in
	Agent   string `json:"agent,omitempty"`   // the agent it is about, if the server has several
	Binding string `json:"binding,omitempty"` // by which it travelled, if that is not the one of its play
	Invalid bool   `json:"invalid,omitempty"` // our request was meant to be invalid
	// Contradicts is set if the call contradicts what had been agreed on before,
	// such as a message from another context than its task's: its reply is judged
	// by the sentences about that call alone.
	Contradicts bool   `json:"contradicts,omitempty"`
	NotSent     string `json:"notSent,omitempty"`   // why there is no exchange
	Unsayable   bool   `json:"unsayable,omitempty"` // because the binding has no words for it
	Remedy      string `json:"remedy,omitempty"`    // the line or flag by which there would be one
	Because     string `json:"because,omitempty"`   // the step that stopped it
	Late        string `json:"late,omitempty"`      // why it may have come too late to be evidence
	Bisects     string `json:"bisects,omitempty"`   // the refused step of which this sends one member
	Of          string `json:"of,omitempty"`        // the other step, as PLAY/STEP, whose exchange this is: it was not made again
	Hook        string `json:"hook,omitempty"`      // of a delivery: the webhook of the play that it came to
	As          Caller `json:"as,omitempty"`        // whose credentials it carried
	Limited     string `json:"limited,omitempty"`   // why the server's rate limit kept it from being judged
	// Elsewhere is set if the document is not the server's to hand out: it lies on
	// another host, or in a file, which the operator named.
	Elsewhere bool      `json:"elsewhere,omitempty"`
	Side      Side      `json:"side,omitempty"` // of a conversation that is held directly and through a gateway; "" for all others
	Wait      Instant   `json:"wait,omitempty"` // of a few calls that are taken out of a play: how long it waited before this one
	Exchange  *Exchange `json:"-"`
}

// Caller is whose credentials a call carries. The empty one is the identity
// that the operator configured, if any.
type Caller string

// The other callers.
const (
	Nobody   Caller = "nobody"   // no credentials at all
	Stranger Caller = "stranger" // credentials of the right form that the suite made up
	Second   Caller = "second"   // another client
	Low      Caller = "low"      // a client with few rights

	// The operator's client, or the other one, by one way alone to show who it
	// is.
	ByBearer Caller = "bearer"
	ByKey    Caller = "api-key"
	ByBasic  Caller = "basic"
)

// Subject is who was spoken to.
type Subject struct {
	Agent   string `json:"agent,omitempty"`
	Binding string `json:"binding,omitempty"`
}

// Milestone is something a scenario waited for and saw.
type Milestone struct {
	Name string  `json:"name"`
	Step string  `json:"step"`
	At   Instant `json:"at"`
}

// Play is one performance of a scenario.
type Play struct {
	Scenario string      `json:"scenario"`
	Subject  Subject     `json:"subject"`
	About    string      `json:"about,omitempty"` // what it does, in words
	Attempt  int         `json:"attempt"`         // 1, or 2 if it was repeated alone
	Reached  []Milestone `json:"reached,omitempty"`
	Stop     string      `json:"stop,omitempty"`   // why it ended before its time
	Remedy   string      `json:"remedy,omitempty"` // what the operator can change about that
	// Lacks is the stimulus for want of which it ended, if that is why.
	Lacks string `json:"lacks,omitempty"`
	// Client is how the client fared with which the play was performed; nil if we are the client.
	Client *ClientRun `json:"client,omitempty"`
	Steps  []Step     `json:"steps"`
}

// Step returns the play's step of that name.
func (p *Play) Step(name string) *Step {
	for i := range p.Steps {
		if p.Steps[i].Name == name {
			return &p.Steps[i]
		}
	}
	return nil
}

// StepBefore returns the step whose exchange began last before a moment: the first step if none did, and nil if the
// play has none.
func (p *Play) StepBefore(at Instant) (last *Step) {
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Exchange != nil && (last == nil || s.Exchange.Start <= at && s.Exchange.Start >= last.Exchange.Start) {
			last = s
		}
	}
	return last
}

// Waited is how long a play waited between two of its steps: the time in which none of
// its calls was under way.
func (p *Play) Waited(from, to int) (waited Instant) {
	var last *Exchange
	for i := from; i <= to && i < len(p.Steps); i++ {
		x := p.Steps[i].Exchange
		if x == nil || x.Dir != Out {
			continue
		}
		if last != nil {
			waited += max(0, x.Start-last.End)
		}
		if last == nil || x.End > last.End {
			last = x
		}
	}
	return waited
}

// By names the binding by which a step of the play travelled; "" if none is named.
func (p *Play) By(s *Step) string {
	if s != nil && s.Binding != "" {
		return s.Binding
	}
	return p.Subject.Binding
}

// Has reports whether the play reached a milestone.
func (p *Play) Has(milestone string) bool {
	return slices.ContainsFunc(p.Reached, func(m Milestone) bool { return m.Name == milestone })
}

// NoAgent is the milestone of a play that looked for an agent in a directory and
// found none that it may call; the play's stop has the reason.
const NoAgent = "no-agent"

// NoAgent returns why no agent of a directory was called; "" if one was, or none was
// looked for.
func (t *Transcript) NoAgent() string {
	if i := slices.IndexFunc(t.Plays, func(p Play) bool { return p.Has(NoAgent) }); i >= 0 {
		return t.Plays[i].Stop
	}
	return ""
}

// TrafficKind is the kind of a target that others called: Facts.Kind. Nothing was sent to find it out.
const TrafficKind = "traffic"

// Facts are what the judging needs to know of the run, apart from the exchanges.
type Facts struct {
	Tool string `json:"tool"`
	Kind string `json:"kind"` // url, bundled, or TrafficKind
	// Role is the role of the tested side: "" for a server, ClientRole for a client.
	Role string `json:"role,omitempty"`
	// Command is how a client is started, with its placeholders.
	Command     []string     `json:"command,omitempty"`
	Calibration *Calibration `json:"calibration,omitempty"` // of a client
	With        []string     `json:"with,omitempty"`        // what the operator granted a client beyond its command
	Target      string       `json:"target"`
	Through     string       `json:"through,omitempty"`     // the gateway that is judged, before the target
	ThroughGRPC string       `json:"throughGrpc,omitempty"` // HOST:PORT at which that gateway takes gRPC, if it is another address
	Upstream    bool         `json:"upstream,omitempty"`    // the requests that reached the target were recorded
	Server      string       `json:"server,omitempty"`      // to which the target passes calls on, if it records them for a server of others
	Variant     string       `json:"variant,omitempty"`     // of the bundled server behind the gateway, if the operator named one
	// Flags are those of run that tell how a gateway is called, such as "--timeout 5s" and "--header X-Tenant: a", with marks for
	// secrets, and "--bearer-env" for a token.
	Flags  []string `json:"flags,omitempty"`
	RPC    string   `json:"rpc"`
	Agents []string `json:"agents,omitempty"` // those of the server's agents that were chosen
	// Endpoints are the addresses of calls by binding, if one agent is called by several.
	Endpoints map[string]string `json:"endpoints,omitempty"`
	Bindings  []string          `json:"bindings,omitempty"` // by which the agents were spoken to, the preferred one first
	Dialect   string            `json:"dialect"`
	// Offers are the other dialects that the cards offer.
	Offers []string `json:"offers,omitempty"`
	// Instead are the dialects that the card offers, if it does not offer the one that the operator named.
	Instead   []string                     `json:"instead,omitempty"`
	Never     []string                     `json:"never,omitempty"`    // behaviours that the agent does not have, by the operator
	Operator  []string                     `json:"operator,omitempty"` // other words of the operator, such as production
	Stimuli   map[string]operator.Stimulus `json:"stimuli"`
	Allow     []string                     `json:"allow,omitempty"` // risk classes beyond harmless
	Selection operator.Selection           `json:"selection"`
	Tried     []string                     `json:"tried,omitempty"` // what was asked to find the server out, and what came
	Gate      string                       `json:"gate"`
	Insecure  bool                         `json:"insecure,omitempty"`
	Disguise  bool                         `json:"disguise,omitempty"` // some calls were to be made as another client makes them
	Webhook   string                       `json:"webhook,omitempty"`
	RateLimit *operator.RateLimit          `json:"rateLimit,omitempty"` // of the server, as the operator declares it
	Timeouts  *operator.Timeouts           `json:"timeouts,omitempty"`  // of the server, as the operator declares them
	Secrets   []string                     `json:"secrets,omitempty"`   // names of the credentials in use, never their values
	Ways      []string                     `json:"ways,omitempty"`      // in which the credentials travel
	Schema    *operator.Schema             `json:"schema,omitempty"`    // the JSON Schema that the operator gave
	CardKey   string                       `json:"cardKey,omitempty"`   // public keys of the card's signers, as a JSON Web Key Set, or KeysFromHeader
	Waited    map[string]float64           `json:"waited,omitempty"`    // seconds spent on servers that do not close, by window
	Salt      string                       `json:"salt,omitempty"`      // of the ids, if they are derived from a nonce (Naming)
	Cut       string                       `json:"cut,omitempty"`       // why the run ended early
	Messages  int                          `json:"messages,omitempty"`  // how many the run could send to the agent, by the operator; 0 for any number
	Stopped   bool                         `json:"stopped,omitempty"`   // it counts for nothing: the operator did not want its outcome, or the suite could not make its calls
	Given     []string                     `json:"given,omitempty"`     // flags by which the operator named the server or its address: --dialect, --card, --rpc
	Lead      string                       `json:"lead,omitempty"`      // the server's address or protocol, if its answers gave that away and no card was found
	Guarded   bool                         `json:"guarded,omitempty"`   // the card is kept from whoever shows no credentials that the server takes
	Hint      string                       `json:"hint,omitempty"`      // what the operator has to say before anything can be judged
	Proxy     string                       `json:"proxy,omitempty"`     // through which the server was called, without its credentials
	Catalogue string                       `json:"catalogue,omitempty"` // digest of the catalogue that it was held for
	Waivers   []operator.Waiver            `json:"waivers,omitempty"`   // known failures, as the operator has them
	SDK       string                       `json:"sdk,omitempty"`       // on which the agent is built, by the operator: js@1.3.0
	Baseline  *operator.Baseline           `json:"baseline,omitempty"`  // what the gate compares with
	Withheld  []Withheld                   `json:"withheld,omitempty"`  // interfaces on cards that were not called
	Before    bool                         `json:"before,omitempty"`    // of traffic: things happened before the record begins, so that ids whose creation it does not show are old
	Held      []string                     `json:"held,omitempty"`      // requirements that held in the run of which these are a few calls, and which these calls need not show
}

// Withheld is an interface on a card that was not called, since it may be another's than
// the target's.
type Withheld struct {
	Agent   string `json:"agent,omitempty"`
	Binding string `json:"binding"`
	URL     string `json:"url"`
	Why     string `json:"why"`              // to be read after the address
	Remedy  string `json:"remedy"`           // the flags by which it would be called
	Nobody  string `json:"nobody,omitempty"` // why no client elsewhere can call it, if it has a name that they do not know
	Itself  string `json:"itself,omitempty"` // the flag by which the target itself would be called in its place
}

// KeysFromHeader means that the public keys of the card's signers are fetched from
// the address in the header of each signature (jku).
const KeysFromHeader = "jku"

// Transcript is everything a run sent and received.
type Transcript struct {
	Started  time.Time
	Duration time.Duration
	Facts    Facts
	Plays    []Play
	// Exchanges in order of their plays and steps; an exchange without a step
	// (an unexpected delivery) comes after them, and what the operator gave last.
	Exchanges []*Exchange
}

// WithPlays returns a transcript of some plays, with the exchanges that belong to no other play.
func (t *Transcript) WithPlays(keep func(*Play) bool) *Transcript {
	some, aside := *t, map[*Exchange]bool{}
	some.Plays = slices.DeleteFunc(slices.Clone(t.Plays), func(p Play) bool {
		if keep(&p) {
			return false
		}
		for _, s := range p.Steps {
			aside[s.Exchange] = true
		}
		return true
	})
	some.Exchanges = slices.DeleteFunc(slices.Clone(t.Exchanges), func(x *Exchange) bool { return aside[x] })
	return &some
}

// Spoken counts the exchanges that took place over HTTP.
func (t *Transcript) Spoken() int {
	n := 0
	for _, x := range t.Exchanges {
		if x.Dir != Given {
			n++
		}
	}
	return n
}

// Seal numbers the exchanges in the order of plays and steps, so that the same
// conversation bears the same numbers in every run. What the operator gave comes
// last, so that it shifts no number.
func (t *Transcript) Seal() {
	t.Exchanges = t.inPlayOrder()
	for i, x := range t.Exchanges {
		x.ID = i + 1
	}
}

// inPlayOrder are the exchanges in the order in which they are numbered.
func (t *Transcript) inPlayOrder() []*Exchange {
	seen := map[*Exchange]bool{}
	var ordered, given []*Exchange
	for _, p := range t.Plays {
		for _, s := range p.Steps {
			switch {
			case s.Exchange == nil || seen[s.Exchange]:
				continue
			case s.Exchange.Dir == Given:
				given = append(given, s.Exchange)
			default:
				ordered = append(ordered, s.Exchange)
			}
			seen[s.Exchange] = true
		}
	}
	var rest []*Exchange
	for _, x := range t.Exchanges {
		if !seen[x] {
			rest = append(rest, x)
		}
	}
	slices.SortStableFunc(rest, func(a, b *Exchange) int { return cmp.Compare(a.Start, b.Start) })
	return slices.Concat(ordered, rest, given)
}

// Steps goes through the steps of all plays, in their order.
func (t *Transcript) Steps() iter.Seq2[*Play, *Step] {
	return func(yield func(*Play, *Step) bool) {
		for i := range t.Plays {
			p := &t.Plays[i]
			for j := range p.Steps {
				if !yield(p, &p.Steps[j]) {
					return
				}
			}
		}
	}
}

// Play returns the last performance of a scenario, or nil.
func (t *Transcript) Play(scenario string) *Play {
	for i := len(t.Plays) - 1; i >= 0; i-- {
		if t.Plays[i].Scenario == scenario {
			return &t.Plays[i]
		}
	}
	return nil
}

// FindExchange returns the exchange with a number; nil if there is none.
func (t *Transcript) FindExchange(id int) *Exchange {
	if i := slices.IndexFunc(t.Exchanges, func(x *Exchange) bool { return x.ID == id }); i >= 0 {
		return t.Exchanges[i]
	}
	return nil
}

// StepOf is the step by which an exchange came about, and its play; nil if
// there is none.
func (t *Transcript) StepOf(x *Exchange) (*Step, *Play) {
	for p, s := range t.Steps() {
		if x != nil && s.Exchange == x {
			return s, p
		}
	}
	return nil, nil
}

// Clone returns a transcript whose exchange x is replaced by y and which shares
// everything else.
func (t *Transcript) Clone(x, y *Exchange) *Transcript {
	c := *t
	c.Exchanges = slices.Clone(t.Exchanges)
	for i := range c.Exchanges {
		if c.Exchanges[i] == x {
			c.Exchanges[i] = y
		}
	}
	c.Plays = slices.Clone(t.Plays)
	for i := range c.Plays {
		for j := range c.Plays[i].Steps {
			if c.Plays[i].Steps[j].Exchange == x {
				c.Plays[i].Steps = slices.Clone(c.Plays[i].Steps)
				c.Plays[i].Steps[j].Exchange = y
			}
		}
	}
	c.Facts.Stimuli = maps.Clone(t.Facts.Stimuli)
	return &c
}
