package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// verdicts are the results of a run by the ids of the requirements.
func verdicts(o *conform.Outcome) map[string]report.Result {
	out := map[string]report.Result{}
	for _, r := range o.Report.Results {
		out[r.ID] = r
	}
	return out
}

// schemesOf puts null in the place of every scheme on the card.
func schemesOf(at ...string) func(c call, r *reply) {
	return func(c call, r *reply) {
		if !strings.HasPrefix(c.path, "/.well-known/") {
			return
		}
		r.edit(func(m map[string]any) {
			for _, name := range at[:len(at)-1] {
				inner, _ := m[name].(map[string]any)
				if inner == nil {
					inner = map[string]any{}
					m[name] = inner
				}
				m = inner
			}
			m[at[len(at)-1]] = []any{nil}
		})
	}
}

// What real servers taught about verdicts, one server for each rule: a server
// of ours that keeps everything else behaves in one respect as a real one did.
func TestRulesOfFairness(t *testing.T) {
	t.Parallel()
	finished := func(state any) bool { return state == "completed" || state == "canceled" || state == "failed" }
	for _, c := range []struct {
		rule   string
		server reference.Options
		change func(c call, r *reply)
		target conform.Target
		// want is a verdict by id; "*" is the verdict of every other requirement that
		// was looked at, and stands for "not fail".
		want    map[string]report.Verdict
		finding map[string]string // a part of a finding, by id
		remedy  map[string]string // a part of what would get it decided, by id
		notice  string
	}{
		{
			rule:   "a card that is fetched once is one card",
			server: reference.Options{Dialect: "a2a-0.3"},
			target: conform.Target{Endpoint: conform.Endpoint{Card: "HOST/.well-known/agent-card.json"}, Judging: conform.Judging{Select: conform.Selection{Areas: []string{"card", "discovery"}}}},
			want:   map[string]report.Verdict{"A2A03-CARD-017": report.Pass, "A2A03-CARD-032": report.Pass},
		},
		{
			rule:   "a card that is fetched once is one card, in 0.1",
			server: reference.Options{Dialect: "a2a-0.1"},
			target: conform.Target{Endpoint: conform.Endpoint{Card: "HOST/.well-known/agent.json"}, Judging: conform.Judging{Select: conform.Selection{Areas: []string{"card", "discovery"}}}},
			want:   map[string]report.Verdict{"A2A01-CARD-026": report.Pass},
		},
		{
			rule:   "final counts on status updates",
			server: reference.Options{Dialect: "a2a-0.3"},
			change: func(_ call, r *reply) {
				r.edit(func(m map[string]any) {
					if got := result(m); got["kind"] == "artifact-update" {
						got["final"] = true
					}
				})
			},
			target: conform.Target{Judging: conform.Judging{Select: conform.Selection{Areas: []string{"stream"}}}},
			want:   map[string]report.Verdict{"A2A03-STREAM-018": report.Pass, "A2A03-STREAM-019": report.Pass, "A2A03-STREAM-021": report.Pass},
		},
		{
			rule:   "a notification is answered by a JSON-RPC response only",
			server: reference.Options{Dialect: "a2a-0.3"},
			change: func(c call, r *reply) {
				if c.method != "" && c.id == nil {
					r.json(400, `{"error":"the request is invalid","issues":[{"path":["id"]}]}`)
				}
			},
			target: conform.Target{Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A03-ENV-027"}}}},
			want:   map[string]report.Verdict{"A2A03-ENV-027": report.Pass},
		},
		{
			rule:   "a notification that is refused with id null is a finding",
			server: reference.Options{Dialect: "a2a-0.3"},
			change: func(c call, r *reply) {
				if c.method != "" && c.id == nil {
					r.json(400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"an id is needed"}}`)
				}
			},
			target:  conform.Target{Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A03-ENV-027"}}}},
			want:    map[string]report.Verdict{"A2A03-ENV-027": report.Pass},
			finding: map[string]string{"A2A03-ENV-027": ""},
		},
		{
			rule:   "a refused stream is decided by its first JSON-RPC event",
			server: reference.Options{Dialect: "a2a-0.3"},
			change: func(c call, r *reply) {
				var m struct{ Error any }
				if c.method == "message/stream" && json.Unmarshal(r.body, &m) == nil && m.Error != nil {
					body := fmt.Sprintf("data: %s\n\nevent: end\ndata: {}\n\n", bytes.TrimSpace(r.body))
					r.status, r.header, r.body = 200, http.Header{"Content-Type": {"text/event-stream"}}, []byte(body)
				}
			},
			target: conform.Target{Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A03-STREAM-029", "A2A03-STREAM-030", "A2A03-STREAM-031"}}}},
			want:   map[string]report.Verdict{"A2A03-STREAM-029": report.Pass, "A2A03-STREAM-030": report.Pass, "A2A03-STREAM-031": report.Pass},
		},
		{
			rule:   "a 404 to the list is no evidence against the documents about the agent that the card names",
			server: reference.Options{Dialect: "jaf-0.3"},
			change: func(c call, r *reply) {
				if c.path == "/a2a/agents" {
					r.json(404, `{"error":"Not Found"}`)
				}
			},
			target: conform.Target{Endpoint: conform.Endpoint{Agent: "MathTutor"}, Judging: conform.Judging{Select: conform.Selection{Areas: []string{"discovery"}}}},
			want: map[string]report.Verdict{"JAF03-DISC-007": report.Fail, "JAF03-DISC-003": report.Pass, "JAF03-DISC-008": report.Pass,
				"JAF03-DISC-009": report.Pass, "JAF03-DISC-001": report.Pass},
		},
		{
			rule:   "the echo of an illegal id is judged by the requirement on ids alone",
			server: reference.Options{Dialect: "a2a-0.3"},
			change: func(c call, r *reply) {
				if bytes.ContainsAny(c.id[:min(1, len(c.id))], "{[t") {
					r.error(c, -32600, "an id is a string or a number")
				}
			},
			target: conform.Target{Judging: conform.Judging{Select: conform.Selection{Areas: []string{"envelope"}}}},
			want:   map[string]report.Verdict{"A2A03-SCHEMA-000": report.Pass, "A2A03-ENV-021": report.Pass},
		},
		{
			rule:   "what follows from an accepted malformed message is no other defect",
			server: reference.Options{Dialect: "a2a-0.3", Mutant: "finished-task-reopened"},
			target: conform.Target{Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A03-SEND-011", "A2A03-SEND-012"}}}},
			want:   map[string]report.Verdict{"A2A03-SEND-011": report.Fail, "A2A03-SEND-012": report.NotApplicable},
		},
		{
			rule:    "no sentence is judged on replies to calls that contradict the protocol",
			server:  reference.Options{Dialect: "a2a-0.3", Mutant: "task-changes-context"},
			target:  conform.Target{Behaviour: conform.Behaviour{DefaultStimuli: true}, Judging: conform.Judging{Select: conform.Selection{Areas: []string{"context", "task", "message"}}}},
			want:    map[string]report.Verdict{"A2A03-SEND-013": report.NotApplicable},
			finding: map[string]string{"A2A03-SEND-013": ""},
		},
		{
			rule:   "is refused passes on any refusal",
			server: reference.Options{Dialect: "jaf-0.3"},
			change: func(c call, r *reply) {
				if c.named("send-params/params-array") {
					r.error(c, -32000, "no")
				}
			},
			target: conform.Target{Judging: conform.Judging{Select: conform.Selection{Run: []string{"JAF03-ERR-010"}}}},
			want:   map[string]report.Verdict{"JAF03-ERR-010": report.Pass},
		},
		{
			rule:   "to use a permission or not is never a failure",
			server: reference.Options{Dialect: "a2a-0.3"},
			change: func(c call, r *reply) {
				if c.method == "" && bytes.HasPrefix(bytes.TrimSpace(r.body), []byte("[")) { // a batch
					r.json(200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"crashed"}}`)
				}
			},
			target: conform.Target{Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A03-ENV-026", "A2A03-OWN-001"}}}},
			want:   map[string]report.Verdict{"A2A03-ENV-026": report.NotApplicable},
		},
		{
			rule:    "to accept more than is declared is a finding",
			server:  reference.Options{Dialect: "a2a-0.3", Mutant: "any-file-type-accepted"},
			target:  conform.Target{Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A03-SEND-033"}}}},
			want:    map[string]report.Verdict{"A2A03-SEND-033": report.Pass},
			finding: map[string]string{"A2A03-SEND-033": "the server accepts the call"},
		},
		{
			rule:   "a refusal about a task that never was stands in for the valid call",
			server: reference.Options{Dialect: "a2a-0.3"},
			change: func(c call, r *reply) {
				if strings.HasPrefix(c.method, "message/") {
					r.error(c, -32603, "no model is configured")
				}
			},
			target: conform.Target{Judging: conform.Judging{Select: conform.Selection{Areas: []string{"task", "message", "envelope", "errors"}}}},
			want:   map[string]report.Verdict{"A2A03-GET-008": report.Pass, "A2A03-GET-009": report.Pass},
			notice: "every message fails inside the agent (error -32603 no model is configured): configure it and run again",
		},
		{
			rule:   "the same refusal for a malformed call as for an unknown task leaves it undecided",
			server: reference.Options{Dialect: "a2a-0.3"},
			change: func(c call, r *reply) {
				if strings.HasPrefix(c.method, "message/") {
					r.error(c, -32603, "no model is configured")
				}
				if c.method == "tasks/get" {
					r.error(c, -32001, "Task not found")
				}
			},
			target: conform.Target{Judging: conform.Judging{Select: conform.Selection{Areas: []string{"task"}}}},
			// What names no task was not refused for it.
			want: map[string]report.Verdict{"A2A03-GET-014": report.Inconclusive, "A2A03-GET-008": report.Fail, "A2A03-GET-009": report.Fail},
		},
		{
			rule:   "a malformed call that is accepted fails beside a refusal about an unknown task",
			server: reference.Options{Dialect: "a2a-0.3"},
			change: func(c call, r *reply) {
				if strings.HasPrefix(c.method, "message/") {
					r.error(c, -32603, "no model is configured")
				}
				if _, has := c.params["id"]; c.method == "tasks/get" && !has {
					r.json(200, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"kind":"task","id":"t","contextId":"c","status":{"state":"working"}}}`, c.id))
				}
			},
			target: conform.Target{Judging: conform.Judging{Select: conform.Selection{Areas: []string{"task"}}}},
			want:   map[string]report.Verdict{"A2A03-GET-008": report.Fail},
		},
		{
			rule:   "a result is read by what it says it is",
			server: reference.Options{Dialect: "jaf-0.3"},
			change: func(c call, r *reply) {
				if c.method == "message/send" { // a task, where a completion is due
					r.edit(func(m map[string]any) {
						if got := result(m); got["taskId"] != nil {
							m["result"] = map[string]any{"kind": "task", "id": got["taskId"], "contextId": got["contextId"], "status": map[string]any{"state": "completed"}}
						}
					})
				}
			},
			target: conform.Target{Judging: conform.Judging{Select: conform.Selection{Areas: []string{"task", "message"}}}},
			want: map[string]report.Verdict{"JAF03-MSG-002": report.Fail, "JAF03-MSG-003": report.Fail, "JAF03-MSG-005": report.Fail, "JAF03-MSG-006": report.Fail,
				"JAF03-TASK-002": report.Pass, "JAF03-TASK-008": report.Fail}, // the task that it is has no timestamp
		},
		{
			rule:   "a card without the container of a claim says neither yes nor no",
			server: reference.Options{Dialect: "jaf-0.3"},
			change: func(c call, r *reply) {
				if strings.HasSuffix(c.path, "agent-card") || strings.HasSuffix(c.path, "card") {
					r.edit(func(m map[string]any) { delete(m, "capabilities") })
				}
			},
			target: conform.Target{Judging: conform.Judging{Select: conform.Selection{Areas: []string{"stream"}}}},
			want:   map[string]report.Verdict{"JAF03-STR-002": report.Pass, "JAF03-STR-032": report.NotApplicable},
		},
		{
			rule:   "a scheme that cannot be read leaves it to the server's behaviour whether credentials are demanded",
			server: reference.Options{Dialect: "a2a-0.3", Variant: "guarded"},
			change: schemesOf("security"),
			target: conform.Target{Credentials: conform.Credentials{Bearer: reference.Token}, Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A03-AUTH-*", "A2A03-CARD-057"}}}},
			want: map[string]report.Verdict{"A2A03-CARD-057": report.Fail, "A2A03-AUTH-001": report.Pass, "A2A03-AUTH-002": report.Pass, "A2A03-AUTH-003": report.Pass,
				"A2A03-AUTH-006": report.Pass, "A2A03-AUTH-007": report.Pass, "A2A03-AUTH-013": report.Pass, "A2A03-AUTH-014": report.Inconclusive},
		},
		{
			rule:   "a scheme that cannot be read demands no credentials of a server that serves everybody",
			server: reference.Options{Dialect: "a2a-0.3"},
			change: schemesOf("security"),
			target: conform.Target{Credentials: conform.Credentials{Bearer: reference.Token}, Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A03-AUTH-*", "A2A03-CARD-057"}}}},
			want: map[string]report.Verdict{"A2A03-CARD-057": report.Fail, "A2A03-AUTH-001": report.Inconclusive, "A2A03-AUTH-002": report.Inconclusive,
				"A2A03-AUTH-006": report.Inconclusive, "A2A03-AUTH-014": report.Inconclusive},
		},
		{
			rule:   "a scheme that cannot be read says as little as none that callers are welcome",
			server: reference.Options{Dialect: "a2a-0.1", Variant: "guarded"},
			change: schemesOf("authentication", "schemes"),
			target: conform.Target{Credentials: conform.Credentials{Bearer: reference.Token}, Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A01-AUTH-*", "A2A01-CARD-016"}}}},
			want: map[string]report.Verdict{"A2A01-CARD-016": report.Fail, "A2A01-AUTH-001": report.Pass, "A2A01-AUTH-006": report.Inconclusive,
				"A2A01-AUTH-017": report.NotApplicable},
		},
		{
			rule:   "a way to show who one is that is open, and not configured, is undecided with the flag",
			server: reference.Options{Dialect: "a2a-0.3", Variant: "guarded"},
			target: conform.Target{Credentials: conform.Credentials{Bearer: reference.Token}, Judging: conform.Judging{Select: conform.Selection{Areas: []string{"auth"}}}},
			want:   map[string]report.Verdict{"A2A03-AUTH-009": report.Inconclusive, "A2A03-AUTH-001": report.Pass},
			remedy: map[string]string{"A2A03-AUTH-009": "--api-key-env"},
		},
		{
			rule:   "one stream without its final event does not silence the others",
			server: reference.Options{Dialect: "a2a-0.3", Variant: "full"},
			change: func(c call, r *reply) {
				if c.method == "message/stream" && c.named("stream/") {
					r.edit(func(m map[string]any) {
						if got := result(m); got["kind"] == "status-update" {
							got["final"] = false
						}
					})
				}
			},
			target: conform.Target{Behaviour: conform.Behaviour{DefaultStimuli: true}, Judging: conform.Judging{Select: conform.Selection{Areas: []string{"stream"}}}},
			want: map[string]report.Verdict{"A2A03-STREAM-019": report.Fail, "A2A03-STREAM-018": report.Pass, "A2A03-STREAM-021": report.Pass,
				"A2A03-STREAM-023": report.Pass, "A2A03-STREAM-025": report.Pass, "A2A03-RESUB-002": report.Pass},
		},
		{
			rule:   "one missing header does not silence the sentences about events",
			server: reference.Options{Dialect: "a2a-0.3", Variant: "full"},
			change: func(c call, r *reply) {
				if c.method == "message/stream" && c.named("stream/") {
					r.header.Del("Content-Type")
					r.header["Content-Type"] = nil
				}
			},
			target: conform.Target{Behaviour: conform.Behaviour{DefaultStimuli: true}, Judging: conform.Judging{Select: conform.Selection{Areas: []string{"stream"}}}},
			want:   map[string]report.Verdict{"A2A03-STREAM-002": report.Fail, "A2A03-STREAM-017": report.Pass, "A2A03-STREAM-023": report.Pass},
		},
		{
			rule:   "where a message answers the harmless text, another text makes the task",
			server: reference.Options{Dialect: "a2a-0.3"},
			change: func(c call, r *reply) {
				if strings.Contains(c.text(), "ello") {
					r.edit(func(m map[string]any) {
						if got := result(m); got["kind"] == "task" {
							m["result"] = map[string]any{"kind": "message", "role": "agent", "messageId": "m-1", "parts": []any{map[string]any{"kind": "text", "text": "Hello."}}}
						}
					})
				}
			},
			target: conform.Target{Judging: conform.Judging{Select: conform.Selection{Areas: []string{"task"}}}},
			want:   map[string]report.Verdict{"A2A03-GET-002": report.Pass, "A2A03-GET-008": report.Pass},
			notice: "the agent answers the harmless message with a message",
		},
		{
			rule:   "a reply without result and without error decides what asks for a certain error",
			server: reference.Options{Dialect: "a2a-0.3"},
			change: func(c call, r *reply) {
				if c.named("send-params/no-parts") || c.named("unknown/") || c.named("stream-params/no") || c.named("resubscribe-params/no") {
					r.json(200, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s}`, c.id))
				}
			},
			target: conform.Target{Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A03-GET-007", "A2A03-CANCEL-008", "A2A03-SEND-015", "A2A03-ERR-001", "A2A03-STREAM-029", "A2A03-RESUB-006"}}}},
			want: map[string]report.Verdict{"A2A03-GET-007": report.Fail, "A2A03-CANCEL-008": report.Fail, "A2A03-SEND-015": report.Fail, "A2A03-ERR-001": report.Fail,
				"A2A03-STREAM-029": report.Fail, "A2A03-RESUB-006": report.Fail},
		},
		{
			rule:   "a task that vanishes once it was confirmed canceled is a fault with a name",
			server: reference.Options{Dialect: "a2a-0.3"},
			change: func() func(call, *reply) {
				var gone sync.Map
				return func(c call, r *reply) {
					id, _ := c.params["id"].(string)
					if c.method == "tasks/cancel" {
						r.edit(func(m map[string]any) {
							status, _ := result(m)["status"].(map[string]any)
							if finished(status["state"]) {
								gone.Store(id, true)
							}
						})
					} else if _, is := gone.Load(id); is && c.method == "tasks/get" {
						r.error(c, -32001, "Task not found")
					}
				}
			}(),
			target:  conform.Target{Behaviour: conform.Behaviour{DefaultStimuli: true}, Judging: conform.Judging{Select: conform.Selection{Areas: []string{"task"}}}},
			want:    map[string]report.Verdict{"A2A03-OWN-003": report.Pass, "A2A03-CANCEL-004": report.Pass},
			finding: map[string]string{"A2A03-OWN-003": ""},
		},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			if c.change == nil {
				c.change = func(call, *reply) {}
			}
			url := doctored(t, c.server, c.change)
			c.target.IDs, c.target.Binding = stepsAsIDs, onlyRPC(c.server.Dialect)
			c.target.URL, c.target.Dialect, c.target.Card = url, c.server.Dialect, strings.Replace(c.target.Card, "HOST", url, 1)
			if !c.target.DefaultStimuli {
				c.target.Never = []string{"slow"}
			}
			o, err := conform.Run(t.Context(), c.target)
			if err != nil {
				t.Fatal(err)
			}
			again := replayed(t, o)
			for name, got := range map[string]map[string]report.Result{"run": verdicts(o), "replay": verdicts(again)} {
				for id, want := range c.want {
					if got[id].Verdict != want {
						t.Errorf("%s: %s is %s, want %s: %s", name, id, got[id].Verdict, want, got[id].Reason)
					}
				}
				for id, part := range c.finding {
					if findings := got[id].Findings; len(findings) == 0 || !strings.Contains(fmt.Sprint(findings), part) {
						t.Errorf("%s: the findings of %s are %v, and not about %q", name, id, findings, part)
					}
				}
				for id, part := range c.remedy {
					if !strings.Contains(got[id].Remedy, part) {
						t.Errorf("%s: the remedy of %s is %q, without %q", name, id, got[id].Remedy, part)
					}
				}
				for _, id := range slices.Sorted(maps.Keys(got)) {
					if r := got[id]; r.Verdict == report.SuiteError || r.Verdict == report.Fail && c.want[id] != report.Fail {
						t.Errorf("%s: %s is %s: %s", name, id, r.Verdict, r.Reason)
					}
				}
			}
			if notices := strings.Join(o.Report.Notices, "\n"); !strings.Contains(notices, c.notice) {
				t.Errorf("the notices are %q, without %q", notices, c.notice)
			}
		})
	}
}

// A conversation takes the task of another only when that is done with it: what one asks
// to be canceled is no surprise in another.
func TestATaskThatWasCanceledIsNotUsedElsewhere(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a2a-0.1", "a2a-0.3", "a2x-0.3", "jaf-0.3"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, err := conform.Run(t.Context(), conform.Target{URL: bundled(t, reference.Options{Dialect: name}).URL(), Behaviour: conform.Behaviour{DefaultStimuli: true},
				Judging: conform.Judging{Select: conform.Selection{Areas: []string{"task", "stream", "context"}}}})
			if err != nil {
				t.Fatal(err)
			}
			type cancel struct {
				by string
				at record.Instant
			}
			canceled := map[string]cancel{} // by task
			for _, p := range o.Transcript.Plays {
				for _, s := range p.Steps {
					if _, again := canceled[s.Task]; s.Op == "cancel" && s.Exchange != nil && s.Task != "" && !again {
						canceled[s.Task] = cancel{p.Scenario, s.Exchange.Start}
					}
				}
			}
			if len(canceled) == 0 {
				t.Fatal("nothing was canceled")
			}
			for _, p := range o.Transcript.Plays {
				for _, s := range p.Steps {
					if c, ok := canceled[s.Task]; ok && s.Exchange != nil && c.by != p.Scenario && s.Exchange.End > c.at {
						t.Errorf("%s/%s uses the task that %s canceled", p.Scenario, s.Name, c.by)
					}
				}
			}
		})
	}
}

// onlyRPC is the binding of runs on servers whose replies over JSON-RPC alone are changed.
func onlyRPC(dialect string) string {
	if dialect == "a2a-0.3" || dialect == "a2a-1.0" {
		return "JSONRPC"
	}
	return ""
}
