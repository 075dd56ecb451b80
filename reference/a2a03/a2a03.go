package a2a03

import (
	"context"
	_ "embed"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// Dialect is the Agent2Agent protocol 0.3.0.
var Dialect = front.Dialect{
	Name: "a2a-0.3",
	Variants: front.WithGuards([]front.Variant{
		{Name: "full", Streaming: true, Push: true, Rich: true, InputModes: front.Modes},
		{Name: "lavish", Streaming: true, Push: true, Rich: true, Lavish: true, InputModes: front.Modes},
		{Name: "minimal", InputModes: []string{"text/plain"}},
		{Name: "terse", Streaming: true, Push: true, InputModes: []string{"text/plain"}},
		{Name: "silent", Rich: true, InputModes: front.Modes},
		{Name: "guarded", Streaming: true, Push: true, Rich: true, Guarded: true, GuardsCard: true, InputModes: front.Modes},
		{Name: "extended", Streaming: true, Push: true, Rich: true, Extended: true, InputModes: front.Modes},
		{Name: "tls", Streaming: true, Push: true, Rich: true, TLS: true, InputModes: front.Modes, REST: definedRest},
		{Name: "rest-schema", Streaming: true, Push: true, Rich: true, InputModes: front.Modes, REST: schemaRest},
	}),
	Mutants:      sync.OnceValue(allMutants),
	Asks:         true,
	Rejects:      true,
	APIKeys:      true,
	Codes:        Codes,
	Reasons:      true,
	Handler:      newA2A03,
	REST:         rest,
	GRPC:         rpcs,
	Notification: notification,
}

// The error codes of section 8.2 that this server has a use for.
const (
	TaskNotFound      = -32001
	taskNotCancelable = -32002
	pushNotSupported  = -32003
	Unsupported       = -32004
	contentType       = -32005
	noExtendedCard    = -32007
)

// Codes are codes of the server's own: the protocol leaves it to HTTP to
// say who may do what (section 4.4).
var Codes = front.Codes{UnknownCaller: -32050, Forbidden: -32051, UnknownTask: TaskNotFound, Limited: -32052}

const (
	// a2a03Wait is how long message/send waits for an agent that takes time, its
	// latency apart, if the client leaves it to the server.
	wait = 60 * time.Millisecond
	// a2a03Patience bounds the wait of a client that wants to wait.
	patience = 10 * time.Minute
)

// Second is the path of a second interface with the same agent behind it.
const Second = "/a2a/v1"

// Server carries out the methods of section 7.
type Server struct {
	*front.Server
}

func newA2A03(s *front.Server) http.Handler {
	a := Server{s}
	rpc := &front.Service{Server: s, Explain: a.explain, Head: a.head, Methods: map[string]front.Method{
		sendMethod:             {Reply: a.send},
		streamMethod:           {Open: a.stream},
		getMethod:              {Reply: a.get},
		cancelMethod:           {Reply: a.cancel},
		resubscribeMethod:      {Open: a.resubscribe},
		SetPushConfigMethod:    {Reply: a.setPush},
		GetPushConfigMethod:    {Reply: a.getPush},
		ListPushConfigMethod:   {Reply: a.listPush},
		DeletePushConfigMethod: {Reply: a.deletePush},
	}}
	if s.Variant.Rich {
		rpc.Methods[ExtendedCardMethod] = front.Method{Reply: a.extendedCard}
	}
	card := func(*http.Request) (int, any) { return http.StatusOK, a.card() }
	oldCard := front.Absent
	if s.Variant.Lavish {
		oldCard = card
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/agent-card.json", s.ForClients(s.Document("card", card)))
	mux.HandleFunc("GET /.well-known/agent.json", s.Document("old card", oldCard))
	mux.HandleFunc("GET /v1/card", s.Document("rest card", front.Absent))
	mux.HandleFunc("GET /v1/tasks/{id}", s.Document("rest task", front.Absent))
	mux.Handle("/{$}", rpc)
	if s.Variant.Rich {
		mux.Handle(Second, rpc)
	}
	return front.Doors(rpc, mux)
}

const (
	sendMethod        = "message/send"
	streamMethod      = "message/stream"
	getMethod         = "tasks/get"
	cancelMethod      = "tasks/cancel"
	resubscribeMethod = "tasks/resubscribe"
)

// explain fills the free member data of an error (section 6.12): with an object,
// which every client reads, or in a lavish server with an array.
func (a Server) explain(c *front.Call, e *front.RPCError) {
	if !a.Variant.Rich || e.Data != nil {
		return
	}
	details := map[string]any{"method": c.Method, "reason": e.Message}
	if e.Data = details; a.Variant.Lavish {
		e.Data = []any{details}
	}
}

// head names the extensions that are active for a request.
func (a Server) head(h http.Header, r *http.Request) {
	if active := a.ActivatedExtensions(r, front.ExtensionsHeader); len(active) > 0 {
		h.Set(front.ExtensionsHeader, strings.Join(active, ", "))
	}
}

// send is message/send, section 7.1.
func (a Server) send(ctx context.Context, c *front.Call) (any, *front.RPCError) {
	p, refused := a.readSend(c)
	if refused != nil {
		return nil, refused
	}
	if p.talk {
		front.Pause(ctx, a.Latency)
		return a.Chat(p.request), nil
	}
	sub, err := a.Engine.Send(p.request)
	if err != nil {
		return nil, Refusal(err)
	}
	defer sub.Close()
	a.Own(c.HTTP, sub.Task)
	switch {
	case p.blocking == nil && a.Variant.Rich:
		sub.Settle(ctx, wait+a.Latency)
	case p.blocking == nil || *p.blocking:
		sub.Settle(ctx, patience)
	default:
		return a.Task(sub.Start, p.history), nil
	}
	return a.lookUp(sub.Task, p.history)
}

// Chat answers small talk, which needs no task.
func (a Server) Chat(r engine.Request) *Message {
	return writeA2A03Message(a.NewHelloReply(r), "", r.Session)
}

// get is tasks/get, section 7.3.
func (a Server) get(_ context.Context, c *front.Call) (any, *front.RPCError) {
	var r front.Reader
	p := r.Params(c)
	id, history := p.Required("id"), p.Limit("historyLength")
	p.Metadata()
	if r.Err != nil {
		return nil, r.Err
	}
	return a.lookUp(id, history)
}

func (a Server) lookUp(id string, history *int) (any, *front.RPCError) {
	t, err := a.Engine.Task(id)
	if err != nil {
		return nil, Refusal(err)
	}
	return a.Task(t, history), nil
}

// cancel is tasks/cancel, section 7.4.
func (a Server) cancel(_ context.Context, c *front.Call) (any, *front.RPCError) {
	t, refused := a.Canceled(c)
	if refused != nil {
		return nil, refused
	}
	return a.Task(t, nil), nil
}

// Canceled cancels the task that a call names.
func (a Server) Canceled(c *front.Call) (t engine.Task, refused *front.RPCError) {
	id, refused := front.ReadTaskID(c)
	if refused != nil {
		return t, refused
	}
	t, err := a.Engine.Cancel(id)
	switch {
	case errors.Is(err, engine.ErrFinished):
		return t, &front.RPCError{Code: taskNotCancelable, Message: "Task cannot be canceled"}
	case err != nil:
		return t, Refusal(err)
	}
	return t, nil
}

// stream is message/stream, section 7.2.
func (a Server) stream(c *front.Call) (*front.Stream, *front.RPCError) {
	if refused := a.NeedStreaming(Unsupported); refused != nil {
		return nil, refused
	}
	p, refused := a.readSend(c)
	if refused != nil {
		return nil, refused
	}
	if p.talk {
		return front.Single(a.Chat(p.request)), nil
	}
	p.request.Stream = true
	sub, err := a.Engine.Send(p.request)
	if err != nil {
		return nil, Refusal(err)
	}
	a.Own(c.HTTP, sub.Task)
	return front.Follow(sub, a.Task(sub.Start, p.history), a.Event), nil
}

// resubscribe is tasks/resubscribe, section 7.9. A lavish server shows a task that has
// ended once more; the others do so over gRPC, where the definition of the service wants
// it, and refuse elsewhere.
func (a Server) resubscribe(c *front.Call) (*front.Stream, *front.RPCError) {
	if refused := a.NeedStreaming(Unsupported); refused != nil {
		return nil, refused
	}
	id, refused := front.ReadTaskID(c)
	if refused != nil {
		return nil, refused
	}
	sub, err := a.Engine.Subscribe(id)
	switch {
	case errors.Is(err, engine.ErrFinished) && (a.Variant.Lavish || c.Binding == front.GRPC):
		t, _ := a.Engine.Task(id)
		return front.Single(a.Task(t, nil)), nil
	case errors.Is(err, engine.ErrFinished):
		return nil, &front.RPCError{Code: Unsupported, Message: "The task is not at work: no updates are to come"}
	case err != nil:
		return nil, Refusal(err)
	case a.Variant.Lavish:
		return front.Follow(sub, nil, a.Event), nil
	}
	return front.Follow(sub, a.Task(sub.Start, nil), a.Event), nil
}

// Refusal names an error of the engine in the words of section 8.2. A
// message to a task that has ended, or is at work, has no code of its own.
func Refusal(err error) *front.RPCError {
	if errors.Is(err, engine.ErrUnknown) {
		return &front.RPCError{Code: TaskNotFound, Message: "Task not found"}
	}
	return &front.RPCError{Code: Unsupported, Message: "The task takes no message in its state"}
}

// Words are what the mutants of several protocols need to know of this
// one.
var Words = mutants.Wording{
	Send: "message/send", Stream: "message/stream", Kind: "kind", Chunk: "result/",
	Get: "tasks/get", Cancel: "tasks/cancel", Resubscribe: "tasks/resubscribe",
	Hello:    V03Hello,
	Task:     map[string]any{"kind": "task", "contextId": "made-up"},
	Message:  func(m *engine.Message, t engine.Task) any { return writeA2A03Message(m, t.ID, t.Session) },
	NotFound: TaskNotFound,
	Finished: Unsupported, NoStreaming: Unsupported,
	SetPush: SetPushConfigMethod,
}

//go:embed mutants.yaml
var tableText []byte

// Table lists the mutants of A2A 0.3.0.
var Table = mutants.NewTable("reference/a2a03/mutants.yaml", tableText)

// Code returns those mutants of the table that are written in Go.
func Code() []map[string]front.Mutant {
	return []map[string]front.Mutant{callMutants, cardMutants, grpcMutants, pushMutants, restMutants, taskMutants}
}

// ErrorNames are the protocol's own errors as tables name them.
var ErrorNames = map[string]int{
	"TaskNotCancelable": taskNotCancelable, "PushNotSupported": pushNotSupported, "UnsupportedOperation": Unsupported,
	"ContentTypeNotSupported": contentType, "ExtendedCardNotConfigured": noExtendedCard,
	"CallerUnknown": Codes.UnknownCaller, "Forbidden": Codes.Forbidden,
}

// OperationNames are the methods as tables name them, beyond those of Words.
var OperationNames = map[string]string{
	"getPush": GetPushConfigMethod, "listPush": ListPushConfigMethod, "deletePush": DeletePushConfigMethod, "extendedCard": ExtendedCardMethod,
}

func allMutants() []front.Mutant {
	return front.OfEnvelope("envelope", Table.Build(mutants.Vocabulary{
		Words: Words, Operations: OperationNames, Errors: ErrorNames,
		Shared: map[string]mutants.Source{"mutants": mutants.SharedSource(Words, restBase)},
		Code:   Code(),
		REST:   rest,
	}))
}
