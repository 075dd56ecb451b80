package a2a01

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// Dialect is the Agent2Agent protocol 0.1.0.
var Dialect = front.Dialect{
	Name: "a2a-0.1",
	Variants: []front.Variant{
		{Name: "full", Streaming: true, Push: true, Rich: true, InputModes: Modes},
		{Name: "lavish", Streaming: true, Push: true, Rich: true, Lavish: true, InputModes: Modes},
		{Name: "minimal", InputModes: []string{"text/plain"}},
		{Name: "silent", Rich: true, InputModes: Modes},
		{Name: "guarded", Streaming: true, Push: true, Rich: true, Guarded: true, InputModes: Modes},
		{Name: "limited", Streaming: true, Push: true, Rich: true, Limited: true, InputModes: Modes},
		{Name: "tls", Streaming: true, Push: true, Rich: true, Tls: true, InputModes: Modes},
	},
	Mutants:      a2a01Mutants(),
	Codes:        Codes,
	Asks:         true,
	HttpErrors:   true, // sections 7.2 and 7.7
	Handler:      NewA2A01,
	Notification: a2a01Notification,
}

var Modes = []string{"application/json", "text/plain", "image/png"}

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
const wait = 60 * time.Millisecond

// a2a01Server carries out the methods of section 7.
type a2a01Server struct {
	*front.Server
}

func NewA2A01(s *front.Server) http.Handler {
	a := a2a01Server{s}
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
func (a a2a01Server) explain(c *front.Call, e *front.RpcError) {
	if a.Variant.Rich && e.Data == nil {
		e.Data = map[string]any{"method": c.Method, "dialect": a2a01Name}
	}
}

const a2a01Name = "a2a-0.1"

// send is tasks/send, section 7.1.
func (a a2a01Server) send(ctx context.Context, c *front.Call) (any, *front.RpcError) {
	p, refused := a.readSend(c)
	if refused != nil {
		return nil, refused
	}
	sub, err := a.Engine.Send(p.request)
	if err != nil {
		return nil, a2a01Refusal(err)
	}
	defer sub.Close()
	sub.Settle(ctx, wait+a.Latency)
	return a.lookUp(p.request.Task, p.history)
}

// get is tasks/get, section 7.3.
func (a a2a01Server) get(_ context.Context, c *front.Call) (any, *front.RpcError) {
	id, history, refused := readA2A01Query(c)
	if refused != nil {
		return nil, refused
	}
	return a.lookUp(id, history)
}

func (a a2a01Server) lookUp(id string, history int) (any, *front.RpcError) {
	t, err := a.Engine.Task(id)
	if err != nil {
		return nil, a2a01Refusal(err)
	}
	return a.task(t, history), nil
}

// cancel is tasks/cancel, section 7.4.
func (a a2a01Server) cancel(_ context.Context, c *front.Call) (any, *front.RpcError) {
	id, refused := readA2A01ID(c)
	if refused != nil {
		return nil, refused
	}
	t, err := a.Engine.Cancel(id)
	if errors.Is(err, engine.ErrFinished) {
		return nil, &front.RpcError{Code: taskNotCancelable, Message: "Task cannot be canceled"}
	}
	if err != nil {
		return nil, a2a01Refusal(err)
	}
	return a.task(t, 0), nil
}

// sendSubscribe is tasks/sendSubscribe, section 7.2.
func (a a2a01Server) sendSubscribe(c *front.Call) (*front.Stream, *front.RpcError) {
	if refused := a.needStreaming(); refused != nil {
		return nil, refused
	}
	p, refused := a.readSend(c)
	if refused != nil {
		return nil, refused
	}
	p.request.Stream = true
	sub, err := a.Engine.Send(p.request)
	if err != nil {
		return nil, a2a01Refusal(err)
	}
	return a.follow(sub), nil
}

// resubscribe is tasks/resubscribe, section 7.7. A task whose turn has ended
// is no longer active.
func (a a2a01Server) resubscribe(c *front.Call) (*front.Stream, *front.RpcError) {
	if refused := a.needStreaming(); refused != nil {
		return nil, refused
	}
	id, _, refused := readA2A01Query(c)
	if refused != nil {
		return nil, refused
	}
	sub, err := a.Engine.Subscribe(id)
	if errors.Is(err, engine.ErrFinished) {
		return nil, &front.RpcError{Code: invalidTaskState, Message: "The task is no longer active"}
	}
	if err != nil {
		return nil, a2a01Refusal(err)
	}
	return a.follow(sub), nil
}

func (a a2a01Server) needStreaming() *front.RpcError {
	if a.Variant.Streaming {
		return nil
	}
	return &front.RpcError{Code: streamNotSupported, Message: "Streaming is not supported"}
}

// follow turns the events of a task into the results of section 7.2.1.
func (a a2a01Server) follow(sub *engine.Subscription) *front.Stream {
	return &front.Stream{
		Next: func(ctx context.Context) (string, any, bool) {
			ev, ok := sub.Next(ctx)
			if !ok {
				return "", nil, false
			}
			if ev.Status != nil && ev.Status.Broken {
				// Section 7.2.1: a fatal fault may be told in the last event.
				return "", &front.RpcError{Code: front.CodeInternal, Message: ev.Status.Failure}, true
			}
			return "", a.event(ev), true
		},
		Close: func(lost bool) {
			if lost {
				sub.Abandon()
			} else {
				sub.Close()
			}
		},
	}
}

// a2a01Refusal names an error of the engine in the words of section 8.2.
func a2a01Refusal(err error) *front.RpcError {
	if errors.Is(err, engine.ErrUnknown) {
		return &front.RpcError{Code: taskNotFound, Message: "Task not found"}
	}
	return &front.RpcError{Code: invalidTaskState, Message: "Invalid task state for operation"}
}

var Codes = front.Codes{UnknownCaller: authenticationRequired, Forbidden: authorizationFailed, UnknownTask: taskNotFound, Limited: rateLimited}

// a2a01Words are what the mutants of several protocols need to know of this
// one.
var a2a01Words = mutants.Wording{
	Send: "tasks/send", Stream: "tasks/sendSubscribe", Kind: "type", Chunk: "result/artifact/",
	Hello:    mutants.Hello,
	Message:  func(m *engine.Message, _ engine.Task) any { return writeA2A01Message(m) },
	NotFound: taskNotFound,
	Finished: invalidTaskState, NoStreaming: streamNotSupported,
	SetPush: mutants.SetPushMethod,
}

func a2a01Mutants() []front.Mutant {
	return slices.Concat(
		mutants.RpcMutants,
		mutants.CommonMutants(a2a01Words.Stream, taskNotFound),
		CardMutants,
		TransportMutants,
		mutants.MediaMutants,
		front.TransportSecurityMutants,
		accessMutants,
		mutants.AuthMutants(a2a01Words),
		a2a01AuthMutants,
		rateMutants,
		limitMutants,
		EnvelopeMutants,
		mutants.ErrorMutants(a2a01Words),
		a2a01ErrorMutants,
		mutants.SendMutants(a2a01Words),
		a2a01SendMutants,
		mutants.PartMutants(a2a01Words),
		a2a01PartMutants,
		contentMutants,
		mutants.TaskMutants(a2a01Words),
		a2a01TaskMutants,
		mutants.LifecycleMutants(a2a01Words),
		LifecycleMutants,
		front.Chosen(mutants.EventMutants, "event-id-wrong-at-times"),
		mutants.StreamMutants(a2a01Words),
		a2a01StreamMutants,
		mutants.SubscriptionMutants(a2a01Words),
		a2a01SubscriptionMutants,
		pushMutants,
		mutants.NoticeMutants,
		a2a01NoticeMutants,
	)
}
