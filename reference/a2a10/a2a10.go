package a2a10

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/a2a03"
	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// Dialect is the Agent2Agent protocol 1.0.1, spoken over JSON-RPC, over HTTP+JSON and, at an
// address of its own, over gRPC.
var Dialect = front.Dialect{
	Name: "a2a-1.0",
	Variants: front.WithGuards([]front.Variant{
		{Name: "full", Streaming: true, Push: true, Rich: true, InputModes: front.Modes},
		{Name: "lavish", Streaming: true, Push: true, Rich: true, Lavish: true, InputModes: front.Modes},
		{Name: "minimal", InputModes: []string{"text/plain"}},
		{Name: "terse", Streaming: true, Push: true, Paged: true, InputModes: []string{"text/plain"}},
		{Name: "silent", Rich: true, InputModes: front.Modes},
		{Name: "talking", Streaming: true, Rich: true, Talks: true, InputModes: front.Modes},
		{Name: "guarded", Streaming: true, Push: true, Rich: true, Guarded: true, GuardsCard: true, InputModes: front.Modes},
		{Name: "extended", Streaming: true, Push: true, Rich: true, Extended: true, InputModes: front.Modes},
		{Name: "tls", Streaming: true, Push: true, Rich: true, TLS: true, InputModes: front.Modes},
		{Name: "limited", Streaming: true, Push: true, Rich: true, Limited: true, InputModes: front.Modes},
		{Name: "signed", Streaming: true, Push: true, Rich: true, Signed: true, InputModes: front.Modes},
		{Name: "tenanted", Streaming: true, Push: true, Rich: true, Tenanted: true, InputModes: front.Modes},
		{Name: "decisive", Streaming: true, Push: true, Rich: true, Decisive: true, InputModes: front.Modes},
		{Name: "two-versions", Streaming: true, Push: true, Rich: true, Older: true, InputModes: front.Modes},
	}),
	Mutants:      sync.OnceValue(allMutants),
	Asks:         true,
	Rejects:      true,
	APIKeys:      true,
	PlainErrors:  true,
	Codes:        Codes,
	Reasons:      true,
	Handler:      newA2A10,
	REST:         rest,
	GRPC:         rpcs,
	Explain:      explain,
	Notification: notification,
}

// patience bounds the wait for a task to end or to ask.
const patience = 10 * time.Minute

// second is the path of a second interface with the same agent behind it.
const second = "/rpc"

// older is the path where nothing but version 0.3 is spoken.
const older = "/older"

// Server carries out the operations of section 3.1.
type Server struct {
	*front.Server
	tenants *belongings
}

func newA2A10(s *front.Server) http.Handler {
	a := Server{s, &belongings{of: make(map[string]string)}}
	operations := &front.Service{Server: s, Guard: a.judgeVersion, Explain: a.explain, Head: a.head, Methods: map[string]front.Method{
		sendMethod:         {Reply: a.send},
		streamMethod:       {Open: a.stream},
		getMethod:          {Reply: a.get},
		listMethod:         {Reply: a.list},
		cancelMethod:       {Reply: a.cancel},
		subscribeMethod:    {Open: a.subscribe},
		createPushMethod:   {Reply: a.createPush},
		getPushMethod:      {Reply: a.getPush},
		listPushMethod:     {Reply: a.listPush},
		deletePushMethod:   {Reply: a.deletePush},
		extendedCardMethod: {Reply: a.extendedCard},
	}}
	rpc := a.versions(operations)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/agent-card.json", s.ForClients(s.Cached("card", a.cachedCard)))
	mux.HandleFunc("GET /.well-known/agent.json", s.Document("old card", front.Absent))
	mux.HandleFunc("GET "+keysPath, s.Document("keys", a.keys))
	mux.HandleFunc("GET /tasks", s.Document("rest tasks", front.Absent))
	mux.HandleFunc("GET /tasks/{id}", s.Document("rest task", front.Absent))
	mux.HandleFunc("GET /extendedAgentCard", s.Document("rest card", front.Absent))
	mux.Handle("/{$}", rpc)
	if s.Variant.Lavish {
		mux.Handle(second, rpc)
	}
	if s.Variant.Older {
		mux.Handle(older, a.olderAlone())
	}
	return front.Doors(operations, mux)
}

// versions serves each version that the server speaks to who asks for it, on one
// URL (section 3.6.2).
func (a Server) versions(rpc http.Handler) http.Handler {
	if !a.Variant.Older {
		return rpc
	}
	older := a2a03.Dialect.Handler(a.Server)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if versionOf(r) == "0.3" {
			older.ServeHTTP(w, r)
			return
		}
		rpc.ServeHTTP(w, r)
	})
}

// olderAlone serves version 0.3 at a URL of its own, and refuses calls that name another.
func (a Server) olderAlone() http.Handler {
	before := a2a03.Dialect.Handler(a.Server)
	refusal := &front.Service{Server: a.Server, Explain: a.explain, Head: a.head, Guard: func(c *front.Call) *front.RPCError {
		return &front.RPCError{Code: versionUnknown, Message: "Version " + versionOf(c.HTTP) + " is not supported here; supported: 0.3"}
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if versionOf(r) != "0.3" {
			refusal.ServeHTTP(w, r)
			return
		}
		r.URL.Path = "/"
		before.ServeHTTP(w, r)
	})
}

func (a Server) explain(c *front.Call, e *front.RPCError) { explain(a.Server, c, e) }

// send is SendMessage, section 3.1.1. It waits until the task has ended or asks for
// something, unless the client does not want to.
func (a Server) send(ctx context.Context, c *front.Call) (any, *front.RPCError) {
	p, refused := a.readSend(c)
	if refused != nil {
		return nil, refused
	}
	if p.talk {
		front.Pause(ctx, a.Latency)
		return a.chat(p.request), nil
	}
	sub, err := a.Engine.Send(p.request)
	if err != nil {
		return nil, Refusal(err)
	}
	defer sub.Close()
	a.own(c, sub.Task)
	if p.immediate {
		return &Payload{Task: a.Task(sub.Start, p.history)}, nil
	}
	sub.Settle(ctx, patience)
	t, err := a.Engine.Task(sub.Task)
	if err != nil {
		return nil, Refusal(err)
	}
	return &Payload{Task: a.Task(t, p.history)}, nil
}

// chat answers small talk, which needs no task.
func (a Server) chat(r engine.Request) *Payload {
	return &Payload{Message: writeMessage(a.NewHelloReply(r), "", r.Session)}
}

// get is GetTask, section 3.1.3.
func (a Server) get(_ context.Context, c *front.Call) (any, *front.RPCError) {
	var r front.Reader
	p := a.params(&r, c)
	id, history := required(p, "id"), p.Limit("historyLength")
	if r.Err != nil {
		return nil, r.Err
	}
	t, err := a.find(c, id)
	if err != nil {
		return nil, Refusal(err)
	}
	return a.Task(t, history), nil
}

// cancel is CancelTask, section 3.1.5. A lavish server returns a task that is
// canceled already once more.
func (a Server) cancel(_ context.Context, c *front.Call) (any, *front.RPCError) {
	id, refused := a.readID(c)
	if refused != nil {
		return nil, refused
	}
	t, err := a.find(c, id)
	if err != nil {
		return nil, Refusal(err)
	}
	if a.Variant.Lavish && t.Status.State == engine.Canceled {
		return a.Task(t, nil), nil
	}
	t, err = a.Engine.Cancel(id)
	switch {
	case errors.Is(err, engine.ErrFinished):
		return nil, &front.RPCError{Code: taskNotCancelable, Message: "Task cannot be canceled"}
	case err != nil:
		return nil, Refusal(err)
	}
	return a.Task(t, nil), nil
}
