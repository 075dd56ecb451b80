// Package scenario holds the conversations with the server under test. A
// scenario decides its next request from what it observed and records that
// decision; it never judges.
package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/google/uuid"
)

// Class says in whose company a scenario is played.
type Class int

// The classes: through the pool; alone; alone and last, by flag.
const (
	Shared Class = iota
	Exclusive
	Disruptive
)

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
	Many   bool        // the dialect must have servers with several agents
	Sends  int         // messages to the agent at most, for --plan
	Chain  int         // of them, those that wait for the answer to another; 0 where none does
	After  []string    // the plays on whose messages it rests, if they are played
	// Instead are messages that it says in place of the harmless one where all of
	// them are known.
	Instead []string
	Closes  bool // it ends with a sign that the agent still serves, after all that is shared
	First   bool // played before all others: its answers tell of a rate limit
	// Greets says that the play shows which message makes a task: where messages
	// may be answered without one, the others wait for it.
	Greets bool
	// Witness is the play whose first call is made even where the endpoint counts
	// as dead, so that there is always evidence of it.
	Witness bool
	Burst   int // calls that must follow each other closely; 0 if none must
	Probes  int // calls beside them, where there are many
	Wide    int // calls under way at the same time at most; 0 for one
	// Outlasts says that the play waits until the slow message would have ended
	// for sure, though its task has ended before.
	Outlasts bool
	Play     func(*Conversation)
	// Aftermath is the part of an exclusive play in which the agent takes its time
	// and nothing is done any more that could harm it; nil if there is none. It goes
	// on beside that of others.
	Aftermath func(*Conversation)
	// Prepare is what an exclusive play needs and may do in company; nil if
	// nothing.
	Prepare func(*Conversation)
}

// Weight is about how long a play takes, in messages to an agent that takes its
// time. Those under way at the same time count for one, a slow one for one and a
// half, and for one more where its end is waited for in any case, thirty calls for
// one, and a stream for a little more than another message, since a server may not
// close it.
func (s Scenario) Weight() float64 {
	w := float64(min(s.Sends, 1)+s.Chain) + float64(s.Probes)/30
	if slices.Contains(s.Needs, "slow") {
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

// Harmless reports whether a play says the harmless message.
func (s Scenario) Harmless(known map[string]wire.Stimulus) bool {
	if s.Sends == 0 || len(s.Needs) > 0 {
		return false
	}
	lacks := func(name string) bool { _, ok := known[name]; return !ok }
	return len(s.Instead) == 0 || slices.ContainsFunc(s.Instead, lacks)
}

// Possible reports whether the dialect has the operations of the scenario.
func (s Scenario) Possible(d *schema.Dialect) bool {
	for _, op := range s.Ops {
		if d.Method(op) == "" {
			return false
		}
	}
	return !s.Many || d.Agents.List != ""
}

// All returns the scenarios that a dialect allows, in the order in which their
// plays stand in the transcript.
func All(d *schema.Dialect) []Scenario {
	var out []Scenario
	for _, s := range []Scenario{quick, unknown, stream, streamFault, slow, cancel, stays, drop, resubscribe, twoStreams, cancelStream, chunks,
		ask, askStream, fail, history, twoTasks, sessions, finished, unsupported, push, pushReplaced, kitchenSink, nullMembers, partKinds, outputHint, tlsVersions, plainHTTP,
		agents, foreignLetters, turns, crowd, cancelReason, deadline, guard, schemes, anonymous, needAuth, heavy, sizes, counted, together, long, flood,
		talk, outputModes, foreignContext, artifact, extensions, interfaces,
		pushConfigs, pushSeveral, pushAsked, pushFailing, extendedCard, large, payment, openCard,
		lookup, directory, agentTasks} {
		if s.Name == crowd.Name && d.Crowd > 0 && d.Crowd <= company {
			s.Class, s.Wide, s.Burst, s.Sends = Shared, d.Crowd, d.Crowd, 2*d.Crowd
		}
		if s.Possible(d) {
			out = append(out, s)
		}
	}
	for _, b := range d.Blocks {
		out = append(out, block(b))
	}
	if nested.Possible(d) { // after the malformed calls, which keep no agent busy
		out = append(out, nested)
	}
	return out
}

// Setting is what all conversations of a run share.
type Setting struct {
	Client  *wire.Client
	Dialect *schema.Dialect
	Writer  *dialect.Writer
	RPC     string      // where calls go
	Paths   bool        // calls go to a path below that is the method's name
	Agent   string      // the id of the agent in a directory that is sent tasks; "" for the first on its host
	Base    string      // the server's base URL, for its other documents
	Header  http.Header // the operator's headers and credentials
	Stimuli map[string]wire.Stimulus
	Card    *wire.Node // the agent card, if one was read
	Claimed func(words ...string) bool
	Words   []string // the operator's declarations
	Allow   []schema.Risk
	CardURL string // where the server hands out its card; "" where it does not
	Callers map[wire.Caller]http.Header
	Secrets []string        // of the operator's first identity
	Schemes []string        // of authentication that the card names, in lower case
	Limit   *wire.RateLimit // of the server, as the operator or the card declares it
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

	// Room takes the place of a play, for a call beside those of its own play,
	// if no play needs it; nil where there is never any.
	Room func() (leave func(), ok bool)

	// Closing says that a play at the end of the run shows that the agent still
	// serves, so that no other has to.
	Closing bool

	// Farewell is the time in which tasks may still be canceled once the run is
	// over; nil where it is over for good.
	Farewell func() context.Context

	hooking  sync.Mutex
	hooks    []*Hook
	offering sync.Mutex
	offers   map[string]offer // by play
	maker    string
}

// Conversation is one performance of a scenario.
type Conversation struct {
	*Setting
	Context context.Context
	Play    *wire.Play
	Witness bool // of its scenario
	Double  bool // it takes the room of two plays
	// Publish is told of the play before each wait for the server, so that what was
	// said until then is not lost with a wait that does not end; nil if nobody
	// listens.
	Publish func(*wire.Play)

	task  string // that was made beforehand, to be asked about
	none  bool   // there is no such task: the agent makes none
	heavy *parcel
	again func(probe string) dialect.Outgoing // what the valid call of a block says
	tasks ownTasks
}

// Reply is what the server answered, as far as a scenario needs it.
type Reply struct {
	*wire.Exchange
	Root       *wire.Node
	Result     *wire.Node // nil if refused
	State      string     // the task's state, where the reply has one; of a stream the last
	TaskStatus *wire.Node // as a whole, where a single reply has one
	Task       string     // the task's id; of a stream the first that an event named
	Ctx        string     // the context, likewise
	Final      bool       // an event of the stream said that it is the last

	limited []*wire.Exchange // earlier attempts that were refused for the rate limit
	gaveUp  string           // why this one was not repeated, though it was refused like them
	notSent string           // why the call was not made; there is nothing in the exchange then
}

// OK reports whether the call was answered with a result.
func (r *Reply) OK() bool { return r.Result != nil }

// Step describes the next call.
type Step struct {
	Name    string
	Role    wire.Role
	Op      string
	Task    string
	Ctx     string // session or context
	Agent   string // the agent it is about, where that is not the play's
	Twin    string
	Invalid bool
	// Contradicts says that it contradicts what had been agreed on before.
	Contradicts bool
	Timeout     time.Duration
	Fresh       bool
	MinTLS      uint16 // bounds on the TLS versions offered; 0 for the usual ones
	MaxTLS      uint16
	Method      string      // POST if empty
	Header      http.Header // beside the usual ones
	URL         string      // the RPC endpoint if empty
	Bisects     string
	As          wire.Caller // whose credentials it carries
	Line        *wire.Line  // the connection it travels on; nil for any
	Rush        bool        // whatever the server's rate limit
	Recipe      *wire.Recipe
	// Closes makes this the call that waits the full window for the server to
	// close its stream.
	Closes bool
	// Quiet is how long a stream may stay silent before it is left alone; 0
	// leaves that to the timeout.
	Quiet time.Duration
	// Until ends the reading of a stream early, as a client that drops it.
	Until func(r *Reply, data *wire.Node) bool
}

// NewTask returns a fresh task id where the client chooses it, else "".
func (c *Conversation) NewTask() string {
	if c.Writer.ClientTasks {
		return uuid.NewString()
	}
	return ""
}

// NewContext returns a fresh session or context id.
func (c *Conversation) NewContext() string { return "a2a-conform-" + uuid.NewString() }

// Stopped reports whether the run's time is over, or the endpoint is dead; the
// play then ends.
func (c *Conversation) Stopped() bool {
	why := c.dead()
	if c.Context.Err() != nil {
		why = "the run's time was over"
	}
	if why != "" && c.Play.Stop == "" {
		c.Play.Stop = why
	}
	return why != ""
}

// dead says why the endpoint is asked no further. The first call of the witness
// is made all the same.
func (c *Conversation) dead() string {
	if c.Witness && len(c.Play.Steps) == 0 {
		return ""
	}
	return c.Endpoint.Dead()
}

// Request is a JSON-RPC request of ours.
func (c *Conversation) Request(step, op string, o dialect.Outgoing) map[string]any {
	if o.Message == "" {
		o.Message = uuid.NewString()
	}
	if o.Context == "" && (op == "send" || op == "stream") && !c.Writer.ClientTasks && o.Task == "" && !o.Bare {
		o.Context = c.NewContext()
	}
	request := map[string]any{
		"jsonrpc": "2.0",
		"id":      c.Play.Scenario + "/" + step,
		"method":  c.Dialect.Method(op),
	}
	if params := c.Writer.Params[op](o); params != nil {
		request["params"] = params
	}
	return request
}

// Call makes a valid call and records it as a step.
func (c *Conversation) Call(s Step, o dialect.Outgoing) *Reply {
	if s.Task == "" {
		s.Task = o.Task
	}
	if s.Ctx == "" {
		s.Ctx = o.Context
	}
	if c.aimless(s, o) {
		c.NotSent(s, "", "%s", aimless)
		return &Reply{Exchange: &wire.Exchange{}}
	}
	return c.Post(s, c.Request(s.Name, s.Op, o))
}

const aimless = "no task was named that it could be about"

// aimless reports whether a call about a task has none to name.
func (c *Conversation) aimless(s Step, o dialect.Outgoing) bool {
	return o.Task == "" && !slices.Contains([]string{"send", "stream", "extended-card", "register", "discover"}, s.Op)
}

// Post sends a JSON body and records it as a step.
func (c *Conversation) Post(s Step, body any) *Reply {
	text, err := json.Marshal(body)
	if err != nil {
		panic(fmt.Sprintf("a request of ours cannot be written: %v", err))
	}
	return c.Raw(s, text)
}

// Raw sends a body as it is and records it as a step.
func (c *Conversation) Raw(s Step, body []byte) *Reply {
	c.publish()
	r := c.exchange(s, body)
	c.Play.Steps = append(c.Play.Steps, refusals(s, r)...)
	c.Play.Steps = append(c.Play.Steps, recorded(s, r))
	if r.Final {
		c.Reached("final", s.Name)
	}
	return r
}

// attempt sends a body and reads the answer. It leaves the play alone.
func (c *Conversation) attempt(s Step, body []byte) *Reply {
	call := wire.Call{Method: s.Method, URL: s.URL, Body: body, Product: c.Play.Scenario, Timeout: s.Timeout, Fresh: s.Fresh, MinTLS: s.MinTLS, MaxTLS: s.MaxTLS,
		Line: s.Line, Rush: s.Rush, Recipe: s.Recipe}
	call.Once = !slices.Contains(harmlessOps, s.Op) || c.carriesMessage(body)
	if call.Method == "" {
		call.Method = http.MethodPost
	}
	if call.URL == "" {
		call.URL = c.address(s.Op)
	}
	call.Header = http.Header{}
	if call.Method != http.MethodGet {
		call.Header.Set("Content-Type", "application/json")
	}
	switch s.Op {
	case "stream", "resubscribe":
		call.Header.Set("Accept", "text/event-stream, application/json")
	default:
		call.Header.Set("Accept", "application/json")
	}
	if s.As == "" {
		maps.Copy(call.Header, c.Header)
	} else {
		maps.Copy(call.Header, c.Callers[s.As])
	}
	maps.Copy(call.Header, s.Header)
	for k, v := range call.Header {
		if len(v) == 0 {
			delete(call.Header, k)
		}
	}
	toRPC := call.URL == c.RPC || s.URL == ""
	if why := c.dead(); why != "" && toRPC {
		now := c.Client.Now()
		return &Reply{Exchange: &wire.Exchange{Ended: wire.Aborted, Start: now, End: now}, notSent: why}
	}
	var r *Reply
	if s.Op == "stream" || s.Op == "resubscribe" {
		r = c.stream(s, call)
	} else {
		r = c.reply(s.Op, c.Client.Do(c.Context, call, nil))
	}
	if r.Ended == wire.Unsent {
		r.notSent = r.Trouble
		return r
	}
	if toRPC {
		c.Endpoint.heard(s, r.Exchange)
	}
	c.note(s, r)
	return r
}

// harmlessOps are the operations that only read: a call of one may be
// sent again where the connection turned out to be closed.
var harmlessOps = []string{"card", "document", "extended-card", "get", "resubscribe", "push-get", "push-list", "discover"}

// carriesMessage reports whether a body names a method that sends a message, as a
// batch of calls may.
func (c *Conversation) carriesMessage(body []byte) bool {
	return len(body) > 0 && slices.ContainsFunc([]string{"send", "stream"}, func(op string) bool {
		method := c.Dialect.Method(op)
		return method != "" && bytes.Contains(body, []byte(method))
	})
}

func (c *Conversation) publish() {
	if c.Publish != nil {
		c.Publish(c.Play)
	}
}

// recorded is a call as the transcript keeps it.
func recorded(s Step, r *Reply) wire.Step {
	step := wire.Step{Name: s.Name, Role: s.Role, Op: s.Op, Task: s.Task, Context: s.Ctx, Agent: s.Agent, Twin: s.Twin, Invalid: s.Invalid, Contradicts: s.Contradicts, Bisects: s.Bisects,
		As: s.As, Limited: r.gaveUp, Exchange: r.Exchange}
	if r.notSent != "" {
		step.Exchange, step.NotSent = nil, r.notSent
	}
	if step.Role == "" {
		step.Role = wire.Main
	}
	if step.Task == "" {
		step.Task = r.Task
	}
	return step
}

// Get fetches a document of the server.
func (c *Conversation) Get(name, op, url string) *Reply {
	return c.Raw(Step{Name: name, Op: op, Method: http.MethodGet, URL: url}, nil)
}

// NotSent records a step that is not made, and why.
func (c *Conversation) NotSent(s Step, because, reason string, args ...any) {
	if s.Role == "" {
		s.Role = wire.Main
	}
	c.Play.Steps = append(c.Play.Steps, wire.Step{Name: s.Name, Role: s.Role, Op: s.Op, Agent: s.Agent, NotSent: fmt.Sprintf(reason, args...), Because: because})
}

// unarmed is NotSent for a step that the operator can make possible.
func (c *Conversation) unarmed(s Step, remedy, reason string) {
	c.NotSent(s, "", "%s", reason)
	c.Play.Steps[len(c.Play.Steps)-1].Remedy = remedy
}

// end is NotSent for a step without which the play cannot go on: none of those
// after it is made either, for the same reason.
func (c *Conversation) end(s Step, because, reason string, args ...any) {
	c.NotSent(s, because, reason, args...)
	c.Play.Stop = fmt.Sprintf(reason, args...)
}

// Reached records that the scenario saw what it waited for.
func (c *Conversation) Reached(milestone, step string) {
	c.Play.Reached = append(c.Play.Reached, wire.Milestone{Name: milestone, Step: step, At: c.Client.Now()})
}

// reply reads what a scenario needs of an answer.
func (c *Conversation) reply(op string, x *wire.Exchange) *Reply {
	r := &Reply{Exchange: x}
	c.readReply(op, r)
	return r
}

func (c *Conversation) readReply(op string, r *Reply) {
	if r.IsStream() || !r.Answered() {
		return
	}
	r.Root = r.Exchange.Reply().Root
	if r.Root == nil {
		return
	}
	if res := r.Root.At("/result"); res != nil && res.Kind != wire.Null {
		r.Result = res
		r.State = c.read(op, "task.state", res)
		if p, ok := c.Dialect.Pointer(c.row(op, res), "task.status"); ok {
			r.TaskStatus = res.At(p)
		}
		r.Task = c.read(op, "task.id", res)
		r.Ctx = c.read(op, "task.context", res)
	}
}

// row is the row of the dialect's readings for a result.
func (c *Conversation) row(op string, result *wire.Node) string {
	if c.Dialect.Kind == "" {
		return op
	}
	if k := result.At(c.Dialect.Kind); k != nil && k.Kind == wire.String {
		return c.Dialect.Row(op, k.String)
	}
	return op
}

func (c *Conversation) read(op, what string, result *wire.Node) string {
	if p, ok := c.Dialect.Pointer(c.row(op, result), what); ok {
		if n := result.At(p); n != nil && n.Kind == wire.String {
			return n.String
		}
	}
	return ""
}

// Stimulus is a configured message; ok is false if there is none.
func (c *Conversation) Stimulus(name string) (wire.Stimulus, bool) {
	s, ok := c.Stimuli[name]
	return s, ok
}

// window is a patience of the dialect.
func (c *Conversation) window(name string, otherwise time.Duration) time.Duration {
	if w, ok := c.Dialect.Patience[name]; ok {
		return time.Duration(w.Seconds * float64(time.Second))
	}
	return otherwise
}
