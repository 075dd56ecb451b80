package reference

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// a2a01 is the Agent2Agent protocol 0.1.0.
var a2a01 = dialect{
	name: "a2a-0.1",
	variants: []variant{
		{name: "full", streaming: true, push: true, rich: true, inputModes: a2a01Modes},
		{name: "lavish", streaming: true, push: true, rich: true, lavish: true, inputModes: a2a01Modes},
		{name: "minimal", inputModes: []string{"text/plain"}},
		{name: "silent", rich: true, inputModes: a2a01Modes},
		{name: "guarded", streaming: true, push: true, rich: true, guarded: true, inputModes: a2a01Modes},
		{name: "limited", streaming: true, push: true, rich: true, limited: true, inputModes: a2a01Modes},
		{name: "tls", streaming: true, push: true, rich: true, tls: true, inputModes: a2a01Modes},
	},
	mutants:      a2a01Mutants(),
	codes:        a2a01Codes,
	asks:         true,
	httpErrors:   true, // sections 7.2 and 7.7
	handler:      newA2A01,
	notification: a2a01Notification,
}

var a2a01Modes = []string{"application/json", "text/plain", "image/png"}

// The error codes of section 8.2 that this server has a use for.
const (
	a2a01TaskNotFound           = -32001
	a2a01TaskNotCancelable      = -32002
	a2a01PushNotSupported       = -32003
	a2a01ContentType            = -32005
	a2a01StreamNotSupported     = -32006
	a2a01AuthenticationRequired = -32007
	a2a01AuthorizationFailed    = -32008
	a2a01InvalidTaskState       = -32009
	a2a01RateLimited            = -32010
)

// a2a01Wait is how long tasks/send waits for an agent that takes time, its
// latency apart, before it answers with a task that is still working (section
// 7.1).
const a2a01Wait = 60 * time.Millisecond

// a2a01Server carries out the methods of section 7.
type a2a01Server struct {
	*Server
}

func newA2A01(s *Server) http.Handler {
	a := a2a01Server{s}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/agent.json", s.document("card", func(*http.Request) (int, any) {
		return http.StatusOK, a.card()
	}))
	mux.HandleFunc("GET /agent.json", s.document("root card", absent))
	mux.HandleFunc("GET /.well-known/agent-card.json", s.document("later card", absent))
	mux.Handle("/{$}", &service{server: s, explain: a.explain, methods: map[string]method{
		"tasks/send":                 {reply: a.send},
		"tasks/get":                  {reply: a.get},
		"tasks/cancel":               {reply: a.cancel},
		"tasks/sendSubscribe":        {open: a.sendSubscribe},
		"tasks/resubscribe":          {open: a.resubscribe},
		"tasks/pushNotification/set": {reply: a.setPush},
		"tasks/pushNotification/get": {reply: a.getPush},
	}})
	return mux
}

// explain fills the free member data of an error (section 6.12).
func (a a2a01Server) explain(c *call, e *rpcError) {
	if a.variant.rich && e.Data == nil {
		e.Data = map[string]any{"method": c.method, "dialect": a2a01Name}
	}
}

const a2a01Name = "a2a-0.1"

// send is tasks/send, section 7.1.
func (a a2a01Server) send(ctx context.Context, c *call) (any, *rpcError) {
	p, refused := a.readSend(c)
	if refused != nil {
		return nil, refused
	}
	sub, err := a.engine.Send(p.request)
	if err != nil {
		return nil, a2a01Refusal(err)
	}
	defer sub.Close()
	sub.Settle(ctx, a2a01Wait+a.latency)
	return a.lookUp(p.request.Task, p.history)
}

// get is tasks/get, section 7.3.
func (a a2a01Server) get(_ context.Context, c *call) (any, *rpcError) {
	id, history, refused := readA2A01Query(c)
	if refused != nil {
		return nil, refused
	}
	return a.lookUp(id, history)
}

func (a a2a01Server) lookUp(id string, history int) (any, *rpcError) {
	t, err := a.engine.Task(id)
	if err != nil {
		return nil, a2a01Refusal(err)
	}
	return a.task(t, history), nil
}

// cancel is tasks/cancel, section 7.4.
func (a a2a01Server) cancel(_ context.Context, c *call) (any, *rpcError) {
	id, refused := readA2A01ID(c)
	if refused != nil {
		return nil, refused
	}
	t, err := a.engine.Cancel(id)
	if errors.Is(err, engine.ErrFinished) {
		return nil, &rpcError{Code: a2a01TaskNotCancelable, Message: "Task cannot be canceled"}
	}
	if err != nil {
		return nil, a2a01Refusal(err)
	}
	return a.task(t, 0), nil
}

// sendSubscribe is tasks/sendSubscribe, section 7.2.
func (a a2a01Server) sendSubscribe(c *call) (*stream, *rpcError) {
	if refused := a.needStreaming(); refused != nil {
		return nil, refused
	}
	p, refused := a.readSend(c)
	if refused != nil {
		return nil, refused
	}
	p.request.Stream = true
	sub, err := a.engine.Send(p.request)
	if err != nil {
		return nil, a2a01Refusal(err)
	}
	return a.follow(sub), nil
}

// resubscribe is tasks/resubscribe, section 7.7. A task whose turn has ended
// is no longer active.
func (a a2a01Server) resubscribe(c *call) (*stream, *rpcError) {
	if refused := a.needStreaming(); refused != nil {
		return nil, refused
	}
	id, _, refused := readA2A01Query(c)
	if refused != nil {
		return nil, refused
	}
	sub, err := a.engine.Subscribe(id)
	if errors.Is(err, engine.ErrFinished) {
		return nil, &rpcError{Code: a2a01InvalidTaskState, Message: "The task is no longer active"}
	}
	if err != nil {
		return nil, a2a01Refusal(err)
	}
	return a.follow(sub), nil
}

func (a a2a01Server) needStreaming() *rpcError {
	if a.variant.streaming {
		return nil
	}
	return &rpcError{Code: a2a01StreamNotSupported, Message: "Streaming is not supported"}
}

// follow turns the events of a task into the results of section 7.2.1.
func (a a2a01Server) follow(sub *engine.Subscription) *stream {
	return &stream{
		next: func(ctx context.Context) (string, any, bool) {
			ev, ok := sub.Next(ctx)
			if !ok {
				return "", nil, false
			}
			if ev.Status != nil && ev.Status.Broken {
				// Section 7.2.1: a fatal fault may be told in the last event.
				return "", &rpcError{Code: codeInternal, Message: ev.Status.Failure}, true
			}
			return "", a.event(ev), true
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

// a2a01Refusal names an error of the engine in the words of section 8.2.
func a2a01Refusal(err error) *rpcError {
	if errors.Is(err, engine.ErrUnknown) {
		return &rpcError{Code: a2a01TaskNotFound, Message: "Task not found"}
	}
	return &rpcError{Code: a2a01InvalidTaskState, Message: "Invalid task state for operation"}
}

var a2a01Codes = codes{a2a01AuthenticationRequired, a2a01AuthorizationFailed, a2a01TaskNotFound, a2a01RateLimited}

// a2a01Words are what the mutants of several protocols need to know of this
// one.
var a2a01Words = wording{
	send: "tasks/send", stream: "tasks/sendSubscribe", kind: "type", chunk: "result/artifact/",
	hello:    hello,
	message:  func(m *engine.Message, _ engine.Task) any { return writeA2A01Message(m) },
	notFound: a2a01TaskNotFound,
	finished: a2a01InvalidTaskState, noStreaming: a2a01StreamNotSupported,
	setPush: setPushMethod,
}

func a2a01Mutants() []mutant {
	return slices.Concat(
		rpcMutants,
		commonMutants(a2a01Words.stream, a2a01TaskNotFound),
		a2a01CardMutants,
		a2a01TransportMutants,
		mediaMutants,
		transportSecurityMutants,
		a2a01AccessMutants,
		authMutants(a2a01Words),
		a2a01AuthMutants,
		a2a01RateMutants,
		a2a01LimitMutants,
		a2a01EnvelopeMutants,
		errorMutants(a2a01Words),
		a2a01ErrorMutants,
		sendMutants(a2a01Words),
		a2a01SendMutants,
		partMutants(a2a01Words),
		a2a01PartMutants,
		a2a01ContentMutants,
		taskMutants(a2a01Words),
		a2a01TaskMutants,
		lifecycleMutants(a2a01Words),
		a2a01LifecycleMutants,
		chosen(eventMutants, "event-id-wrong-at-times"),
		streamMutants(a2a01Words),
		a2a01StreamMutants,
		subscriptionMutants(a2a01Words),
		a2a01SubscriptionMutants,
		a2a01PushMutants,
		noticeMutants,
		a2a01NoticeMutants,
	)
}
