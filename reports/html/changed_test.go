package html

import (
	"io"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// besideValid is a transcript of an invalid request and of the valid call beside it.
func besideValid(sent, valid string) *record.Transcript {
	t := &record.Transcript{Started: reportstest.Started, Facts: record.Facts{Dialect: "a2a-1.0"}}
	p := record.Play{Scenario: "malformed", Attempt: 1}
	for i, body := range []string{valid, sent} {
		x := reportstest.Post(body, "200 OK", "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`, 0)
		p.Steps = append(p.Steps, record.Step{Name: []string{"twin", "bent"}[i], Role: []record.Role{record.Twin, record.Probe}[i], Op: "send", Twin: []string{"", "twin"}[i], Invalid: i == 1, Exchange: x})
	}
	t.Plays = []record.Play{p}
	t.Seal()
	return t
}

// TestChangedPointer checks that the member that makes a request invalid is found if it is the only one that differs
// from the valid call, and that nothing is guessed otherwise.
func TestChangedPointer(t *testing.T) {
	const valid = `{"jsonrpc":"2.0","id":"aaaa","method":"SendMessage","params":{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"hi"}]}}}`
	for _, c := range []struct{ name, sent, want string }{
		{"another value", strings.Replace(valid, "ROLE_USER", "ROLE_SYSTEM", 1), "/params/message/role"},
		{"with ids of its own", strings.NewReplacer("ROLE_USER", "ROLE_SYSTEM", "aaaa", "bbbb", `"m1"`, `"m2"`).Replace(valid), "/params/message/role"},
		{"a missing member", strings.Replace(valid, `"role":"ROLE_USER",`, "", 1), "/params/message/role"},
		{"one more member", strings.Replace(valid, `"role"`, `"a/b~":1,"role"`, 1), "/params/message/a~1b~0"},
		{"in a list", strings.Replace(valid, `"text":"hi"`, `"text":7`, 1), "/params/message/parts/0/text"},
		{"a shorter list", strings.Replace(valid, `[{"text":"hi"}]`, `[]`, 1), "/params/message/parts"},
		{"an id of another kind", strings.Replace(valid, `"id":"aaaa"`, `"id":{}`, 1), "/id"},
		{"an empty id", strings.Replace(valid, `"messageId":"m1"`, `"messageId":""`, 1), "/params/message/messageId"},
		{"two differences", strings.NewReplacer("ROLE_USER", "ROLE_SYSTEM", "SendMessage", "Nothing").Replace(valid), ""},
		{"none", valid, ""},
		{"not JSON", valid[:40], ""},
		{"not an object", "7", ""},
		{"a member that is there twice", strings.Replace(valid, `"role":"ROLE_USER"`, `"role":"ROLE_USER","role":"ROLE_AGENT"`, 1), "/params/message"},
	} {
		tr := besideValid(c.sent, valid)
		if got := builderFor(tr).changedPointer(tr.Exchanges[1]); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	tr := besideValid(strings.Replace(valid, "ROLE_USER", "ROLE_SYSTEM", 1), valid)
	tr.Plays[0].Steps[1].Invalid = false
	if got := builderFor(tr).changedPointer(tr.Exchanges[1]); got != "" {
		t.Errorf("a valid call: got %q, want none", got)
	}
}

// TestSentIsMarked checks that a card marks the member that makes the request invalid.
func TestSentIsMarked(t *testing.T) {
	const valid = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m1","role":"ROLE_USER"}}}`
	tr := besideValid(strings.Replace(valid, "ROLE_USER", "ROLE_SYSTEM", 1), valid)
	r := reportstest.SampleReport(report.Result{ID: "ZZ99-X-001", Level: schema.Must, Area: "x", Verdict: report.Fail, Reason: "it was taken", Evidence: []report.Evidence{{Exchange: tr.Exchanges[1].ID, Pointer: "/error/code"}}})
	r.Target.Dialect = "a2a-1.0"
	page := reportstest.Render(t, func(w io.Writer) error { return WriteReport(w, r, tr) })
	for _, want := range []string{`<mark>&#34;role&#34;: &#34;ROLE_SYSTEM&#34;</mark>`, `<mark>&#34;code&#34;: -32602</mark>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}
