package reference

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
	tokens = map[string]string{Token: "first", SecondToken: "second", LowToken: "low"}
	keys   = map[string]string{Key: "first"}
	basics = map[string]string{SecondBasic: "second"}
)

// clientBy tells who makes a request, by any of the ways to show it.
func clientBy(h http.Header) string {
	if token, ok := strings.CutPrefix(h.Get("Authorization"), "Bearer "); ok && tokens[token] != "" {
		return tokens[token]
	}
	if user, password, ok := (&http.Request{Header: h}).BasicAuth(); ok && basics[user+":"+password] != "" {
		return basics[user+":"+password]
	}
	return keys[h.Get(apiKeyHeader)]
}

// A caller is who makes a call, as far as the guard can tell.
type caller struct {
	credential string // what the Authorization header carries after its first word, or the API key
	client     string // "" for a stranger
	owner      string // of the task that the call is about; "" if there is none
	method     string
	body       any // the decoded call
	http       *http.Request
	notes      *notebook
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

// own makes a task the client's that makes a request.
func (s *Server) own(r *http.Request, task string) {
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
// and, where clients name their tasks, calls about the tasks of others, which it
// does not know (A2A 0.1.0, sections 4.4 and 4.6; JAF A2A 0.3.0, section
// "Authentication"). The documents are for everybody.
func (s *Server) guard(next http.Handler) http.Handler {
	if !s.variant.guarded && !s.mutant.locked {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
		if err != nil {
			return
		}
		c := &caller{http: r, notes: &s.notes}
		c.body, _ = decode(body)
		c.method = text(c.body, "method")
		_, c.credential, _ = strings.Cut(r.Header.Get("Authorization"), " ")
		key := r.Header.Get(apiKeyHeader)
		c.credential = cmp.Or(c.credential, key)
		c.client, c.owner = clientBy(r.Header), s.owners.look(taskNamed(c.body))
		if s.dialect.apiKeys && c.client == "" {
			c.client = tokens[key]
		}
		if s.mutant.guard != nil {
			s.mutant.guard(c)
		}
		refuse := func(status, code int, message string) {
			x := s.newReply(r)
			x.request, x.sent = c.body, body
			if status == http.StatusUnauthorized {
				x.header.Set("WWW-Authenticate", challenge)
			}
			x.refuse(status, response{JSONRPC: "2.0", ID: readableID(c.body), Error: &rpcError{Code: code, Message: message}})
			x.write(w)
		}
		switch {
		case c.client == "":
			refuse(http.StatusUnauthorized, s.dialect.codes.unknownCaller, "Authentication required")
			return
		case c.client == "low" && text(c.body, "params/message/parts/0/text") == "forbidden":
			refuse(http.StatusForbidden, s.dialect.codes.forbidden, "Authorization failed")
			return
		case c.owner != "" && c.owner != c.client:
			refuse(http.StatusOK, s.dialect.codes.unknownTask, "Task not found")
			return
		case c.method == "tasks/send" || c.method == "tasks/sendSubscribe":
			s.owners.claim(text(c.body, "params/id"), c.client)
		}
		// What lies beyond reads the rest of the body after what was read here.
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), clientKey{}, c.client)))
	})
}

// challenge is what a client is told that shows no credentials.
const challenge = `Bearer realm="a2a-conform"`

// forClients keeps a document from whoever shows no credentials, in a variant
// that does so (A2A 0.3.0, section 5.4).
func (s *Server) forClients(next http.HandlerFunc) http.HandlerFunc {
	if !s.variant.guardsCard {
		return next
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if clientBy(r.Header) != "" || s.dialect.apiKeys && tokens[r.Header.Get(apiKeyHeader)] != "" {
			next(w, r)
			return
		}
		x := s.newReply(r)
		x.document, x.status, x.body = "refused", http.StatusUnauthorized, map[string]any{"error": "Authentication required"}
		x.header.Set("WWW-Authenticate", challenge)
		x.write(w)
	}
}

// apiKeyHeader is where a client shows an API key.
const apiKeyHeader = "X-API-Key"

// readableID is the id of a call that was not looked at more closely; null if
// it has none.
func readableID(body any) any {
	switch id := at(body, "id").(type) {
	case string, json.Number:
		return id
	}
	return nil
}

// anonymousTo makes a guard that lets calls of one method pass without any
// credential.
func anonymousTo(methods ...string) func(*caller) {
	return func(c *caller) {
		for _, m := range methods {
			if c.method == m && c.credential == "" {
				c.client, c.owner = "first", ""
			}
		}
	}
}

var a2a01AccessMutants = inArea("discovery",
	mutant{name: "card-publishes-token", variant: "guarded", summary: "The card holds the real token.",
		reply: func(x *reply) {
			if x.document == "card" {
				put(x.body, "authentication/credentials", `{"token":"`+Token+`"}`)
			}
		}},
)
