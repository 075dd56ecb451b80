package reference

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
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeMethodNotFound = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
)

// maxBody is the largest request body that is looked at.
const maxBody = 4 << 20

// A call is one JSON-RPC request as it was read.
type call struct {
	id           any // string, json.Number or nil
	notification bool
	method       string
	params       any
	http         *http.Request

	// For mutants.
	body   any // the decoded request
	notes  *notebook
	server *Server
}

// An rpcError is a refusal in the form of JSON-RPC.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// A response is the envelope of every reply and stream event.
type response struct {
	JSONRPC string    `json:"jsonrpc"`
	ID      any       `json:"id"`
	Result  any       `json:"result,omitempty"`
	Error   *rpcError `json:"error,omitempty"`
}

// A method answers with one result (reply) or with a stream (open).
type method struct {
	reply func(context.Context, *call) (any, *rpcError)
	open  func(*call) (*stream, *rpcError)
}

// A service serves the JSON-RPC methods of a dialect at one URL.
type service struct {
	server  *Server
	methods map[string]method
	guard   func(*call) *rpcError            // refuses before the method is looked at; may be nil
	explain func(*call, *rpcError)           // adds data to a refusal; may be nil
	head    func(http.Header, *http.Request) // headers of every reply; may be nil
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := s.server.newReply(r)
	if s.head != nil {
		s.head(x.header, r)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	tooLarge := errors.As(err, new(*http.MaxBytesError))
	x.sent = body
	x.perform = func() {
		x.status = http.StatusOK
		s.serve(x, body)
	}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Method != http.MethodPost:
		x.header.Set("Allow", http.MethodPost)
		x.refuse(http.StatusMethodNotAllowed, s.refusal(nil, codeInvalidRequest, "Calls are sent by POST."))
	case media != "application/json":
		x.refuse(http.StatusUnsupportedMediaType, s.refusal(nil, codeInvalidRequest, "Calls are sent as application/json."))
	case tooLarge:
		io.Copy(io.Discard, io.LimitReader(r.Body, 64<<20))
		x.refuse(http.StatusRequestEntityTooLarge, s.refusal(nil, codeInvalidRequest, "The request is too large."))
	case err != nil:
		return
	default:
		if st := s.serve(x, body); st != nil {
			s.server.stream(w, x, st)
			return
		}
	}
	x.write(w)
}

// serve answers a body with a reply, or returns the stream it asks for.
func (s *service) serve(x *reply, body []byte) *stream {
	v, err := decode(body)
	if err != nil {
		x.refuse(http.StatusOK, s.refusal(nil, codeParse, "The request is not valid JSON."))
		return nil
	}
	x.request = v
	if batch, ok := v.([]any); ok && len(batch) > 0 {
		s.serveBatch(x, batch)
		return nil
	}
	c, refused := s.read(v, x.http)
	x.call = c
	if refused != nil {
		x.refuse(http.StatusOK, s.refuse(c, refused))
		return nil
	}
	m, refused := s.find(c)
	switch {
	case c.notification:
		x.status = http.StatusNoContent
		if refused == nil {
			s.carryOut(c, m)
		}
	case refused == nil && m.open != nil:
		st, refused := m.open(c)
		if refused != nil {
			x.refuseStream()
			x.body = s.refuse(c, refused)
			return nil
		}
		st.id = c.id
		return st
	default:
		x.body = s.answer(c, m, refused)
	}
	return nil
}

// carryOut carries out a notification. What comes of it is told to nobody: the
// task of a stream goes on without a reader.
func (s *service) carryOut(c *call, m method) {
	if m.open == nil {
		m.reply(c.http.Context(), c)
		return
	}
	if st, refused := m.open(c); refused == nil {
		st.close(false)
	}
}

// serveBatch answers the calls of a batch in their order, leaving out the
// notifications among them.
func (s *service) serveBatch(x *reply, batch []any) {
	answers := []response{}
	for _, v := range batch {
		c, refused := s.read(v, x.http)
		if refused != nil {
			answers = append(answers, s.refuse(c, refused))
			continue
		}
		m, refused := s.find(c)
		if m.open != nil {
			refused = &rpcError{Code: codeInvalidRequest, Message: "A stream cannot be part of a batch."}
		}
		if answer := s.answer(c, m, refused); !c.notification {
			answers = append(answers, answer)
		}
	}
	if len(answers) == 0 {
		x.status = http.StatusNoContent
		return
	}
	x.body = answers
}

// read judges the envelope of a call. The call it returns with a refusal has
// the id the refusal must carry: null where it could not be determined.
func (s *service) read(v any, r *http.Request) (*call, *rpcError) {
	c := &call{http: r, body: v, notes: &s.server.notes, server: s.server}
	invalid := func(why string) (*call, *rpcError) {
		return c, &rpcError{Code: codeInvalidRequest, Message: why}
	}
	m, ok := v.(map[string]any)
	if !ok {
		return invalid("The request is not an object.")
	}
	if misread := s.server.mutant.call; misread != nil {
		c.method, _ = m["method"].(string)
		misread(c)
		c.method = ""
	}
	id, present := m["id"]
	switch id.(type) {
	case string, json.Number, nil:
		c.id = id
	default:
		return invalid("The id is not a string, a number or null.")
	}
	if version, _ := m["jsonrpc"].(string); version != "2.0" {
		return invalid("The jsonrpc member is not \"2.0\".")
	}
	if c.method, ok = m["method"].(string); !ok {
		return invalid("The method is not a string.")
	}
	switch m["params"].(type) {
	case map[string]any, []any, nil:
		c.params = m["params"]
	default:
		return invalid("The params are neither an object nor an array.")
	}
	c.notification = !present
	return c, nil
}

// find returns the method a call names.
func (s *service) find(c *call) (method, *rpcError) {
	if s.guard != nil {
		if refused := s.guard(c); refused != nil {
			return method{}, refused
		}
	}
	m, ok := s.methods[c.method]
	if !ok {
		return m, &rpcError{Code: codeMethodNotFound, Message: "Method not found"}
	}
	return m, nil
}

// answer carries out a call unless it was refused already, and wraps what
// comes of it.
func (s *service) answer(c *call, m method, refused *rpcError) response {
	var result any
	if refused == nil {
		result, refused = m.reply(c.http.Context(), c)
	}
	if refused != nil {
		return s.refuse(c, refused)
	}
	return response{JSONRPC: "2.0", ID: c.id, Result: result}
}

// refuse wraps a refusal of c.
func (s *service) refuse(c *call, e *rpcError) response {
	if s.explain != nil {
		s.explain(c, e)
	}
	return response{JSONRPC: "2.0", ID: c.id, Error: e}
}

// refusal refuses what never became a call.
func (s *service) refusal(id any, code int, message string) response {
	return s.refuse(&call{id: id}, &rpcError{Code: code, Message: message})
}

// decode reads one JSON text, keeping numbers as they are written.
func decode(body []byte) (any, error) {
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
