package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// leaving is a bundled server that goes away for good on a certain call, or on the next one of
// JSON-RPC where that only fetches a document.
func leaving(t *testing.T, o reference.Options, on int64) string {
	t.Helper()
	behind, err := url.Parse(doctored(t, o, func(call, *reply) {}))
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(behind)
		r.Out.Host = r.In.Host // the card names the endpoint by it
	}}
	var calls atomic.Int64
	var gone atomic.Bool
	front := httptest.NewUnstartedServer(nil)
	front.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) >= on && r.Method == http.MethodPost || gone.Load() {
			gone.Store(true)
			front.Listener.Close()
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, r)
	})
	front.Start()
	t.Cleanup(front.Close)
	return front.URL
}

// outcomeOf is a run and its replay, which says the same.
func outcomeOf(t *testing.T, target conform.Target) *conform.Outcome {
	t.Helper()
	o, err := conform.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	again := replayed(t, o)
	if !slices.Equal(again.Report.Notices, o.Report.Notices) {
		t.Errorf("the replay has the notices %q, the run %q", again.Report.Notices, o.Report.Notices)
	}
	replayed := verdicts(again)
	for id, r := range verdicts(o) {
		if got := replayed[id]; got.Verdict != r.Verdict || got.Reason != r.Reason {
			t.Errorf("in the replay %s is %s (%s), in the run %s (%s)", id, got.Verdict, got.Reason, r.Verdict, r.Reason)
		}
	}
	return o
}

// A server that goes away breaks one sentence, by the call on which it did. What
// was asked afterwards is undecided, and the report says so first.
func TestAServerThatGoesAway(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dialect, root string
		on            int64
		undecided     int // at least, for what was not answered or for the root
	}{
		{"a2a-0.1", "A2A01-HTTP-001", 25, 50},
		{"a2a-0.3", "A2A03-ENV-014", 25, 40},
		{"a2x-0.3", "A2X03-HTTP-001", 25, 10},
		{"jaf-0.3", "JAF03-HTTP-001", 25, 35},
		{"directory-0.1", "DIR01-HTTP-001", 12, 20},
		{"core-schema", "", 6, 0}, // no sentence of it is about calls
	} {
		t.Run(c.dialect, func(t *testing.T) {
			t.Parallel()
			o := outcomeOf(t, conform.Target{URL: leaving(t, reference.Options{Dialect: c.dialect}, c.on), Dialect: c.dialect, Endpoint: conform.Endpoint{Binding: onlyRPC(c.dialect)}})
			var failing []string
			undecided := 0
			for _, r := range o.Report.Results {
				switch r.Verdict {
				case report.Fail:
					failing = append(failing, r.ID)
				case report.Inconclusive:
					if strings.Contains(r.Reason, "was not answered: the server stopped accepting connections after exchange ") || c.root != "" && r.Because == c.root {
						undecided++
					}
				case report.SuiteError:
					t.Errorf("%s: %s", r.ID, r.Reason)
				}
			}
			if strings.Join(failing, " ") != c.root {
				t.Errorf("%v fail, want %s", failing, c.root)
			}
			if undecided < c.undecided {
				t.Errorf("%d are undecided for its sake", undecided)
			}
			if n := o.Report.Notices; len(n) == 0 || !strings.HasPrefix(n[0], "the server stopped accepting connections after exchange ") {
				t.Errorf("the notices are %q", n)
			}
		})
	}
}

// staleAfterAnswer shows a waiting task as it was for some replies more, once its
// question was answered.
func staleAfterAnswer() func(call, *reply) {
	var mu sync.Mutex
	waited, told := map[string]any{}, map[string]int{}
	return func(_ call, r *reply) {
		if r.body == nil {
			return
		}
		r.body = changed(r.body, func(m map[string]any) {
			task := result(m)
			id, _ := task["id"].(string)
			status, _ := task["status"].(map[string]any)
			mu.Lock()
			defer mu.Unlock()
			if status["state"] == "input-required" {
				waited[id] = status
			} else if waited[id] != nil && told[id] < 3 {
				told[id]++
				task["status"] = waited[id]
			}
		})
	}
}

// unlookable has the look-ups of some steps fail at a gateway.
func unlookable(steps ...string) func(call, *reply) {
	return func(c call, r *reply) {
		for _, s := range steps {
			if c.named(s) {
				r.status, r.header, r.body = 502, http.Header{"Content-Type": {"text/html"}}, []byte("<h1>Bad gateway</h1>")
			}
		}
	}
}

// stateless takes the status out of what look-ups show.
func stateless(c call, r *reply) {
	if c.method == "tasks/get" {
		r.edit(func(m map[string]any) { delete(result(m), "status") })
	}
}

// A verdict about how a task goes on rests on what was seen of it: it is waited
// for, and a look-up that was lost says nothing.
func TestWhatBecomesOfATaskIsWaitedFor(t *testing.T) {
	t.Parallel()
	lost := unlookable("slow/poll-", "stays/poll-", "stays/look-", "drop/poll-")
	for _, c := range []struct {
		name, dialect string
		change        func(call, *reply)
		want          map[string]report.Verdict
		because       string // a part of the reason
	}{
		{"an answer that is taken up later", "a2a-0.1", staleAfterAnswer(), map[string]report.Verdict{"A2A01-TASK-044": report.Pass}, ""},
		{"an answer that is taken up later", "a2a-0.3", staleAfterAnswer(), map[string]report.Verdict{"A2A03-STATE-002": report.Pass}, ""},
		{"an answer that is taken up later", "a2x-0.3", staleAfterAnswer(), map[string]report.Verdict{"A2X03-TASK-024": report.Pass}, ""},
		{"one look-up is lost", "a2a-0.1", unlookable(`slow/poll-2"`, `drop/poll-2"`), map[string]report.Verdict{"A2A01-TASK-033": report.Pass, "A2A01-STR-038": report.Pass}, ""},
		{"one look-up is lost", "a2a-0.3", unlookable(`slow/poll-2"`, `drop/poll-2"`), map[string]report.Verdict{"A2A03-GET-004": report.Pass, "A2A03-STREAM-028": report.Pass}, ""},
		{"all look-ups are lost", "a2a-0.1", lost, map[string]report.Verdict{"A2A01-TASK-033": report.Inconclusive}, "the run did not see how the task went on: the server failed with HTTP 502"},
		{"all look-ups are lost", "a2a-0.3", lost, map[string]report.Verdict{"A2A03-GET-004": report.Inconclusive}, "the run did not see how the task went on: the server failed with HTTP 502"},
		{"look-ups show no state", "a2a-0.3", stateless, map[string]report.Verdict{"A2A03-GET-016": report.Inconclusive}, "shows no state of the task"},
	} {
		t.Run(c.name+" "+c.dialect, func(t *testing.T) {
			t.Parallel()
			target := conform.Target{URL: doctored(t, reference.Options{Dialect: c.dialect}, c.change), Dialect: c.dialect, IDs: stepsAsIDs, Behaviour: conform.Behaviour{DefaultStimuli: true}}
			for id := range c.want {
				target.Select.Run = append(target.Select.Run, id)
			}
			got := verdicts(outcomeOf(t, target))
			for id, want := range c.want {
				if r := got[id]; r.Verdict != want || !strings.Contains(r.Reason, c.because) {
					t.Errorf("%s is %s, want %s: %s", id, r.Verdict, want, r.Reason)
				}
			}
		})
	}
}

// An agent whose every task fails is not configured, and the report says so first.
func TestAnAgentThatFailsInside(t *testing.T) {
	t.Parallel()
	const own = "OPENAI_API_KEY is not set"
	failing := func(m map[string]any) {
		task := result(m)
		if task == nil { // an event without an envelope
			task = m
		}
		status, _ := task["status"].(map[string]any)
		if state := status["state"]; state == "completed" || state == "input-required" {
			status["state"] = "failed"
			status["message"] = map[string]any{"kind": "message", "role": "agent", "messageId": "0d3ef4d7-020d-4c44-a08a-d3b1b1e5bd15",
				"parts": []any{map[string]any{"kind": "text", "type": "text", "text": own}}}
		}
	}
	for _, c := range []struct {
		name, dialect string
		change        func(call, *reply)
		notice        string
	}{
		{"its tasks fail", "a2a-0.1", func(_ call, r *reply) { r.edit(failing) }, `every message fails inside the agent (state failed "` + own + `")`},
		{"its tasks fail", "a2a-0.3", func(_ call, r *reply) { r.edit(failing) }, `every message fails inside the agent (state failed "` + own + `")`},
		{"its tasks fail", "a2x-0.3", func(_ call, r *reply) { r.edit(failing) }, `every message fails inside the agent (state failed "` + own + `")`},
		{"calls and streams fail each in their way", "jaf-0.3", func(c call, r *reply) {
			if r.edit(failing); c.method == "message/send" {
				r.error(c, -32603, own)
			}
		}, "every message fails inside the agent (error -32603 " + own + ")"},
		{"messages are answered, and tasks fail", "a2a-0.3", func(c call, r *reply) {
			if r.edit(failing); c.method == "message/send" && strings.Contains(c.text(), "ello") {
				r.json(200, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"kind":"message","role":"agent","messageId":"m","parts":[{"kind":"text","text":"Hi."}]}}`, c.id))
			}
		}, `every task fails inside the agent (state failed "` + own + `")`},
		{"some fail", "a2a-0.3", func(c call, r *reply) {
			if !c.named("history/") {
				r.edit(failing)
			}
		}, ""},
	} {
		t.Run(c.name+" "+c.dialect, func(t *testing.T) {
			t.Parallel()
			o := outcomeOf(t, conform.Target{URL: doctored(t, reference.Options{Dialect: c.dialect}, c.change), Dialect: c.dialect, IDs: stepsAsIDs, Endpoint: conform.Endpoint{Binding: onlyRPC(c.dialect)},
				Behaviour: conform.Behaviour{Never: []string{"slow"}}, Judging: conform.Judging{Select: conform.Selection{Areas: []string{"task", "message", "stream"}}}})
			notices := strings.Join(o.Report.Notices, "\n")
			if said := strings.HasPrefix(notices, "every "); said != (c.notice != "") || !strings.HasPrefix(notices, c.notice) {
				t.Errorf("the notices are %q, want %q", notices, c.notice)
			}
		})
	}
}
