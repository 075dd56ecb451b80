package a2a01

import (
	"context"
	_ "embed"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// Dialect is the Agent2Agent protocol 0.1.0.
var Dialect = front.Dialect{
	Name: "a2a-0.1",
	Variants: front.WithGuards([]front.Variant{
		{Name: "full", Streaming: true, Push: true, Rich: true, InputModes: front.Modes},
		{Name: "lavish", Streaming: true, Push: true, Rich: true, Lavish: true, InputModes: front.Modes},
		{Name: "minimal", InputModes: []string{"text/plain"}},
		{Name: "silent", Rich: true, InputModes: front.Modes},
		{Name: "guarded", Streaming: true, Push: true, Rich: true, Guarded: true, InputModes: front.Modes},
		{Name: "limited", Streaming: true, Push: true, Rich: true, Limited: true, InputModes: front.Modes},
		{Name: "tls", Streaming: true, Push: true, Rich: true, TLS: true, InputModes: front.Modes},
	}),
	Mutants:      sync.OnceValue(allMutants),
	Codes:        Codes,
	Asks:         true,
	HTTPErrors:   true, // sections 7.2 and 7.7
	Handler:      NewA2A01,
	Notification: notification,
}

// The error codes of section 8.2 that this server has a use for.
const (
	taskNotFound           = -32001
	taskNotCancelable      = -32002
	pushNotSupported       = -32003
	ContentType            = -32005
	streamNotSupported     = -32006
	authenticationRequired = -32007
	authorizationFailed    = -32008
	invalidTaskState       = -32009
	rateLimited            = -32010
)

// wait is how long tasks/send waits for an agent that takes time, its
// latency apart, before it answers with a task that is still working (section
// 7.1).
const wait = 25 * time.Millisecond

// Server carries out the methods of section 7.
type Server struct {
	*front.Server
}

func NewA2A01(s *front.Server) http.Handler {
	a := Server{s}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/agent.json", s.Document("card", func(*http.Request) (int, any) {
		return http.StatusOK, a.card()
	}))
	mux.HandleFunc("GET /agent.json", s.Document("root card", front.Absent))
	mux.HandleFunc("GET /.well-known/agent-card.json", s.Document("later card", front.Absent))
	mux.Handle("/{$}", &front.Service{Server: s, Explain: a.explain, Methods: map[string]front.Method{
		"tasks/send":                 {Reply: a.send},
		"tasks/get":                  {Reply: a.get},
		"tasks/cancel":               {Reply: a.cancel},
		"tasks/sendSubscribe":        {Open: a.sendSubscribe},
		"tasks/resubscribe":          {Open: a.resubscribe},
		"tasks/pushNotification/set": {Reply: a.setPush},
		"tasks/pushNotification/get": {Reply: a.getPush},
	}})
	return mux
}

// explain fills the free member data of an error (section 6.12).
func (a Server) explain(c *front.Call, e *front.RPCError) {
	if a.Variant.Rich && e.Data == nil {
		e.Data = map[string]any{"method": c.Method, "dialect": agentName}
	}
}

const agentName = "a2a-0.1"

// send is tasks/send, section 7.1.
func (a Server) send(ctx context.Context, c *front.Call) (any, *front.RPCError) {
	p, refused := a.readSend(c)
	if refused != nil {
		return nil, refused
	}
	sub, err := a.Engine.Send(p.request)
	if err != nil {
		return nil, refusal(err)
	}
	defer sub.Close()
	sub.Settle(ctx, wait+a.Latency)
	return a.lookUp(p.request.Task, p.history)
}

// get is tasks/get, section 7.3.
func (a Server) get(_ context.Context, c *front.Call) (any, *front.RPCError) {
	id, history, refused := readA2A01Query(c)
	if refused != nil {
		return nil, refused
	}
	return a.lookUp(id, history)
}

func (a Server) lookUp(id string, history int) (any, *front.RPCError) {
	t, err := a.Engine.Task(id)
	if err != nil {
		return nil, refusal(err)
	}
	return a.task(t, history), nil
}

// cancel is tasks/cancel, section 7.4.
func (a Server) cancel(_ context.Context, c *front.Call) (any, *front.RPCError) {
	id, refused := front.ReadTaskID(c)
	if refused != nil {
		return nil, refused
	}
	t, err := a.Engine.Cancel(id)
	if errors.Is(err, engine.ErrFinished) {
		return nil, &front.RPCError{Code: taskNotCancelable, Message: "Task cannot be canceled"}
	}
	if err != nil {
		return nil, refusal(err)
	}
	return a.task(t, 0), nil
}

// sendSubscribe is tasks/sendSubscribe, section 7.2.
func (a Server) sendSubscribe(c *front.Call) (*front.Stream, *front.RPCError) {
	if refused := a.NeedStreaming(streamNotSupported); refused != nil {
		return nil, refused
	}
	p, refused := a.readSend(c)
	if refused != nil {
		return nil, refused
	}
	p.request.Stream = true
	sub, err := a.Engine.Send(p.request)
	if err != nil {
		return nil, refusal(err)
	}
	return a.follow(sub), nil
}

// resubscribe is tasks/resubscribe, section 7.7. A task whose turn has ended
// is no longer active.
func (a Server) resubscribe(c *front.Call) (*front.Stream, *front.RPCError) {
	if refused := a.NeedStreaming(streamNotSupported); refused != nil {
		return nil, refused
	}
	id, _, refused := readA2A01Query(c)
	if refused != nil {
		return nil, refused
	}
	sub, err := a.Engine.Subscribe(id)
	if errors.Is(err, engine.ErrFinished) {
		return nil, &front.RPCError{Code: invalidTaskState, Message: "The task is no longer active"}
	}
	if err != nil {
		return nil, refusal(err)
	}
	return a.follow(sub), nil
}

// follow turns the events of a task into the results of section 7.2.1.
func (a Server) follow(sub *engine.Subscription) *front.Stream {
	return &front.Stream{
		Next: func(ctx context.Context) (string, any, bool) {
			ev, ok := sub.Next(ctx)
			if !ok {
				return "", nil, false
			}
			if ev.Status != nil && ev.Status.Broken {
				// Section 7.2.1: a fatal fault may be told in the last event.
				return "", &front.RPCError{Code: front.CodeInternal, Message: ev.Status.Failure}, true
			}
			return "", a.event(ev), true
		},
		Close: sub.Leave,
	}
}

// refusal names an error of the engine in the words of section 8.2.
func refusal(err error) *front.RPCError {
	if errors.Is(err, engine.ErrUnknown) {
		return &front.RPCError{Code: taskNotFound, Message: "Task not found"}
	}
	return &front.RPCError{Code: invalidTaskState, Message: "Invalid task state for operation"}
}

var Codes = front.Codes{UnknownCaller: authenticationRequired, Forbidden: authorizationFailed, UnknownTask: taskNotFound, Limited: rateLimited}

// Words are what the mutants of several protocols need to know of this one.
var Words = mutants.Wording{
	Send: "tasks/send", Stream: "tasks/sendSubscribe", Kind: "type", Chunk: "result/artifact/",
	Get: "tasks/get", Cancel: "tasks/cancel", Resubscribe: "tasks/resubscribe",
	Hello:    mutants.Hello,
	Message:  func(m *engine.Message, _ engine.Task) any { return writeA2A01Message(m) },
	NotFound: taskNotFound,
	Finished: invalidTaskState, NoStreaming: streamNotSupported,
	SetPush: mutants.SetPushMethod,
}

//go:embed mutants.yaml
var tableText []byte

// Table lists the mutants of A2A 0.1.0.
var Table = mutants.NewTable("reference/a2a01/mutants.yaml", tableText)

// Code returns those mutants of the table that are written in Go.
func Code() []map[string]front.Mutant {
	return []map[string]front.Mutant{codeMutants}
}

// ErrorNames are the protocol's own errors as tables name them.
var ErrorNames = map[string]int{
	"TaskNotCancelable": taskNotCancelable, "PushNotSupported": pushNotSupported, "ContentTypeNotSupported": ContentType,
	"AuthenticationRequired": authenticationRequired, "AuthorizationFailed": authorizationFailed,
	"InvalidTaskState": invalidTaskState, "RateLimited": rateLimited,
}

func allMutants() []front.Mutant {
	return Table.Build(mutants.Vocabulary{
		Words:      Words,
		Operations: map[string]string{"getPush": mutants.GetPushMethod},
		Errors:     ErrorNames,
		Shared:     map[string]mutants.Source{"mutants": mutants.SharedSource(Words, "")},
		Code:       Code(),
	})
}
