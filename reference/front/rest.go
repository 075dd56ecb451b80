package front

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// The names of the bindings, as a card has them.
const (
	JSONRPC  = "JSONRPC"
	HTTPJSON = "HTTP+JSON"
	GRPC     = "GRPC"
)

// A Fault is what an error of a protocol is called outside of JSON-RPC, where it is
// told by its code.
type Fault struct {
	Reason string // in an ErrorInfo; empty: it is no error of the protocol's own
	HTTP   int    // the status of a response
	RPC    string // the name of the google.rpc.Code
}

// RESTBinding is the binding HTTP+JSON of a dialect: its operations are routes below a path.
//
// What a request asks for and what is answered have the form of JSON-RPC inside this
// server, so that a handler, a guard and a defect know but one. They take their own form
// when they are read and written.
type RESTBinding struct {
	Base    string   // the path of the interface's URL, such as /rest
	Media   string   // the type of what is sent
	Numbers []string // query parameters that are integers
	Flags   []string // … that are true or false
	Routes  []Route
	Faults  map[int]Fault // by the code of JSON-RPC

	Tenants  bool // a path may begin with a tenant
	Labelled bool // a body has to come with its type

	// These convert objects between JSON-RPC and this binding. Nil: they do not differ.
	Read   func(method string, params any) (any, *RPCError) // the params, without those of the path, in the form of JSON-RPC
	Write  func(x *Reply, result any) any                   // a result in the form of the binding
	Judge  func(x *Reply, code int, f Fault) Fault          // what an error is called in this case
	Failed func(x *Reply, e map[string]any) any             // the body that tells an error
}

// A Route is the way to an operation. Its path has names in braces for what a request
// fills in; an action may follow one of them after a colon.
type Route struct{ Verb, Path, Method string }

// rest is the binding of a request, nil if it is not made below the path of HTTP+JSON.
func (s *Server) rest(r *http.Request) *RESTBinding {
	b := cmp.Or(s.Variant.REST, s.dialect.REST)
	if b == nil || r.URL.Path != b.Base && !strings.HasPrefix(r.URL.Path, b.Base+"/") {
		return nil
	}
	return b
}

// OverREST reports whether a reply is to a request of HTTP+JSON.
func (x *Reply) OverREST() bool { return x.rest != nil }

// OverREST reports whether a request is one of HTTP+JSON.
func (s *Server) OverREST(r *http.Request) bool { return s.rest(r) != nil }

// requested is the call that a request makes, in the form of JSON-RPC.
func (s *Server) requested(r *http.Request, body []byte) (any, *RPCError) {
	if b := s.rest(r); b != nil {
		return b.call(r, body)
	}
	if c := rpcOf(r); c != nil {
		return c.call, nil
	}
	v, err := Decode(body)
	if err != nil {
		return v, notJSON()
	}
	return v, nil
}

func notJSON() *RPCError {
	return &RPCError{Code: CodeParse, Message: "The request is not valid JSON."}
}

// misrouted lets the mutant misread a request of HTTP+JSON before its route is found.
func (s *Server) misrouted(next http.Handler) http.Handler {
	edit := s.Mutant.Route
	if edit == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.OverREST(r) {
			edit(r)
		}
		next.ServeHTTP(w, r)
	})
}

// call is the call that a request makes. One without an operation has no method.
func (b *RESTBinding) call(r *http.Request, body []byte) (any, *RPCError) {
	route, filled, _ := b.find(r)
	c := map[string]any{"jsonrpc": "2.0", "method": route.Method}
	var params any = map[string]any{}
	switch {
	case route.Verb != http.MethodPost:
		params = b.query(r.URL.Query())
	case len(bytes.TrimSpace(body)) > 0:
		var err error
		if params, err = Decode(body); err != nil {
			return c, notJSON()
		}
	}
	if b.Read != nil {
		read, refused := b.Read(route.Method, params)
		if refused != nil {
			return c, refused
		}
		params = read
	}
	for name, value := range filled { // before what is of the same name elsewhere
		Put(params, name, value)
	}
	c["params"] = params
	return c, nil
}

// query reads the parameters of a query. What is not of the type that it should have stays
// a string, for the operation to refuse.
func (b *RESTBinding) query(q url.Values) map[string]any {
	params := map[string]any{}
	for name := range q {
		value := q.Get(name)
		switch {
		case slices.Contains(b.Numbers, name) && isInteger(value):
			params[name] = json.Number(value)
		case slices.Contains(b.Flags, name) && (value == "true" || value == "false"):
			params[name] = value == "true"
		default:
			params[name] = value
		}
	}
	return params
}

func isInteger(s string) bool {
	n, err := Decode([]byte(s))
	return err == nil && IsNumber(n) && !strings.ContainsAny(s, ".eE ")
}

// find returns the route of a request with what its path fills in. If there is none,
// allowed are the verbs by which the path is known.
func (b *RESTBinding) find(r *http.Request) (found Route, filled map[string]string, allowed []string) {
	path := strings.TrimPrefix(r.URL.EscapedPath(), b.Base)
	for _, prefix := range []string{"", "/{tenant}"} {
		if prefix != "" && !b.Tenants {
			break
		}
		for _, route := range b.Routes {
			values, ok := match(prefix+route.Path, path)
			switch {
			case !ok:
			case route.Verb == r.Method:
				return route, values, nil
			default:
				allowed = append(allowed, route.Verb)
			}
		}
		if allowed != nil {
			break
		}
	}
	return Route{}, nil, allowed
}

// Method is the operation that a request asks for; empty if there is none at its path.
func (b *RESTBinding) Method(r *http.Request) string {
	route, _, _ := b.find(r)
	return route.Method
}

// match compares an escaped path with the pattern of a route, segment by segment. The
// values are decoded after the path was taken apart.
func match(pattern, path string) (map[string]string, bool) {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return nil, false
	}
	values := map[string]string{}
	for i, segment := range want {
		name, action, ok := placeholder(segment)
		if !ok {
			if text, err := url.PathUnescape(got[i]); err != nil || text != segment {
				return nil, false
			}
			continue
		}
		value, ok := strings.CutSuffix(got[i], action)
		if !ok {
			return nil, false
		}
		text, err := url.PathUnescape(value)
		if err != nil {
			return nil, false
		}
		values[name] = text
	}
	return values, true
}

// placeholder takes apart a segment of a pattern such as {id}:cancel.
func placeholder(segment string) (name, action string, ok bool) {
	rest, ok := strings.CutPrefix(segment, "{")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "}")
}

// RESTDoor serves the methods of a service as the routes of HTTP+JSON.
type RESTDoor struct{ *Service }

func (s RESTDoor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := s.Server.newReply(r)
	if s.Head != nil {
		s.Head(x.Header, r)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	tooLarge := errors.As(err, new(*http.MaxBytesError))
	x.Sent = body
	route, _, allowed := x.rest.find(r)
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case allowed != nil:
		x.Header.Set("Allow", strings.Join(allowed, ", "))
		x.refuse(http.StatusMethodNotAllowed, s.refusal(nil, CodeInvalidRequest, "The path is not for "+r.Method+"."))
	case route.Method == "":
		x.refuse(http.StatusNotFound, s.refusal(nil, CodeMethodNotFound, "There is nothing at this path."))
	case media != "" && media != "application/json" && media != x.rest.Media:
		x.refuse(http.StatusUnsupportedMediaType, s.refusal(nil, CodeInvalidRequest, "Requests are sent as "+x.rest.Media+"."))
	case media == "" && x.rest.Labelled && len(body) > 0:
		x.refuse(http.StatusUnsupportedMediaType, s.refusal(nil, CodeInvalidRequest, "A request must say that it is "+x.rest.Media+"."))
	case tooLarge:
		io.Copy(io.Discard, io.LimitReader(r.Body, 64<<20))
		x.refuse(http.StatusRequestEntityTooLarge, s.refusal(nil, CodeInvalidRequest, "The request is too large."))
	case err != nil:
		return
	default:
		if st := s.serve(x, body); st != nil {
			s.Server.stream(w, x, st)
			return
		}
	}
	x.write(w)
}

// serve answers a request with a reply, or returns the stream it asks for.
func (s RESTDoor) serve(x *Reply, body []byte) *Stream {
	v, refused := x.rest.call(x.HTTP, body)
	x.Request = v
	if refused != nil {
		x.refuse(http.StatusOK, s.refuse(&Call{}, refused))
		return nil
	}
	return s.carry(x, v, HTTPJSON)
}

// transcribe gives a reply to a request of HTTP+JSON its own form: a result without its
// envelope, an error with the status of HTTP that is due to it.
func (x *Reply) transcribe() {
	if x.rest == nil || x.ready {
		return
	}
	if params, ok := strings.CutPrefix(x.Header.Get("Content-Type"), "application/json"); ok {
		x.Header.Set("Content-Type", x.rest.Media+params)
	}
	if x.Body == nil {
		return
	}
	body := Generic(x.Body)
	if e := Object(body, "error"); e != nil {
		status, failure := x.rest.failure(x, e, x.Status)
		x.Body = failure
		if !x.event {
			x.Status = status
		}
		return
	}
	x.Body = x.rest.bare(x, body)
	if x.Server.Variant.Lavish && x.HTTP.Method == http.MethodDelete { // nothing is left to tell
		x.Status, x.Body = http.StatusNoContent, nil
	}
}

// Form is an answer, which has the form of JSON-RPC, as the binding of the reply sends it.
func (x *Reply) Form(answer any) any {
	if x.rest == nil {
		return answer
	}
	return x.rest.bare(x, answer)
}

// renamed gives an error whose code a mutant chose what its dialect says about that code:
// if the code is not sent, the details alone tell what the error is.
func (x *Reply) renamed(e map[string]any) {
	code, _ := e["code"].(json.Number)
	n, _ := code.Int64()
	told := x.Server.explained(x.HTTP, x.Request, &RPCError{Code: int(n), Message: Text(e, "message")})
	if delete(e, "data"); told.Data != nil {
		e["data"] = Generic(told.Data)
	}
}

// bare is an answer without the envelope of JSON-RPC. What has none stays as it is.
func (b *RESTBinding) bare(x *Reply, answer any) any {
	body := Generic(answer)
	if Has(body, "result") {
		result := At(body, "result")
		if b.Write != nil {
			return b.Write(x, result)
		}
		return result
	}
	if e := Object(body, "error"); e != nil {
		_, failure := b.failure(x, e, http.StatusOK)
		return failure
	}
	return body
}

// failure writes an error of JSON-RPC as google.rpc.Status, unless the binding has a form
// of its own, with the status of HTTP that goes with it: the one that was chosen already,
// unless that says that all is well.
func (b *RESTBinding) failure(x *Reply, e map[string]any, chosen int) (status int, body any) {
	fault := x.fault(b.Faults, b.Judge, e, chosen)
	if b.Failed != nil {
		return fault.HTTP, Generic(b.Failed(x, e))
	}
	out := map[string]any{"code": fault.HTTP, "status": fault.RPC}
	for from, to := range map[string]string{"message": "message", "data": "details"} {
		if Has(e, from) {
			out[to] = e[from]
		}
	}
	return fault.HTTP, Generic(map[string]any{"error": out})
}

// fault is what an error of JSON-RPC is called outside of it, with the status of HTTP
// that goes with it: the one that was chosen already, unless that says that all is well.
func (x *Reply) fault(faults map[int]Fault, judge func(*Reply, int, Fault) Fault, e map[string]any, chosen int) Fault {
	number, _ := e["code"].(json.Number)
	n, _ := number.Int64()
	fault, known := faults[int(n)]
	if !known {
		fault = Fault{HTTP: http.StatusInternalServerError, RPC: "UNKNOWN"}
	}
	if judge != nil {
		fault = judge(x, int(n), fault)
	}
	if chosen != http.StatusOK {
		fault.RPC = cmp.Or(rpcNames[chosen], fault.RPC)
		fault.HTTP = chosen
	}
	return fault
}

// rpcNames are the codes of google.rpc for what HTTP itself refuses.
var rpcNames = map[int]string{
	http.StatusUnauthorized:          "UNAUTHENTICATED",
	http.StatusForbidden:             "PERMISSION_DENIED",
	http.StatusNotFound:              "NOT_FOUND",
	http.StatusMethodNotAllowed:      "UNIMPLEMENTED",
	http.StatusRequestEntityTooLarge: "INVALID_ARGUMENT",
	http.StatusUnsupportedMediaType:  "INVALID_ARGUMENT",
	http.StatusTooManyRequests:       "RESOURCE_EXHAUSTED",
	http.StatusInternalServerError:   "INTERNAL",
	http.StatusServiceUnavailable:    "UNAVAILABLE",
}
