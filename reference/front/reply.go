package front

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Timestamp writes a time in the ISO 8601 form, in UTC.
func Timestamp(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

// Without reports whether a message does not ask for the extension for payments.
func (x *Reply) Without() bool {
	return x.Method() == "message/send" && !x.Asked(func(uri string) bool { return uri == PaymentsExtension })
}

// Unlimited takes the rate limit headers from a reply.
func (x *Reply) Unlimited() {
	for _, name := range []string{"Limit", "Remaining", "Reset", "Window"} {
		x.Header.Del("X-RateLimit-" + name)
	}
}

// Forbidden reports whether v is no id.
func Forbidden(v any) bool {
	return v != nil && !IsText(v) && !IsNumber(v)
}

func Hi() map[string]any {
	return map[string]any{"type": "text", "text": "hello"}
}

// Asked reports whether the request asks for an extension for which is holds.
func (x *Reply) Asked(is func(uri string) bool) bool {
	return slices.ContainsFunc(Listed(x.HTTP, ExtensionsHeader), is)
}

// A reply is one HTTP reply on its way out: a document, the answer to a call,
// or the head of a stream.
type Reply struct {
	Server *Server
	HTTP   *http.Request
	Status int
	Header http.Header
	Body   any          // sent as JSON; nil: no body
	Raw    []byte       // sent instead of body unless nil
	event  bool         // body is sent as the one event of a stream
	rest   *RESTBinding // the binding, if it is HTTP+JSON
	rpc    *rpc         // the call, if it is one of gRPC
	ready  bool         // it has the form in which it is sent

	// What mutants need to know about the situation.
	Document string // "card", "health", …; empty for a JSON-RPC exchange
	Request  any    // the decoded request body, nil if it could not be decoded
	Call     *Call  // the call, nil for batches and for what never became one
	Opens    bool   // the head of a stream
	Sent     []byte // the request body as it came
	Perform  func() // carries out the call of a request that was refused unread

	Hang bool // set by mutants: the reply is not ended
}

func (s *Server) newReply(r *http.Request) *Reply {
	x := &Reply{Server: s, HTTP: r, Status: http.StatusOK, Header: make(http.Header), rest: s.rest(r), rpc: rpcOf(r)}
	x.Header.Set("Content-Type", "application/json")
	if allowance, ok := r.Context().Value(allowanceKey{}).(http.Header); ok {
		maps.Copy(x.Header, allowance)
	}
	return x
}

// Binding is the name of the binding in which a reply is sent.
func (x *Reply) Binding() string {
	switch {
	case x.rest != nil:
		return HTTPJSON
	case x.rpc != nil:
		return GRPC
	}
	return JSONRPC
}

// refuse turns the reply into an error.
func (x *Reply) refuse(status int, e Response) {
	x.Status, x.Body = status, e
}

// streams gives the reply the head of an event stream.
func (x *Reply) streams() {
	x.Header.Set("Content-Type", "text/event-stream")
	x.Header.Set("Cache-Control", "no-cache")
	maps.Copy(x.Header, x.Server.dialect.StreamHeader)
}

// refuseStream gives the reply the form in which a stream is not opened. If the
// protocol leaves it open, a server with streams sends one event: a client that
// waits for events reads the error from nothing else. A lavish one answers with an
// HTTP error, and one that has no streams as it refuses any call.
func (x *Reply) refuseStream() {
	switch v := x.Server.Variant; {
	case x.Server.dialect.PlainErrors && !v.Lavish:
	case !x.Server.dialect.PlainErrors && x.Binding() != JSONRPC: // the other bindings have statuses
	case !x.Server.dialect.PlainErrors && (x.Server.dialect.HTTPErrors || v.Lavish):
		x.Status = http.StatusBadRequest
	case v.Streaming:
		x.streams()
		x.event = true
	}
}

// write sends the reply, through the door for mutants.
func (x *Reply) write(w http.ResponseWriter) {
	x.spoil()
	x.send(w)
}

// send writes the reply in the form of its binding.
func (x *Reply) send(w http.ResponseWriter) {
	if x.rpc != nil {
		x.rpc.reply(x)
		return
	}
	if x.Server.Variant.Lavish {
		x.decorate()
	}
	x.transcribe()
	x.respell()
	body := x.Raw
	if body == nil && x.Body != nil {
		switch {
		case x.event:
			body = []byte(x.Server.sse(x.Server.dialect.ErrorEvent, "1", x.Body))
		case x.Server.Variant.Lavish:
			body = pretty(Encode(x.Body))
		default:
			body = Encode(x.Body)
		}
	}
	for name, values := range x.Header {
		w.Header()[name] = values
	}
	if body == nil {
		w.Header().Del("Content-Type")
	}
	w.WriteHeader(x.Status)
	w.Write(body)
	if x.Hang {
		http.NewResponseController(w).Flush()
		<-x.HTTP.Context().Done()
	}
}

// spoil lets the mutant edit the reply.
func (x *Reply) spoil() {
	edit := x.Server.Mutant.Reply
	if edit == nil {
		return
	}
	if x.Body != nil {
		x.Body = Generic(x.Body)
	}
	due := At(x.Body, "error/code")
	edit(x)
	if x.Binding() == JSONRPC || Object(x.Body, "error") == nil {
		return
	}
	x.Body = Generic(x.Body)
	if code := At(x.Body, "error/code"); code != due {
		x.renamed(Object(x.Body, "error"))
	}
}

// respell lets the mutant edit a reply of HTTP+JSON in its own form.
func (x *Reply) respell() {
	edit := x.Server.Mutant.REST
	if edit == nil || x.rest == nil || x.ready {
		return
	}
	x.ready = true
	if x.Body != nil {
		x.Body = Generic(x.Body)
	}
	edit(x)
}

// decorate adds what a server may add: headers, and members that no client asked for.
func (x *Reply) decorate() {
	x.Header.Set("X-Powered-By", "a2a-reference")
	x.Header.Add("Vary", "Accept, Accept-Encoding")
	if kept := x.Header.Get("Cache-Control"); strings.Contains(kept, "max-age") {
		x.Header.Set("Cache-Control", kept+", no-transform")
	} else {
		x.Header.Set("Cache-Control", "no-cache, no-transform")
	}
	if media := x.Header.Get("Content-Type"); !strings.Contains(media, ";") {
		x.Header.Set("Content-Type", media+"; charset=utf-8")
	}
	x.Body = adorn(Generic(x.Body))
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
		if Object(m, "error") != nil && m["jsonrpc"] == nil {
			break // of HTTP+JSON
		}
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
		case "securitySchemes", "security", "scopes", "flows", "schemes", "metadata", "data":
		default:
			v["x-lavish"] = map[string]any{"since": "always", "list": []any{1, nil}}
		}
	}
}

// Generic returns v as decoded JSON.
func Generic(v any) any {
	if v == nil {
		return nil
	}
	g, err := Decode(Encode(v))
	if err != nil {
		panic(err)
	}
	return g
}

// Encode returns the JSON of one of the server's own values.
func Encode(v any) []byte {
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
