package reference

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// a2x03 is A2A 0.3.0 as A2X uses it.
var a2x03 = dialect{
	name: "a2x-0.3",
	variants: []variant{
		{name: "full", streaming: true, rich: true, inputModes: a2a03Modes},
		{name: "lavish", streaming: true, rich: true, lavish: true, inputModes: a2a03Modes},
		{name: "minimal", inputModes: []string{"text/plain"}},
		{name: "guarded", streaming: true, rich: true, guarded: true, inputModes: a2a03Modes},
		{name: "paid", streaming: true, rich: true, pays: true, inputModes: a2a03Modes},
	},
	mutants: a2x03Mutants(),
	asks:    true,
	apiKeys: true,
	codes:   a2a03Codes,
	handler: newA2X03,
}

// a2x03Path is where calls go.
const a2x03Path = "/api/a2a"

// a2x03Unpaid is the code of a call that does not activate the extension for
// payments; the protocol has none for it.
const a2x03Unpaid = -32000

// a2x03Server carries out the methods of "JSON-RPC Methods". What it has in common
// with A2A 0.3.0 it takes from there.
type a2x03Server struct {
	a2a03Server
}

func newA2X03(s *Server) http.Handler {
	a := a2x03Server{a2a03Server{s}}
	rpc := &service{server: s, head: a.head, methods: map[string]method{
		"message/send":   {reply: a.send},
		"message/stream": {open: a.stream},
		"tasks/get":      {reply: a.get},
		"tasks/cancel":   {reply: a.cancel},
	}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/agent.json", s.document("card", func(*http.Request) (int, any) { return http.StatusOK, a.card() }))
	mux.HandleFunc("GET /.well-known/agent-card.json", s.document("later card", absent))
	mux.Handle(a2x03Path, rpc)
	return mux
}

// head names the extensions that are active for a request.
func (a a2x03Server) head(h http.Header, r *http.Request) {
	if active := a.activated(r); len(active) > 0 {
		h.Set(extensionsHeader, strings.Join(active, ", "))
	}
}

// send is message/send: it waits for the outcome.
func (a a2x03Server) send(ctx context.Context, c *call) (any, *rpcError) {
	request, refused := a.readSend(c)
	switch {
	case refused != nil:
		return nil, refused
	case smallTalk(request):
		pause(ctx, a.latency)
		return a.chat(request), nil
	}
	sub, err := a.engine.Send(request)
	if err != nil {
		return nil, a2a03Refusal(err)
	}
	defer sub.Close()
	a.own(c.http, sub.Task)
	sub.Settle(ctx, 10*time.Minute)
	return a.lookUp(sub.Task)
}

// stream is message/stream. A lavish server wraps its events in the envelope of
// JSON-RPC, the others do not: the protocol shows the one and speaks of the other.
func (a a2x03Server) stream(c *call) (*stream, *rpcError) {
	if refused := a.needStreaming(); refused != nil {
		return nil, refused
	}
	request, refused := a.readSend(c)
	if refused != nil {
		return nil, refused
	}
	if smallTalk(request) {
		st := only(a.chat(request))
		st.bare = !a.variant.lavish
		return st, nil
	}
	sub, err := a.engine.Send(request)
	if err != nil {
		return nil, a2a03Refusal(err)
	}
	a.own(c.http, sub.Task)
	if a.variant.lavish {
		return a.follow(sub, a.task(sub.Start)), nil
	}
	st := a.spoken(a.follow(sub, nil))
	st.bare = true
	return st, nil
}

// spoken is a stream in which what the agent says at work is told by messages of
// their own, as in the protocol's sample.
func (a a2x03Server) spoken(st *stream) *stream {
	next := st.next
	var said any
	st.next = func(ctx context.Context) (string, any, bool) {
		if said != nil {
			m := said
			said = nil
			return "", m, true
		}
		name, result, ok := next(ctx)
		switch e := result.(type) {
		case *a2a03StatusEvent:
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
func (a a2x03Server) get(_ context.Context, c *call) (any, *rpcError) {
	id, refused := readA2A03ID(c)
	if refused != nil {
		return nil, refused
	}
	return a.lookUp(id)
}

func (a a2x03Server) lookUp(id string) (any, *rpcError) {
	t, err := a.engine.Task(id)
	if err != nil {
		return nil, a2a03Refusal(err)
	}
	return a.task(t), nil
}

// cancel is tasks/cancel.
func (a a2x03Server) cancel(_ context.Context, c *call) (any, *rpcError) {
	t, refused := a.canceled(c)
	if refused != nil {
		return nil, refused
	}
	return a.task(t), nil
}

// task writes a task without what this protocol does not show of one.
func (a a2x03Server) task(t engine.Task) *a2a03Task {
	none := 0
	w := a.a2a03Server.task(t, &none)
	w.Metadata = nil
	a.attach(&w.Status)
	return w
}

// attach adds a file to the answer of a rich agent, so that its messages have
// parts of every kind.
func (a a2x03Server) attach(s *a2a03Status) {
	if a.variant.rich && s.State == engine.Completed && s.Message != nil {
		m := *s.Message
		file := a2a03Part{Kind: "file", File: &a2a03File{Name: "answer.txt", MIMEType: "text/plain", Bytes: "YW5zd2Vy"}}
		m.Parts = append(m.Parts[:len(m.Parts):len(m.Parts)], file)
		s.Message = &m
	}
}
