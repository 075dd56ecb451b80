package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// guideServer speaks A2X as its guide shows it, and not a member more: no flag
// final, no context in a stream, no name for a message in it.
type guideServer struct {
	mode  string // "", "messages": no tasks are made, "charges": all work has to be paid for
	mu    sync.Mutex
	tasks map[string]map[string]any
}

func (g *guideServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodGet && r.URL.Path == "/.well-known/agent.json" {
		extensions := "[]"
		if g.mode == "charges" {
			extensions = `[{"uri":"https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2","required":true}]`
		}
		fmt.Fprintf(w, `{"name":"GitHub Repo Analyzer","description":"Analyzes repositories.","protocolVersion":"0.3.0","version":"1.0.0","url":"http://%s/api/a2a",
			"skills":[{"id":"analyze-repo","name":"Analyze Repository","description":"Analyzes one.","tags":["github"],"inputModes":["text/plain"],"outputModes":["text/plain"]}],
			"capabilities":{"streaming":true,"extensions":%s}}`, r.Host, extensions)
		return
	}
	if r.Method != http.MethodPost || r.URL.Path != "/api/a2a" {
		http.NotFound(w, r)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	var call struct {
		JSONRPC string
		ID      any
		Method  any
		Params  json.RawMessage
	}
	var raw json.RawMessage
	if json.NewDecoder(r.Body).Decode(&raw) != nil {
		refuse(w, nil, -32700)
		return
	}
	if json.Unmarshal(raw, &call) != nil || raw[0] != '{' || call.JSONRPC != "2.0" {
		refuse(w, nil, -32600)
		return
	}
	if _, odd := call.ID.(map[string]any); odd {
		refuse(w, nil, -32600)
		return
	}
	var members map[string]any
	json.Unmarshal(raw, &members)
	if _, has := members["id"]; !has {
		return // a notification
	}
	var params struct {
		ID      any
		Message *struct {
			Role      any
			Parts     any
			ContextID string
		}
	}
	bad := json.Unmarshal(call.Params, &params) != nil
	switch call.Method {
	case "message/send", "message/stream":
		if bad || params.Message == nil || params.Message.Role != "user" || !kinds(params.Message.Parts) {
			refuse(w, call.ID, -32602)
			return
		}
		id := fmt.Sprint("task-", len(g.tasks)+1)
		context := cmp.Or(params.Message.ContextID, "ctx-"+id)
		status := map[string]any{"state": "completed", "timestamp": "2025-01-15T10:30:00Z"}
		message := map[string]any{"kind": "message", "role": "agent", "parts": []any{map[string]any{"kind": "text", "text": "Here is the report."}}}
		if g.mode == "charges" {
			status["state"] = "input-required"
			message["metadata"] = map[string]any{"x402.payment.status": "payment-required"}
		}
		status["message"] = message
		var result any = message
		if g.mode != "messages" {
			g.tasks[id] = map[string]any{"kind": "task", "id": id, "contextId": context, "status": status}
			result = g.tasks[id]
		}
		if call.Method == "message/send" {
			answer(w, call.ID, result)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		if g.mode != "messages" {
			event(w, map[string]any{"kind": "status-update", "taskId": id, "status": map[string]any{"state": "working"}})
		}
		event(w, message)
		if g.mode != "messages" {
			event(w, map[string]any{"kind": "status-update", "taskId": id, "status": map[string]any{"state": status["state"]}})
		}
	case "tasks/get", "tasks/cancel":
		id, is := params.ID.(string)
		switch {
		case bad || !is:
			refuse(w, call.ID, -32602)
		case g.tasks[id] == nil || call.Method == "tasks/cancel":
			refuse(w, call.ID, -32001)
		default:
			answer(w, call.ID, g.tasks[id])
		}
	case nil:
		refuse(w, call.ID, -32600)
	default:
		if _, is := call.Method.(string); !is {
			refuse(w, call.ID, -32600)
			return
		}
		refuse(w, call.ID, -32601)
	}
}

// kinds reports whether v is a list of parts that say their kind.
func kinds(v any) bool {
	list, ok := v.([]any)
	for _, p := range list {
		part, is := p.(map[string]any)
		ok = ok && is && part["kind"] != nil
	}
	return ok
}

func answer(w http.ResponseWriter, id, result any) {
	json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
}

func refuse(w http.ResponseWriter, id any, code int) {
	json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": "Refused"}})
}

func event(w http.ResponseWriter, data any) {
	text, _ := json.Marshal(data)
	fmt.Fprintf(w, "data: %s\n\n", text)
}

// A server that does what the guide of A2X shows breaks no MUST, whichever of its
// liberties it takes: its samples lack what only other parts of the guide ask for.
func TestA2XAsItsGuideShowsIt(t *testing.T) {
	t.Parallel()
	always := []string{"A2X03-MSG-008"} // the first sample names no message
	for mode, expected := range map[string][]string{
		"":         {"A2X03-STR-009", "A2X03-STR-012"}, // the stream sample has neither contextId nor final
		"messages": nil,
		"charges":  {"A2X03-STR-009", "A2X03-STR-012"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(&guideServer{mode: mode, tasks: map[string]map[string]any{}})
			defer server.Close()
			o, err := conform.Run(t.Context(), conform.Target{URL: server.URL, Behaviour: conform.Behaviour{Never: []string{"slow"}}})
			if err != nil {
				t.Fatal(err)
			}
			if o.Dialect.Name != "a2x-0.3" {
				t.Fatalf("taken for %s", o.Dialect.Name)
			}
			failing := map[string]string{}
			for _, r := range o.Report.Results {
				switch r.Verdict {
				case report.Fail:
					failing[r.ID] = r.Reason
				case report.SuiteError:
					t.Errorf("%s: %s", r.ID, r.Reason)
				}
			}
			want := slices.Sorted(slices.Values(append(slices.Clone(always), expected...)))
			if got := slices.Sorted(maps.Keys(failing)); !slices.Equal(got, want) {
				t.Errorf("%v fail, want %v: %v", got, want, failing)
			}
			if o.Report.Verdict != report.Conformant {
				t.Errorf("%s: %s", o.Report.Verdict, o.Report.Reason)
			}
		})
	}
}
