package suites_test

import (
	"fmt"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

func TestPushBodyChecks(t *testing.T) {
	given := answerCall("p/send send task=7", `{"params":{"tell":{"to":"https://hook.invalid/a","word":"token-0123456789","key":"k-1"}}}`, okReply)
	came := func(n int, what string) string {
		return fmt.Sprintf("p/a-%d delivery hook=a task=7\n  %s", n, what)
	}
	const ready, busy = "> {\"number\":\"7\",\"now\":{\"phase\":\"ready\"}}\n", "> {\"number\":\"7\",\"now\":{\"phase\":\"busy\"}}\n"
	none := answerCall("p/send send task=7", "{}", rpcError("1", -32603))
	plain := answerCall("p/send-plain send task=7", `{"params":{"tell":{"to":"https://hook.invalid/a"}}}`, okReply)
	set := answerCall("p/set push-set task=7", `{"params":{"tell":{"to":"https://hook.invalid/a"}}}`, `{"result":{"number":"7"}}`)
	look := func(phase string) string { return answerCall("p/look-1 get task=7", "{}", writeTask("7", phase)) }
	meanwhile := func(phase string) string {
		return answerCall("p/look-1 get task=7 beside", "{}", writeTask("7", phase))
	}
	runTrials(t, "push_bodies", []trial{
		{"push/attempted", "{scenario: p, hook: a, from: [p/send]}", map[string]string{
			"pass": given + came(1, busy), "fail": given + "reached p undelivered p/send\n", "inconclusive": given, "inconclusive: none given": none,
		}},
		{"push/body", "{plays: [p]}", map[string]string{
			"pass": given + came(1, ready), "fail": given + came(1, "> \"words\"\n"), "inconclusive": given,
		}},
		{"push/labelled", "{plays: [p], type: application/new, older: application/json}", map[string]string{
			"pass": given + came(1, "> POST application/new {}\n"), "finding": given + came(1, "> POST application/json {}\n"), "fail": given + came(1, "> POST text/plain {}\n"), "inconclusive": given,
		}},
		{"push/as-configured", "{scenario: p, hook: a, from: [p/send], without: [p/send-plain], scheme: Basic}", map[string]string{
			"pass": given + came(1, ready+"Authorization: basic k-1\n"), "fail: none": given + came(1, ready), "fail: scheme": given + came(1, ready+"Authorization: Bearer k-1\n"),
			"fail: other": given + came(1, ready+"Authorization: Basic own\n"), "finding": none + plain + came(1, ready), "inconclusive": given,
		}},
		{"push/in-order", "{plays: [p]}", map[string]string{
			"pass": given + came(1, busy) + came(2, ready), "pass: again": given + came(1, busy) + came(2, ready) + came(3, busy),
			"fail": given + came(1, ready) + came(2, busy), "inconclusive": given,
		}},
		{"push/unhindered", "{scenario: p, hook: a}", map[string]string{
			"pass": set + came(1, busy) + look("ready"), "fail": set + came(1, busy) + look("busy"), "inconclusive": set + look("ready"),
			"inconclusive: refused": answerCall("p/set push-set task=7", "{}", rpcError("1", -32602)),
		}},
		{"push/unhindered", "{scenario: p, hook: a, bears: 30}", map[string]string{
			"pass": set + came(1, busy) + meanwhile("ready"), "pass:it had ended": set + look("ready") + came(1, busy) + answerCall("p/look-2 get task=7", "{}", writeTask("7", "ready")),
			"inconclusive:not meanwhile": set + came(1, busy) + look("ready"), "finding": set + came(1, busy) + meanwhile("busy"),
		}},
		{"push/token-reaches", "{plays: [p]}", map[string]string{
			"pass": given + came(1, ready+"X-Any: token-0123456789\n"), "pass: after a word": given + came(1, ready+"Authorization: Token token-0123456789\n"),
			"finding": given + came(1, ready), "fail": given + came(1, ready+"X-Any: token-0123\n"), "inconclusive": given,
		}},
		{"push/delivered", "{scenario: p, hook: a, from: [p/send], waits: true}", map[string]string{
			"pass": given + came(1, "> {\"number\":\"7\",\"now\":{\"phase\":\"asking\"}}\n"), "fail": given + "reached p undelivered p/send\n" + came(1, ready),
		}},
		{"push/registered", "{step: p/list, from: [p/send], scenario: p, hook: a}", map[string]string{
			"pass":    given + answerCall("p/list push-list task=7", "{}", `{"result":[{"number":"7","tell":{"to":"https://hook.invalid/a"}}]}`),
			"finding": given + answerCall("p/list push-list task=7", "{}", `{"result":[]}`) + came(1, ready),
			"fail":    "webhook https://hook.invalid\n" + given + answerCall("p/list push-list task=7", "{}", `{"result":[]}`), "inconclusive": given + answerCall("p/list push-list task=7", "{}", `{"result":[]}`),
		}},
	})
	runTrials(t, "push_events", []trial{
		{"push/event", "{plays: [p], types: [Update]}", map[string]string{
			"pass": given + came(1, "> {\"news\":{\"number\":\"7\"}}\n"), "fail: none": given + came(1, ready), "fail: two": given + came(1, "> {\"news\":{},\"whole\":{}}\n"),
			"fail: its form": given + came(1, "> {\"news\":{},\"number\":7}\n"), "inconclusive": given, "inconclusive: words": given + came(1, "> 1\n"),
		}},
		{"push/delivered", "{scenario: p, hook: a, from: [p/send]}", map[string]string{
			"pass": given + came(1, "> {\"whole\":{\"now\":{\"phase\":\"ready\"}}}\n"), "fail: says nothing of states": given + "reached p undelivered p/send\n" + came(1, "> {\"news\":{\"number\":\"7\"}}\n"),
		}},
	}, func(d *schema.Dialect) {
		d.Sorts = schema.Sorts{Member: []string{"news", "whole"}, Of: []string{"delivery"}}
		d.Read["news"] = map[string]string{"task.id": "/number"}
		d.Read["whole"] = map[string]string{"task.state": "/now/phase"}
	})
}

func TestNamedWebhookChecks(t *testing.T) {
	config := func(id, to, more string) string {
		return fmt.Sprintf(`{"number":"7","tell":{"id":%q,"to":"https://hook.invalid/%s"%s}}`, id, to, more)
	}
	const secrets = `,"word":"w-1","scheme":"Bearer"`
	set := answerCall("p/set push-set task=7", `{"params":{"tell":{"id":"x","to":"https://hook.invalid/a"`+secrets+`}}}`, `{"result":`+config("x", "a", "")+`}`)
	got := func(step, result string) string {
		return answerCall(step+" push-get task=7", "{}", `{"result":`+result+`}`)
	}
	no := func(step, op string) string { return answerCall(step+" "+op+" task=7", "{}", rpcError("1", -32001)) }
	list := func(step, of string) string {
		return answerCall(step+" push-list task=7", "{}", `{"result":{"all":[`+of+`]}}`)
	}
	page := func(n int, of, next string) string {
		return answerCall(fmt.Sprintf("p/page-%d push-list task=7", n), "{}", fmt.Sprintf(`{"result":{"all":[%s],"next":%q}}`, of, next))
	}
	a, b := config("x", "a", ""), config("y", "b", "")
	seconds := answerCall("p/own push-set task=7", "{}", `{"result":{}}`) + no("p/known", "get")
	runTrials(t, "push_named", []trial{
		{"push/belongs", "{step: p/set, look: p/get, other: p/else}", map[string]string{
			"pass": set + got("p/get", a) + no("p/else", "push-get"), "pass: not asked": set + got("p/get", a), "fail: another": set + got("p/get", b),
			"fail: everywhere": set + got("p/get", a) + got("p/else", a), "inconclusive": no("p/set", "push-set") + got("p/get", a),
		}},
		{"push/kept", "{list: p/list, gets: [p/get], from: p/set}", map[string]string{
			"pass": set + list("p/list", a) + got("p/get", a), "fail: not listed": set + list("p/list", "") + got("p/get", a), "fail: gone": set + list("p/list", a) + no("p/get", "push-get"),
			"inconclusive": no("p/set", "push-set") + list("p/list", a),
		}},
		{"push/settings", "{step: p/get, from: p/set}", map[string]string{
			"pass": set + got("p/get", config("x", "a", secrets)), "finding: masked": set + got("p/get", config("x", "a", `,"word":"***","scheme":"bearer"`)),
			"fail: token": set + got("p/get", config("x", "a", `,"scheme":"Bearer"`)), "fail: scheme": set + got("p/get", config("x", "a", `,"word":"w-1"`)),
			"inconclusive": no("p/set", "push-set") + got("p/get", a),
		}},
		{"push/pages", "{play: p, list: p/list}", map[string]string{
			"pass": list("p/list", a+","+b) + page(1, a, "t") + page(2, b, ""), "not-applicable: one page": list("p/list", a+","+b) + page(1, a+","+b, ""),
			"fail: twice": list("p/list", a+","+b) + page(1, a, "t") + page(2, a, ""), "fail: lacks one": list("p/list", a+","+b) + page(1, a, ""),
			"fail: loops": list("p/list", a+","+b) + page(1, a, "t") + page(2, b, "t"), "inconclusive": list("p/list", a+","+b) + page(1, a, "t"),
		}},
		{"push/foreign", "{steps: [p/s], known: p/known, own: p/own}", map[string]string{
			"pass": seconds + no("p/s", "push-get"), "fail": seconds + got("p/s", a), "inconclusive": no("p/own", "push-set") + no("p/known", "get") + no("p/s", "push-get"),
		}},
		{"push/listed", "{step: p/list, from: [p/set], only: true}", map[string]string{"pass": set + list("p/list", a), "fail": set + list("p/list", a+","+b)}},
		{"push/list", "{step: p/list}", map[string]string{"pass": list("p/list", a), "fail": answerCall("p/list push-list task=7", "{}", `{"result":[]}`)}},
		{"push/list-empty", "{step: p/list}", map[string]string{
			"pass": list("p/list", ""), "pass: left out": answerCall("p/list push-list task=7", "{}", `{"result":{}}`), "fail": list("p/list", a),
		}},
		{"push/gone", "{step: p/list, from: [p/set], look: p/get}", map[string]string{"pass": set + list("p/list", b) + no("p/get", "push-get"), "fail": set + list("p/list", b) + got("p/get", a)}},
		{"push/keeps-id", "{step: p/set, look: p/get, found: true}", map[string]string{"pass": set + got("p/get", a), "fail": set + no("p/get", "push-get")}},
	}, func(d *schema.Dialect) {
		d.Read["push-list"] = map[string]string{"list": "/all", "next": "/next", "task.id": "/number", "webhook": "/tell"}
		d.Read["webhook"]["scheme"] = "/scheme"
	})
}
