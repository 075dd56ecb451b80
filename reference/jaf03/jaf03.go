package jaf03

import (
	"context"
	_ "embed"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// Dialect is the JAF A2A protocol 0.3.0.
var Dialect = front.Dialect{
	Name: "jaf-0.3",
	Variants: front.WithGuards([]front.Variant{
		{Name: "full", Streaming: true, Rich: true, Limited: true, InputModes: []string{"text", "data"}},
		{Name: "lavish", Streaming: true, Rich: true, Limited: true, Lavish: true, InputModes: []string{"text", "data"}},
		{Name: "minimal", InputModes: []string{"text"}},
		{Name: "guarded", Streaming: true, Rich: true, Limited: true, Guarded: true, InputModes: []string{"text", "data"}},
		{Name: "hasty", Streaming: true, Rich: true, Limited: true, Hasty: true, InputModes: []string{"text", "data"}},
	}),
	Mutants: sync.OnceValue(allMutants),
	Codes:   front.Codes{UnknownCaller: AuthenticationRequired, Forbidden: PermissionDenied, UnknownTask: TaskNotFound, Limited: RateLimited},
	Bounds:  front.Bounds{Calls: 10, Tasks: 5, Timeout: defaultTimeout, Stream: streamLimit},
	Burst:   10,
	StreamHeader: http.Header{
		"Connection":                  {"keep-alive"},
		"Access-Control-Allow-Origin": {"*"},
	},
	ErrorEvent: "error",
	Spread:     true,
	Handler:    newJAF03,
}

// The error codes of the section "Standard Error Codes" that this server has
// a use for.
const (
	agentNotFound          = -32000
	TaskNotFound           = -32001
	RateLimited            = -32003
	AuthenticationRequired = -32004
	PermissionDenied       = -32005
	timedOut               = -32006
	Exhausted              = -32007
)

// The agents. The first one answers at the default endpoint. The engine plays
// all of them, so that they differ in name only.
var agents = []Agent{
	{"ChatBot", "Repeats, waits, fails and remembers, as it is told."},
	{"MathTutor", "Does what ChatBot does, for a second name on the list."},
}

type Agent struct{ name, description string }

// Server carries out the methods of the dialect.
type Server struct{ *front.Server }

func newJAF03(s *front.Server) http.Handler {
	j := Server{s}
	rpc := &front.Service{Server: s, Guard: j.guard, Explain: j.explain, Head: j.head, Methods: map[string]front.Method{
		"message/send": {Reply: j.send},
		"tasks/get":    {Reply: j.get},
		"tasks/cancel": {Reply: j.cancel},
	}}
	if s.Variant.Streaming {
		rpc.Methods["message/stream"] = front.Method{Open: j.stream}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/agent-card", s.Document("card", j.serverCard))
	mux.HandleFunc("GET /.well-known/agent.json", s.Document("stray card", front.Absent))
	mux.HandleFunc("GET /a2a/health", s.Document("health", j.health))
	mux.HandleFunc("GET /a2a/agents", s.Document("agents", j.agents))
	mux.HandleFunc("GET /a2a/agents/{name}", s.Document("agent", j.agent))
	mux.HandleFunc("GET /a2a/agents/{name}/card", s.Document("agent card", j.agentCard))
	mux.Handle("/a2a", rpc)
	mux.Handle("/a2a/agents/{name}", rpc)
	return mux
}

// agentNamed returns the agent of a URL path.
func agentNamed(name string) (Agent, bool) {
	i := slices.IndexFunc(agents, func(a Agent) bool { return a.name == name })
	if i < 0 {
		return Agent{}, false
	}
	return agents[i], true
}

// guard refuses one call too many at the same time, and calls to agents that
// are not there.
func (j Server) guard(c *front.Call) *front.RPCError {
	if front.Crowded(c.HTTP) {
		return &front.RPCError{Code: Exhausted, Message: "Too many calls at the same time"}
	}
	name := c.HTTP.PathValue("name")
	if _, ok := agentNamed(name); name != "" && !ok {
		return &front.RPCError{Code: agentNotFound, Message: "Agent not found", Data: map[string]any{
			"agentName":       name,
			"availableAgents": agentNames(),
		}}
	}
	return nil
}

// explain fills the data of an error after the section "Error Response
// Format".
func (j Server) explain(c *front.Call, e *front.RPCError) {
	data, _ := e.Data.(map[string]any)
	if data == nil {
		data = make(map[string]any)
	}
	if j.Variant.Rich {
		data["errorType"] = errorTypes[e.Code]
		data["timestamp"] = front.Timestamp(time.Now())
		if c.ID != nil {
			data["requestId"] = c.ID
		}
		if c.HTTP != nil && c.HTTP.Header.Get("X-A2A-Trace-Id") != "" {
			data["traceId"] = c.HTTP.Header.Get("X-A2A-Trace-Id")
		}
	}
	if len(data) > 0 {
		e.Data = data
	}
}

var errorTypes = map[int]string{
	front.CodeParse:          "ParseError",
	front.CodeInvalidRequest: "InvalidRequest",
	front.CodeMethodNotFound: "MethodNotFound",
	front.CodeInvalidParams:  "InvalidParams",
	front.CodeInternal:       "InternalError",
	agentNotFound:            "AgentNotFound",
	TaskNotFound:             "TaskNotFound",
	RateLimited:              "RateLimited",
	timedOut:                 "Timeout",
	Exhausted:                "ResourceExhausted",
}

// head sets the header of the section "Custom Headers".
func (j Server) head(h http.Header, _ *http.Request) {
	if j.Variant.Rich {
		h.Set("X-A2A-Version", "0.3.0")
	}
}

// send is message/send: it answers when the task has ended.
func (j Server) send(ctx context.Context, c *front.Call) (any, *front.RPCError) {
	request, timeout, refused := j.readSend(c)
	if refused != nil {
		return nil, refused
	}
	sub, err := j.Engine.Send(request)
	if err != nil {
		return nil, fault(err)
	}
	defer sub.Close()
	sub.Settle(ctx, timeout)
	t, err := j.Engine.Task(sub.Task)
	switch {
	case err != nil:
		return nil, unknown()
	case !t.Status.State.Final():
		j.Engine.Cancel(sub.Task)
		return nil, &front.RPCError{Code: timedOut, Message: "Timeout"}
	case t.Status.State == engine.Failed || t.Status.State == engine.Canceled:
		return nil, &front.RPCError{Code: front.CodeInternal, Message: t.Status.Failure, Data: map[string]any{"taskId": t.ID}}
	}
	return j.completion(t), nil
}

// stream is message/stream.
func (j Server) stream(c *front.Call) (*front.Stream, *front.RPCError) {
	request, _, refused := j.readSend(c)
	if refused != nil {
		return nil, refused
	}
	sub, err := j.Engine.Send(request)
	if err != nil {
		return nil, fault(err)
	}
	return j.follow(sub), nil
}

// follow turns the events of a task into the results of the section
// "Streaming Protocol".
func (j Server) follow(sub *engine.Subscription) *front.Stream {
	limit := time.Now().Add(j.Bounds.Stream)
	return &front.Stream{
		Next: func(ctx context.Context) (string, any, bool) {
			ctx, stop := context.WithDeadline(ctx, limit)
			defer stop()
			for {
				ev, ok := sub.Next(ctx)
				if !ok {
					return "", nil, false
				}
				if kind, result := j.event(ev); kind != "" {
					return kind, result, true
				}
			}
		},
		Close: sub.Leave,
	}
}

// get is tasks/get.
func (j Server) get(_ context.Context, c *front.Call) (any, *front.RPCError) {
	var r front.Reader
	id := r.Params(c).Required("id")
	if r.Err != nil {
		return nil, r.Err
	}
	t, err := j.Engine.Task(id)
	if err != nil {
		return nil, unknown()
	}
	return j.task(t), nil
}

// cancel is tasks/cancel. A task that has ended is left as it is.
func (j Server) cancel(_ context.Context, c *front.Call) (any, *front.RPCError) {
	var r front.Reader
	p := r.Params(c)
	id := p.Required("id")
	p.Optional("reason")
	if r.Err != nil {
		return nil, r.Err
	}
	t, err := j.Engine.Cancel(id)
	if errors.Is(err, engine.ErrUnknown) {
		return nil, unknown()
	}
	return Cancel{t.ID, err == nil, front.Timestamp(time.Now())}, nil
}

// fault says why no task was begun.
func fault(err error) *front.RPCError {
	if errors.Is(err, engine.ErrFull) {
		return &front.RPCError{Code: Exhausted, Message: "Too many tasks of the context at the same time"}
	}
	return &front.RPCError{Code: front.CodeInternal, Message: "Internal error"}
}

func unknown() *front.RPCError {
	return &front.RPCError{Code: TaskNotFound, Message: "Task not found"}
}

//go:embed mutants.yaml
var tableText []byte

var table = mutants.NewTable("reference/jaf03/mutants.yaml", tableText)

func allMutants() []front.Mutant {
	words := mutants.Wording{
		Send: "message/send", Stream: "message/stream", Get: "tasks/get", Cancel: "tasks/cancel",
		Kind: "kind", NotFound: TaskNotFound,
	}
	return table.Build(mutants.Vocabulary{
		Words: words,
		Errors: map[string]int{
			"AgentNotFound": agentNotFound, "RateLimited": RateLimited, "AuthenticationRequired": AuthenticationRequired,
			"PermissionDenied": PermissionDenied, "TimedOut": timedOut, "ResourceExhausted": Exhausted,
		},
		Shared: map[string]mutants.Source{"mutants": mutants.SharedSource(words, "")},
		Code:   []map[string]front.Mutant{callMutants, taskMutants},
	})
}
