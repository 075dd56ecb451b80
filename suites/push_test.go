package suites_test

import (
	"fmt"
	"testing"
)

func TestPushChecks(t *testing.T) {
	asked := func(step, to string) string {
		return answerCall(step+" task=7", fmt.Sprintf(`{"params":{"number":"7","tell":{"to":"https://hook.invalid/%s","word":"w-%s","key":"k-1"}}}`, to, to), okReply)
	}
	seen := func(step, config string) string {
		return answerCall(step+" push-get task=7", "{}", `{"result":{"number":"7","tell":`+config+`}}`)
	}
	refusal := func(step string, code int) string { return answerCall(step, "{}", rpcError("1", code)) }
	set := asked("p/set push-set", "a")
	runTrials(t, "push", []trial{
		{"push/set", "{step: p/set}", map[string]string{
			"pass": set, "pass:null": answerCall("p/set push-set", "{}", `{"result":null}`),
			"fail:none":               refusal("p/set push-set", -32601),
			"fail:refused":            "webhook https://hook.invalid\n" + refusal("p/set push-set", -32602),
			"inconclusive:nowhere":    refusal("p/set push-set", -32602),
			"inconclusive:plain http": "webhook http://127.0.0.1:7\n" + refusal("p/set push-set", -32602),
			"fail:but it calls webhooks": "webhook http://127.0.0.1:7\n" + refusal("p/set push-set", -32602) +
				"q/a delivery hook=a task=7\n > {\"number\":\"7\"}\n",
		}},
		{"push/set", "{step: p/set, forms: [p/set-named, p/set-guarded]}", map[string]string{
			"pass": set + asked("p/set-named push-set", "b"), "pass:too many": set + refusal("p/set-named push-set", -5),
			"fail:another form": set + asked("p/set-named push-set", "b") + refusal("p/set-guarded push-set", -32602),
			"inconclusive":      refusal("p/set push-set", -32602) + refusal("p/set-guarded push-set", -32602),
		}},
		{"push/repeats", "{step: p/set}", map[string]string{
			"pass:says nothing":    answerCall("p/set push-set task=7", "{}", `{"result":null}`),
			"fail:another task":    answerCall("p/set push-set task=8", `{"params":{"tell":{"to":"https://hook.invalid/a"}}}`, okReply),
			"fail:another URL":     answerCall("p/set push-set task=7", `{"params":{"tell":{"to":"https://hook.invalid/a"}}}`, `{"result":{"number":"7","tell":{"to":"https://hook.invalid/b"}}}`),
			"inconclusive:refused": refusal("p/set push-set", -32602),
		}},
		{"push/names-task", "{step: p/get}", map[string]string{
			"pass": seen("p/get", "null"), "fail": answerCall("p/get push-get task=8", "{}", okReply), "inconclusive": refusal("p/get push-get", -5),
		}},
		{"push/url", "{step: p/get, from: [p/set, p/set-plain]}", map[string]string{
			"pass":                                 set + seen("p/get", `{"to":"https://hook.invalid/a"}`),
			"pass:plain":                           refusal("p/set push-set", -5) + asked("p/set-plain push-set", "b") + seen("p/get", `{"to":"https://hook.invalid/b"}`),
			"fail:cut":                             set + seen("p/get", `{"to":"https://hook.invalid/"}`),
			"fail:none":                            set + seen("p/get", `null`),
			"inconclusive:refused for its address": refusal("p/set push-set", -5) + seen("p/get", `null`),
		}},
		{"push/token", "{step: p/get, from: [p/set]}", map[string]string{
			"pass": set + seen("p/get", `{"word":"w-a"}`), "pass:masked": set + seen("p/get", `{"word":"****"}`), "pass:left out": set + seen("p/get", `{}`),
			"fail": set + seen("p/get", `{"word":"w-b"}`), "fail:emptied": set + seen("p/get", `{"word":""}`),
		}},
		{"push/none", "{step: p/get}", map[string]string{
			"pass": seen("p/get", "null"), "pass:empty": seen("p/get", "{}"), "pass:error": refusal("p/get push-get", -32001),
			"fail:invented": seen("p/get", `{"to":"https://hook.invalid/x"}`), "fail:fault": refusal("p/get push-get", -32603),
			"fail:page":                  "p/get push-get\n < 500 text/html no\n",
			"pass:refused with HTTP 500": "p/get push-get\n < 500 application/json " + rpcError("1", -32001) + "\n",
		}},
		{"push/url-refused", "{steps: [b/p], http: true}", map[string]string{
			"pass": twinOK + answerCall(theProbe, "{}", rpcError("1", -32602)), "fail": twinOK + answerCall(theProbe, "{}", okReply),
			"not-applicable": "webhook http://127.0.0.1:7\n" + twinOK + answerCall(theProbe, "{}", okReply),
		}},
	})
}

func TestDeliveryChecks(t *testing.T) {
	const (
		ready  = "> {\"event\":{\"job\":\"7\",\"now\":{\"phase\":\"ready\"}}}\n"
		busy   = "> {\"job\":\"7\",\"now\":{\"phase\":\"busy\"}}\n"
		words  = "> {\"job\":\"7\",\"now\":\"ready\"}\n"
		gave   = "webhook https://hook.invalid\n"
		given  = gave + "p/send send task=7\n > {\"params\":{\"tell\":{\"to\":\"https://hook.invalid/a\",\"word\":\"w-a\",\"key\":\"k-1\"}}}\n < 200 application/json " + okReply + "\n"
		over   = "reached p delivered send\n"
		never  = "reached p undelivered send\n"
		missed = "reached p unreceived send\n"
		none   = "p/send send task=7\n > {}\n < 200 application/json {\"error\":{\"code\":-5}}\n"
		plain  = "p/send-plain send task=7\n > {\"params\":{\"tell\":{\"to\":\"https://hook.invalid/a\"}}}\n < 200 application/json " + okReply + "\n"
	)
	came := func(n int, rest string) string { return fmt.Sprintf("p/a-%d delivery hook=a task=7\n %s", n, rest) }
	look := answerCall("p/look get", "{}", okReply)
	runTrials(t, "push-delivery", []trial{
		{"push/delivered", "{scenario: p, hook: a, from: [p/send, p/send-plain]}", map[string]string{
			"pass":                            given + came(1, busy) + came(2, ready) + over,
			"pass:twice":                      given + came(1, ready) + came(2, ready) + over,
			"pass:out of order":               given + came(1, ready) + came(2, busy) + over,
			"pass:in words":                   given + came(1, words) + over,
			"pass:late":                       given + never + came(1, ready),
			"fail:never":                      given + never,
			"fail:steps only":                 given + came(1, busy) + never,
			"inconclusive":                    given,
			"inconclusive:no":                 gave + none,
			"inconclusive:no room":            given + missed,
			"inconclusive:no room for others": given + came(1, busy) + missed,
		}},
		{"push/token-carried", "{plays: [p]}", map[string]string{
			"pass": given + came(1, ready+"X-Word: w-a\n"), "pass:scheme": given + came(1, ready+"Authorization: Bearer w-a\n"),
			"finding:body": given + came(1, "> {\"word\":\"w-a\"}\n"),
			"fail":         given + came(1, ready+"X-Word: w-\n"), "fail:one of two": given + came(1, ready+"X-Word: w-a\n") + came(2, ready),
			"inconclusive": given,
		}},
		{"push/token-header", "{plays: [p], header: X-Word}", map[string]string{
			"pass": given + came(1, ready+"X-Word: w-a\n"), "fail": given + came(1, ready+"X-Word: w-\n"), "not-applicable": given + came(1, ready),
			"inconclusive": given,
		}},
		{"push/json", "{plays: [p]}", map[string]string{
			"pass": given + came(1, ready), "fail:type": given + came(1, "> POST text/plain {}\n"), "fail:words": given + came(1, "> POST application/json ready\n"),
			"pass:broken off once": given + came(1, "> POST application/json {\"jo\n ! reset\n") + came(2, ready),
			"inconclusive":         given, "inconclusive:huge": given + came(1, "> POST application/json {\"jo\n ! limit\n"),
		}},
		{"push/task", "{plays: [p]}", map[string]string{
			"pass": given + came(1, ready), "pass:another name": given + came(1, "> {\"number\":\"7\"}\n"), "fail": given + came(1, "> {\"job\":\"8\"}\n"),
			"inconclusive": given,
		}},
		{"push/status", "{scenario: p, hook: a, look: p/look}", map[string]string{
			"pass": given + came(1, ready) + look, "pass:again": given + came(1, ready) + came(2, busy) + look,
			"finding:beside": given + came(1, "> {\"file\":1}\n") + came(2, ready) + look,
			"fail:words":     given + came(1, words) + look, "fail:another": given + came(1, "> {\"now\":{\"phase\":\"broken\"}}\n") + look,
			"inconclusive": given + look, "inconclusive:cut": given + came(1, "> {\"now\":{\"phase\":\"broken\"}}\n") + came(2, "> POST application/json {\"jo\n ! limit\n") + look,
		}},
		{"push/authenticated", "{scenario: p, hook: a, from: [p/send], without: [p/send-plain], scheme: Bearer}", map[string]string{
			"pass": given + came(1, ready+"Authorization: bearer k-1\n"), "fail": given + came(1, ready), "fail:other": given + came(1, ready+"Authorization: Basic k-1\n"),
			"finding:refuses": gave + none + plain + came(1, ready), "inconclusive:refuses all": gave + none, "inconclusive": given,
		}},
		{"push/credentials", "{scenario: p, hook: a, from: [p/send], without: [p/send-plain], scheme: Bearer}", map[string]string{
			"pass": given + came(1, ready+"Authorization: Bearer k-1\n"), "finding": given + came(1, ready+"Authorization: Bearer own\n"),
			"fail": given + came(1, ready+"Authorization: Bearer {\"token\":\"k-1\"}\n"), "inconclusive": given,
		}},
		{"push/replaced", "{scenario: p, old: a, new: b}", map[string]string{
			"pass":              changed(came(1, busy), "", "p/b-1 delivery hook=b task=7\n "+ready),
			"pass:late attempt": changed("", came(1, busy), "p/b-1 delivery hook=b task=7\n "+ready),
			"fail:old":          changed("", came(1, ready), ""),
			"fail:both":         changed("", came(1, ready), "p/b-1 delivery hook=b task=7\n "+ready),
			"fail:none":         changed("", "", "reached p undelivered set\n"),
			"inconclusive:told": changed("", came(1, words), "p/b-1 delivery hook=b task=7\n "+ready),
			"inconclusive":      changed("", "", ""),
		}},
	})
}

// changed is a webhook that was replaced, with deliveries before and after.
func changed(before, after, more string) string {
	return "webhook https://hook.invalid\n" + before + answerCall("p/set push-set", "{}", okReply) + answerCall("p/after get", "{}", okReply) + after + more
}
