package front

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"unicode/utf8"
)

// The codes JSON-RPC 2.0 itself assigns.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
)

// MaxBody is the largest request body that is looked at.
const MaxBody = 4 << 20

// A call is one request for an operation as it was read, in the form of JSON-RPC.
type Call struct {
	ID           any // string, json.Number or nil
	Notification bool
	Method       string
	Params       any
	HTTP         *http.Request
	Binding      string // JSONRPC, HTTP+JSON or GRPC

	// For mutants.
	Body   any // the decoded request
	Notes  *MutantState
	Server *Server
}

// An rpcError is a refusal in the form of JSON-RPC.
type RPCError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
	Field   string `json:"-"` // where the params are wrong, as a path from params
}

// A response is the envelope of every reply and stream event.
type Response struct {
	JSONRPC string    `json:"jsonrpc"`
	ID      any       `json:"id"`
	Result  any       `json:"result,omitempty"`
	Error   *RPCError `json:"error,omitempty"`
}

// A method answers with one result (reply) or with a stream (open).
type Method struct {
	Reply func(context.Context, *Call) (any, *RPCError)
	Open  func(*Call) (*Stream, *RPCError)
}

// A service serves the JSON-RPC methods of a dialect at one URL.
type Service struct {
	Server  *Server
	Methods map[string]Method
	Guard   func(*Call) *RPCError            // refuses before the method is looked at; may be nil
	Explain func(*Call, *RPCError)           // adds data to a refusal; may be nil
	Head    func(http.Header, *http.Request) // headers of every reply; may be nil
}

func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := s.Server.newReply(r)
	if s.Head != nil {
		s.Head(x.Header, r)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	tooLarge := errors.As(err, new(*http.MaxBytesError))
	x.Sent = body
	x.Perform = func() {
		x.Status = http.StatusOK
		s.serve(x, body)
	}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Method != http.MethodPost:
		x.Header.Set("Allow", http.MethodPost)
		x.refuse(http.StatusMethodNotAllowed, s.refusal(nil, CodeInvalidRequest, "Calls are sent by POST."))
	case media != "application/json":
		x.refuse(http.StatusUnsupportedMediaType, s.refusal(nil, CodeInvalidRequest, "Calls are sent as application/json."))
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

// serve answers a body with a reply, or returns the stream it asks for.
func (s *Service) serve(x *Reply, body []byte) *Stream {
	v, err := Decode(body)
	if err != nil {
		x.refuse(http.StatusOK, s.refusal(nil, CodeParse, "The request is not valid JSON."))
		return nil
	}
	x.Request = v
	if batch, ok := v.([]any); ok && len(batch) > 0 {
		s.serveBatch(x, batch)
		return nil
	}
	c, refused := s.read(v, x.HTTP)
	x.Call = c
	if refused != nil {
		x.refuse(http.StatusOK, s.refuse(c, refused))
		return nil
	}
	return s.perform(x, c)
}

// carry answers a call of another binding, which it has brought into the form of JSON-RPC,
// with a reply, or returns the stream it asks for.
func (s *Service) carry(x *Reply, body any, binding string) *Stream {
	c := &Call{HTTP: x.HTTP, Binding: binding, Method: Text(body, "method"), Body: body, Notes: &s.Server.Notes, Server: s.Server}
	if misread := s.Server.Mutant.Call; misread != nil {
		misread(c)
	}
	c.Method, c.Params = Text(body, "method"), At(body, "params")
	x.Call, x.Request = c, body
	return s.perform(x, c)
}

// perform answers a call with a reply, or returns the stream it asks for.
func (s *Service) perform(x *Reply, c *Call) *Stream {
	m, refused := s.find(c)
	switch {
	case c.Notification:
		x.Status = http.StatusNoContent
		if refused == nil {
			s.carryOut(c, m)
		}
	case refused == nil && m.Open != nil:
		st, refused := m.Open(c)
		if refused != nil {
			x.refuseStream()
			x.Body = s.refuse(c, refused)
			return nil
		}
		st.id = c.ID
		return st
	default:
		x.Body = s.answer(c, m, refused)
	}
	return nil
}

// carryOut carries out a notification. Its outcome is not reported: the
// task of a stream continues without a reader.
func (s *Service) carryOut(c *Call, m Method) {
	if m.Open == nil {
		m.Reply(c.HTTP.Context(), c)
		return
	}
	if st, refused := m.Open(c); refused == nil {
		st.Close(false)
	}
}

// serveBatch answers the calls of a batch in their order, leaving out the
// notifications among them.
func (s *Service) serveBatch(x *Reply, batch []any) {
	answers := []Response{}
	for _, v := range batch {
		c, refused := s.read(v, x.HTTP)
		if refused != nil {
			answers = append(answers, s.refuse(c, refused))
			continue
		}
		m, refused := s.find(c)
		if m.Open != nil {
			refused = &RPCError{Code: CodeInvalidRequest, Message: "A stream cannot be part of a batch."}
		}
		if answer := s.answer(c, m, refused); !c.Notification {
			answers = append(answers, answer)
		}
	}
	if len(answers) == 0 {
		x.Status = http.StatusNoContent
		return
	}
	x.Body = answers
}

// read judges the envelope of a call. The call it returns with a refusal has
// the id the refusal must have: null if it could not be determined.
func (s *Service) read(v any, r *http.Request) (*Call, *RPCError) {
	c := &Call{HTTP: r, Binding: JSONRPC, Body: v, Notes: &s.Server.Notes, Server: s.Server}
	invalid := func(why string) (*Call, *RPCError) {
		return c, &RPCError{Code: CodeInvalidRequest, Message: why}
	}
	m, ok := v.(map[string]any)
	if !ok {
		return invalid("The request is not an object.")
	}
	if misread := s.Server.Mutant.Call; misread != nil {
		c.Method, _ = m["method"].(string)
		misread(c)
		c.Method = ""
	}
	id, present := m["id"]
	switch id.(type) {
	case string, json.Number, nil:
		c.ID = id
	default:
		return invalid("The id is not a string, a number or null.")
	}
	if version, _ := m["jsonrpc"].(string); version != "2.0" {
		return invalid("The jsonrpc member is not \"2.0\".")
	}
	if c.Method, ok = m["method"].(string); !ok {
		return invalid("The method is not a string.")
	}
	switch m["params"].(type) {
	case map[string]any, []any, nil:
		c.Params = m["params"]
	default:
		return invalid("The params are neither an object nor an array.")
	}
	c.Notification = !present
	return c, nil
}

// find returns the method a call names.
func (s *Service) find(c *Call) (Method, *RPCError) {
	if s.Guard != nil {
		if refused := s.Guard(c); refused != nil {
			return Method{}, refused
		}
	}
	m, ok := s.Methods[c.Method]
	if !ok {
		return m, &RPCError{Code: CodeMethodNotFound, Message: "Method not found"}
	}
	return m, nil
}

// answer carries out a call unless it was refused already, and wraps what
// comes of it.
func (s *Service) answer(c *Call, m Method, refused *RPCError) Response {
	var result any
	if refused == nil {
		result, refused = m.Reply(c.HTTP.Context(), c)
	}
	if refused != nil {
		return s.refuse(c, refused)
	}
	return Response{JSONRPC: "2.0", ID: c.ID, Result: result}
}

// refuse wraps a refusal of c.
func (s *Service) refuse(c *Call, e *RPCError) Response {
	if s.Explain != nil {
		s.Explain(c, e)
	}
	return Response{JSONRPC: "2.0", ID: c.ID, Error: e}
}

// refusal refuses what never became a call.
func (s *Service) refusal(id any, code int, message string) Response {
	return s.refuse(&Call{ID: id}, &RPCError{Code: code, Message: message})
}

// Decode reads one JSON text, keeping numbers as they are written.
func Decode(body []byte) (any, error) {
	if !utf8.Valid(body) {
		return nil, errors.New("not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one JSON text")
	}
	return v, nil
}
