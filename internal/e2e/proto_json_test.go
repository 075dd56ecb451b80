package e2e

import (
	"fmt"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// eachObject calls a function with every object in a JSON value, outermost first.
func eachObject(v any, f func(m map[string]any)) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			eachObject(e, f)
		}
	case map[string]any:
		f(v)
		for _, e := range v {
			eachObject(e, f)
		}
	}
}

// everyObject changes every object that a server sends.
func everyObject(f func(m map[string]any)) func(call, *reply) {
	return func(_ call, r *reply) {
		r.edit(func(m map[string]any) { eachObject(m, f) })
	}
}

// nullsBeside sends members that an object does not have as null, if it has a certain one.
func nullsBeside(member string, names ...string) func(call, *reply) {
	return everyObject(func(m map[string]any) {
		if m[member] == nil {
			return
		}
		for _, name := range names {
			if m[name] == nil {
				m[name] = nil
			}
		}
	})
}

// rewritten changes the texts of a member.
func rewritten(member string, form func(string) any) func(call, *reply) {
	return everyObject(func(m map[string]any) {
		if text, is := m[member].(string); is {
			m[member] = form(text)
		}
	})
}

// A server may send what every reader of ProtoJSON takes, which is a finding if it is not
// the usual form; what the protocol's text forbids is named all the same.
func TestFormsOfProtoJSON(t *testing.T) {
	slots := make(chan struct{}, 4) // what is late on a busy machine decides nothing
	numbers := map[string]int{"TASK_STATE_SUBMITTED": 1, "TASK_STATE_WORKING": 2, "TASK_STATE_COMPLETED": 3, "TASK_STATE_FAILED": 4, "TASK_STATE_CANCELED": 5,
		"TASK_STATE_INPUT_REQUIRED": 6, "TASK_STATE_REJECTED": 7, "TASK_STATE_AUTH_REQUIRED": 8}
	for i, c := range []struct {
		name   string
		change func(call, *reply)
		want   map[string]string // no other requirement fails
	}{
		{`"totalSize": "2"`, everyObject(func(m map[string]any) {
			for _, name := range []string{"pageSize", "totalSize"} {
				if n, is := m[name].(float64); is {
					m[name] = fmt.Sprint(n)
				}
			}
		}), map[string]string{"A2A10-LIST-004": "pass!", "A2A10-LIST-005": "pass!", "A2A10-LIST-011": "pass", "A2A10-LIST-012": "pass", "A2A10-LIST-023": "pass"}},
		{`"raw": null beside "text"`, nullsBeside("text", "raw", "url", "data", "filename", "mediaType", "metadata"),
			map[string]string{"A2A10-DATA-016": "pass!", "A2A10-DATA-018": "pass!", "A2A10-DATA-025": "pass!"}},
		{`"task": null beside "statusUpdate"`, nullsBeside("statusUpdate", "task", "message", "artifactUpdate"), map[string]string{"A2A10-STREAM-008": "pass!"}},
		{`"append": null`, nullsBeside("artifact", "append", "lastChunk", "metadata"), map[string]string{"A2A10-STREAM-023": "pass!"}},
		{`"name": null`, nullsBeside("artifactId", "name", "description", "metadata", "extensions"), nil},
		{`"history": null`, nullsBeside("status", "history", "artifacts", "metadata"),
			map[string]string{"A2A10-DATA-006": "pass!", "A2A10-DATA-007": "pass!", "A2A10-GET-012": "pass", "A2A10-LIST-019": "pass"}},
		{`"message": null`, nullsBeside("state", "message", "timestamp"), map[string]string{"A2A10-DATA-008": "pass!"}},
		{`"provider": null`, nullsBeside("skills", "provider", "documentationUrl", "iconUrl", "securitySchemes", "securityRequirements", "signatures"), map[string]string{"A2A10-CARD-043": "pass!"}},
		{`"examples": null`, nullsBeside("tags", "examples", "inputModes", "outputModes", "securityRequirements"), nil},
		{`"data": null`, everyObject(func(m map[string]any) {
			if _, is := m["data"].(map[string]any); is && m["text"] == nil {
				m["data"] = nil
			}
		}), map[string]string{"A2A10-DATA-016": "pass"}},
		{`"raw": "-_8"`, rewritten("raw", func(s string) any { return strings.NewReplacer("=", "", "+", "-", "/", "_").Replace(s) }), map[string]string{"A2A10-DATA-018": "pass!"}},
		{`"timestamp": "…T10:00:00Z"`, rewritten("timestamp", func(s string) any { return s[:19] + "Z" }), map[string]string{"A2A10-DATA-028": "pass", "A2A10-DATA-030": "pass!"}},
		{`"timestamp": "….123000Z"`, rewritten("timestamp", func(s string) any { return s[:len(s)-1] + "000Z" }), map[string]string{"A2A10-DATA-028": "pass", "A2A10-DATA-030": "pass"}},
		{`"timestamp": "….123000000Z"`, rewritten("timestamp", func(s string) any { return s[:len(s)-1] + "000000Z" }), map[string]string{"A2A10-DATA-028": "pass", "A2A10-DATA-030": "pass"}},

		{`"timestamp": "…+00:00"`, rewritten("timestamp", func(s string) any { return s[:len(s)-1] + "+00:00" }), map[string]string{"A2A10-DATA-028": "pass", "A2A10-DATA-029": "fail"}},
		{`"timestamp": "…+02:00"`, rewritten("timestamp", func(s string) any { return s[:len(s)-1] + "+02:00" }), map[string]string{"A2A10-DATA-028": "pass", "A2A10-DATA-029": "fail"}},
		{`"state": 3`, rewritten("state", func(s string) any {
			if n, is := numbers[s]; is {
				return n
			}
			return s
		}), map[string]string{"A2A10-DATA-027": "fail"}},
		{`"context_id"`, everyObject(func(m map[string]any) {
			if id, is := m["contextId"]; is && m["status"] == nil && m["kind"] == nil && m["parts"] != nil {
				delete(m, "contextId")
				m["context_id"] = id
			}
		}), map[string]string{"A2A10-DATA-026": "fail"}},
		{`"parts": [null]`, everyObject(func(m map[string]any) {
			if parts, is := m["parts"].([]any); is && m["artifactId"] != nil {
				m["parts"] = append(parts, nil)
			}
		}), map[string]string{"A2A10-DATA-024": "fail"}},
		{`"artifactId": null`, everyObject(func(m map[string]any) {
			if m["artifactId"] != nil {
				m["artifactId"] = nil
			}
		}), map[string]string{"A2A10-DATA-022": "fail"}},
		{`"totalSize": "two"`, everyObject(func(m map[string]any) {
			if m["totalSize"] != nil {
				m["totalSize"] = "two"
			}
		}), map[string]string{"A2A10-LIST-005": "fail"}},
	} {
		for j, binding := range []string{"JSONRPC", "HTTP+JSON"} {
			if testamount.LeavesOut(i%2 == j) { // each form is read alike in both bindings
				continue
			}
			t.Run(binding+" "+c.name, func(t *testing.T) {
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				target := conform.Target{Dialect: "a2a-1.0", Endpoint: conform.Endpoint{Binding: binding}, Behaviour: conform.Behaviour{DefaultStimuli: true, Stimuli: slowForSure}}
				got := judgedOn(t, doctored(t, reference.Options{Dialect: "a2a-1.0"}, c.change), target)
				expect(t, got, c.want)
				allowed := true
				for _, verdict := range c.want {
					allowed = allowed && verdict != "fail"
				}
				for id, r := range got {
					if allowed && (r.Verdict == report.Fail || r.Verdict == report.Inconclusive && r.Remedy == "") || r.Verdict == report.SuiteError {
						t.Errorf("%s is %s: %s", id, r.Verdict, r.Reason)
					}
				}
			})
		}
	}
}
