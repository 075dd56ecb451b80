package conversation

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Setting is what all conversations of a run share.
type Setting struct {
	Client  *client.Client
	Dialect *schema.Dialect
	Binding binding.Binding // by which calls travel; nil for the one of the dialect's first interface if nothing else is chosen
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
	CardURL string // from which the server hands out its card; "" if it does not
	Keys    bool   // the keys of the card's signers may be fetched from where its signatures say
	Callers map[record.Caller]http.Header
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
	// Receiver is our webhook; nil if the server cannot reach us. Credential
	// is what servers are to show there.
	Receiver   *client.Receiver
	Credential string

	// Naming is how the ids of calls are made.
	Naming operator.Naming
	// Hand is the number of the hand in which the run writes its calls; none if negative.
	Hand int

	// Messages is how many messages may still be sent to the agent; nil for any number.
	Messages *MessageBudget

	// BorrowSlot takes the place of a play, for a call alongside those of its own play,
	// if no play needs it; nil if there is never any.
	BorrowSlot func() (leave func(), ok bool)

	// Closing states that a play at the end of the run shows that the agent still
	// serves, so that no other has to.
	Closing bool

	// Needed reports, if everything is played in another binding, whether a sentence
	// about this one rests on a step of a play; nil if everything is played in this one.
	Needed func(play, step string) bool

	// Due reports whether another play is performed in the run, as far as is known; nil if none is.
	Due func(scenario string) bool

	// Others are the other interfaces of the agent, in further bindings, if several
	// are spoken to.
	Others []*Setting

	// CleanupContext is the time in which tasks may still be canceled once the run is
	// over; nil if it is over for good.
	CleanupContext func() context.Context

	hooking  sync.Mutex
	hooks    []*Hook
	ways     ways
	offering sync.Mutex
	offers   map[string]offer   // by play
	promises map[string]promise // of offers to come, by play
	maker    string
	silent   map[string]bool // operations whose streams fall silent though their tasks have ended
}

// CallBinding is how the calls of the conversation travel.
func (c *Setting) CallBinding() binding.Binding {
	if c.Binding == nil {
		return binding.ByNameOrDefault(c.Dialect, "")
	}
	return c.Binding
}

// UsesProtobuf reports whether the binding has messages of protobuf, so that no text of
// JSON can be bent.
func (c *Setting) UsesProtobuf() bool { return c.CallBinding().Kind() == schema.KindGRPC }

// readsOnly reports whether a call changes nothing, so that it may be sent again
// if the connection turned out to be closed. A card and a document are no
// operations.
func (c *Setting) readsOnly(op string) bool {
	return op == "card" || op == "document" || c.Dialect.Operation(op).Reads
}

// carriesMessage reports whether a body names a method that sends a message, as a
// batch of calls may.
func (c *Setting) carriesMessage(body []byte) bool {
	if len(body) == 0 {
		return false
	}
	for op, is := range c.Dialect.Operations {
		if is.Agent && bytes.Contains(body, []byte(c.CallBinding().Title(op))) {
			return true
		}
	}
	return false
}

// ResultKind is the sort of a result, if results are of several; "" if it shows none.
func (c *Setting) ResultKind(op string, result *record.Node) string {
	sort, _ := binding.Content(c.Dialect, op, result)
	return sort
}

// FindPart is what a result holds under a name such as task.status; nil if nothing.
func (c *Setting) FindPart(op, what string, result *record.Node) *record.Node {
	sort, at := binding.Content(c.Dialect, op, result)
	if p, ok := c.Dialect.Pointer(c.Dialect.Row(op, sort), what); ok {
		return result.At(at + p)
	}
	return nil
}

// canceledState is the state of tasks that were canceled.
func (c *Setting) canceledState() string {
	i := slices.IndexFunc(c.Dialect.States, func(s schema.State) bool { return s.Outcome == "canceled" })
	if i < 0 {
		return ""
	}
	return c.Dialect.States[i].Name
}

// FirstConfiguredOrLastStimulus is the first stimulus that is there.
func (c *Setting) FirstConfiguredOrLastStimulus(names ...string) string {
	for _, n := range names {
		if _, ok := c.Stimulus(n); ok {
			return n
		}
	}
	return names[len(names)-1]
}

// PatienceForSlowMessage is how long the slow message may take, and a stream about it stay
// silent: three times what is declared, and no less than a slow machine needs.
func (c *Setting) PatienceForSlowMessage() time.Duration {
	return max(3*c.WorkTime("slow"), c.Window("settle", 10*time.Second))
}

// ConfirmsCancel reports whether a cancellation was confirmed, by a word or by the
// state of the task.
func (c *Setting) ConfirmsCancel(r *Reply) bool {
	if p, ok := c.Dialect.Pointer("cancel", "task.canceled"); ok && r.OK() {
		n := r.Result.At(p)
		return n != nil && n.Kind == record.Bool && n.Bool
	}
	return c.IsCanceled(r.State)
}

// IsRefusedInStream reports whether a stream begins with an error: the subscription
// was refused by it.
func (c *Setting) IsRefusedInStream(r *Reply) bool {
	for _, e := range r.Events() {
		if e.HasData {
			return c.IsErrorEvent(e.Root)
		}
	}
	return false
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

// Window is a patience of the dialect.
func (c *Setting) Window(name string, otherwise time.Duration) time.Duration {
	if w, ok := c.Dialect.Patience[name]; ok {
		return time.Duration(w.Seconds * float64(time.Second))
	}
	return otherwise
}

// rpcURLOfOperation returns the URL of a call that is not sent elsewhere.
func (c *Setting) rpcURLOfOperation(op string) string {
	if !c.Paths || !c.Dialect.Has(op) {
		return c.RPC
	}
	return c.RPC + "/" + c.CallBinding().Title(op)
}

// currentClientStyle is how the run writes its calls.
func (c *Setting) currentClientStyle() dialect.ClientStyle {
	return c.Writer.Hand(c.CallBinding().Kind(), c.Hand)
}

// encodeTo writes a call to a server whose endpoint is base, in the hand of the run.
func (c *Setting) encodeTo(base string, r binding.Request) (client.Call, error) {
	call, err := c.CallBinding().Encode(base, r)
	if err == nil {
		call.Body = OrderBodyMembers(call.Body, c.CallBinding(), c.currentClientStyle())
		call.URL = arrangeQuery(call.URL, c.currentClientStyle().Query)
	}
	return call, err
}

func (c *Setting) IsAtRest(r *Reply) bool { return c.IsTerminalOrAwaitsClient(r.State) }

// isTransient reports whether a call was answered by something on the way, or by a server
// that failed, so that the same call may well be answered the next time.
func (c *Setting) isTransient(r *Reply) bool {
	if r.GaveUp != "" || r.Ended == record.Aborted {
		return false
	}
	if !r.Answer.Code.Exists() {
		return !r.Answer.Marked
	}
	return r.Answer.Refuses("InternalError")
}

// ReplaceQuickStimulus makes another message take the place of the harmless one from now on.
func (c *Setting) ReplaceQuickStimulus(other string) {
	c.offering.Lock()
	defer c.offering.Unlock()
	c.maker = other
}

// IsMessageReply reports whether a call was answered with a message in place of a task.
func (c *Setting) IsMessageReply(r *Reply) bool {
	return r.OK() && r.Task == "" && c.ResultKind("send", r.Result) == "message"
}

// IsRateLimited reports whether a call was refused for the server's rate limit.
func (c *Setting) IsRateLimited(r *Reply) bool {
	if r.Status() == http.StatusTooManyRequests {
		return true
	}
	if limits, _ := r.ResetForLoad(); limits {
		return true
	}
	return r.Answer.Refuses("RateLimitExceeded", "RateLimited")
}

// closeWindow is how long a stream may still be silent once its task has come to rest.
// A server whose streams of that kind were given the full time once is known well enough,
// except by the step that waits for the end.
func (c *Setting) closeWindow(s Step) time.Duration {
	c.offering.Lock()
	defer c.offering.Unlock()
	if c.silent[s.Op] && !s.Closes {
		return c.Window("after-final", 250*time.Millisecond)
	}
	return c.Window("must-close", 5*time.Second)
}

// noteSilentStream notes that a stream was given the full time.
func (c *Setting) noteSilentStream(s Step) {
	c.offering.Lock()
	defer c.offering.Unlock()
	if c.silent == nil {
		c.silent = map[string]bool{}
	}
	c.silent[s.Op] = true
}

// IsCanceled reports whether a state is that of a canceled task.
func (c *Setting) IsCanceled(state string) bool {
	s := c.Dialect.State(state)
	return s != nil && s.Outcome == "canceled"
}

// mayEndStream reports whether a stream has come to a point at which the server may end it or
// not, so that nothing is learnt from waiting. A task that the message of the stream continues may
// be shown as it was before.
func (c *Setting) mayEndStream(s Step, r *Reply) bool {
	return c.AwaitsClient(r.State) && !c.marksFinalEvents() && !(c.Dialect.Operation(s.Op).Agent && s.Task != "" && !r.moved)
}

// CanStream reports whether a message can be sent by a stream.
func (c *Setting) CanStream() bool { return c.Dialect.Has("stream") && c.Claimed("streaming") }

// CanSubscribe reports whether a task can be subscribed to.
func (c *Setting) CanSubscribe() bool { return c.Dialect.Has("resubscribe") && c.Claimed("streaming") }

// IsErrorEvent reports whether an event contains an error instead of a result; a
// client waits for nothing after it.
func (c *Setting) IsErrorEvent(event *record.Node) bool {
	a := c.CallBinding().Event("stream", event).AsResponse()
	return a.Failure.Exists() && a.Failure.Node.Kind == record.Object && !a.Result.Exists()
}

// IsMessageEvent reports whether an event is a message instead of news of a task; it is
// all that there is to come.
func (c *Setting) IsMessageEvent(event *record.Node) bool {
	result := c.CallBinding().Event("stream", event).Result.Node
	return result != nil && c.ResultKind("event", result) == "message"
}

// marksFinalEvents reports whether the events of the dialect say which is the last. If
// none does, a task that has ended shows it, and a stream about a task that waits for
// the client may end or go on.
func (c *Setting) marksFinalEvents() bool {
	_, ok := c.Dialect.Pointer("event", "event.final")
	return ok
}

// WorkTime is how long the agent works on a stimulus.
func (c *Setting) WorkTime(stimulus string) time.Duration {
	if s := c.Stimuli[stimulus].Seconds; s > 0 {
		return time.Duration(s * float64(time.Second))
	}
	return unhurried
}

// Text returns the text of the stimulus that is sent for another.
func (c *Setting) Text(stimulus string) string {
	return c.Stimuli[c.quickReplacementOrSame(stimulus)].Text
}

// quickReplacementOrSame is the stimulus that is sent in place of another: for the harmless message, one
// that makes a task.
func (c *Setting) quickReplacementOrSame(stimulus string) string {
	if stimulus != "quick" {
		return stimulus
	}
	c.offering.Lock()
	defer c.offering.Unlock()
	return cmp.Or(c.maker, stimulus)
}

// IsTerminalOrAwaitsClient reports whether a task in that state has come to its end, or waits
// for the client.
func (c *Setting) IsTerminalOrAwaitsClient(state string) bool {
	s := c.Dialect.State(state)
	return s != nil && (s.Terminal || s.Interrupted)
}

// IsTerminal reports whether a task in that state has come to its end.
func (c *Setting) IsTerminal(state string) bool {
	s := c.Dialect.State(state)
	return s != nil && s.Terminal
}

// AwaitsClient reports whether a task in that state waits for the client.
func (c *Setting) AwaitsClient(state string) bool {
	s := c.Dialect.State(state)
	return s != nil && s.Interrupted
}

// ways remembers by which of several ways a server takes the calls of an operation.
type ways struct {
	mu sync.Mutex
	of map[string]int

	styling sync.Mutex
	styled  bool
	style   int
}

func (w *ways) knownOrFirstRoute(op string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.of[op]
}

func (w *ways) rememberRoute(op string, way int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = map[string]int{}
	}
	w.of[op] = way
}

// unhurried is how long an agent is taken to work if the operator declares
// no duration.
const unhurried = 2 * time.Second

// OrderBodyMembers returns a body of JSON as a hand writes it.
func OrderBodyMembers(body []byte, by binding.Binding, hand dialect.ClientStyle) []byte {
	name := "params"
	if by.Kind() == schema.KindJSONRPC {
		name = "call"
	}
	return record.ArrangeMembers(body, name, hand.Order)
}

// arrangeQuery puts what an address asks for in an order. What is not listed comes first, since it
// may belong to the address of the interface.
func arrangeQuery(address string, order []string) string {
	at, query, asks := strings.Cut(address, "?")
	if !asks || len(order) == 0 {
		return address
	}
	rank := func(pair string) int {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Index(order, name)
	}
	pairs := strings.Split(query, "&")
	slices.SortStableFunc(pairs, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return at + "?" + strings.Join(pairs, "&")
}

// TaskStimulus is the message that is to make a task if the harmless message
// is answered without one.
const TaskStimulus = "task"
