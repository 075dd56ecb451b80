package suites_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestPushConfigChecks(t *testing.T) {
	config := func(id, to string) string {
		return fmt.Sprintf(`{"number":"7","tell":{"id":%q,"to":"https://hook.invalid/%s"}}`, id, to)
	}
	set := func(step, id, to string) string {
		return answerCall(step+" push-set task=7", fmt.Sprintf(`{"params":{"tell":{"id":%q,"to":"https://hook.invalid/%s"}}}`, id, to), `{"result":`+config(id, to)+`}`)
	}
	unnamed := func(step, task, id string) string {
		return answerCall(step+" push-set task="+task, `{"params":{"tell":{"to":"https://hook.invalid/u"}}}`, fmt.Sprintf(`{"result":{"number":%q,"tell":{"id":%q,"to":"https://hook.invalid/u"}}}`, task, id))
	}
	got := func(step, result string) string {
		return answerCall(step+" push-get task=7", "{}", `{"result":`+result+`}`)
	}
	list := func(step, result string) string {
		return answerCall(step+" push-list task=7", "{}", `{"result":`+result+`}`)
	}
	gone := func(step, result string) string {
		return answerCall(step+" push-delete task=7", "{}", `{"result":`+result+`}`)
	}
	refusal := func(step string) string { return answerCall(step, "{}", rpcError("1", -32602)) }
	// The malformed call gives a token that is a number, and the server takes it.
	bent := answerCall("p/bent push-set role=probe invalid task=7", `{"params":{"tell":{"to":"https://hook.invalid/bent","word":5}}}`, `{"result":{"number":"7","tell":{"id":"x"}}}`)
	const stored = `{"number":"7","tell":{"id":"x","to":"https://hook.invalid/bent","word":5}}`
	a, both := set("p/set", "x", "a"), "["+config("x", "a")+","+config("y", "b")+"]"
	runTrials(t, "push_configs", []trial{
		{"push/keeps-id", "{step: p/set, look: p/get}", map[string]string{
			"pass":           a + got("p/get", config("x", "a")),
			"fail:at once":   answerCall("p/set push-set task=7", `{"params":{"tell":{"id":"x"}}}`, `{"result":`+config("srv", "a")+`}`) + got("p/get", config("x", "a")),
			"fail:afterward": a + got("p/get", config("srv", "a")),
		}},
		{"push/makes-id", "{step: p/set}", map[string]string{
			"pass": a, "fail": answerCall("p/set push-set task=7", `{"params":{"tell":{}}}`, `{"result":{"number":"7","tell":{}}}`), "inconclusive": refusal("p/set push-set"),
		}},
		{"push/by-id", "{looks: [{step: p/get, from: p/set}]}", map[string]string{
			"pass":                 a + got("p/get", config("x", "a")),
			"fail:another":         a + got("p/get", config("y", "b")),
			"fail:refused":         a + refusal("p/get push-get"),
			"inconclusive:not set": refusal("p/set push-set") + got("p/get", config("x", "a")),
		}},
		{"push/by-id", "{looks: [{step: p/get, from: p/set}], made: true}", map[string]string{
			"pass":              a + got("p/get", config("x", "a")) + unnamed("p/b", "7", "s1") + unnamed("p/c", "7", "s2"),
			"pass:of two tasks": a + got("p/get", config("x", "a")) + unnamed("p/b", "7", "s1") + unnamed("p/c", "8", "s1"),
			"pass:given":        a + got("p/get", config("x", "a")) + unnamed("p/b", "7", "x") + set("q/c", "x", "c"),
			"pass:deleted":      a + got("p/get", config("x", "a")) + unnamed("p/b", "7", "s1") + gone("p/delete", "null") + unnamed("p/c", "7", "s1"),
			"fail":              a + got("p/get", config("x", "a")) + unnamed("p/b", "7", "s1") + unnamed("p/c", "7", "s1"),
			"fail:that of the task, in another conversation": a + got("p/get", config("x", "a")) + unnamed("p/b", "7", "7") + unnamed("q/c", "7", "7"),
		}},
		{"push/list", "{step: p/list}", map[string]string{
			"pass": list("p/list", both), "fail:object": list("p/list", `{"all":[]}`), "fail:refused": refusal("p/list push-list"),
		}},
		{"push/list-empty", "{step: p/list}", map[string]string{
			"pass": list("p/list", "[]"), "fail:null": list("p/list", "null"), "fail:some": list("p/list", both),
		}},
		{"push/list-empty", "{step: p/list}", map[string]string{
			"inconclusive:what our malformed call stored": bent + list("p/list", "["+stored+"]"),
			"fail:of another task":                        strings.ReplaceAll(bent, "task=7", "task=8") + list("p/list", "["+stored+"]"),
			"fail:which was refused":                      refusal("p/bent push-set role=probe invalid task=7") + list("p/list", "["+stored+"]"),
			"fail:and another":                            bent + list("p/list", "["+stored+","+config("y", "b")+"]"),
			"fail:changed":                                bent + list("p/list", `[{"number":"7","tell":{"id":"x","to":"https://hook.invalid/other","word":5}}]`),
		}},
		{"push/listed", "{step: p/list, from: [p/set], only: true}", map[string]string{
			"pass":            a + bent + list("p/list", "["+config("x", "a")+","+stored+"]"),
			"fail:of no call": a + list("p/list", "["+config("x", "a")+","+stored+"]"),
		}},
		{"push/listed", "{step: p/list, from: [p/set]}", map[string]string{
			"pass": a + list("p/list", both), "fail": a + list("p/list", "["+config("y", "b")+"]"),
			"inconclusive:no list": a + list("p/list", `{}`), "inconclusive:not set": refusal("p/set push-set") + list("p/list", both),
		}},
		{"push/listed-once", "{step: p/list, from: [p/set, p/again]}", map[string]string{
			"pass":         a + set("p/again", "x", "c") + list("p/list", "["+config("x", "c")+"]"),
			"fail:doubled": a + set("p/again", "x", "c") + list("p/list", "["+config("x", "a")+","+config("x", "c")+"]"),
			"fail:kept":    a + set("p/again", "x", "c") + list("p/list", "["+config("x", "a")+"]"),
		}},
		{"push/deleted", "{step: p/delete}", map[string]string{
			"pass": gone("p/delete", "null"), "fail:more": gone("p/delete", config("x", "a")), "fail:refused": refusal("p/delete push-delete"),
		}},
		{"push/gone", "{step: p/list, from: [p/set]}", map[string]string{
			"pass": a + list("p/list", "["+config("y", "b")+"]"), "fail": a + list("p/list", both),
		}},
		{"push/gone", "{step: p/list, from: [p/set], delete: p/delete}", map[string]string{
			"pass": a + gone("p/delete", "null") + list("p/list", "["+config("y", "b")+"]"), "fail": a + answerCall("p/delete push-delete task=7", "{}", rpcError("1", -32602)) + list("p/list", "["+config("y", "b")+"]"),
			"pass:another refusal": a + answerCall("p/delete push-delete task=7", "{}", rpcError("1", -5)) + list("p/list", "["+config("y", "b")+"]"),
		}},
		{"push/deleted-again", "{step: p/again, before: p/before, after: p/after}", map[string]string{
			"pass":         list("p/before", both) + gone("p/again", "null") + list("p/after", both),
			"pass:refused": list("p/before", both) + refusal("p/again push-delete") + list("p/after", both),
			"pass:hollow":  answerCall("p/first push-delete", "{}", `{"jsonrpc":"2.0","id":1}`) + list("p/before", both) + answerCall("p/again push-delete twin=first", "{}", `{"jsonrpc":"2.0","id":1}`) + list("p/after", both),
			"fail:another": list("p/before", both) + gone("p/again", "null") + list("p/after", "[]"),
			"fail:fault":   list("p/before", both) + answerCall("p/again push-delete", "{}", rpcError("1", -32603)) + list("p/after", both),
		}},
	})
}

func TestPushManyChecks(t *testing.T) {
	const (
		ready = "> {\"number\":\"7\",\"now\":{\"phase\":\"ready\"}}\n"
		busy  = "> {\"number\":\"7\",\"now\":{\"phase\":\"busy\"}}\n"
	)
	given := answerCall("p/send send task=7", `{"params":{"tell":{"to":"https://hook.invalid/a"}}}`, okReply)
	query := answerCall("p/send send task=7", `{"params":{"tell":{"to":"https://hook.invalid/a?k=v"}}}`, okReply)
	to := func(hook, what string) string { return "p/" + hook + "-1 delivery hook=" + hook + " task=7\n  " + what }
	gone := answerCall("p/delete push-delete task=7", "{}", `{"result":null}`)
	after := answerCall("p/after look task=7", "{}", okReply)
	look := func(phase string) string {
		return answerCall("p/look get task=7", "{}", `{"result":{"number":"7","now":{"phase":"`+phase+`"}}}`)
	}
	runTrials(t, "push_many", []trial{
		{"push/posted", "{plays: [p]}", map[string]string{
			"pass": given + to("a", ready), "fail:put": given + to("a", "> PUT application/json {}\n"), "inconclusive": given,
			"fail:query lost": query + to("a", ready),
		}},
		{"push/kind", "{plays: [p]}", map[string]string{
			"pass": given + to("a", ready), "fail": given + to("a", "> {\"number\":\"7\"}\n"),
		}},
		{"push/silent", "{scenario: p, hook: gone, delete: delete, fence: kept}", map[string]string{
			"pass":                     gone + to("kept", ready),
			"fail":                     gone + to("kept", ready) + to("gone", ready),
			"pass:sent before the end": gone + to("kept", ready) + to("gone", busy),
			"inconclusive:no fence":    gone + to("kept", busy),
			"inconclusive:not deleted": answerCall("p/delete push-delete", "{}", rpcError("1", -32601)) + to("kept", ready),
		}},
		{"push/all-told", "{scenario: p, hooks: [kept, second]}", map[string]string{
			"pass": after + to("kept", ready) + to("second", ready), "fail": after + to("kept", ready), "inconclusive": after,
		}},
		{"push/unharmed", "{scenario: p, hook: a, looks: [p/look]}", map[string]string{
			"pass": to("a", ready) + look("ready"), "fail": to("a", ready) + look("broken"), "inconclusive": look("ready"),
		}},
	})
}

func TestKnownCallerChecks(t *testing.T) {
	refusal := func(step string) string { return answerCall(step, "{}", rpcError("1", -32602)) }
	call := func(n int, task string) string {
		return answerCall(fmt.Sprintf("p/call-%d send", n), fmt.Sprintf(`{"id":%d}`, n), fmt.Sprintf(`{"id":%d,"result":{"number":%q}}`, n, task))
	}
	runTrials(t, "known_callers", []trial{
		{"card/extended", "{steps: [p/get, p/again]}", map[string]string{
			"pass":       answerCall("p/get extended-card", "{}", `{"result":{}}`),
			"pass:again": refusal("p/get extended-card") + answerCall("p/again extended-card", "{}", `{"result":{}}`),
			"fail":       refusal("p/get extended-card"),
		}},
		{"card/extended-told", "{step: p/get, at: [/called]}", map[string]string{
			"pass": answerCall("p/get extended-card", "{}", `{"result":{"called":"Z"}}`), "fail": answerCall("p/get extended-card", "{}", `{"result":{"called":""}}`),
			"fail:refused": refusal("p/get extended-card"),
		}},
		{"auth/accepted", "{step: p/key, alone: true}", map[string]string{
			"pass": answerCall("p/key get", "{}", okReply), "fail": refusal("p/key get"),
			"not-applicable": "p/key get unsent=x no key is configured\n",
		}},
		{"context/unmixed", "{plays: [p], tasks: true}", map[string]string{
			"pass": call(1, "a") + call(2, "b"), "fail:mixed": call(1, "a") + call(2, "a"),
			"fail:id":      call(1, "a") + answerCall("p/call-2 send", `{"id":2}`, `{"id":1,"result":{"number":"b"}}`),
			"inconclusive": call(1, "a"),
		}},
	})
}
