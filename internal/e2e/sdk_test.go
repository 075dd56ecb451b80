package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// handWritten is a server without any SDK that breaks many of the requirements that the SDKs break: it reads calls into a
// type of its own, refuses what it cannot read with the words of encoding/json and -32602, takes whatever a message
// holds, and looks at no version.
func handWritten(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	mux.HandleFunc("/.well-known/agent-card.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"name":"Parrot","description":"Repeats.","version":"1.0.0","supportedInterfaces":[{"url":"`+server.URL+`/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
			"capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[{"id":"repeat","name":"Repeat","description":"Repeats.","tags":["test"]}]}`)
	})
	mux.HandleFunc("/rpc", func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ID     any             `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		answer := map[string]any{"jsonrpc": "2.0"}
		body, _ := io.ReadAll(r.Body)
		err := json.Unmarshal(body, &call)
		answer["id"] = call.ID
		switch {
		case err != nil:
			answer["error"] = map[string]any{"code": -32602, "message": "Invalid JSON-RPC request: " + err.Error()}
		case call.Method == "SendMessage":
			answer["result"] = map[string]any{"message": map[string]any{"messageId": "m-1", "role": "ROLE_AGENT", "parts": []any{map[string]any{"text": "So be it."}}}}
		case strings.Contains(call.Method, "Task"):
			answer["error"] = map[string]any{"code": -32001, "message": "task not found"}
		default:
			answer["error"] = map[string]any{"code": -32603, "message": "unexpected end of JSON input"}
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(answer)
	})
	return server.URL
}

// The failures of a server that is built on no SDK are taken for no SDK's, unless its operator names one; and then only
// those that fit.
func TestNoSDKIsSeen(t *testing.T) {
	url := handWritten(t)
	run := func(sdk string) *report.Report {
		o, err := conform.Run(t.Context(), conform.Target{URL: url, Judging: conform.Judging{SDK: sdk}})
		if err != nil {
			t.Fatal(err)
		}
		return o.Report
	}
	r := run("")
	if n := r.Summary["MUST"].Fail; r.Verdict != report.Nonconformant || n < 4 {
		t.Fatalf("%s: %s", r.Verdict, r.Reason)
	}
	if r.SDK != nil {
		t.Errorf("it is taken for a server on %s: %+v", r.SDK.Name, r.SDK)
	}
	for _, res := range r.Results {
		if res.Known != nil {
			t.Errorf("%s is taken for a fault of %s", res.ID, res.Known.SDK)
		}
	}
	named := run("go@v2.4.0")
	if named.SDK == nil || named.SDK.Causes >= named.Causes || named.Verdict != r.Verdict {
		t.Errorf("named: %+v of %d causes", named.SDK, named.Causes)
	}
	for _, res := range named.Results {
		if res.Verdict == report.Fail && strings.HasPrefix(res.ID, "A2A10-ENV-") && res.Known != nil {
			t.Errorf("%s fails by other bytes than those of the SDK, and is taken for its fault", res.ID)
		}
	}
	t.Logf("%d causes, of which %d would be known if it were built on that SDK", named.Causes, named.SDK.Causes)
}
