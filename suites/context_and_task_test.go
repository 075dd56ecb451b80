package suites_test

import (
	"fmt"
	"testing"
)

// answerWithContext is a reply with a task, its context, and a message with an id.
func answerWithContext(number, group, key, say string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"t","result":{"number":%q,"group":%q,"over":true,"now":{"phase":"ready","note":{"key":%q,"group":%q,"parts":[{"say":%q}]}}}}`, number, group, key, group, say)
}

func requestWithKey(key string) string {
	return fmt.Sprintf(`{"id":"t","params":{"message":{"key":%q,"by":"user","parts":[{"say":"keep w1"}]}}}`, key)
}

func TestContextAndTaskChecks(t *testing.T) {
	one := answerCall("p/a send context=g", requestWithKey("m1"), answerWithContext("1", "g", "k1", "x"))
	two := answerCall("p/b send context=g", requestWithKey("m2"), answerWithContext("2", "g", "k2", "x"))
	refusal := func(step string, code int) string { return answerCall(step, "{}", rpcError(`"t"`, code)) }
	looked := func(state, more string) string {
		return answerCall("p/get get task=1", "{}", writeTask("1", state, more))
	}
	runTrials(t, "turns", []trial{
		{"context/same", "{steps: [p/a, p/b], of: message}", map[string]string{
			"pass": one + two, "fail": one + answerCall("p/b send context=g", "{}", answerWithContext("2", "h", "k", "x"))}},
		{"context/stored", "{step: p/a, then: p/get}", map[string]string{
			"pass": one + answerCall("p/get get", "{}", answerWithContext("1", "g", "k1", "x")), "fail": one + answerCall("p/get get", "{}", answerWithContext("1", "m1", "k1", "x")),
			"inconclusive": refusal("p/a send", -32603) + answerCall("p/get get", "{}", answerWithContext("1", "g", "k1", "x"))}},
		{"context/continued", "{steps: [p/a, p/b]}", map[string]string{
			"pass": one + two, "fail: refused": one + refusal("p/b send context=g", -32600), "fail: another": one + answerCall("p/b send context=g", "{}", answerWithContext("2", "h", "k", "x"))}},
		{"context/unmixed", "{plays: [p]}", map[string]string{
			"pass": one + two, "pass: in part": one + two + refusal("p/c send context=i", -32603), "inconclusive": one + refusal("p/b send", -32603),
			"fail": one + answerCall("p/b send context=h", requestWithKey("m2"), answerWithContext("2", "g", "k2", "x"))}},
		{"context/remembers", "{told: p/a, asked: p/b}", map[string]string{
			"pass": one + answerCall("p/b send", "{}", answerWithContext("2", "g", "k", "it was w1")), "fail": one + two}},
		{"context/private", "{told: p/a, asked: p/b}", map[string]string{
			"pass": one + two, "fail": one + answerCall("p/b send", "{}", answerWithContext("2", "h", "k", "it was w1"))}},
		{"message/distinct-ids", "{steps: [p/a, p/b], message: task.message}", map[string]string{
			"pass": one + two, "fail: twice": one + answerCall("p/b send", requestWithKey("m2"), answerWithContext("2", "g", "k1", "x")),
			"fail: elsewhere": one + two + answerCall("q/c send", requestWithKey("m3"), answerWithContext("3", "h", "k1", "x")),
			"fail: ours":      one + answerCall("p/b send", requestWithKey("m2"), answerWithContext("2", "g", "m1", "x"))}},
		{"message/not-refused", "{steps: [p/a], codes: [InvalidParams], unless: [MethodNotFound]}", map[string]string{
			"pass": one, "pass: for another reason": refusal("p/a send", -32603), "fail": refusal("p/a send", -32602),
			"not-applicable": refusal("p/a send", -32601), "inconclusive": "p/a send\n  < 500 text/html no\n"}},
		{"message/implemented", "{step: p/a, result: true, except: [InvalidParams]}", map[string]string{
			"pass": one, "pass: another's matter": refusal("p/a send", -32602), "fail: missing": refusal("p/a send", -32601), "inconclusive: broken": refusal("p/a send", -32603)}},
		{"task/distinct", "{steps: [p/a, p/b]}", map[string]string{
			"pass": one + two, "fail": one + answerCall("p/b send", "{}", answerWithContext("1", "g", "k", "x")),
			"inconclusive": one + answerCall("p/b send", "{}", `{"jsonrpc":"2.0","id":1,"result":{}}`)}},
		{"task/completed", "{step: p/a, then: p/get}", map[string]string{
			"pass": one + looked("ready", `"x":1`), "fail": one + looked("busy", `"x":1`),
			"inconclusive": answerCall("p/a send", "{}", okReply) + looked("busy", `"x":1`)}},
		{"task/no-error", "{steps: [p/get]}", map[string]string{
			"pass":         answerCall("p/get get", "{}", `{"jsonrpc":"2.0","id":1,"result":{"now":{"phase":"ready","fault":null}}}`),
			"fail":         answerCall("p/get get", "{}", `{"jsonrpc":"2.0","id":1,"result":{"now":{"phase":"ready","fault":{"code":1}}}}`),
			"inconclusive": answerCall("p/get get", "{}", `{"jsonrpc":"2.0","id":1,"result":{"now":{"phase":"broken","fault":{"code":1}}}}`)}},
		{"task/final-message", "{step: p/a, then: p/get}", map[string]string{
			"pass": one + answerCall("p/get get", "{}", answerWithContext("1", "g", "k9", "x")), "fail: the question": one + answerCall("p/get get", "{}", answerWithContext("1", "g", "m1", "keep w1")),
			"fail: none": one + looked("ready", `"x":1`), "inconclusive": one + looked("busy", `"x":1`)}},
		{"task/status-message", "{plays: [p], state: broken, what: error}", map[string]string{
			"pass":           answerCall("p/get get task=1", "{}", `{"jsonrpc":"2.0","id":1,"result":{"now":{"phase":"broken","fault":{"code":1}}}}`),
			"fail":           answerCall("p/get get task=1", "{}", `{"jsonrpc":"2.0","id":1,"result":{"now":{"phase":"broken"}}}`),
			"not-applicable": looked("ready", `"x":1`)}},
		{"task/stays", "{plays: [p]}", map[string]string{
			"pass": looked("ready", `"x":1`) + answerCall("p/again get task=1", "{}", writeTask("1", "ready")),
			"fail": looked("broken", `"x":1`) + answerCall("p/again get task=1", "{}", writeTask("1", "ready"))}},
		{"errors/stays-finished", "{scenario: p, step: quit, then: get}", map[string]string{
			"pass":         showTask("before", "ready") + answerCall("p/quit quit", "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":"1","stopped":false}}`) + looked("ready", `"x":1`) + "reached p ended before\n",
			"pass: error":  showTask("before", "ready") + refusal("p/quit quit", -32603) + looked("ready", `"x":1`) + "reached p ended before\n",
			"fail: said":   showTask("before", "ready") + answerCall("p/quit quit", "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":"1","stopped":true}}`) + looked("ready", `"x":1`) + "reached p ended before\n",
			"fail: done":   showTask("before", "ready") + refusal("p/quit quit", -32603) + looked("dropped", `"x":1`) + "reached p ended before\n",
			"inconclusive": showTask("before", "busy") + refusal("p/quit quit", -32603) + looked("busy", `"x":1`)}},
	})
}

func showTask(step, state string) string {
	return answerCall("p/"+step+" get task=1", "{}", writeTask("1", state))
}
