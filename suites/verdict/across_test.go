package verdict_test

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// A sentence about several interfaces sees what travelled by all of them; any other only
// what travelled by the binding in which it is judged.
func TestAcrossInterfaces(t *testing.T) {
	d := judgetest.Dialect(t, `
  - {id: ZZ99-X-001, level: MUST, about: interfaces, area: task, section: '1', statement: It is seen., check: interfaces/seen, with: {steps: [x/get]}}
  - {id: ZZ99-X-002, level: MUST, binding: jsonrpc, area: task, section: '1', statement: It is JSON-RPC., every: reply, check: shape, with: {type: Reply, at: /jsonrpc, rules: [required, const]}}
`)
	d.Bindings["WEB"] = schema.Binding{Kind: schema.KindREST, Media: []string{"application/json"}, Routes: map[string]schema.Routes{"get": {{Verb: "GET", Path: "/jobs/{number}"}}}}
	transcript := judgetest.Transcript(t, `
x/get get task=7
  > {"jsonrpc":"2.0","id":1,"method":"look","params":{}}
  < 200 application/json {"jsonrpc":"2.0","id":1,"result":{"number":"7"}}
x/get-2 get task=7 by=WEB
  > GET -
  < 200 application/json {"number":"7"}
`)
	transcript.Facts.Bindings = []string{"JSONRPC", "WEB"}
	transcript.Plays[0].Subject = record.Subject{Binding: "JSONRPC"}
	transcript.Plays = append(transcript.Plays, record.Play{Scenario: "quick", Attempt: 1, Subject: record.Subject{Binding: "WEB"}})
	c := verdict.NewDecider(d, transcript, suites.Checks(), nil)
	for _, id := range []string{"ZZ99-X-001", "ZZ99-X-002"} {
		if r := c.Result(id); r.Verdict != report.Pass {
			t.Errorf("%s: %s %s", id, r.Verdict, r.Reason)
		}
	}
	if r := c.Result("ZZ99-X-001"); len(r.Evidence) == 0 || len(r.Subjects) > 0 {
		t.Errorf("%+v", r)
	}
}
