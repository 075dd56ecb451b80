package reference

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// a2a03 is the Agent2Agent protocol 0.3.0, spoken over JSON-RPC.
var a2a03 = dialect{
	name: "a2a-0.3",
	variants: []variant{
		{name: "full", streaming: true, push: true, rich: true, inputModes: a2a03Modes},
		{name: "lavish", streaming: true, push: true, rich: true, lavish: true, inputModes: a2a03Modes},
		{name: "minimal", inputModes: []string{"text/plain"}},
		{name: "silent", rich: true, inputModes: a2a03Modes},
		{name: "guarded", streaming: true, push: true, rich: true, guarded: true, guardsCard: true, inputModes: a2a03Modes},
		{name: "extended", streaming: true, push: true, rich: true, extended: true, inputModes: a2a03Modes},
		{name: "tls", streaming: true, push: true, rich: true, tls: true, inputModes: a2a03Modes},
	},
	mutants:      a2a03Mutants(),
	asks:         true,
	rejects:      true,
	apiKeys:      true,
	codes:        a2a03Codes,
	handler:      newA2A03,
	notification: a2a03Notification,
}

var a2a03Modes = []string{"application/json", "text/plain", "image/png"}

// The error codes of section 8.2 that this server has a use for.
const (
	a2a03TaskNotFound      = -32001
	a2a03TaskNotCancelable = -32002
	a2a03PushNotSupported  = -32003
	a2a03Unsupported       = -32004
	a2a03ContentType       = -32005
	a2a03NoExtendedCard    = -32007
)

// a2a03Codes are codes of the server's own: the protocol leaves it to HTTP to
// say who may do what (section 4.4).
var a2a03Codes = codes{unknownCaller: -32050, forbidden: -32051, unknownTask: a2a03TaskNotFound, limited: -32052}

const (
	// a2a03Wait is how long message/send waits for an agent that takes time, its
	// latency apart, where the client leaves it to the server.
	a2a03Wait = 60 * time.Millisecond
	// a2a03Patience bounds the wait of a client that wants to wait.
	a2a03Patience = 10 * time.Minute
)

// a2a03Second is the path of a second interface with the same agent behind it.
const a2a03Second = "/a2a/v1"

// a2a03Server carries out the methods of section 7.
type a2a03Server struct {
	*Server
}

func newA2A03(s *Server) http.Handler {
	a := a2a03Server{s}
	rpc := &service{server: s, explain: a.explain, head: a.head, methods: map[string]method{
		"message/send":         {reply: a.send},
		"message/stream":       {open: a.stream},
		"tasks/get":            {reply: a.get},
		"tasks/cancel":         {reply: a.cancel},
		"tasks/resubscribe":    {open: a.resubscribe},
		setPushConfigMethod:    {reply: a.setPush},
		getPushConfigMethod:    {reply: a.getPush},
		listPushConfigMethod:   {reply: a.listPush},
		deletePushConfigMethod: {reply: a.deletePush},
	}}
	if s.variant.rich {
		rpc.methods[extendedCardMethod] = method{reply: a.extendedCard}
	}
	card := func(*http.Request) (int, any) { return http.StatusOK, a.card() }
	oldCard := absent
	if s.variant.lavish {
		oldCard = card
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/agent-card.json", s.forClients(s.document("card", card)))
	mux.HandleFunc("GET /.well-known/agent.json", s.document("old card", oldCard))
	mux.HandleFunc("GET /v1/card", s.document("rest card", absent))
	mux.HandleFunc("GET /v1/tasks/{id}", s.document("rest task", absent))
	mux.Handle("/{$}", rpc)
	if s.variant.rich {
		mux.Handle(a2a03Second, rpc)
	}
	return mux
}

// explain fills the free member data of an error (section 6.12): with an object,
// which every client reads, or in a lavish server with an array.
func (a a2a03Server) explain(c *call, e *rpcError) {
	if !a.variant.rich || e.Data != nil {
		return
	}
	details := map[string]any{"method": c.method, "reason": e.Message}
	if e.Data = details; a.variant.lavish {
		e.Data = []any{details}
	}
}

// head names the extensions that are active for a request.
func (a a2a03Server) head(h http.Header, r *http.Request) {
	if active := a.activated(r); len(active) > 0 {
		h.Set(extensionsHeader, strings.Join(active, ", "))
	}
}

// send is message/send, section 7.1.
func (a a2a03Server) send(ctx context.Context, c *call) (any, *rpcError) {
	p, refused := a.readSend(c)
	if refused != nil {
		return nil, refused
	}
	if p.talk {
		pause(ctx, a.latency)
		return a.chat(p.request), nil
	}
	sub, err := a.engine.Send(p.request)
	if err != nil {
		return nil, a2a03Refusal(err)
	}
	defer sub.Close()
	a.own(c.http, sub.Task)
	switch {
	case p.blocking == nil && a.variant.rich:
		sub.Settle(ctx, a2a03Wait+a.latency)
	case p.blocking == nil || *p.blocking:
		sub.Settle(ctx, a2a03Patience)
	default:
		return a.task(sub.Start, p.history), nil
	}
	return a.lookUp(sub.Task, p.history)
}

// chat answers small talk, which needs no task.
func (a a2a03Server) chat(r engine.Request) *a2a03Message {
	m := engine.Message{ID: a.newID(), Role: engine.Agent, Parts: []engine.Part{engine.Text("Hello to you.")}, Extensions: r.Message.Extensions}
	if a.variant.rich {
		m.Metadata = map[string]any{"agent": "reference"}
	}
	return writeA2A03Message(&m, "", r.Session)
}

// get is tasks/get, section 7.3.
func (a a2a03Server) get(_ context.Context, c *call) (any, *rpcError) {
	var r reader
	p := r.params(c)
	id, history := p.required("id"), readA2A03History(p)
	p.metadata()
	if r.err != nil {
		return nil, r.err
	}
	return a.lookUp(id, history)
}

func (a a2a03Server) lookUp(id string, history *int) (any, *rpcError) {
	t, err := a.engine.Task(id)
	if err != nil {
		return nil, a2a03Refusal(err)
	}
	return a.task(t, history), nil
}

// cancel is tasks/cancel, section 7.4.
func (a a2a03Server) cancel(_ context.Context, c *call) (any, *rpcError) {
	t, refused := a.canceled(c)
	if refused != nil {
		return nil, refused
	}
	return a.task(t, nil), nil
}

// canceled cancels the task that a call names.
func (a a2a03Server) canceled(c *call) (t engine.Task, refused *rpcError) {
	id, refused := readA2A03ID(c)
	if refused != nil {
		return t, refused
	}
	t, err := a.engine.Cancel(id)
	switch {
	case errors.Is(err, engine.ErrFinished):
		return t, &rpcError{Code: a2a03TaskNotCancelable, Message: "Task cannot be canceled"}
	case err != nil:
		return t, a2a03Refusal(err)
	}
	return t, nil
}

// stream is message/stream, section 7.2.
func (a a2a03Server) stream(c *call) (*stream, *rpcError) {
	if refused := a.needStreaming(); refused != nil {
		return nil, refused
	}
	p, refused := a.readSend(c)
	if refused != nil {
		return nil, refused
	}
	if p.talk {
		return only(a.chat(p.request)), nil
	}
	p.request.Stream = true
	sub, err := a.engine.Send(p.request)
	if err != nil {
		return nil, a2a03Refusal(err)
	}
	a.own(c.http, sub.Task)
	return a.follow(sub, a.task(sub.Start, p.history)), nil
}

// resubscribe is tasks/resubscribe, section 7.9. A lavish server shows a task
// that has ended once more; the others refuse.
func (a a2a03Server) resubscribe(c *call) (*stream, *rpcError) {
	if refused := a.needStreaming(); refused != nil {
		return nil, refused
	}
	id, refused := readA2A03ID(c)
	if refused != nil {
		return nil, refused
	}
	sub, err := a.engine.Subscribe(id)
	switch {
	case errors.Is(err, engine.ErrFinished) && a.variant.lavish:
		t, _ := a.engine.Task(id)
		return only(a.task(t, nil)), nil
	case errors.Is(err, engine.ErrFinished):
		return nil, &rpcError{Code: a2a03Unsupported, Message: "The task is not at work: no updates are to come"}
	case err != nil:
		return nil, a2a03Refusal(err)
	case a.variant.lavish:
		return a.follow(sub, nil), nil
	}
	return a.follow(sub, a.task(sub.Start, nil)), nil
}

func (a a2a03Server) needStreaming() *rpcError {
	if a.variant.streaming {
		return nil
	}
	return &rpcError{Code: a2a03Unsupported, Message: "Streaming is not supported"}
}

// only is a stream of one result.
func only(result any) *stream {
	sent := false
	return &stream{
		next: func(context.Context) (string, any, bool) {
			first := !sent
			sent = true
			return "", result, first
		},
		close: func(bool) {},
	}
}

// follow turns the events of a task into the results of section 7.2.1, after
// a first one unless that is nil. The change that the first result shows
// already is not told again.
func (a a2a03Server) follow(sub *engine.Subscription, first any) *stream {
	begun := first == nil
	return &stream{
		next: func(ctx context.Context) (string, any, bool) {
			if !begun {
				begun = true
				return "", first, true
			}
			for {
				ev, ok := sub.Next(ctx)
				switch {
				case !ok:
					return "", nil, false
				case ev.Status != nil && ev.Status.Broken:
					return "", &rpcError{Code: codeInternal, Message: ev.Status.Failure}, true
				case ev.Status == nil || ev.Status.Message != sub.Start.Status.Message || ev.Final:
					return "", a.event(ev), true
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

// a2a03Refusal names an error of the engine in the words of section 8.2. A
// message to a task that has ended, or is at work, has no code of its own.
func a2a03Refusal(err error) *rpcError {
	if errors.Is(err, engine.ErrUnknown) {
		return &rpcError{Code: a2a03TaskNotFound, Message: "Task not found"}
	}
	return &rpcError{Code: a2a03Unsupported, Message: "The task takes no message in its state"}
}

// a2a03Words are what the mutants of several protocols need to know of this
// one.
var a2a03Words = wording{
	send: "message/send", stream: "message/stream", kind: "kind", chunk: "result/",
	hello:    v03Hello,
	task:     map[string]any{"kind": "task", "contextId": "made-up"},
	message:  func(m *engine.Message, t engine.Task) any { return writeA2A03Message(m, t.ID, t.Session) },
	notFound: a2a03TaskNotFound,
	finished: a2a03Unsupported, noStreaming: a2a03Unsupported,
	setPush: setPushConfigMethod,
}

func a2a03Mutants() []mutant {
	return slices.Concat(
		rpcMutants,
		commonMutants(a2a03Words.stream, a2a03TaskNotFound),
		mediaMutants,
		transportSecurityMutants,
		a2a03DiscoveryMutants,
		a2a03CardMutants,
		a2a03SchemeMutants,
		a2a03ExtendedCardMutants,
		a2a03EnvelopeMutants,
		authMutants(a2a03Words),
		a2a03AuthMutants,
		errorMutants(a2a03Words),
		a2a03ErrorMutants,
		a2a03InterfaceMutants,
		a2a03ExtensionMutants,
		sendMutants(a2a03Words),
		a2a03SendMutants,
		partMutants(a2a03Words),
		a2a03ShapeMutants,
		a2a03ContentMutants,
		taskMutants(a2a03Words),
		lifecycleMutants(a2a03Words),
		a2a03TaskMutants,
		eventMutants,
		streamMutants(a2a03Words),
		a2a03StreamMutants,
		subscriptionMutants(a2a03Words),
		a2a03PushMutants,
		a2a03NoPushMutants,
		noticeMutants,
		a2a03NoticeMutants,
	)
}
