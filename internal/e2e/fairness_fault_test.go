package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// judged is a run on a server some of whose answers are changed.
func judged(t *testing.T, o reference.Options, target conform.Target, change func(c call, r *reply)) (*conform.Outcome, map[string]report.Result) {
	t.Helper()
	target.URL, target.Dialect, target.IDs = doctored(t, o, change), o.Dialect, stepsAsIDs
	if !target.DefaultStimuli {
		target.Never = append(target.Never, "slow")
	}
	out, err := conform.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	return out, verdicts(out)
}

// onlyFails demands that these requirements fail, and no others.
func onlyFails(t *testing.T, got map[string]report.Result, ids ...string) {
	t.Helper()
	want := map[string]bool{}
	for _, id := range ids {
		want[id] = true
		if got[id].Verdict != report.Fail {
			t.Errorf("%s is %s: %s", id, got[id].Verdict, got[id].Reason)
		}
	}
	for id, r := range got {
		if r.Verdict == report.SuiteError || r.Verdict == report.Fail && !want[id] {
			t.Errorf("%s is %s: %s", id, r.Verdict, r.Reason)
		}
	}
}

// A server has to refuse credentials that are not valid: unless the operator says
// that they are, a refusal of them is not held against it.
func TestRefusedCredentials(t *testing.T) {
	t.Parallel()
	for dialect, id := range map[string]string{"a2a-0.1": "A2A01-AUTH-003", "a2a-0.3": "A2A03-AUTH-007", "jaf-0.3": "JAF03-AUTH-003", "a2x-0.3": "A2X03-AUTH-001"} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			o := reference.Options{Dialect: dialect, Variant: "guarded"}
			refused := func(c call, r *reply) {
				if c.method != "" {
					r.json(401, `{"error":"the token is not valid"}`)
					r.header.Set("WWW-Authenticate", "Bearer")
				}
			}
			target := conform.Target{Credentials: conform.Credentials{Bearer: reference.Token}, Behaviour: conform.Behaviour{Declarations: []string{"authenticated"}}, Judging: conform.Judging{Select: conform.Selection{Areas: []string{"auth"}}}}
			out, got := judged(t, o, target, refused)
			onlyFails(t, got)
			due := report.Void
			if dialect == "a2a-0.3" { // over HTTP+JSON calls are let in
				due = report.Partial
			}
			if out.Report.Verdict != due || !strings.Contains(got[id].Remedy, "credentials: true") {
				t.Errorf("%s; %s is %s, with the remedy %q", out.Report.Verdict, id, got[id].Verdict, got[id].Remedy)
			}
			target.Declarations = append(target.Declarations, "credentials")
			if _, got = judged(t, o, target, refused); dialect != "jaf-0.3" && got[id].Verdict != report.Fail { // which rests on the harmless message there
				t.Errorf("%s is %s: %s", id, got[id].Verdict, got[id].Reason)
			}
		})
	}
}

// What fails inside on every message is undecided in every protocol: it was
// answered, and nothing shows how it would be if it worked.
func TestAgentThatFailsInside(t *testing.T) {
	t.Parallel()
	for dialect, ids := range map[string][]string{
		"jaf-0.3": {"JAF03-HTTP-00[12]", "JAF03-MSG-*", "JAF03-DISC-*"}, "a2a-0.1": {"A2A01-HTTP-001", "A2A01-TASK-*"},
		"a2a-0.3": {"A2A03-ENV-014", "A2A03-SEND-00*", "A2A03-GET-*"}, "a2x-0.3": {"A2X03-HTTP-001", "A2X03-MSG-*", "A2X03-TASK-*"}, "core-schema": {"CORE-*"},
	} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			out, got := judged(t, reference.Options{Dialect: dialect}, conform.Target{Behaviour: conform.Behaviour{DefaultStimuli: true}, Judging: conform.Judging{Select: conform.Selection{Run: ids}}}, func(c call, r *reply) {
				if c.id != nil && (strings.HasPrefix(c.method, "message/") || strings.HasPrefix(c.method, "tasks/send")) {
					r.error(c, -32603, "the model cannot be reached")
				}
			})
			onlyFails(t, got)
			for _, id := range []string{"JAF03-HTTP-002", "A2A01-HTTP-001", "A2A03-ENV-014", "A2X03-HTTP-001"} {
				if r, of := got[id]; of && r.Verdict != report.Pass {
					t.Errorf("%s is %s: %s", id, r.Verdict, r.Reason)
				}
			}
			for _, id := range []string{"JAF03-MSG-001", "A2A01-TASK-018", "A2A03-SEND-002", "A2X03-MSG-004"} {
				if r, of := got[id]; of && r.Verdict != report.Inconclusive {
					t.Errorf("%s is %s: %s", id, r.Verdict, r.Reason)
				}
			}
			if out.Report.Verdict == report.Nonconformant {
				t.Error(out.Report.Reason)
			}
		})
	}
}

// Null beside an error is one fault, of the envelope: the reply is the error.
func TestNullBesideAnError(t *testing.T) {
	t.Parallel()
	for dialect, ids := range map[string][]string{"a2a-0.1": {"A2A01-ENV-013", "A2A01-SCHEMA-000", "A2A01-TASK-037"}, "a2a-0.3": {"A2A03-ENV-006", "A2A03-SCHEMA-000", "A2A03-SEND-002", "A2A03-SEND-011"},
		"a2x-0.3": {"A2X03-ENV-005", "A2X03-SCHEMA-000", "A2X03-MSG-004", "A2X03-OWN-*", "A2X03-TASK-*"}, "jaf-0.3": {"JAF03-ENV-007", "JAF03-SCHEMA-000", "JAF03-TASK-0*"}} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			_, got := judged(t, reference.Options{Dialect: dialect}, conform.Target{Judging: conform.Judging{Select: conform.Selection{Run: ids}}}, func(c call, r *reply) {
				r.edit(func(m map[string]any) {
					if m["jsonrpc"] != nil && m["error"] != nil {
						m["result"] = nil
					}
				})
			})
			onlyFails(t, got, ids[0])
		})
	}
}

// That push notifications are not supported has a code of its own, which is due
// where the card does not say that they are.
func TestFeatureThatNoCardClaims(t *testing.T) {
	t.Parallel()
	_, got := judged(t, reference.Options{Dialect: "a2a-0.3"}, conform.Target{Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A03-CARD-008", "A2A03-ERR-001"}}}}, func(c call, r *reply) {
		switch {
		case strings.HasSuffix(c.path, "card.json"):
			r.edit(func(m map[string]any) { delete(m, "capabilities") })
		case strings.HasPrefix(c.method, "tasks/pushNotificationConfig/"):
			r.error(c, -32003, "Push Notification is not supported")
		}
	})
	onlyFails(t, got, "A2A03-CARD-008")
	if got["A2A03-ERR-001"].Verdict != report.Pass { // by the other refusals
		t.Errorf("A2A03-ERR-001 is %s: %s", got["A2A03-ERR-001"].Verdict, got["A2A03-ERR-001"].Reason)
	}
}

// A malformed message that a stream took is one fault: what the stream repeats of
// it is no other.
func TestMalformedMessageInAStream(t *testing.T) {
	t.Parallel()
	_, got := judged(t, reference.Options{Dialect: "a2a-0.3"}, conform.Target{Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A03-STREAM-029", "A2A03-MSG-*", "A2A03-SCHEMA-000"}}}}, func(c call, r *reply) {
		if c.named("stream-params/no-message") {
			r.status, r.header = 200, http.Header{"Content-Type": {"text/event-stream"}}
			r.body = fmt.Appendf(nil, `data: {"jsonrpc":"2.0","id":%s,"result":{"kind":"task","id":"t-1","contextId":"c-1","history":[{}],"status":{"state":"completed"}}}`+"\n\n", c.id)
		}
	})
	onlyFails(t, got, "A2A03-STREAM-029")
}

// An event that lacks its envelope is read by its own kind, and is no error; nor is
// a mark that the stream is over.
func TestEventsWithoutEnvelope(t *testing.T) {
	t.Parallel()
	_, got := judged(t, reference.Options{Dialect: "a2a-0.3"}, conform.Target{Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A03-ENV-001", "A2A03-STREAM-004", "A2A03-STREAM-007", "A2A03-STREAM-032"}}}}, func(c call, r *reply) {
		if c.named("stream/subscribe") {
			r.events = func(m map[string]any) {
				inner := result(m)
				clear(m)
				for name, v := range inner {
					m[name] = v
				}
			}
		}
	})
	onlyFails(t, got, "A2A03-ENV-001", "A2A03-STREAM-004")
	if got["A2A03-STREAM-007"].Verdict != report.Pass {
		t.Errorf("A2A03-STREAM-007 is %s: %s", got["A2A03-STREAM-007"].Verdict, got["A2A03-STREAM-007"].Reason)
	}
}

// A byte order mark before JSON is forbidden by RFC 8259, which the protocols do
// not repeat: it is a finding in each of them.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	for dialect, id := range map[string]string{"a2a-0.1": "A2A01-HTTP-002", "a2a-0.3": "A2A03-ENV-011", "a2x-0.3": "A2X03-HTTP-002", "jaf-0.3": "JAF03-HTTP-003", "directory-0.1": "DIR01-HTTP-004"} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			_, got := judged(t, reference.Options{Dialect: dialect}, conform.Target{Judging: conform.Judging{Select: conform.Selection{Run: []string{id}}}}, func(c call, r *reply) {
				if json.Valid(r.body) {
					r.body = append([]byte("\ufeff"), r.body...)
				}
			})
			if !strings.Contains(fmt.Sprint(got[id].Findings), "byte order mark") || got[id].Verdict != report.Pass {
				t.Errorf("%s is %s, with the findings %v", id, got[id].Verdict, got[id].Findings)
			}
		})
	}
}

// An agent that makes no tasks is told so, and not that none was seen.
func TestStreamsOfAnAgentWithoutTasks(t *testing.T) {
	t.Parallel()
	_, got := judged(t, reference.Options{Dialect: "a2a-0.3"}, conform.Target{Behaviour: conform.Behaviour{DefaultStimuli: true}, Judging: conform.Judging{Select: conform.Selection{Areas: []string{"stream"}}}}, func(c call, r *reply) {
		message := `{"kind":"message","role":"agent","messageId":"m-` + strings.Trim(string(c.id), `"`) + `","parts":[{"kind":"text","text":"hi"}]}`
		text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, c.id, message)
		switch streams := strings.HasPrefix(r.header.Get("Content-Type"), "text/event-stream"); {
		case c.method == "message/stream" && streams:
			r.body = []byte("data: " + text + "\n\n")
		case c.method == "message/send" && bytes.Contains(r.body, []byte(`"kind":"task"`)):
			r.json(200, text)
		}
	})
	for _, id := range []string{"A2A03-CANCEL-010", "A2A03-STREAM-025", "A2A03-STREAM-028", "A2A03-RESUB-001", "A2A03-RESUB-002", "A2A03-RESUB-003", "A2A03-RESUB-004", "A2A03-RESUB-008"} {
		if r := got[id]; r.Verdict != report.NotApplicable || r.Reason != judge.NoTasks {
			t.Errorf("%s is %s: %s", id, r.Verdict, r.Reason)
		}
	}
}

// Where there is nothing at all, the path may be the operator's mistake.
func TestNothingThere(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	o, err := conform.Run(t.Context(), conform.Target{URL: server.URL + "/nothere", Dialect: "directory-0.1"})
	if err != nil {
		t.Fatal(err)
	}
	onlyFails(t, verdicts(o))
	if notices := strings.Join(o.Report.Notices, "\n"); o.Report.Verdict != report.Partial || !strings.Contains(notices, "/nothere is the right address") {
		t.Errorf("%s, with the notices %q", o.Report.Verdict, notices)
	}
}

// The types allow any integer as a length: a negative one may be accepted, which is
// a finding, and what is no integer has to be refused. That is what both readings say.
func TestLengthOfAHistory(t *testing.T) {
	t.Parallel()
	for probe, want := range map[string]report.Verdict{"negative": report.Pass, "fraction": report.Fail, "string": report.Fail} {
		t.Run(probe, func(t *testing.T) {
			t.Parallel()
			_, got := judged(t, reference.Options{Dialect: "a2a-0.3"}, conform.Target{Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A03-GET-014"}}}}, func(c call, r *reply) {
				if c.named("envelope/get-history-" + probe) {
					r.json(200, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"kind":"task","id":%q,"contextId":"c","status":{"state":"completed"}}}`, c.id, c.params["id"]))
				}
			})
			r := got["A2A03-GET-014"]
			if r.Verdict != want || want == report.Pass && len(r.Findings) == 0 {
				t.Errorf("%s, with the findings %v: %s", r.Verdict, r.Findings, r.Reason)
			}
			if said := strings.Join(r.Readings, "\n"); !strings.Contains(said, "any integer") {
				t.Errorf("the readings are %q", said)
			}
		})
	}
}
