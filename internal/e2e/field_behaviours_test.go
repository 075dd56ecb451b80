package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/internal/testprocess"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// blocksOf is a front of a bundled server that writes each block of an event stream, with
// the blank line that ends it, as the given function has it, which knows the method.
func blocksOf(t *testing.T, o reference.Options, write func(method, block string) string) string {
	t.Helper()
	return inFrontOf(t, o, func(w http.ResponseWriter, sent []byte, _ *http.Request, from *serverAnswer) {
		var of struct{ Method string }
		json.Unmarshal(sent, &of) // what is no call has no method
		maps.Copy(w.Header(), from.Header)
		w.Header().Del("Content-Length")
		w.WriteHeader(from.StatusCode)
		if !from.streams {
			w.Write(from.body)
			return
		}
		block := ""
		for lines := bufio.NewReader(from.Body); ; {
			line, err := lines.ReadString('\n')
			if block += line; strings.TrimSpace(line) == "" && block != "" {
				io.WriteString(w, write(of.Method, block))
				w.(http.Flusher).Flush()
				block = ""
			}
			if err != nil {
				return
			}
		}
	})
}

// dataOf is the data of a block of one line.
func dataOf(block string) string {
	_, data, _ := strings.Cut(block, "data:")
	return strings.TrimSpace(data)
}

// relayTo hands deliveries on to the webhook of a run, if the given function lets them.
func relayTo(t *testing.T, listen string, lets func(body []byte) bool) string {
	t.Helper()
	relay := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !lets(body) {
			return
		}
		again, err := http.NewRequest(r.Method, "http://"+listen+r.URL.RequestURI(), bytes.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		again.Header = r.Header.Clone()
		if response, err := http.DefaultClient.Do(again); err == nil { // the run may be over
			response.Body.Close()
		}
	}))
	t.Cleanup(relay.Close)
	return relay.URL
}

// asResult answers a call with a result, if its error has the given code.
func asResult(method string, code int, result string) func(call, *reply) {
	return func(c call, r *reply) {
		if c.method == method && bytes.Contains(r.body, fmt.Appendf(nil, `"code":%d`, code)) {
			r.json(200, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, c.id, result))
		}
	}
}

// asError answers a call with another error than the given one.
func asError(method string, code, other int, reason string) func(call, *reply) {
	return func(c call, r *reply) {
		if c.method == method && bytes.Contains(r.body, fmt.Appendf(nil, `"code":%d`, code)) {
			r.json(200, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"No.","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":%q,"domain":"a2a-protocol.org"}]}}`,
				c.id, other, reason))
		}
	}
}

// withinResult changes the result of a method.
func withinResult(method string, change func(c call, of map[string]any)) func(call, *reply) {
	return func(c call, r *reply) {
		if c.method == method {
			r.edit(func(m map[string]any) {
				if of := result(m); of != nil {
					change(c, of)
				}
			})
		}
	}
}

const newTask = `{"task":{"id":"9b1d","contextId":"c-9b1d","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-31T12:00:00.000Z"}}}`

// namedBehaviour is what a server in the field does that its protocol forbids.
type namedBehaviour struct {
	does     string
	mutant   string
	change   func(call, *reply)
	write    func(method, block string) string
	dialect  string // a2a-1.0 if empty
	binding  string
	webhook  bool
	fails    []string // requirements that have to fail
	oneCause bool     // they follow from one of them
}

// listNamedBehaviours returns what servers in the field do, and which requirement names it.
func listNamedBehaviours() []namedBehaviour {
	return []namedBehaviour{
		{does: "version 1.99 is served", mutant: "version-major-only", fails: []string{"A2A10-VER-005"}},
		{does: "a message to an unknown task begins one", mutant: "unknown-task-begun", fails: []string{"A2A10-SEND-008"}},
		{does: "a message to an ended task is answered with a new one", change: asResult("SendMessage", -32004, newTask), fails: []string{"A2A10-SEND-005", "A2A10-SEND-006"}, oneCause: true},
		{does: `"historyLength": 0 is ignored by SendMessage`, mutant: "send-history-ignored", fails: []string{"A2A10-GET-015"}},
		{does: `{"tasks": [{"task": {…}}]}`, change: withinResult("ListTasks", func(_ call, of map[string]any) {
			tasks, _ := of["tasks"].([]any)
			for i := range tasks {
				tasks[i] = map[string]any{"task": tasks[i]}
			}
		}), fails: []string{"A2A10-DATA-001", "A2A10-LIST-016"}},
		{does: "a task is lost between two pages", change: withinResult("ListTasks", func(c call, of map[string]any) {
			if tasks, _ := of["tasks"].([]any); c.params["pageToken"] != nil && len(tasks) > 0 {
				of["tasks"] = tasks[1:]
			}
		}), fails: []string{"A2A10-LIST-007"}},
		{does: "an unknown status gives an empty list", change: asResult("ListTasks", -32602, `{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0}`), fails: []string{"A2A10-LIST-024"}},
		{does: "the token of a list of webhooks leads to the same page", mutant: "push-list-loops", fails: []string{"A2A10-PUSH-024"}},
		{does: "a subscription ends after its first event", mutant: "resubscriber-unserved", fails: []string{"A2A10-SUB-004", "A2A10-SUB-006"}},
		{does: "a subscription to an ended task: TaskNotFoundError", change: asError("SubscribeToTask", -32004, -32001, "TASK_NOT_FOUND"), fails: []string{"A2A10-SUB-008"}},
		{does: `"skills": null`, change: func(c call, r *reply) {
			if strings.HasPrefix(c.path, "/.well-known/") {
				r.edit(func(m map[string]any) { m["skills"] = nil })
			}
		}, fails: []string{"A2A10-CARD-008"}},
		{does: "307 Location: /agent/", change: func(c call, r *reply) {
			switch {
			case strings.HasPrefix(c.path, "/.well-known/"):
				r.edit(func(m map[string]any) {
					for _, i := range m["supportedInterfaces"].([]any) {
						i := i.(map[string]any)
						i["url"] = strings.TrimRight(i["url"].(string), "/") + "/agent"
					}
				})
			case c.path == "/agent":
				r.status, r.header, r.body = 307, http.Header{"Location": {"/agent/"}}, []byte{}
			}
		}, fails: []string{"A2A10-CARD-019"}},
		{does: `a delivery {"id": …, "status": …}`, mutant: "push-bare-task", webhook: true, fails: []string{"A2A10-DELIV-004"}},
		{does: "a delivery without its credentials", mutant: "push-unauthenticated", webhook: true, fails: []string{"A2A10-DELIV-007"}},
		{does: "application/x-ndjson in place of an event stream", change: func(c call, r *reply) {
			if c.method == "SendStreamingMessage" {
				line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", c.id, newTask)
				r.status, r.header, r.body = 200, http.Header{"Content-Type": {"application/x-ndjson"}}, []byte(line+line)
			}
		}, fails: []string{"A2A10-STREAM-003"}},
		{does: "the last event has no blank line", write: func(_, block string) string {
			if strings.Contains(block, "TASK_STATE_COMPLETED") {
				return strings.TrimRight(block, "\r\n") + "\n"
			}
			return block
		}, fails: []string{"A2A10-STREAM-005"}},
		{does: `"data:" without anything`, write: func(_, block string) string { return block + "data:\n\n" }, fails: []string{"A2A10-STREAM-006"}},
		{does: `a status message of "ROLE_USER"`, mutant: "status-message-of-user", fails: []string{"A2A10-DATA-009"}},
		{does: `"timestamp": ""`, change: rewritten("timestamp", func(string) any { return "" }), fails: []string{"A2A10-DATA-028"}},
		{does: "the last piece of an artifact replaces those before, of which the store has all", change: func(_ call, r *reply) {
			r.edit(func(m map[string]any) {
				if update := memberAt(m, "result", "artifactUpdate"); update["lastChunk"] == true {
					delete(update, "append")
				}
			})
		}, fails: []string{"A2A10-STREAM-027"}},
		{does: `errors with "id": null`, change: everyObject(func(m map[string]any) {
			if m["jsonrpc"] != nil && m["error"] != nil {
				m["id"] = nil
			}
		}), fails: []string{"A2A10-ENV-004"}},
		{does: `"data": {} in an error`, mutant: "error-data-object", fails: []string{"A2A10-ENV-028"}},
		{does: "422 Unprocessable Entity for broken JSON", change: func(c call, r *reply) {
			if c.method == "" && bytes.Contains(r.body, []byte("-32700")) {
				r.status, r.header, r.body = 422, http.Header{"Content-Type": {"text/plain"}}, []byte("Unprocessable Entity")
			}
		}, fails: []string{"A2A10-ENV-013"}},
		{does: `id: "tasks/7" over gRPC`, mutant: "grpc-ids-as-names", binding: "GRPC", fails: []string{"A2A10-GRPC-OP-014"}},
		{does: "SendMessage never returns from a question", mutant: "question-hangs", fails: []string{"A2A10-EXEC-006"}},

		{does: `"final": true twice`, dialect: "a2a-0.3", write: func(_, block string) string {
			if strings.Contains(block, `"final":true`) {
				return block + block
			}
			return block
		}, fails: []string{"A2A03-STREAM-018"}},
		{does: `a resubscribed stream without an event of "final": true`, dialect: "a2a-0.3", write: func(method, block string) string {
			if method == "tasks/resubscribe" && strings.Contains(block, `"final":true`) {
				return ""
			}
			return block
		}, fails: []string{"A2A03-RESUB-002"}},
		{does: `"blocking": false is ignored`, dialect: "a2a-0.3", mutant: "blocking-always", fails: []string{"A2A03-SEND-037"}},
		{does: "tasks/cancel of an ended task: -32004", dialect: "a2a-0.3", change: asError("tasks/cancel", -32002, -32004, "UNSUPPORTED_OPERATION"), fails: []string{"A2A03-CANCEL-006"}},
		{does: `"extensions": null`, dialect: "a2a-0.3", change: func(_ call, r *reply) {
			r.edit(func(m map[string]any) { nullMessages(m["result"]) })
		}, fails: []string{"A2A03-MSG-008"}},
	}
}

// What servers in the field do is named by the requirement that forbids it.
func TestFieldBehavioursAreNamed(t *testing.T) {
	slots := make(chan struct{}, 4) // what is late on a busy machine decides nothing
	for _, c := range listNamedBehaviours() {
		t.Run(c.does, func(t *testing.T) {
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			with := reference.Options{Dialect: c.dialect, Mutant: c.mutant}
			if with.Dialect == "" {
				with.Dialect = "a2a-1.0"
			}
			target := conform.Target{Dialect: with.Dialect, Endpoint: conform.Endpoint{Binding: "JSONRPC"}, Behaviour: conform.Behaviour{DefaultStimuli: true}}
			if c.binding == "GRPC" {
				with.GRPCAddr, target.Binding = "127.0.0.1:0", c.binding
			}
			if c.webhook {
				target.Webhook.Listen = "127.0.0.1:0"
			}
			url := changedServer(t, with, c.change, c.write)
			if c.mutant == "question-hangs" {
				target.Timeout = 5 * time.Second
			}
			got := judgedOn(t, url, target, c.fails...)
			roots := map[string]bool{}
			for _, id := range c.fails {
				r := got[id]
				if r.Verdict != report.Fail {
					t.Errorf("%s is %s: %s", id, r.Verdict, r.Reason)
				}
				if r.Because == "" {
					roots[id] = true
				}
			}
			if c.oneCause && len(roots) != 1 {
				t.Errorf("there are %d causes, want 1", len(roots))
			}
		})
	}
}

// allowedBehaviour is what a server in the field does that its protocol permits.
type allowedBehaviour struct {
	does    string
	dialect string
	binding string
	change  func(call, *reply)
	write   func(method, block string) string
	lets    func(body []byte) bool // whether a delivery goes on to the webhook; nil for all
}

// listAllowedBehaviours returns what servers in the field may do.
func listAllowedBehaviours() []allowedBehaviour {
	return []allowedBehaviour{
		{does: "events whose data has several lines", dialect: "a2a-1.0", write: inSeveralLines},
		{does: "events whose data has several lines", dialect: "a2a-0.3", write: inSeveralLines},
		{does: "errors with HTTP 400", dialect: "a2a-1.0", change: errorsWith400},
		{does: "errors with HTTP 400", dialect: "a2a-0.3", change: errorsWith400},
		{does: "deliveries only when a task waits or ends", dialect: "a2a-0.3", lets: func(body []byte) bool {
			return !bytes.Contains(body, []byte(`"submitted"`)) && !bytes.Contains(body, []byte(`"working"`))
		}},
		{does: "204 for a deletion", dialect: "a2a-1.0", binding: "HTTP+JSON", change: func(c call, r *reply) {
			if strings.Contains(c.path, "/pushNotificationConfigs/") && r.status == 200 && len(bytes.TrimSpace(r.body)) <= 2 {
				r.status, r.header, r.body = 204, http.Header{}, nil
			}
		}},
		{does: "no history over REST", dialect: "a2a-1.0", binding: "HTTP+JSON", change: everyObject(func(m map[string]any) {
			if m["status"] != nil && m["artifacts"] == nil {
				delete(m, "history")
			}
		})},
		{does: `"append": false, "extensions": [], "name": ""`, dialect: "a2a-1.0", change: defaultsWritten},
		// names that are used again in another scope than the one in which they have to differ
		{does: "id: 1 in every event", dialect: "a2a-1.0", write: func(_, block string) string { return "id: 1\n" + block }},
		{does: "id: 1 in every event", dialect: "a2a-0.3", write: func(_, block string) string { return "id: 1\n" + block }},
		{does: "the same messageIds in every task", dialect: "a2a-1.0", change: everyObject(func(m map[string]any) {
			if m["role"] == "ROLE_AGENT" {
				m["messageId"] = fmt.Sprint("m-", m["parts"])
			}
		})},
		{does: "the same artifactId in every task", dialect: "a2a-1.0", change: everyObject(renumbered)},
		{does: `"append": false, "extensions": [], "name": ""`, dialect: "a2a-1.0", binding: "HTTP+JSON", change: defaultsWritten},
	}
}

// What servers in the field may do: no requirement fails, and nothing is undecided for it.
func TestFieldBehavioursAreAllowed(t *testing.T) {
	slots := make(chan struct{}, 3) // what is late on a busy machine decides nothing
	for _, c := range listAllowedBehaviours() {
		t.Run(strings.Join([]string{c.does, c.dialect, c.binding}, " "), func(t *testing.T) {
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			with := reference.Options{Dialect: c.dialect}
			target := conform.Target{Dialect: c.dialect, Endpoint: conform.Endpoint{Binding: c.binding}, Behaviour: conform.Behaviour{DefaultStimuli: true, Stimuli: slowForSure}}
			if target.Binding == "" {
				target.Binding = "JSONRPC"
			}
			target.URL = changedServer(t, with, c.change, c.write)
			if c.lets != nil {
				target.Webhook.Listen = testprocess.HoldAddress(t)
				target.Webhook.URL = relayTo(t, target.Webhook.Listen, c.lets)
			}
			o, err := conform.Run(t.Context(), target)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range o.Report.Results {
				if r.Verdict == report.Fail || r.Verdict == report.SuiteError || r.Verdict == report.Inconclusive && r.Remedy == "" {
					t.Errorf("%s [%s] is %s: %s", r.ID, r.Level, r.Verdict, r.Reason)
				}
			}
		})
	}
}

// renumbered names each artifact by its place in its task alone.
func renumbered(m map[string]any) {
	if id, is := m["artifactId"].(string); is {
		m["artifactId"] = id[strings.LastIndex(id, "-")+1:]
	}
}

// inSeveralLines writes the data of an event in lines of its own, one for each member.
func inSeveralLines(_, block string) string {
	data := dataOf(block)
	if data == "" {
		return block
	}
	return "data: " + strings.ReplaceAll(data, `,"`, ",\ndata: \"") + "\n\n"
}

func errorsWith400(c call, r *reply) {
	if c.method != "" && bytes.Contains(r.body, []byte(`"error":`)) {
		r.status = 400
	}
}

// defaultsWritten adds members that have the value that they have if they are left out.
func defaultsWritten(c call, r *reply) {
	add := func(m map[string]any, name string, value any) {
		if m[name] == nil {
			m[name] = value
		}
	}
	everyObject(func(m map[string]any) {
		switch {
		case m["artifactId"] != nil:
			add(m, "name", "")
			add(m, "description", "")
			add(m, "extensions", []any{})
		case m["messageId"] != nil:
			add(m, "extensions", []any{})
			add(m, "referenceTaskIds", []any{})
		case m["artifact"] != nil:
			add(m, "append", false)
			add(m, "lastChunk", false)
		}
	})(c, r)
}
