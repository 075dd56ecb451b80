package reference

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
)

// A stream is a source of results that are sent as they arise.
type stream struct {
	bare  bool                                                     // results are sent without the envelope of JSON-RPC
	id    any                                                      // of the call that opened it
	next  func(context.Context) (name string, result any, ok bool) // false: the end, or ctx is done
	close func(lost bool)                                          // lost: the reader has gone
}

// A frame is one event of a stream on its way out.
type frame struct {
	reply *reply // the head of the stream
	count int    // of the events so far, from 1
	name  string // the SSE event name; empty: none
	body  any    // the JSON-RPC response
	bare  bool   // only its result is sent

	// Set by mutants.
	raw   string // sent instead of the event unless empty
	skip  bool   // the event is not sent
	hold  bool   // the event is kept back until one is not
	after []any  // sent as further events
	stay  bool   // the stream is kept open when it should end
	cut   bool   // the stream ends after this event
}

// stream sends the events of st until it ends or the client goes away.
func (s *Server) stream(w http.ResponseWriter, x *reply, st *stream) {
	x.opens = true
	x.streams()
	x.spoil()
	if x.body != nil || x.raw != nil {
		st.close(false)
		x.write(w)
		return
	}
	if s.variant.lavish {
		x.decorate()
	}
	for name, values := range x.header {
		w.Header()[name] = values
	}
	w.WriteHeader(x.status)
	out := http.NewResponseController(w)
	if s.variant.lavish {
		fmt.Fprint(w, ": welcome\r\nretry: 3000\r\n\r\n")
	}
	out.Flush()

	ctx := x.http.Context()
	var held bytes.Buffer
	var last frame
	for {
		name, result, ok := st.next(ctx)
		if !ok {
			break
		}
		answer := response{JSONRPC: "2.0", ID: st.id, Result: result}
		if fault, is := result.(*rpcError); is {
			answer.Result, answer.Error = nil, fault
		}
		f := &frame{reply: x, count: last.count + 1, name: name, body: answer, bare: st.bare}
		if edit := s.mutant.event; edit != nil {
			f.body = generic(f.body)
			edit(f)
		}
		held.WriteString(s.event(f))
		last = *f
		if f.hold {
			continue
		}
		w.Write(held.Bytes())
		held.Reset()
		out.Flush()
		if f.cut {
			break
		}
	}
	w.Write(held.Bytes())
	out.Flush()
	if last.stay {
		<-ctx.Done()
	}
	lost := ctx.Err() != nil
	if lost {
		s.lostReaders.Add(1)
	}
	st.close(lost)
}

// event returns a frame with what the mutant added, in the form of
// server-sent events.
func (s *Server) event(f *frame) string {
	var out string
	switch {
	case f.raw != "":
		out = f.raw
	case !f.skip:
		out = s.sse(f.name, strconv.Itoa(f.count), f.sent(f.body))
	}
	for _, body := range f.after {
		out += s.sse(cmp.Or(text(body, "result/kind"), f.name), "", f.sent(body))
	}
	return out
}

// sent is what is sent of a JSON-RPC response: an error never comes bare.
func (f *frame) sent(body any) any {
	if f.bare {
		if body = generic(body); has(body, "result") && !has(body, "error") {
			return at(body, "result")
		}
	}
	return body
}

// sse writes one server-sent event. A lavish server uses all the freedom of
// the format: comments, ids, names, CRLF, and, where the protocol does not ask
// for a whole response in each data field, data over several lines.
func (s *Server) sse(name, id string, body any) string {
	var b bytes.Buffer
	eol, data := "\n", encode(body)
	if s.variant.lavish {
		eol = "\r\n"
		data = encode(adorn(generic(body)))
		if s.dialect.spread {
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
