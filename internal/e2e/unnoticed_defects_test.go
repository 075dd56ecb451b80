package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Defects that are seen only if a check looks everywhere that its sentence holds, by the rule.
func TestDefectsThatOneLookDoesNotShow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, dialect, mutant, id, want string }{
		{"what the agent asked has its place in a history", "a2a-1.0", "history-by-role", "A2A10-GET-011", "fail"},
		{"what the agent asked has its place in a history", "a2a-0.1", "history-by-role", "A2A01-TASK-030", "fail"},
		{"messages of the agent inside a task name its context", "a2a-1.0", "task-messages-without-context", "A2A10-DATA-037", "fail"},
		{"a header that is there and empty is sent", "a2a-1.0", "version-empty-crashes", "A2A10-VER-007", "fail"},
		{"a call without params is sent", "jaf-0.3", "get-without-params-internal", "JAF03-ERR-011", "fail"},
		{"a task that is gone after its cancellation is named", "a2a-1.0", "canceled-deleted", "A2A10-CANCEL-007", "pass!"},
		{"a task that is gone after its cancellation is named", "a2a-0.3", "canceled-deleted", "A2A03-CANCEL-005", "pass!"},
		{"a task that is gone proves nothing about a canceled one", "a2a-1.0", "canceled-deleted", "A2A10-CANCEL-006", "inconclusive"},
		{"a task that is gone proves nothing about a canceled one", "a2a-0.3", "canceled-deleted", "A2A03-CANCEL-007", "inconclusive"},
	} {
		t.Run(c.dialect+"/"+c.rule, func(t *testing.T) {
			t.Parallel()
			server := bundled(t, reference.Options{Dialect: c.dialect, Mutant: c.mutant})
			target := conform.Target{Dialect: c.dialect, Behaviour: conform.Behaviour{DefaultStimuli: true}}
			expect(t, judgedOn(t, server.URL(), target, c.id), map[string]string{c.id: c.want})
		})
	}
}

// requirementsOf are the ids of the requirements with one of some checks, but for those that
// ask for a certain error.
func requirementsOf(t *testing.T, dialect string, checks ...string) (ids []string) {
	t.Helper()
	d, err := schema.Load(dialect)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Requirements {
		for _, check := range checks {
			if r := &d.Requirements[i]; r.Check == check && r.With["codes"] == nil {
				ids = append(ids, r.ID)
			}
		}
	}
	if len(ids) == 0 {
		t.Fatalf("%s has no requirement with %v", dialect, checks)
	}
	return ids
}

// noneFails judges some requirements of a doctored server, each of which the healthy one
// passes, and expects no failure.
func noneFails(t *testing.T, dialect string, ids []string, change func(c call, r *reply)) {
	t.Helper()
	url := doctored(t, reference.Options{Dialect: dialect}, change)
	target := conform.Target{Dialect: dialect, Behaviour: conform.Behaviour{DefaultStimuli: true}, Endpoint: conform.Endpoint{Binding: refusedTarget(dialect).Binding}}
	for id, r := range judgedOn(t, url, target, ids...) {
		if r.Verdict == report.Fail {
			t.Errorf("%s fails: %s", id, r.Reason)
		}
	}
}

// refuses reports whether an answer is a JSON-RPC error other than an internal one.
func refuses(r *reply) bool {
	var m struct{ Error *struct{ Code int } }
	return json.Unmarshal(r.body, &m) == nil && m.Error != nil && m.Error.Code != -32603
}

// A well-formed refusal is a refusal, whatever status the transport gives it.
func TestWellFormedRefusalOutweighsStatus(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{"a2a-0.1", "a2a-0.3", "a2a-1.0", "directory-0.1"} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			noneFails(t, dialect, requirementsOf(t, dialect, "transport/no-fault"), func(_ call, r *reply) {
				if refuses(r) {
					r.status = 500
				}
			})
		})
	}
}

// JSON with a member error is no JSON-RPC response for that: what a response object must have
// is not asked of it.
func TestMemberErrorMakesNoResponse(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{"a2a-0.1", "a2a-0.3", "a2a-1.0", "a2x-0.3", "jaf-0.3", "directory-0.1"} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			ids := requirementsOf(t, dialect, "envelope/null-id", "envelope/integer-code", "envelope/echoes-id")
			noneFails(t, dialect, ids, func(c call, r *reply) {
				if refuses(r) && !strings.HasPrefix(c.path, "/.well-known") {
					r.json(400, `{"statusCode":400,"error":"Bad Request"}`)
				}
			})
		})
	}
}
