package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Reply is what the server answered, as far as a scenario needs it.
type Reply struct {
	*wire.Exchange
	Root       *wire.Node
	Answer     binding.Answer
	Result     *wire.Node // nil if refused
	State      string     // the task's state, where the reply has one; of a stream the last
	TaskStatus *wire.Node // as a whole, where a single reply has one
	Task       string     // the task's id; of a stream the first that an event named
	Ctx        string     // the context, likewise
	Final      bool       // an event of the stream said that it is the last, or that the task has ended

	moved bool // the stream told of a state after another

	looks   []wire.Step      // at the task of a stream that had fallen silent
	astray  []*wire.Exchange // attempts in other ways, which the server does not know
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
	others []anotherWay // the same in other ways, where the server may know only one of them
	// Quiet is how long a stream may stay silent before it is left alone; 0
	// leaves that to the timeout.
	Quiet time.Duration
	// Until ends the reading of a stream early, as a client that drops it.
	Until func(r *Reply, data *wire.Node) bool
}

// binding is how the calls of the conversation travel.
func (c *Conversation) binding() binding.Binding {
	if c.Binding == nil {
		return binding.ForName(c.Dialect, "")
	}
	return c.Binding
}

// Request is a valid call of ours.
func (c *Conversation) Request(step, op string, o dialect.Outgoing) binding.Request {
	if o.Message == "" {
		o.Message = c.NewMessageID()
	}
	if o.Context == "" && c.Dialect.Operation(op).Agent && !c.Writer.ClientTasks && o.Task == "" && !o.Bare {
		o.Context = c.NewContext() // "" where the server is to make it
	}
	r := binding.Request{Op: op, ID: c.callID(step)}
	params := c.Writer.Params[op](o)
	if c.Tenant != "" {
		if params == nil {
			params = map[string]any{}
		}
		params["tenant"] = c.Tenant
	}
	if params != nil {
		r.Params = params
	}
	return r
}

// write writes a call as it travels.
func (c *Conversation) write(s Step, r binding.Request) wire.Call {
	call, err := c.encode(s, r)
	if err != nil {
		panic(fmt.Sprintf("a2a-conform cannot write this request: %v", err))
	}
	return call
}

// sayable is write for calls that not every binding has the words for. What cannot be
// said is a step that was not made.
func (c *Conversation) sayable(s Step, r binding.Request) (call wire.Call, ok bool) {
	call, err := c.encode(s, r)
	switch {
	case unsayable(err):
		c.speechless(s, err.Error())
		return call, false
	case err != nil:
		panic(fmt.Sprintf("a2a-conform cannot write this request: %v", err))
	}
	return call, true
}

// speechless is NotSent for what the binding has no words for.
func (c *Conversation) speechless(s Step, why string) {
	c.NotSent(s, "", "%s", why)
	c.Play.Steps[len(c.Play.Steps)-1].Unsayable = true
}

// unsayable reports whether a call could not be written because of its binding.
func unsayable(err error) bool {
	return errors.Is(err, binding.ErrNotSayable)
}

// inProtobuf reports whether the binding has messages of protobuf, so that no text of
// JSON can be bent.
func (c *Conversation) inProtobuf() bool { return c.binding().Kind() == schema.KindGRPC }

func (c *Conversation) encode(s Step, r binding.Request) (wire.Call, error) {
	base := s.URL
	if base == "" {
		base = c.address(s.Op)
	}
	if r.Way == 0 {
		r.Way = c.ways.known(r.Op)
	}
	r.Style = c.style()
	return c.encodeAt(base, r)
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

// aimless reports whether a call about a task has none to name.
func (c *Conversation) aimless(s Step, o dialect.Outgoing) bool {
	return o.Task == "" && c.Dialect.Operation(s.Op).About == schema.AboutTask
}

// Post sends a request and records it as a step.
func (c *Conversation) Post(s Step, r binding.Request) *Reply {
	call, ok := c.sayable(s, r)
	if !ok {
		return &Reply{Exchange: &wire.Exchange{}}
	}
	s.others = c.otherWays(s, r)
	return c.Send(s, call)
}

// Raw sends a body as it is, or none, and records it as a step.
func (c *Conversation) Raw(s Step, body []byte) *Reply {
	call := wire.Call{Method: s.Method, URL: s.URL, Header: http.Header{"Accept": {"application/json"}}}
	if s.Op == "card" {
		for name, value := range c.Dialect.Headers {
			call.Header.Set(name, value)
		}
	}
	if s.Op != "document" && s.Op != "card" {
		call = c.write(s, binding.Request{Op: s.Op})
	}
	call.Body = body
	return c.Send(s, call)
}

// Send makes a call that was written before and records it as a step.
func (c *Conversation) Send(s Step, call wire.Call) *Reply {
	c.publish()
	r := c.inAnyWay(s, call)
	c.keep(append(detours(s, r), refusals(s, r)...)...)
	c.keep(recorded(s, r))
	c.keep(r.looks...)
	if r.Final {
		c.Reached("final", s.Name)
	}
	return r
}

// attempt makes a call and reads the answer. It leaves the play alone.
func (c *Conversation) attempt(s Step, call wire.Call) *Reply {
	call.Timeout, call.Fresh, call.MinTLS, call.MaxTLS, call.Line, call.Rush, call.Recipe = s.Timeout, s.Fresh, s.MinTLS, s.MaxTLS, s.Line, s.Rush, s.Recipe
	call.Once = !c.readsOnly(s.Op) || c.carriesMessage(call.Body)
	call.Header = call.Header.Clone()
	if s.Method != "" && s.Method != call.Method {
		if call.Method = s.Method; call.Method == http.MethodGet {
			call.Header.Del("Content-Type") // of a body that is none
		}
	}
	streams := c.Dialect.Operation(s.Op).Streams
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
	if streams {
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
	c.noteChange(s, r)
	return r
}

// readsOnly reports whether a call changes nothing, so that it may be sent again
// where the connection turned out to be closed. A card and a document are no
// operations.
func (c *Conversation) readsOnly(op string) bool {
	return op == "card" || op == "document" || c.Dialect.Operation(op).Reads
}

// carriesMessage reports whether a body names a method that sends a message, as a
// batch of calls may.
func (c *Conversation) carriesMessage(body []byte) bool {
	if len(body) == 0 {
		return false
	}
	for op, is := range c.Dialect.Operations {
		if is.Agent && bytes.Contains(body, []byte(c.binding().Title(op))) {
			return true
		}
	}
	return false
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
	r.Answer = c.binding().Decode(op, r.Exchange).AsResponse() // a status may say something without a body
	if r.Root == nil {
		return
	}
	if res := r.Answer.Result.Node; r.Answer.Result.Present() {
		r.Result = res
		r.State = c.read(op, "task.state", res)
		r.TaskStatus = c.part(op, "task.status", res)
		r.Task = c.read(op, "task.id", res)
		r.Ctx = c.read(op, "task.context", res)
	}
}

// sortOf is the sort of a result, where results are of several; "" where it tells none.
func (c *Conversation) sortOf(op string, result *wire.Node) string {
	sort, _ := binding.Content(c.Dialect, op, result)
	return sort
}

// part is what a result holds under a name such as task.status; nil if nothing.
func (c *Conversation) part(op, what string, result *wire.Node) *wire.Node {
	sort, at := binding.Content(c.Dialect, op, result)
	if p, ok := c.Dialect.Pointer(c.Dialect.Row(op, sort), what); ok {
		return result.At(at + p)
	}
	return nil
}

func (c *Conversation) read(op, what string, result *wire.Node) string {
	return c.boundText(c.part(op, what, result))
}

// boundText returns a text that the server chose and that later calls repeat, such as the
// id of a task; "" if it is no text, or longer than calls may repeat. The conversation then
// remembers why, for the steps that cannot be made without it.
func (c *Conversation) boundText(n *wire.Node) string {
	switch {
	case n == nil || n.Kind != wire.String:
		return ""
	case len(n.String) > wire.MaxID:
		c.oversized = fmt.Sprintf("the server sent an id of %d bytes, and calls repeat none of more than %d", len(n.String), wire.MaxID)
		return ""
	}
	return n.String
}

const aimless = "no earlier answer named a task to ask about"
