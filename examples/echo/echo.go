// Package echo is a small agent for A2A 1.0: it answers every message at once with a message
// that repeats the text. It makes no tasks, streams nothing and pushes nothing.
package echo

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"
)

// Agent is an http.Handler that serves the card and the calls.
type Agent struct{}

type message struct {
	MessageID string `json:"messageId"`
	ContextID string `json:"contextId"`
	Role      string `json:"role"`
	Parts     []part `json:"parts"`
}

type part struct {
	Text string `json:"text"`
}

// rpcError is a JSON-RPC error. Those of A2A carry their reason in their data.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    []any  `json:"data,omitempty"`
}

var (
	parseError      = &rpcError{Code: -32700, Message: "The body is not JSON"}
	invalidRequest  = &rpcError{Code: -32600, Message: "The body is not a request of JSON-RPC 2.0"}
	unknownMethod   = &rpcError{Code: -32601, Message: "There is no such method"}
	taskNotFound    = a2aError(-32001, "TASK_NOT_FOUND", "There is no such task")
	noPush          = a2aError(-32003, "PUSH_NOTIFICATION_NOT_SUPPORTED", "This agent sends no push notifications")
	unsupported     = a2aError(-32004, "UNSUPPORTED_OPERATION", "This agent does not support the operation")
	unsupportedType = a2aError(-32005, "CONTENT_TYPE_NOT_SUPPORTED", "This agent reads text only")
	unknownVersion  = a2aError(-32009, "VERSION_NOT_SUPPORTED", "This agent speaks A2A 1.0")
)

func invalidParams(member string) *rpcError {
	return &rpcError{Code: -32602, Message: "The params are invalid: " + member}
}

func a2aError(code int, reason, text string) *rpcError {
	return &rpcError{code, text, []any{map[string]any{
		"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "a2a-protocol.org",
	}}}
}

func (a *Agent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/.well-known/agent-card.json" {
		w.Header().Set("Cache-Control", "max-age=60")
		w.Header().Set("ETag", `"1.0.0"`)
		reply(w, http.StatusOK, map[string]any{
			"name": "Echo", "description": "Repeats what it is told", "version": "1.0.0", "capabilities": map[string]any{},
			"supportedInterfaces": []any{map[string]any{"url": "http://" + r.Host + "/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}},
			"defaultInputModes":   []string{"text/plain"}, "defaultOutputModes": []string{"text/plain"},
			"skills": []any{map[string]any{"id": "echo", "name": "Echo", "description": "Repeats a text", "tags": []string{"text"}}},
		})
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		reply(w, http.StatusUnsupportedMediaType, failure(nil, unsupportedType))
		return
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		reply(w, http.StatusRequestEntityTooLarge, failure(nil, invalidRequest))
		return
	}
	version := r.Header.Get("A2A-Version")
	if version == "" {
		version = r.URL.Query().Get("A2A-Version")
	}
	answer(w, version, text)
}

func answer(w http.ResponseWriter, version string, text []byte) {
	if !json.Valid(text) || !utf8.Valid(text) {
		reply(w, http.StatusOK, failure(nil, parseError))
		return
	}
	var call map[string]json.RawMessage
	var method string
	json.Unmarshal(text, &call) // a body of another type leaves the call empty, which is refused below
	id, hasID := call["id"]
	switch {
	case hasID && bytes.ContainsAny(id[:1], "{[tf"):
		reply(w, http.StatusOK, failure(nil, invalidRequest))
	case string(call["jsonrpc"]) != `"2.0"`, !bytes.HasPrefix(call["method"], []byte(`"`)), json.Unmarshal(call["method"], &method) != nil:
		reply(w, http.StatusOK, failure(id, invalidRequest))
	case !hasID:
		w.WriteHeader(http.StatusNoContent) // a notification
	default:
		result, failed := perform(version, method, call["params"])
		if failed != nil {
			reply(w, http.StatusOK, failure(id, failed))
			return
		}
		reply(w, http.StatusOK, map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
	}
}

func perform(version, method string, params json.RawMessage) (any, *rpcError) {
	if version != "1.0" { // a call without the header is one of A2A 0.3
		return nil, unknownVersion
	}
	switch method {
	case "SendMessage":
		return send(params)
	case "GetTask", "CancelTask":
		var p struct {
			ID            string         `json:"id"`
			HistoryLength int32          `json:"historyLength"`
			Metadata      map[string]any `json:"metadata"`
		}
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, invalidParams(err.Error())
		}
		if p.ID == "" || p.HistoryLength < 0 {
			return nil, invalidParams("id and historyLength")
		}
		return nil, taskNotFound
	case "ListTasks":
		return list(params)
	case "SendStreamingMessage", "SubscribeToTask", "GetExtendedAgentCard":
		return nil, unsupported
	case "CreateTaskPushNotificationConfig", "GetTaskPushNotificationConfig", "ListTaskPushNotificationConfigs", "DeleteTaskPushNotificationConfig":
		return nil, noPush
	}
	return nil, unknownMethod
}

// send answers a message of text parts, in its context or in a new one.
func send(params json.RawMessage) (any, *rpcError) {
	var p struct {
		Message *struct {
			MessageID string `json:"messageId"`
			ContextID string `json:"contextId"`
			TaskID    string `json:"taskId"`
			Role      string `json:"role"`
			Parts     []struct {
				Text     *string         `json:"text"`
				Raw      *string         `json:"raw"`
				URL      *string         `json:"url"`
				Data     json.RawMessage `json:"data"`
				Metadata map[string]any  `json:"metadata"`
			} `json:"parts"`
			Metadata map[string]any `json:"metadata"`
		} `json:"message"`
		Configuration struct {
			HistoryLength int32           `json:"historyLength"`
			Push          json.RawMessage `json:"taskPushNotificationConfig"`
		} `json:"configuration"`
		Metadata map[string]any `json:"metadata"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalidParams(err.Error())
	}
	said := p.Message
	switch {
	case said == nil:
		return nil, invalidParams("message")
	case said.MessageID == "":
		return nil, invalidParams("message.messageId")
	case said.Role != "ROLE_USER":
		return nil, invalidParams("message.role")
	case len(said.Parts) == 0:
		return nil, invalidParams("message.parts")
	case p.Configuration.HistoryLength < 0:
		return nil, invalidParams("configuration.historyLength")
	}
	var text string
	foreign := false
	for _, part := range said.Parts {
		kinds := 0
		for _, given := range []bool{part.Text != nil, part.Raw != nil, part.URL != nil, part.Data != nil} {
			if given {
				kinds++
			}
		}
		if kinds != 1 {
			return nil, invalidParams("message.parts: one of text, raw, url and data")
		}
		if part.Text == nil {
			foreign = true
		} else {
			text += *part.Text
		}
	}
	switch {
	case len(p.Configuration.Push) > 0 && string(p.Configuration.Push) != "null":
		return nil, noPush
	case said.TaskID != "":
		return nil, taskNotFound
	case foreign:
		return nil, unsupportedType
	case said.ContextID == "":
		said.ContextID = rand.Text()
	}
	return map[string]any{"message": message{rand.Text(), said.ContextID, "ROLE_AGENT", []part{{"You said: " + text}}}}, nil
}

// states are those of A2A 1.0.
var states = []string{"", "TASK_STATE_UNSPECIFIED", "TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED", "TASK_STATE_FAILED",
	"TASK_STATE_CANCELED", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_REJECTED", "TASK_STATE_AUTH_REQUIRED"}

// list has no task to list; it only checks what it was asked.
func list(params json.RawMessage) (any, *rpcError) {
	var p struct {
		PageSize      *int32     `json:"pageSize"`
		PageToken     string     `json:"pageToken"`
		HistoryLength int32      `json:"historyLength"`
		Status        string     `json:"status"`
		ContextID     string     `json:"contextId"`
		After         *time.Time `json:"statusTimestampAfter"`
	}
	if len(params) > 0 {
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, invalidParams(err.Error())
		}
	}
	size := int32(50)
	if p.PageSize != nil {
		size = *p.PageSize
	}
	switch {
	case size < 1 || size > 100:
		return nil, invalidParams("pageSize")
	case p.PageToken != "":
		return nil, invalidParams("pageToken")
	case p.HistoryLength < 0:
		return nil, invalidParams("historyLength")
	case !slices.Contains(states, p.Status):
		return nil, invalidParams("status")
	}
	return map[string]any{"tasks": []any{}, "nextPageToken": "", "pageSize": size, "totalSize": 0}, nil
}

func failure(id json.RawMessage, e *rpcError) any {
	if id == nil {
		id = json.RawMessage("null")
	}
	return map[string]any{"jsonrpc": "2.0", "id": id, "error": e}
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}
