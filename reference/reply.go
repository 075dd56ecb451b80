package reference

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// A reply is one HTTP reply on its way out: a document, the answer to a call,
// or the head of a stream.
type reply struct {
	server *Server
	http   *http.Request
	status int
	header http.Header
	body   any    // sent as JSON; nil: no body
	raw    []byte // sent instead of body unless nil
	event  bool   // body is sent as the one event of a stream

	// What mutants need to know about the situation.
	document string // "card", "health", …; empty for a JSON-RPC exchange
	request  any    // the decoded request body, nil if it could not be decoded
	call     *call  // the call, nil for batches and for what never became one
	opens    bool   // the head of a stream
	sent     []byte // the request body as it came
	perform  func() // carries out the call of a request that was refused unread

	hang bool // set by mutants: the reply is not ended
}

func (s *Server) newReply(r *http.Request) *reply {
	x := &reply{server: s, http: r, status: http.StatusOK, header: make(http.Header)}
	x.header.Set("Content-Type", "application/json")
	if allowance, ok := r.Context().Value(allowanceKey{}).(http.Header); ok {
		maps.Copy(x.header, allowance)
	}
	return x
}

// refuse turns the reply into an error.
func (x *reply) refuse(status int, e response) {
	x.status, x.body = status, e
}

// streams gives the reply the head of an event stream.
func (x *reply) streams() {
	x.header.Set("Content-Type", "text/event-stream")
	x.header.Set("Cache-Control", "no-cache")
	maps.Copy(x.header, x.server.dialect.streamHeader)
}

// refuseStream gives the reply the form in which a stream is not opened. Where the
// protocol leaves it open, a server with streams sends one event: a client that
// waits for events reads the error from nothing else. A lavish one answers with an
// HTTP error, and one that has no streams as it refuses any call.
func (x *reply) refuseStream() {
	switch v := x.server.variant; {
	case x.server.dialect.httpErrors || v.lavish:
		x.status = http.StatusBadRequest
	case v.streaming:
		x.streams()
		x.event = true
	}
}

// write sends the reply, through the door for mutants.
func (x *reply) write(w http.ResponseWriter) {
	x.spoil()
	if x.server.variant.lavish {
		x.decorate()
	}
	body := x.raw
	if body == nil && x.body != nil {
		switch {
		case x.event:
			body = []byte(x.server.sse(x.server.dialect.errorEvent, "1", x.body))
		case x.server.variant.lavish:
			body = pretty(encode(x.body))
		default:
			body = encode(x.body)
		}
	}
	for name, values := range x.header {
		w.Header()[name] = values
	}
	if body == nil {
		w.Header().Del("Content-Type")
	}
	w.WriteHeader(x.status)
	w.Write(body)
	if x.hang {
		http.NewResponseController(w).Flush()
		<-x.http.Context().Done()
	}
}

// spoil lets the mutant edit the reply.
func (x *reply) spoil() {
	edit := x.server.mutant.reply
	if edit == nil {
		return
	}
	if x.body != nil {
		x.body = generic(x.body)
	}
	edit(x)
}

// decorate adds what a server may add: headers, and members nobody asked for.
func (x *reply) decorate() {
	x.header.Set("X-Powered-By", "a2a-reference")
	x.header.Add("Vary", "Accept, Accept-Encoding")
	x.header.Set("Cache-Control", "no-cache, no-transform")
	if media := x.header.Get("Content-Type"); !strings.Contains(media, ";") {
		x.header.Set("Content-Type", media+"; charset=utf-8")
	}
	x.body = adorn(generic(x.body))
}

// adorn adds an unknown member to every object inside the results and cards
// of v. The envelope of JSON-RPC stays as it is.
func adorn(v any) any {
	switch m := v.(type) {
	case []any:
		for _, e := range m {
			adorn(e)
		}
	case map[string]any:
		if m["jsonrpc"] == nil {
			embellish("", m)
		} else {
			embellish("result", m["result"])
		}
	}
	return v
}

// embellish adds an unknown member to the object v and to those inside it. An
// object whose members are entries under names of the server's choice is left
// alone: a further member would be a further entry.
func embellish(name string, v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			embellish(name, e)
		}
	case map[string]any:
		for name, member := range v {
			embellish(name, member)
		}
		switch name {
		case "securitySchemes", "security", "scopes", "flows":
		default:
			v["x-lavish"] = map[string]any{"since": "always", "list": []any{1, nil}}
		}
	}
}

// generic returns v as decoded JSON.
func generic(v any) any {
	if v == nil {
		return nil
	}
	g, err := decode(encode(v))
	if err != nil {
		panic(err)
	}
	return g
}

// encode returns the JSON of one of the server's own values.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// pretty spreads a JSON text over lines ended by CRLF, with white space
// around it.
func pretty(body []byte) []byte {
	var b bytes.Buffer
	json.Indent(&b, body, "", "\t")
	lines := bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte("\r\n"))
	return slices.Concat([]byte("\r\n\t "), lines, []byte("\r\n"))
}
