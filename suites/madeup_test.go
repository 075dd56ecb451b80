package suites_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"testing/fstest"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// A dialect that nobody speaks, in which everything stands elsewhere.
var madeUp = fstest.MapFS{
	"zz-9.9/dialect.yaml": {Data: []byte(`
name: zz-9.9
title: ZZ 9.9
prefix: ZZ99
source: {title: A made-up protocol, version: "9.9"}
detect: {version: /zz, is: ["9.9"]}
card: {paths: [/card], name: /called, claims: {streaming: /can/stream}}
operations: {send: {agent: true}, get: {result: Job, about: task}}
bindings: {JSONRPC: {kind: jsonrpc, methods: {send: do, get: look}}}
errors: {ParseError: -32700, InvalidRequest: -32600, MethodNotFound: -32601, InvalidParams: -32602, InternalError: -32603}
states: [{name: busy}, {name: ready, terminal: true}]
read:
  send: {task.id: /job/number, task.state: /job/phase}
  get: {task.id: /number, task.state: /phase}
shapes: {card: Card, envelope: Reply}
`)},
	"zz-9.9/a2a.json": {Data: []byte(`{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{
"Card":{"type":"object","required":["called"],"properties":{"called":{"type":"string"}}},
"Reply":{"type":"object","required":["jsonrpc"],"properties":{"jsonrpc":{"const":"2.0"}}},
"Job":{"type":"object","required":["number","phase"],"properties":{"number":{"type":"string"},"phase":{"enum":["busy","ready"]}}}}}`)},
	"zz-9.9/requirements/all.yaml": {Data: []byte(`
source: A made-up protocol 9.9
requirements:
  - {id: ZZ99-CARD-001, level: MUST, area: card, section: "1", statement: The card says how the agent is called., check: shape, with: {type: Card, at: /called, rules: [required, type]}}
  - {id: ZZ99-TASK-001, level: MUST, area: task, section: "2", statement: A look-up returns the job asked for., check: task/same-id, with: {step: quick/send, then: quick/get}}
  - {id: ZZ99-TASK-002, level: SHOULD, area: task, section: "2", statement: A phase is one of two., check: shape, with: {type: Job, at: /phase, rules: [required, enum]}}
  - {id: ZZ99-STR-001, level: MUST, area: stream, section: "3", statement: A stream has status 200., claims: [streaming], check: stream/status, with: {steps: [stream/subscribe]}}
`)},
}

func exchange(op, name, request, response string) record.Step {
	return record.Step{Name: name, Op: op, Role: record.Main, Exchange: &record.Exchange{Dir: record.Out, Ended: record.EOF, Start: 1, End: 2,
		Request:  record.Message{Head: []byte("POST / HTTP/1.1\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(request)},
		Response: record.Message{Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(response)}}}
}

func TestMadeUpDialect(t *testing.T) {
	d, err := schema.LoadFS(madeUp, "zz-9.9")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, card, got string
		want            map[string]report.Verdict
	}{
		{"right", `{"called":"Z"}`, `{"number":"7","phase":"ready"}`, map[string]report.Verdict{
			"ZZ99-CARD-001": report.Pass, "ZZ99-TASK-001": report.Pass, "ZZ99-TASK-002": report.Pass, "ZZ99-STR-001": report.NotApplicable}},
		{"another job, an odd phase, no name", `{"name":"Z","can":{"stream":true}}`, `{"number":"8","phase":"lazy"}`, map[string]report.Verdict{
			"ZZ99-CARD-001": report.Fail, "ZZ99-TASK-001": report.Fail, "ZZ99-TASK-002": report.Fail, "ZZ99-STR-001": report.Inconclusive}},
	} {
		t.Run(c.name, func(t *testing.T) {
			transcript := &record.Transcript{Facts: record.Facts{Dialect: d.Name}, Plays: []record.Play{
				{Scenario: "card", Steps: []record.Step{exchange("card", "well-known", "", c.card)}},
				{Scenario: "quick", Steps: []record.Step{
					exchange("send", "send", `{"id":1}`, `{"jsonrpc":"2.0","id":1,"result":{"job":{"number":"7","phase":"busy"}}}`),
					exchange("get", "get", `{"id":2}`, fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"result":%s}`, c.got)),
				}},
			}}
			transcript.Seal()
			cs := verdict.NewDecider(d, transcript, suites.Checks(), nil)
			for id, want := range c.want {
				if r := cs.Result(id); r.Verdict != want {
					t.Errorf("%s: %s (%s), want %s", id, r.Verdict, r.Reason, want)
				}
			}
		})
	}
}

// What differs between protocols is data: no check says which one it judges.
func TestChecksNameNoDialect(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	more, _ := filepath.Glob("judge/*.go")
	name := regexp.MustCompile(`"(a2a|jaf|a2x|directory|core)-[a-z0-9.]+"|A2A0|JAF0|tasks/send|message/send`)
	for _, f := range append(files, more...) {
		if regexp.MustCompile(`_test\.go$`).MatchString(f) {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if m := name.Find(text); m != nil {
			t.Errorf("%s names a dialect: %s", f, m)
		}
	}
}
