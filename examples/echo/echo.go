// Package echo is a small agent for A2A 0.1.0: it answers every message at
// once with the text it was sent. It streams nothing, pushes nothing, asks
// nothing, and keeps its tasks in memory.
package echo

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"unicode/utf8"
)

// Agent is an http.Handler that serves the card and the calls.
type Agent struct {
	mu    sync.Mutex
	tasks map[string]task
}

type task struct {
	ID        string    `json:"id"`
	SessionID string    `json:"sessionId,omitempty"`
	Status    status    `json:"status"`
	History   []message `json:"history,omitempty"`
}

type status struct {
	State   string  `json:"state"`
	Message message `json:"message"`
}

type message struct {
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// fault is a JSON-RPC error.
type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (f *fault) Error() string { return f.Message }

func invalid(text string) *fault { return &fault{-32602, text} }

func (a *Agent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == "/.well-known/agent.json" {
		reply(w, http.StatusOK, map[string]any{
			"name": "Echo", "version": "1.0.0", "url": "http://" + r.Host + "/", "capabilities": map[string]any{},
			"skills": []any{map[string]any{"id": "echo", "name": "Echo"}},
		})
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		reply(w, http.StatusUnsupportedMediaType, failure(nil, &fault{-32600, "The body is not labelled as JSON"}))
		return
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		reply(w, http.StatusRequestEntityTooLarge, failure(nil, &fault{-32600, "The request is too large"}))
		return
	}
	a.call(w, text)
}

func (a *Agent) call(w http.ResponseWriter, text []byte) {
	if !json.Valid(text) || !utf8.Valid(text) {
		reply(w, http.StatusOK, failure(nil, &fault{-32700, "The body is not JSON"}))
		return
	}
	var call map[string]json.RawMessage
	if json.Unmarshal(text, &call) != nil || call == nil {
		reply(w, http.StatusOK, failure(nil, &fault{-32600, "The body is not a request object"}))
		return
	}
	id, hasID := call["id"]
	var method string
	switch {
	case hasID && strings.ContainsAny(string(id[0]), "{[tf"):
		reply(w, http.StatusOK, failure(nil, &fault{-32600, "The id is neither string nor number"}))
	case string(call["jsonrpc"]) != `"2.0"`, call["method"] == nil, json.Unmarshal(call["method"], &method) != nil, string(call["method"]) == "null":
		reply(w, http.StatusOK, failure(id, &fault{-32600, "The call is not one of JSON-RPC 2.0"}))
	case !hasID:
		w.WriteHeader(http.StatusNoContent) // a notification
	default:
		result, err := a.do(method, call["params"])
		var f *fault
		if errors.As(err, &f) {
			reply(w, http.StatusOK, failure(id, f))
			return
		}
		reply(w, http.StatusOK, map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
	}
}

func (a *Agent) do(method string, params json.RawMessage) (any, error) {
	switch method {
	case "tasks/send", "tasks/get", "tasks/cancel":
	case "tasks/sendSubscribe", "tasks/resubscribe":
		return nil, &fault{-32006, "Streaming is not supported"}
	case "tasks/pushNotification/set", "tasks/pushNotification/get":
		return nil, &fault{-32003, "Push notifications are not supported"}
	default:
		return nil, &fault{-32601, "There is no such method"}
	}
	var p struct {
		ID            *string         `json:"id"`
		SessionID     *string         `json:"sessionId"`
		Message       json.RawMessage `json:"message"`
		HistoryLength *int            `json:"historyLength"`
		Metadata      map[string]any  `json:"metadata"`
		Push          json.RawMessage `json:"pushNotification"`
	}
	if err := json.Unmarshal(params, &p); err != nil || p.ID == nil {
		return nil, invalid("The params are not as the method needs them")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	known, found := a.tasks[*p.ID]
	if method == "tasks/send" {
		if len(p.Push) > 0 && string(p.Push) != "null" {
			return nil, &fault{-32003, "Push notifications are not supported"}
		}
		said, err := read(p.Message)
		if err != nil {
			return nil, err
		}
		if found {
			return nil, &fault{-32009, "The task is finished"}
		}
		answer := message{"agent", []part{{"text", "You said: " + said.Parts[0].Text}}}
		known = task{ID: *p.ID, Status: status{"completed", answer}, History: []message{said, answer}}
		if p.SessionID != nil {
			known.SessionID = *p.SessionID
		}
		if a.tasks == nil {
			a.tasks = map[string]task{}
		}
		a.tasks[*p.ID] = known
		return known.last(p.HistoryLength), nil
	}
	switch {
	case !found:
		return nil, &fault{-32001, "There is no such task"}
	case method == "tasks/cancel":
		return nil, &fault{-32002, "The task is finished"}
	}
	return known.last(p.HistoryLength), nil
}

// last is the task with the last n messages of its history.
func (t task) last(n *int) task {
	if n == nil || *n <= 0 {
		t.History = nil
	} else if *n < len(t.History) {
		t.History = t.History[len(t.History)-*n:]
	}
	return t
}

// read takes a message of text parts.
func read(text json.RawMessage) (message, error) {
	var m struct {
		Role     string         `json:"role"`
		Metadata map[string]any `json:"metadata"`
		Parts    []struct {
			Type     string          `json:"type"`
			Text     *string         `json:"text"`
			File     json.RawMessage `json:"file"`
			Data     json.RawMessage `json:"data"`
			Metadata map[string]any  `json:"metadata"`
		} `json:"parts"`
	}
	if len(text) == 0 || string(text) == "null" {
		return message{}, invalid("There is no message")
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return message{}, invalid("The message is not as it should be")
	}
	if m.Role != "user" && m.Role != "agent" || len(m.Parts) == 0 {
		return message{}, invalid("The message has no role or no part")
	}
	out := message{Role: m.Role}
	for _, p := range m.Parts {
		switch {
		case p.Type == "text" && p.Text != nil:
			out.Parts = append(out.Parts, part{"text", *p.Text})
		case p.Type == "file" || p.Type == "data":
			return message{}, &fault{-32005, "This agent reads text only"}
		default:
			return message{}, invalid("A part is not as it should be")
		}
	}
	return out, nil
}

func failure(id json.RawMessage, f *fault) any {
	if id == nil {
		id = json.RawMessage("null")
	}
	return map[string]any{"jsonrpc": "2.0", "id": id, "error": f}
}

func reply(w http.ResponseWriter, status int, body any) {
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}
