package front

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// The functions of this file are what the agent does in the same way in several protocols.

// The extensions of the agent. The first is required by the variant extended; the second
// only adds to the card and cannot be activated.
const (
	Trace      = "https://conform.example.com/ext/trace/v1"
	Provenance = "https://conform.example.com/ext/provenance/v1"
)

// ActivatedExtensions returns the extensions that a request activates by a header: those it asks for
// that the server has in exactly that version.
func (s *Server) ActivatedExtensions(r *http.Request, header string) []string {
	if s.Variant.Rich && slices.Contains(Listed(r, header), Trace) {
		return []string{Trace}
	}
	return nil
}

// Modes are the media types that the agent takes and, in a rich server, makes.
var Modes = []string{"application/json", "text/plain", "image/png"}

// OutputModes returns the media types that the agent makes.
func (s *Server) OutputModes() []string {
	if s.Variant.Rich {
		return Modes
	}
	return []string{"text/plain"}
}

// Offers reports whether the agent answers in a mode that a client accepts.
func (s *Server) Offers(mode string) bool {
	return slices.ContainsFunc(s.OutputModes(), func(own string) bool { return engine.Accepts(mode, own) })
}

// Accept refuses content of a type that the card does not list, with the code of the protocol.
func (s *Server) Accept(m Members, mediaType string, code int) {
	if !s.Takes(mediaType) {
		m.R.Refuse(code, "%s is of the unsupported type %q.", m.At, mediaType)
	}
}

// ReadTaskID reads params that name a task by its id.
func ReadTaskID(c *Call) (string, *RPCError) {
	var r Reader
	p := r.Params(c)
	id := p.Required("id")
	p.Metadata()
	return id, r.Err
}

// ReadPush reads a configuration of push notifications with a list of schemes. One of
// several has an id.
func ReadPush(m Members, oneOfSeveral bool) *engine.Push {
	p := &engine.Push{URL: m.Required("url"), Token: m.Optional("token")}
	if oneOfSeveral && m.Has("id") {
		p.ID = m.Required("id")
	}
	m.CheckWebhook("url", p.URL)
	if auth, ok := m.Object("authentication", false); ok {
		p.Schemes, p.Credentials = auth.Strings("schemes"), auth.Optional("credentials")
	}
	return p
}

// CheckWebhook records a fault if the agent does not call the URL in a member.
func (m Members) CheckWebhook(name, url string) {
	if why := UnfitWebhook(url); why != "" {
		m.R.Fault("%s %s.", m.Path(name), why)
	}
}

// NeedStreaming refuses a call for a stream with the given code if the server has none.
func (s *Server) NeedStreaming(code int) *RPCError {
	if s.Variant.Streaming {
		return nil
	}
	return &RPCError{Code: code, Message: "Streaming is not supported"}
}

// IsHelloWithoutTask reports whether a message is answered by another, without a task.
func IsHelloWithoutTask(r engine.Request) bool {
	parts := r.Message.Parts
	if r.Task != "" || len(parts) == 0 || parts[0].Text == nil {
		return false
	}
	text := strings.TrimSpace(*parts[0].Text)
	return text == "hello" || text == engine.MessagePrefix || strings.HasPrefix(text, engine.MessagePrefix+" ")
}

// NewHelloReply returns the answer to small talk.
func (s *Server) NewHelloReply(r engine.Request) *engine.Message {
	m := &engine.Message{ID: s.NewID(), Role: engine.Agent, Parts: []engine.Part{engine.Text("Hello to you.")}, Extensions: r.Message.Extensions}
	if s.Variant.Rich {
		m.Metadata = map[string]any{"agent": "reference"}
	}
	return m
}

// LatestHistoryOrVariantDefault returns as many of the latest messages of a task as the client wants. If it
// does not say, a rich server shows them all, another one none.
func (s *Server) LatestHistoryOrVariantDefault(t engine.Task, limit *int) []engine.Message {
	n := 0
	if limit != nil {
		n = *limit
	} else if s.Variant.Rich {
		n = len(t.History)
	}
	return t.History[max(0, len(t.History)-n):]
}

// EventMetadata returns the metadata of events, which only a rich server has.
func (s *Server) EventMetadata() map[string]any {
	if !s.Variant.Rich {
		return nil
	}
	return map[string]any{"source": "reference"}
}

// Follow sends the changes of a task in the form that write gives them, after a first
// result unless that is nil. The change that a first result shows already is not sent again.
func Follow(sub *engine.Subscription, first any, write func(engine.Event) any) *Stream {
	begun := first == nil
	return &Stream{
		Next: func(ctx context.Context) (string, any, bool) {
			if !begun {
				begun = true
				return "", first, true
			}
			for {
				ev, ok := sub.Next(ctx)
				if !ok {
					return "", nil, false
				}
				if ev.Status == nil || ev.Status.Message != sub.Start.Status.Message || ev.Final {
					return "", write(ev), true
				}
			}
		},
		Close: sub.Leave,
	}
}
