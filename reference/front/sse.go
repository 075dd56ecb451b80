package front

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"strconv"
)

// Status makes a further event of the stream with the given state.
func (f *StreamEvent) Status(state string) any {
	e := Generic(f.Body)
	if At(e, "result/statusUpdate") != nil {
		Put(e, "result/statusUpdate/status/state", state)
		return e
	}
	Put(e, "result/status/state", state)
	Put(e, "result/final", false)
	return e
}

// ArtifactEvent makes a further event of the stream with an artifact of the
// given index.
func (f *StreamEvent) ArtifactEvent(index int) any {
	return map[string]any{"jsonrpc": "2.0", "id": At(f.Body, "id"), "result": map[string]any{
		"id":       Text(f.Body, "result/id"),
		"artifact": map[string]any{"index": index, "parts": []any{Hi()}},
	}}
}

// Further makes a further event of the stream.
func (f *StreamEvent) Further(result map[string]any) any {
	return map[string]any{"jsonrpc": "2.0", "id": At(f.Body, "id"), "result": result}
}

// A stream is a source of results that are sent as they arise.
type Stream struct {
	Bare  bool                                                     // results are sent without the envelope of JSON-RPC
	id    any                                                      // of the call that opened it
	Next  func(context.Context) (name string, result any, ok bool) // false: the end, or ctx is done
	Close func(lost bool)                                          // lost: the reader has gone
}

// Single is a stream of one result.
func Single(result any) *Stream {
	sent := false
	return &Stream{
		Next: func(context.Context) (string, any, bool) {
			first := !sent
			sent = true
			return "", result, first
		},
		Close: func(bool) {},
	}
}

// A frame is one event of a stream on its way out.
type StreamEvent struct {
	Reply *Reply // the head of the stream
	Count int    // of the events so far, from 1
	Name  string // the SSE event name; empty: none
	Body  any    // the event, as a response of JSON-RPC
	Bare  bool   // only its result is sent

	// Set by mutants.
	Raw   string // sent instead of the event unless empty
	Skip  bool   // the event is not sent
	Hold  bool   // the event is kept back until one is not
	After []any  // sent as further events
	Stay  bool   // the stream is kept open when it should end
	Cut   bool   // the stream ends after this event
}

// stream sends the events of st until it ends or the client goes away.
func (s *Server) stream(w http.ResponseWriter, x *Reply, st *Stream) {
	x.Opens = true
	x.streams()
	x.spoil()
	if x.Body == nil && x.Raw == nil {
		x.respell()
	}
	if x.Body != nil || x.Raw != nil {
		st.Close(false)
		x.send(w)
		return
	}
	out := s.feed(w, x)
	out.begin(x)

	ctx := x.HTTP.Context()
	var last StreamEvent
	for {
		name, result, ok := st.Next(ctx)
		if !ok {
			break
		}
		answer := Response{JSONRPC: "2.0", ID: st.id, Result: result}
		if fault, is := result.(*RPCError); is {
			answer.Result, answer.Error = nil, fault
		}
		f := &StreamEvent{Reply: x, Count: last.Count + 1, Name: name, Body: answer, Bare: st.Bare}
		if edit := s.Mutant.Event; edit != nil {
			f.Body = Generic(f.Body)
			edit(f)
		}
		out.keep(f)
		last = *f
		if f.Hold {
			continue
		}
		out.flush()
		if f.Cut {
			break
		}
	}
	out.flush()
	if last.Stay {
		<-ctx.Done()
	}
	lost := ctx.Err() != nil
	if lost {
		s.LostReaders.Add(1)
	}
	st.Close(lost)
}

// event returns a frame with what the mutant added, in the form of
// server-sent events.
func (s *Server) event(f *StreamEvent) string {
	var out string
	switch {
	case f.Raw != "":
		out = f.Raw
	case !f.Skip:
		out = s.sse(f.Name, strconv.Itoa(f.Count), f.Sent(f.Body))
	}
	for _, body := range f.After {
		out += s.sse(cmp.Or(Text(body, "result/kind"), f.Name), "", f.Sent(body))
	}
	return out
}

// Sent is what is sent of a JSON-RPC response: an error never comes bare.
func (f *StreamEvent) Sent(body any) any {
	if f.Reply.rest != nil {
		return f.Reply.rest.bare(f.Reply, body)
	}
	if f.Bare {
		if body = Generic(body); Has(body, "result") && !Has(body, "error") {
			return At(body, "result")
		}
	}
	return body
}

// sse writes one server-sent event. A lavish server uses all the freedom of
// the format: comments, ids, names, CRLF, and, if the protocol does not ask
// for a whole response in each data field, data over several lines.
func (s *Server) sse(name, id string, body any) string {
	var b bytes.Buffer
	eol, data := "\n", Encode(body)
	if s.Variant.Lavish {
		eol = "\r\n"
		data = Encode(adorn(Generic(body)))
		if s.dialect.Spread {
			data = bytes.TrimSpace(pretty(data))
		}
		b.WriteString(": event " + id + eol)
		b.WriteString("id: evt-" + id + eol)
		if name == "" {
			name = "message"
		}
	}
	if name != "" {
		b.WriteString("event: " + name + eol)
	}
	for line := range bytes.SplitSeq(data, []byte("\r\n")) {
		b.WriteString("data: " + string(line) + eol)
	}
	b.WriteString(eol)
	return b.String()
}
