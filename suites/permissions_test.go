package suites_test

import (
	"fmt"
	"testing"

	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// refusal is a call that is refused because of a task.
func refusal(step string) string { return told(step, "{}", rpcError("1", -32001)) }

// A MAY passes only on a server that makes use of it.
func TestPermissionsThatNobodyUses(t *testing.T) {
	const (
		extended = "p/get extended-card"
		low      = "p/low extended-card"
		first    = "p/first send"
		again    = "p/again send"
	)
	failing := "push-trouble/send send task=7\n  > {\"params\":{\"tell\":{\"to\":\"https://hook.invalid/failing\"}}}\n  < 200 application/json " + okReply + "\n"
	delivery := func(i int, body string) string {
		return fmt.Sprintf("push-trouble/failing-%d delivery hook=failing task=7\n  > %s\n", i, body)
	}
	try(t, "permissions", []trial{
		{"card/repeats", "{at: /list, same: /a, differ: /b}", map[string]string{
			"pass":                      card(`{"list":[{"a":"x","b":"1"},{"a":"x","b":"2"}]}`),
			"not-applicable: alike":     card(`{"list":[{"a":"x","b":"1"},{"a":"x","b":"1"}]}`),
			"not-applicable: different": card(`{"list":[{"a":"x","b":"1"},{"a":"y","b":"2"}]}`),
			"not-applicable: no list":   card(`{}`),
		}},
		{"card/repeats", "{at: /list, same: /a, differ: /b, ownSame: /url, ownDiffer: /by}", map[string]string{
			"pass":           card(`{"url":"x","by":"1","list":[{"a":"x","b":"2"}]}`),
			"not-applicable": card(`{"url":"x","by":"1","list":[{"a":"x","b":"1"}]}`),
		}},
		{"card/lists", "{at: /list}", map[string]string{
			"pass": card(`{"list":[{}]}`), "not-applicable: empty": card(`{"list":[]}`), "not-applicable: absent": card(`{}`),
		}},
		{"card/extended-differs", "{steps: [p/get]}", map[string]string{
			"pass":                           card(`{"called":"Z"}`) + told(extended, "{}", `{"result":{"called":"Z","more":1}}`),
			"not-applicable":                 card(`{"called":"Z"}`) + told(extended, "{}", `{"result":{"called":"Z"}}`),
			"not-applicable: but for a sign": card(`{"called":"Z"}`) + told(extended, "{}", `{"result":{"called":"Z","signed":[{}]}}`),
			"not-applicable: none":           card(`{"called":"Z"}`) + refusal(extended),
		}},
		{"card/extended-differs", "{steps: [p/get], low: [p/low]}", map[string]string{
			"pass":                 card(`{}`) + told(extended, "{}", `{"result":{"called":"Z"}}`) + told(low, "{}", `{"result":{"called":"Y"}}`),
			"not-applicable":       card(`{}`) + told(extended, "{}", `{"result":{"called":"Z"}}`) + told(low, "{}", `{"result":{"called":"Z"}}`),
			"not-applicable: none": card(`{}`) + told(extended, "{}", `{"result":{"called":"Z"}}`),
		}},
		{"context/created", "{step: p/first}", map[string]string{
			"pass":                 told(first, "{}", `{"result":{"number":"7","group":"g"}}`),
			"not-applicable":       told(first, "{}", `{"result":{"number":"7"}}`),
			"inconclusive: named":  told(first+" context=g", "{}", `{"result":{"number":"7","group":"g"}}`),
			"inconclusive: no one": refusal(first),
		}},
		{"message/duplicate", "{step: p/first, then: p/again}", map[string]string{
			"pass":                told(first, "{}", job("7", "ready")) + told(again, "{}", job("7", "ready")),
			"pass: refused":       told(first, "{}", job("7", "ready")) + refusal(again),
			"fail: a fault":       told(first, "{}", job("7", "ready")) + told(again, "{}", rpcError("1", -32603)),
			"not-applicable: new": told(first, "{}", job("7", "ready")) + told(again, "{}", job("8", "ready")),
			"inconclusive":        refusal(first) + told(again, "{}", job("8", "ready")),
		}},
		{"history/unlimited", "{step: p/look}", map[string]string{
			"pass":           told("p/look get task=7", "{}", `{"result":{"number":"7","log":[{"by":"us"}]}}`),
			"not-applicable": told("p/look get task=7", "{}", okReply),
		}},
		{"push/attempted", "{scenario: push-trouble, hook: failing, from: [push-trouble/send], again: true}", map[string]string{
			"pass":                 failing + delivery(1, `{"a":1}`) + delivery(2, `{"a":1}`),
			"not-applicable":       failing + delivery(1, `{"a":1}`),
			"not-applicable: next": failing + delivery(1, `{"a":1}`) + delivery(2, `{"a":2}`),
		}},
		{"task/rejected", "{plays: [p]}", map[string]string{
			"not-applicable": told("p/send send task=7", "{}", job("7", "ready")),
			"inconclusive":   refusal("p/send send task=7"),
		}},
	})
}

// What a call came to shows whether a permission is used, whatever check looks at it.
func TestUseOfPermissions(t *testing.T) {
	refused, page := refusal("b/p send"), "b/p send\n < 415 text/html no\n"
	for _, c := range []struct {
		use, said string
		want      report.Verdict
	}{
		{"refused", refused, report.Pass},
		{"refused", page, report.Pass},
		{"refused", told("b/p send", "{}", okReply), report.NotApplicable},
		{"accepted", told("b/p send", "{}", okReply), report.Pass},
		{"accepted", refused, report.NotApplicable},
		{"accepted", page, report.NotApplicable},
		{"either", refused, report.Pass},
		{"either", told("b/p send", "{}", okReply), report.Pass},
		{"refused", "b/p send\n ! timeout\n", report.Fail},
		{"refused", told("b/p send", "{}", rpcError("1", -32603)), report.Fail},
	} {
		d := judgetest.Dialect(t, "  - {id: ZZ99-X-001, level: MAY, area: task, section: '1', statement: It may hold., use: "+c.use+", check: transport/no-fault, with: {steps: [b/p]}}\n")
		r := verdict.NewDecider(d, judgetest.Transcript(t, c.said), suites.Checks(), nil).Result("ZZ99-X-001")
		if r.Verdict != c.want {
			t.Errorf("use: %s: %q: got %s (%s), want %s", c.use, c.said, r.Verdict, r.Reason, c.want)
		}
	}
}
