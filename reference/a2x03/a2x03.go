package a2x03

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/a2a03"
	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// Dialect is A2A 0.3.0 as A2X uses it.
var Dialect = front.Dialect{
	Name: "a2x-0.3",
	Variants: front.WithGuards([]front.Variant{
		{Name: "full", Streaming: true, Rich: true, InputModes: front.Modes},
		{Name: "lavish", Streaming: true, Rich: true, Lavish: true, InputModes: front.Modes},
		{Name: "minimal", InputModes: []string{"text/plain"}},
		{Name: "guarded", Streaming: true, Rich: true, Guarded: true, InputModes: front.Modes},
		{Name: "paid", Streaming: true, Rich: true, Pays: true, InputModes: front.Modes},
	}),
	Mutants: sync.OnceValue(allMutants),
	Asks:    true,
	APIKeys: true,
	Codes:   a2a03.Codes,
	Reasons: true,
	Handler: newA2X03,
}

// path is the path to which calls are sent.
const path = "/api/a2a"

// unpaid is the code of a call that does not activate the extension for
// payments; the protocol has none for it.
const unpaid = -32000

// Server carries out the methods of "JSON-RPC Methods". What it has in common
// with A2A 0.3.0 it takes from there.
type Server struct {
	a2a03.Server
}

func newA2X03(s *front.Server) http.Handler {
	a := Server{a2a03.Server{Server: s}}
	rpc := &front.Service{Server: s, Head: a.head, Methods: map[string]front.Method{
		"message/send":   {Reply: a.send},
		"message/stream": {Open: a.stream},
		"tasks/get":      {Reply: a.get},
		"tasks/cancel":   {Reply: a.cancel},
	}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/agent.json", s.Document("card", func(*http.Request) (int, any) { return http.StatusOK, a.card() }))
	mux.HandleFunc("GET /.well-known/agent-card.json", s.Document("later card", front.Absent))
	mux.Handle(path, rpc)
	return mux
}

// head names the extensions that are active for a request.
func (a Server) head(h http.Header, r *http.Request) {
	if active := a.activated(r); len(active) > 0 {
		h.Set(front.ExtensionsHeader, strings.Join(active, ", "))
	}
}

// send is message/send: it waits for the outcome.
func (a Server) send(ctx context.Context, c *front.Call) (any, *front.RPCError) {
	request, refused := a.readSend(c)
	switch {
	case refused != nil:
		return nil, refused
	case front.IsHelloWithoutTask(request):
		front.Pause(ctx, a.Latency)
		return a.Chat(request), nil
	}
	sub, err := a.Engine.Send(request)
	if err != nil {
		return nil, a2a03.Refusal(err)
	}
	defer sub.Close()
	a.Own(c.HTTP, sub.Task)
	sub.Settle(ctx, 10*time.Minute)
	return a.lookUp(sub.Task)
}

// stream is message/stream. A lavish server wraps its events in the envelope of
// JSON-RPC, the others do not: the protocol shows the one and speaks of the other.
func (a Server) stream(c *front.Call) (*front.Stream, *front.RPCError) {
	if refused := a.NeedStreaming(a2a03.Unsupported); refused != nil {
		return nil, refused
	}
	request, refused := a.readSend(c)
	if refused != nil {
		return nil, refused
	}
	if front.IsHelloWithoutTask(request) {
		st := front.Single(a.Chat(request))
		st.Bare = !a.Variant.Lavish
		return st, nil
	}
	sub, err := a.Engine.Send(request)
	if err != nil {
		return nil, a2a03.Refusal(err)
	}
	a.Own(c.HTTP, sub.Task)
	if a.Variant.Lavish {
		return front.Follow(sub, a.task(sub.Start), a.Event), nil
	}
	st := a.spoken(front.Follow(sub, nil, a.Event))
	st.Bare = true
	return st, nil
}

// spoken is a stream in which what the agent says at work is told by messages of
// their own, as in the protocol's sample.
func (a Server) spoken(st *front.Stream) *front.Stream {
	next := st.Next
	var said any
	st.Next = func(ctx context.Context) (string, any, bool) {
		if said != nil {
			m := said
			said = nil
			return "", m, true
		}
		name, result, ok := next(ctx)
		switch e := result.(type) {
		case *a2a03.StatusEvent:
			if !e.Final && e.Status.Message != nil {
				said, e.Status.Message = e.Status.Message, nil
			}
			a.attach(&e.Status)
		}
		return name, result, ok
	}
	return st
}

// get is tasks/get.
func (a Server) get(_ context.Context, c *front.Call) (any, *front.RPCError) {
	id, refused := front.ReadTaskID(c)
	if refused != nil {
		return nil, refused
	}
	return a.lookUp(id)
}

func (a Server) lookUp(id string) (any, *front.RPCError) {
	t, err := a.Engine.Task(id)
	if err != nil {
		return nil, a2a03.Refusal(err)
	}
	return a.task(t), nil
}

// cancel is tasks/cancel.
func (a Server) cancel(_ context.Context, c *front.Call) (any, *front.RPCError) {
	t, refused := a.Canceled(c)
	if refused != nil {
		return nil, refused
	}
	return a.task(t), nil
}

// task writes a task without what this protocol does not show of one.
func (a Server) task(t engine.Task) *a2a03.Task {
	none := 0
	w := a.Server.Task(t, &none)
	w.Metadata = nil
	a.attach(&w.Status)
	return w
}

// attach adds a file to the answer of a rich agent, so that its messages have
// parts of every kind.
func (a Server) attach(s *a2a03.Status) {
	if a.Variant.Rich && s.State == engine.Completed && s.Message != nil {
		m := *s.Message
		file := a2a03.Part{Kind: "file", File: &a2a03.File{Name: "answer.txt", MIMEType: "text/plain", Bytes: "YW5zd2Vy"}}
		m.Parts = append(m.Parts[:len(m.Parts):len(m.Parts)], file)
		s.Message = &m
	}
}
