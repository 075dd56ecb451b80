package scenario

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Setting is what all conversations of a run share.
type Setting struct {
	Client  *wire.Client
	Dialect *schema.Dialect
	Binding binding.Binding // by which calls travel; nil for the one that is spoken where nobody says otherwise
	Writer  *dialect.Writer
	RPC     string      // where calls go
	Tenant  string      // what every call there has to name; "" for nothing
	Paths   bool        // calls go to a path below that is the method's name
	Agent   string      // the id of the agent in a directory that is sent tasks; "" for the first on its host
	Base    string      // the server's base URL, for its other documents
	Header  http.Header // the operator's headers and credentials
	Stimuli map[string]operator.Stimulus
	Card    card.Card
	// Claimed reports whether the card makes all the claims, or leaves it open
	// whether it does: then they are tried.
	Claimed func(words ...string) bool
	Words   []string // the operator's declarations
	Allow   []schema.Risk
	CardURL string // where the server hands out its card; "" where it does not
	Keys    bool   // the keys of the card's signers may be fetched from where its signatures say
	Callers map[wire.Caller]http.Header
	Secrets []string            // of the operator's first identity
	Limit   *operator.RateLimit // of the server, as the operator or the card declares it
	// Own reports whether an address belongs to the server, so that credentials
	// may be sent there.
	Own func(address string) bool
	// Near reports whether an address is on the server's host.
	Near func(address string) bool
	// Endpoint is what is known of whether calls are answered at all.
	Endpoint Endpoint
	// Wait books seconds that are spent waiting for the named window.
	Wait func(window string, d time.Duration)
	// Receiver is our webhook; nil where the server cannot reach us. Credential
	// is what servers are to show there.
	Receiver   *wire.Receiver
	Credential string

	// Naming is how the ids of calls are made.
	Naming operator.Naming
	// Hand is the number of the hand in which the run writes its calls; none if negative.
	Hand int

	// Room takes the place of a play, for a call beside those of its own play,
	// if no play needs it; nil where there is never any.
	Room func() (leave func(), ok bool)

	// Closing says that a play at the end of the run shows that the agent still
	// serves, so that no other has to.
	Closing bool

	// Needed reports, where everything is played in another binding, whether a sentence
	// about this one rests on a step of a play; nil where everything is played in this one.
	Needed func(play, step string) bool

	// Others are the other interfaces of the agent, in further bindings, where several
	// are spoken to.
	Others []*Setting

	// Farewell is the time in which tasks may still be canceled once the run is
	// over; nil where it is over for good.
	Farewell func() context.Context

	hooking  sync.Mutex
	hooks    []*Hook
	ways     ways
	offering sync.Mutex
	offers   map[string]offer         // by play
	promises map[string]chan struct{} // of offers to come, by play
	maker    string
	silent   map[string]bool // operations whose streams fall silent though their tasks have ended
}

// Conversation is one performance of a scenario.
type Conversation struct {
	*Setting
	Context context.Context
	Play    *wire.Play
	IDs     *operator.IDs // that the play makes
	Witness bool          // of its scenario
	Double  bool          // it takes the room of two plays
	// Publish is told of the play before each wait for the server, so that what was
	// said until then is not lost with a wait that does not end; nil if nobody
	// listens.
	Publish func(*wire.Play)

	through string // the binding by which the calls travel, where that is not the play's

	oversized string // why a text that the server chose is not repeated in calls; "" if all are

	// Prepared is what the scenario keeps between Prepare, Play and Aftermath.
	Prepared any

	tasks taskLog
}

// NewID returns an id that was never used before.
func (c *Conversation) NewID() string { return c.IDs.New() }

// NewMessageID returns an id for a message, in the form of the run's hand.
func (c *Conversation) NewMessageID() string {
	if c.currentHand().Timed {
		return c.IDs.NewTimed()
	}
	return c.NewID()
}

// CallID is the id of a call. It says nothing of the step, which names its own
// exchange.
func CallID(c *Conversation, step string) string {
	if c.Naming.Call != nil {
		return c.Naming.Call(c.Play.Scenario + "/" + step)
	}
	return c.NewID()
}

// NewTask returns a fresh task id where the client chooses it, else "".
func (c *Conversation) NewTask() string {
	if c.Writer.ClientTasks {
		return c.NewID()
	}
	return ""
}

// NewContext returns a fresh session or context id; "" where servers may refuse one
// that the client made up.
func (c *Conversation) NewContext() string {
	if c.Writer.RepliedContexts {
		return ""
	}
	return c.NewID()
}

// Stopped reports whether the run's time is over, or the endpoint is dead; the
// play then ends.
func (c *Conversation) Stopped() bool {
	why := c.explainDeadEndpoint()
	if c.Context.Err() != nil {
		why = "the run's time was up"
	}
	if why != "" && c.Play.Stop == "" {
		c.Play.Stop = why
	}
	return why != ""
}

// explainDeadEndpoint says why the endpoint is asked no further. The first call of the witness
// is made all the same.
func (c *Conversation) explainDeadEndpoint() string {
	if c.Witness && len(c.Play.Steps) == 0 {
		return ""
	}
	return c.Endpoint.Dead()
}

func (c *Conversation) publishPlay() {
	if c.Publish != nil {
		c.Publish(c.Play)
	}
}

// NeedsStep reports whether a message to the agent is needed for a step.
func NeedsStep(c *Conversation, step string) bool {
	return c.Needed == nil || c.Needed(c.Play.Scenario, step)
}

// at is the same play at another interface of the agent: its calls and answers stand
// among the steps of the play, which say by which binding they travelled.
func AtInterface(c *Conversation, other *Setting) *Conversation {
	there := &Conversation{Setting: other, Context: c.Context, Play: c.Play, IDs: c.IDs, Publish: c.Publish}
	there.through = there.CallBinding().Name()
	return there
}

// recordSteps records steps.
func (c *Conversation) recordSteps(steps ...wire.Step) {
	for _, s := range steps {
		c.Play.Steps = append(c.Play.Steps, c.labelBinding(s))
	}
}

// labelBinding is a step with the binding by which it travelled, where that is to be told.
func (c *Conversation) labelBinding(s wire.Step) wire.Step {
	s.Binding = c.through
	return s
}

// NotSent records a step that is not made, and why.
func (c *Conversation) NotSent(s Step, because, reason string, args ...any) {
	if s.Role == "" {
		s.Role = wire.Main
	}
	why := fmt.Sprintf(reason, args...)
	if c.oversized != "" {
		why += ": " + c.oversized
	}
	c.recordSteps(wire.Step{Name: s.Name, Role: s.Role, Op: s.Op, Agent: s.Agent, NotSent: why, Because: because})
}

// EndPlay is NotSent for a step without which the play cannot go on: none of those
// after it is made either, for the same reason.
func (c *Conversation) EndPlay(s Step, because, reason string, args ...any) {
	c.NotSent(s, because, reason, args...)
	c.Play.Stop = fmt.Sprintf(reason, args...)
}

// Reached records that the scenario saw what it waited for.
func (c *Conversation) Reached(milestone, step string) {
	c.Play.Reached = append(c.Play.Reached, wire.Milestone{Name: milestone, Step: step, At: c.Client.Now()})
}

// Stimulus is a configured message; ok is false if there is none.
func (c *Setting) Stimulus(name string) (operator.Stimulus, bool) {
	s, ok := c.Stimuli[name]
	return s, ok
}

// FirstLacked is the first of the named stimuli that is not configured; "" if all are.
func (s *Setting) FirstLacked(names []string) string {
	for _, n := range names {
		if _, ok := s.Stimuli[n]; !ok {
			return n
		}
	}
	return ""
}

// endForLackOf ends the play for want of a stimulus.
func StopForMissing(c *Conversation, name string) {
	c.Play.Stop, c.Play.Lacks = operator.NoStimulus(name), name
}

// Window is a patience of the dialect.
func (c *Setting) Window(name string, otherwise time.Duration) time.Duration {
	if w, ok := c.Dialect.Patience[name]; ok {
		return time.Duration(w.Seconds * float64(time.Second))
	}
	return otherwise
}
