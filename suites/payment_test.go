package suites_test

import (
	"fmt"
	"testing"
)

// TestPayment is about extensions, payments and credentials: what a server may
// refuse a call for.
func TestPayment(t *testing.T) {
	task := func(phase, more string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"number":"7","now":{"phase":%q%s}}}`, phase, more)
	}
	said := func(code int, text string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":%q}}`, code, text)
	}
	demand := func(got string) string { return answerCall("p/demand send task=7", "{}", got) }
	look := func(got string) string { return answerCall("p/poll-1 get task=7", "{}", got) }
	pay := func(got string) string { return answerCall("p/pay send task=7", "{}", got) }
	after := func(got string) string { return answerCall("p/get get task=7", "{}", got) }
	const unpaid = "p/pay send unsent=demand no payment is given\n"
	a := func(got string) string { return answerCall("p/a send", "{}", got) }
	b := func(got string) string { return answerCall("p/b send", "{}", got) }
	ok := task("ready", "")
	runTrials(t, "payment", []trial{
		{"payment/waits", "{step: p/demand}", map[string]string{
			"pass": demand(task("asking", "")) + unpaid, "pass: soon": demand(task("busy", "")) + look(task("asking", "")) + unpaid,
			"fail: an error": demand(said(402, "Payment required")), "fail: failed": demand(task("broken", "")) + unpaid, "inconclusive: for nothing": demand(ok) + unpaid,
			"fail: a page": "p/demand send task=7\n  < 402 text/html <h1>Payment required</h1>\n"}},
		{"payment/described", "{step: p/demand, at: [/now/note/metadata, /metadata]}", map[string]string{
			"pass": demand(task("asking", `,"note":{"metadata":{"price":1}}`)) + unpaid, "fail": demand(task("asking", `,"note":{"metadata":{}}`)) + unpaid,
			"pass: seen later": demand(task("busy", "")) + look(task("asking", `,"note":{"metadata":{"price":1}}`)) + unpaid,
			"inconclusive":     demand(said(402, "Payment required"))}},
		{"payment/goes-on", "{step: p/pay}", map[string]string{
			"pass": pay(ok) + after(ok), "fail": pay(task("asking", "")) + after(task("asking", "")), "pass: later": pay(task("busy", "")) + after(ok),
			"fail: refused": pay(said(-32000, "no")), "inconclusive": unpaid}},
		{"extension/no-obstacle", "{step: p/a, other: p/b}", map[string]string{
			"pass": a(ok) + b(ok), "fail: it says so": a(said(-32000, "Unknown Extension x")) + b(said(-32000, "no")), "fail: the other is served": a(said(-32000, "no")) + b(ok),
			"inconclusive: refused anyway": a(said(-32000, "no")) + b(said(-32000, "no"))}},
		{"auth/fits", "{step: p/a}", map[string]string{
			"pass": a(ok), "fail": vouched + a(said(-32000, "Unauthorized")), "fail: status": vouched + "p/a send as=nobody\n  < 403 text/plain no\n", "inconclusive": a(said(-32000, "Busy")),
			"inconclusive: not known to be valid": a(said(-32000, "Unauthorized")), "inconclusive: status": "p/a send as=nobody\n  < 403 text/plain no\n"}},
		{"discovery/open-card", "{step: p/open, card: card/well-known}", map[string]string{
			"pass: none configured": "card/well-known card\n  < 200 application/json {}\n", "fail: none configured": "card/well-known card\n  < 401 text/plain no\n",
			"pass": "secret bearer\ncard/well-known card\n  < 200 application/json {}\np/open document\n  < 200 application/json {}\n",
			"fail": "secret bearer\ncard/well-known card\n  < 200 application/json {}\np/open document\n  < 401 text/plain no\n", "inconclusive": "card/well-known card\n  < 404 text/plain no\n"}},
		{"card/version", "{at: /zz, is: 9.9.0, near: '^9[.]9'}", map[string]string{
			"pass": "card/well-known card\n  < 200 application/json {\"zz\":\"9.9.0\"}\n", "finding": "card/well-known card\n  < 200 application/json {\"zz\":\"9.9.1\"}\n",
			"fail": "card/well-known card\n  < 200 application/json {\"zz\":\"8\"}\n", "fail: none": "card/well-known card\n  < 200 application/json {}\n"}},
	})
}

func TestParts(t *testing.T) {
	of := func(note string) string {
		return answerCall("p/s send task=7", "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":"7","now":{"note":`+note+`},"files":[{"kind":"a/b"}]}}`)
	}
	file := func(f string) string {
		return answerCall("p/s send task=7", "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":"7","files":[`+f+`]}}`)
	}
	runTrials(t, "parts", []trial{
		{"part/structured", "{type: File, except: [kind, metadata]}", map[string]string{
			"pass": file(`{"kind":"x","data":{}}`), "pass: a list": file(`{"kind":"x","items":[]}`), "fail": file(`{"kind":"x","data":"{}","metadata":{}}`), "not-applicable": file("")}},
		{"part/mime-type", "{type: File, at: [/mimeType, /file/mimeType]}", map[string]string{
			"pass": file(`{"mimeType":"a/b"}`), "pass: inside": file(`{"file":{"mimeType":"a/b"}}`), "fail": file(`{"file":{}}`), "fail: a word": file(`{"mimeType":"png"}`)}},
		{"message/sound", "{type: Now, at: /note, owns: [{type: Now, at: /note, rules: [type]}]}", map[string]string{
			"pass": of(`{"by":"x"}`), "fail": of(`{"by":7}`), "fail: no object": of(`"x"`), "not-applicable": file("")}},
		{"message/sound", "{type: Now, at: /note, except: [{type: Note, at: /by, rules: [type]}]}", map[string]string{
			"pass: of less weight": of(`{"by":7}`)}},
	})
}
