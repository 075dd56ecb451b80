package reference

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// jaf03 is the JAF A2A protocol 0.3.0.
var jaf03 = dialect{
	name: "jaf-0.3",
	variants: []variant{
		{name: "full", streaming: true, rich: true, limited: true, inputModes: []string{"text", "data"}},
		{name: "lavish", streaming: true, rich: true, limited: true, lavish: true, inputModes: []string{"text", "data"}},
		{name: "minimal", inputModes: []string{"text"}},
		{name: "guarded", streaming: true, rich: true, limited: true, guarded: true, inputModes: []string{"text", "data"}},
		{name: "hasty", streaming: true, rich: true, limited: true, hasty: true, inputModes: []string{"text", "data"}},
	},
	mutants: jaf03Mutants(),
	codes:   codes{jaf03AuthenticationRequired, jaf03PermissionDenied, jaf03TaskNotFound, jaf03RateLimited},
	bounds:  bounds{calls: 10, tasks: 5, timeout: jaf03DefaultTimeout, stream: jaf03StreamLimit},
	burst:   10,
	streamHeader: http.Header{
		"Connection":                  {"keep-alive"},
		"Access-Control-Allow-Origin": {"*"},
	},
	errorEvent: "error",
	spread:     true,
	handler:    newJAF03,
}

// The error codes of the section "Standard Error Codes" that this server has
// a use for.
const (
	jaf03AgentNotFound          = -32000
	jaf03TaskNotFound           = -32001
	jaf03RateLimited            = -32003
	jaf03AuthenticationRequired = -32004
	jaf03PermissionDenied       = -32005
	jaf03Timeout                = -32006
	jaf03Exhausted              = -32007
)

// The agents. The first one answers at the default endpoint. The engine plays
// all of them, so that they differ in name only.
var jaf03Agents = []jaf03Agent{
	{"ChatBot", "Repeats, waits, fails and remembers, as it is told."},
	{"MathTutor", "Does what ChatBot does, for a second name on the list."},
}

type jaf03Agent struct{ name, description string }

// jaf03Server carries out the methods of the dialect.
type jaf03Server struct{ *Server }

func newJAF03(s *Server) http.Handler {
	j := jaf03Server{s}
	rpc := &service{server: s, guard: j.guard, explain: j.explain, head: j.head, methods: map[string]method{
		"message/send": {reply: j.send},
		"tasks/get":    {reply: j.get},
		"tasks/cancel": {reply: j.cancel},
	}}
	if s.variant.streaming {
		rpc.methods["message/stream"] = method{open: j.stream}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/agent-card", s.document("card", j.serverCard))
	mux.HandleFunc("GET /.well-known/agent.json", s.document("stray card", absent))
	mux.HandleFunc("GET /a2a/health", s.document("health", j.health))
	mux.HandleFunc("GET /a2a/agents", s.document("agents", j.agents))
	mux.HandleFunc("GET /a2a/agents/{name}", s.document("agent", j.agent))
	mux.HandleFunc("GET /a2a/agents/{name}/card", s.document("agent card", j.agentCard))
	mux.Handle("/a2a", rpc)
	mux.Handle("/a2a/agents/{name}", rpc)
	return mux
}

// agentNamed returns the agent of a URL path.
func agentNamed(name string) (jaf03Agent, bool) {
	i := slices.IndexFunc(jaf03Agents, func(a jaf03Agent) bool { return a.name == name })
	if i < 0 {
		return jaf03Agent{}, false
	}
	return jaf03Agents[i], true
}

// guard refuses one call too many at the same time, and calls to agents that
// are not there.
func (j jaf03Server) guard(c *call) *rpcError {
	if crowded(c.http) {
		return &rpcError{Code: jaf03Exhausted, Message: "Too many calls at the same time"}
	}
	name := c.http.PathValue("name")
	if _, ok := agentNamed(name); name != "" && !ok {
		return &rpcError{Code: jaf03AgentNotFound, Message: "Agent not found", Data: map[string]any{
			"agentName":       name,
			"availableAgents": agentNames(),
		}}
	}
	return nil
}

// explain fills the data of an error after the section "Error Response
// Format".
func (j jaf03Server) explain(c *call, e *rpcError) {
	data, _ := e.Data.(map[string]any)
	if data == nil {
		data = make(map[string]any)
	}
	if j.variant.rich {
		data["errorType"] = jaf03ErrorTypes[e.Code]
		data["timestamp"] = timestamp(time.Now())
		if c.id != nil {
			data["requestId"] = c.id
		}
		if c.http != nil && c.http.Header.Get("X-A2A-Trace-Id") != "" {
			data["traceId"] = c.http.Header.Get("X-A2A-Trace-Id")
		}
	}
	if len(data) > 0 {
		e.Data = data
	}
}

var jaf03ErrorTypes = map[int]string{
	codeParse:          "ParseError",
	codeInvalidRequest: "InvalidRequest",
	codeMethodNotFound: "MethodNotFound",
	codeInvalidParams:  "InvalidParams",
	codeInternal:       "InternalError",
	jaf03AgentNotFound: "AgentNotFound",
	jaf03TaskNotFound:  "TaskNotFound",
	jaf03RateLimited:   "RateLimited",
	jaf03Timeout:       "Timeout",
	jaf03Exhausted:     "ResourceExhausted",
}

// head sets the header of the section "Custom Headers".
func (j jaf03Server) head(h http.Header, _ *http.Request) {
	if j.variant.rich {
		h.Set("X-A2A-Version", "0.3.0")
	}
}

// send is message/send: it answers when the task has ended.
func (j jaf03Server) send(ctx context.Context, c *call) (any, *rpcError) {
	request, timeout, refused := j.readSend(c)
	if refused != nil {
		return nil, refused
	}
	sub, err := j.engine.Send(request)
	if err != nil {
		return nil, jaf03Fault(err)
	}
	defer sub.Close()
	sub.Settle(ctx, timeout)
	t, err := j.engine.Task(sub.Task)
	switch {
	case err != nil:
		return nil, jaf03Unknown()
	case !t.Status.State.Final():
		j.engine.Cancel(sub.Task)
		return nil, &rpcError{Code: jaf03Timeout, Message: "Timeout"}
	case t.Status.State == engine.Failed || t.Status.State == engine.Canceled:
		return nil, &rpcError{Code: codeInternal, Message: t.Status.Failure, Data: map[string]any{"taskId": t.ID}}
	}
	return j.completion(t), nil
}

// stream is message/stream.
func (j jaf03Server) stream(c *call) (*stream, *rpcError) {
	request, _, refused := j.readSend(c)
	if refused != nil {
		return nil, refused
	}
	sub, err := j.engine.Send(request)
	if err != nil {
		return nil, jaf03Fault(err)
	}
	return j.follow(sub), nil
}

// follow turns the events of a task into the results of the section
// "Streaming Protocol".
func (j jaf03Server) follow(sub *engine.Subscription) *stream {
	limit := time.Now().Add(j.bounds.stream)
	return &stream{
		next: func(ctx context.Context) (string, any, bool) {
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
		close: func(lost bool) {
			if lost {
				sub.Abandon()
			} else {
				sub.Close()
			}
		},
	}
}

// get is tasks/get.
func (j jaf03Server) get(_ context.Context, c *call) (any, *rpcError) {
	var r reader
	id := r.params(c).required("id")
	if r.err != nil {
		return nil, r.err
	}
	t, err := j.engine.Task(id)
	if err != nil {
		return nil, jaf03Unknown()
	}
	return j.task(t), nil
}

// cancel is tasks/cancel. A task that has ended is left as it is.
func (j jaf03Server) cancel(_ context.Context, c *call) (any, *rpcError) {
	var r reader
	p := r.params(c)
	id := p.required("id")
	p.optional("reason")
	if r.err != nil {
		return nil, r.err
	}
	t, err := j.engine.Cancel(id)
	if errors.Is(err, engine.ErrUnknown) {
		return nil, jaf03Unknown()
	}
	return jaf03Cancel{t.ID, err == nil, timestamp(time.Now())}, nil
}

// jaf03Fault says why no task was begun.
func jaf03Fault(err error) *rpcError {
	if errors.Is(err, engine.ErrFull) {
		return &rpcError{Code: jaf03Exhausted, Message: "Too many tasks of the context at the same time"}
	}
	return &rpcError{Code: codeInternal, Message: "Internal error"}
}

func jaf03Unknown() *rpcError {
	return &rpcError{Code: jaf03TaskNotFound, Message: "Task not found"}
}

func jaf03Mutants() []mutant {
	return slices.Concat(
		rpcMutants,
		commonMutants("message/stream", jaf03TaskNotFound),
		jaf03DiscoveryMutants,
		jaf03CallMutants,
		jaf03MessageMutants,
		jaf03LimitMutants,
		jaf03RateMutants,
		jaf03AuthMutants,
		jaf03TaskMutants,
		eventMutants,
		jaf03StreamMutants,
	)
}
