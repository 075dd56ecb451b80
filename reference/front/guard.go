package front

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
)

// The credentials that the variant guarded accepts: bearer tokens, and for the
// first two clients an API key and a name with its password too.
const (
	Token       = "a2a-conform-reference-token"
	SecondToken = "a2a-conform-reference-second-token" // of an unrelated client
	LowToken    = "a2a-conform-reference-low-token"    // of one that may not send "forbidden"
	Key         = "a2a-conform-reference-key"
	SecondBasic = "second:a2a-conform-reference-password"
)

var (
	Tokens = map[string]string{Token: "first", SecondToken: "second", LowToken: "low"}
	keys   = map[string]string{Key: "first"}
	basics = map[string]string{SecondBasic: "second"}
)

// clientBy returns the client that makes a request, by any of the credentials it may send.
func clientBy(h http.Header) string {
	if token, ok := strings.CutPrefix(h.Get("Authorization"), "Bearer "); ok && Tokens[token] != "" {
		return Tokens[token]
	}
	if user, password, ok := (&http.Request{Header: h}).BasicAuth(); ok && basics[user+":"+password] != "" {
		return basics[user+":"+password]
	}
	return keys[h.Get(APIKeyHeader)]
}

// A caller is who makes a call, as far as the guard can tell.
type Caller struct {
	Credential string // what the Authorization header carries after its first word, or the API key
	Client     string // "" for a stranger
	Owner      string // of the task that the call is about; "" if there is none
	Working    bool   // the agent works on that task
	Method     string
	Body       any // the decoded call
	HTTP       *http.Request
	Notes      *MutantState
}

// owners remembers who began which task.
type owners struct {
	mu sync.Mutex
	of map[string]string
}

func (o *owners) look(task string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.of[task]
}

// A clientKey is the key under which the context of a request has the client
// that makes it.
type clientKey struct{}

// Own makes a task the client's that makes a request.
func (s *Server) Own(r *http.Request, task string) {
	if client, ok := r.Context().Value(clientKey{}).(string); ok {
		s.owners.claim(task, client)
	}
}

func (o *owners) claim(task, client string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of == nil {
		o.of = map[string]string{}
	}
	if task != "" && o.of[task] == "" {
		o.of[task] = client
	}
}

// guard refuses calls without credentials, calls that the client may not make,
// and, if clients name their tasks, calls about the tasks of others, which it
// does not know (A2A 0.1.0, sections 4.4 and 4.6; JAF A2A 0.3.0, section
// "Authentication"). The documents are for everybody.
func (s *Server) guard(next http.Handler) http.Handler {
	if !s.Variant.Guarded && !s.Mutant.RequiresAuth {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && !s.OverREST(r) {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
		if err != nil {
			return
		}
		c := &Caller{HTTP: r, Notes: &s.Notes}
		c.Body, _ = s.requested(r, body)
		c.Method = Text(c.Body, "method")
		_, c.Credential, _ = strings.Cut(r.Header.Get("Authorization"), " ")
		key := r.Header.Get(APIKeyHeader)
		c.Credential = cmp.Or(c.Credential, key)
		c.Client, c.Owner = clientBy(r.Header), s.owners.look(taskNamed(c.Body))
		if t, err := s.Engine.Task(taskNamed(c.Body)); err == nil {
			c.Working = !t.Status.State.Final()
		}
		if s.dialect.APIKeys && c.Client == "" {
			c.Client = Tokens[key]
		}
		if s.Mutant.Guard != nil {
			s.Mutant.Guard(c)
		}
		refuse := func(status, code int, message string) {
			x := s.newReply(r)
			x.Request, x.Sent = c.Body, body
			if status == http.StatusUnauthorized {
				x.Header.Set("WWW-Authenticate", challenge)
			}
			e := &RPCError{Code: code, Message: message}
			if s.Variant.Refuses == WithError && s.dialect.Reasons && status != http.StatusOK {
				e.Data = reasonOf(status)
			}
			x.refuse(status, Response{JSONRPC: "2.0", ID: readableID(c.Body), Error: s.explained(r, c.Body, e)})
			if status != http.StatusOK {
				x.turnAway()
			}
			x.write(w)
		}
		switch {
		case c.Client == "":
			refuse(http.StatusUnauthorized, s.dialect.Codes.UnknownCaller, "Authentication required")
			return
		case c.Client == "low" && Text(c.Body, "params/message/parts/0/text") == "forbidden":
			refuse(http.StatusForbidden, s.dialect.Codes.Forbidden, "Authorization failed")
			return
		case c.Owner != "" && c.Owner != c.Client:
			refuse(http.StatusOK, s.dialect.Codes.UnknownTask, "Task not found")
			return
		case c.Method == "tasks/send" || c.Method == "tasks/sendSubscribe":
			s.owners.claim(Text(c.Body, "params/id"), c.Client)
		}
		// What lies beyond reads the rest of the body after what was read here.
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), clientKey{}, c.Client)))
	})
}

// explained adds the data of the dialect to a refusal of a call that was not looked
// at more closely.
func (s *Server) explained(r *http.Request, body any, e *RPCError) *RPCError {
	if s.dialect.Explain != nil {
		s.dialect.Explain(s, &Call{HTTP: r, Body: body, Method: Text(body, "method"), Params: At(body, "params")}, e)
	}
	return e
}

// Shows reports whether the client that makes a request may see a task: where
// there is a guard, it must be its own.
func (s *Server) Shows(r *http.Request, task string) bool {
	client, guarded := r.Context().Value(clientKey{}).(string)
	return !guarded || s.owners.look(task) == client
}

// Client is the client that makes a request; empty if there is no guard.
func (s *Server) Client(r *http.Request) string {
	client, _ := r.Context().Value(clientKey{}).(string)
	return client
}

// challenge is what a client without credentials is asked for.
const challenge = `Bearer realm="a2a-conform"`

// ForClients keeps a document from whoever shows no credentials, in a variant
// that does so (A2A 0.3.0, section 5.4).
func (s *Server) ForClients(next http.HandlerFunc) http.HandlerFunc {
	if !s.Variant.GuardsCard {
		return next
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if clientBy(r.Header) != "" || s.dialect.APIKeys && Tokens[r.Header.Get(APIKeyHeader)] != "" {
			next(w, r)
			return
		}
		x := s.newReply(r)
		x.Document, x.Status, x.Body = "refused", http.StatusUnauthorized, map[string]any{"error": "Authentication required"}
		x.Header.Set("WWW-Authenticate", challenge)
		x.write(w)
	}
}

// APIKeyHeader is the header in which a client sends an API key.
const APIKeyHeader = "X-API-Key"

// readableID is the id of a call that was not looked at more closely; null if
// it has none.
func readableID(body any) any {
	switch id := At(body, "id").(type) {
	case string, json.Number:
		return id
	}
	return nil
}

// AnonymousTo makes a guard that lets calls of one method pass without any
// credential.
func AnonymousTo(methods ...string) func(*Caller) {
	return func(c *Caller) {
		for _, m := range methods {
			if c.Method == m && c.Credential == "" {
				c.Client, c.Owner = "first", ""
			}
		}
	}
}
