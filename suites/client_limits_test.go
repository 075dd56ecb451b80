package suites_test

import (
	"fmt"
	"strings"
	"testing"
)

// How much a client sends, and how much at once.
func TestLimitsOfAClient(t *testing.T) {
	sized := func(parts string) string {
		return call("hello/send send", "do", `{"message":{"group":"g","parts":[`+parts+`]}}`, done)
	}
	hello := sized(`{"text":"hi"}`)
	// together are calls that begin while the first one is not answered, of several contexts.
	together := func(groups ...string) string {
		var out strings.Builder
		for i, g := range groups {
			beside := ""
			if i > 0 {
				beside = " beside"
			}
			fmt.Fprintf(&out, "%s", call(fmt.Sprintf("hello/send-%d send%s", i+1, beside), "do", `{"message":{"group":"`+g+`"}}`, strings.Replace(done, `"number":"7"`, fmt.Sprintf(`"number":"%d"`, i), 1)))
		}
		return out.String()
	}
	unanswered := "silent/send send\n  > {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"do\",\"params\":{}}\n"
	left := func(field string) string {
		return call("hello/send send", "do", message(""), done) + field + call("hello/send-2 send", "do", message(""), done)
	}
	runClientTrials(t, "client_limits", []trial{
		{"client/size", "{at: /message, bytes: 60, parts: 2, text: 5, data: 9}", map[string]string{
			"pass": hello, "pass: letters": sized(`{"text":"größe"}`), "fail": sized(`{"text":"hello!"}`), "fail: parts": sized(`{},{},{}`), "fail: data": sized(`{"data":"123456789"}`), "fail: all": sized(`{"more":"` + strings.Repeat("x", 60) + `"}`),
			"inconclusive": call("hello/get get", "look", "{}", done),
		}},
		{"client/concurrency", "{calls: 2}", map[string]string{
			"pass": together("a", "b"), "fail": together("a", "b", "c"), "inconclusive": "hello/card card\n  > GET - \n  < 200 application/json {}\n",
			"inconclusive: through a proxy": strings.ReplaceAll(together("a", "b", "c"), "  < 200", "  Via: 1.1 p\n  < 200"),
		}},
		{"client/concurrency", "{tasks: 1, context: /message/group}", map[string]string{
			"pass": together("a", "b"), "fail": together("a", "a"), "fail: shown working": call("hello/send send", "do", `{"message":{"group":"g"}}`, working) + call("hello/send-2 send", "do", `{"message":{"group":"g"}}`, strings.Replace(done, `"7"`, `"8"`, 1)) + call("hello/get get", "look", `{"number":"7"}`, working),
			"pass: one after the other": call("hello/send send", "do", `{"message":{"group":"g"}}`, working) + call("hello/get get", "look", `{"number":"7"}`, done) + call("hello/send-2 send", "do", `{"message":{"group":"g"}}`, strings.Replace(done, `"7"`, `"8"`, 1)), "inconclusive": call("hello/send send", "do", `{"message":{}}`, done),
		}},
		{"client/ends-calls", "{plays: [silent], seconds: 5, streams: 0.5}", map[string]string{
			"pass": unanswered + "  ! reset\n", "fail": strings.NewReplacer("send", "stream", `"do"`, `"watch"`).Replace(unanswered) + "  ! reset\n", "inconclusive": "run silent patience\n" + unanswered + "  ! aborted\n", "inconclusive: answered": "silent/send send\n  > {}\n  < 200 application/json {}\n",
		}},
		{"client/fields", "{fields: {X-One: '^1$', X-Two: '^[a-z]+$'}}", map[string]string{
			"pass": hello + "  X-One: 1\n  X-Two: b\n", "fail": hello + "  X-Two: 2\n", "inconclusive": hello,
		}},
		{"client/pauses", "{plays: [hello], exhausted: X-Left, seconds: 5}", map[string]string{
			"pass": call("hello/send send", "do", message(""), done) + "  + X-Left: 0\n", "fail": left("  + X-Left: 0\n"), "inconclusive": left("  + X-Left: 3\n"),
		}},
		{"client/works", "{plays: [odd, other], uses: [stream], each: true}", map[string]string{
			"pass": hello + streamed("odd", "1", "a") + streamed("other", "1", "a"), "pass: in one": hello + streamed("odd", "1", "a") + streamed("other", "1", "a") + "run other exit=1\n",
			"fail": hello + streamed("odd", "1", "a") + "run odd exit=1\n", "inconclusive": "run hello exit=1\n" + hello + streamed("odd", "1", "a") + "run odd exit=1\n",
			"inconclusive: unused": hello + call("odd/send send", "do", message(""), done), "not-applicable": "knows works exits never=stream\n" + hello + call("odd/send send", "do", message(""), done),
		}},
	})
}

// What a client makes of errors, of payments and of webhooks.
func TestErrorsAndPaymentsOfAClient(t *testing.T) {
	failed := plainReport(t) + refused("odd", "")
	asks := `{"jsonrpc":"2.0","id":1,"result":{"number":"7","group":"g","now":{"phase":"asking"}}}`
	pays := func(more string) string { return call("pay/send-2 send", "do", message(more), done) }
	asked := call("pay/send send", "do", message(""), asks)
	hooked := func(step, more string) string {
		return call("hello/"+step+" send", "do", `{"message":{"key":"m"},"tell":{"to":"http://x/"}`+more+`}`, done)
	}
	runClientTrials(t, "client_errors", []trial{
		{"client/error-names", "{plays: [odd]}", map[string]string{
			"pass": failed + reportLines("odd", 3, `"error","code":-32001,"name":"TaskNotFound"`), "pass: of its own": failed + reportLines("odd", 3, `"error","name":"Gone"`), "pass: without a name": failed + reportLines("odd", 3, `"error","message":"no"`),
			"fail": failed + reportLines("odd", 3, `"error","name":"Rate Limited"`), "fail: of this dialect": failed + reportLines("odd", 3, `"error","name":"TaskNotCancelable"`),
			"inconclusive": failed, "inconclusive: no adapter": failed + "knows works exits\n",
		}},
		{"client/payment", "{plays: [pay], payment: /message/paid, task: /message/job, state: asking}", map[string]string{
			"pass": asked + pays(`,"job":"7","paid":{}`), "fail": asked + pays(`,"paid":{}`), "fail: another task": asked + pays(`,"job":"8","paid":{}`), "inconclusive": asked + pays(`,"job":"7"`),
		}},
		{"client/webhook-place", "{message: /tell, task: /number}", map[string]string{
			"pass": hooked("send", "") + hooked("send-2", `,"number":"8"`), "fail": hooked("send", "") + hooked("send-2", `,"number":"7"`), "inconclusive": call("hello/send send", "do", message(""), done),
		}},
	})
}

// What is right in more than one form.
func TestLooserFormsOfRequests(t *testing.T) {
	send := func(step, params string) string { return call("odd/"+step+" send", "do", params, done) }
	asked := func(path string) string {
		return "odd/stray stray url=http://server.invalid" + path + "\n  > GET - \n"
	}
	card := "odd/card card\n  < 200 application/json {\"called\":\"Z\",\"url\":\"http://server.invalid/a\"}\n"
	at := func(path string) string {
		return card + call("odd/send send url=http://server.invalid"+path, "do", "{}", done)
	}
	runClientTrials(t, "client_forms", []trial{
		{"client/card-path", "{plays: [odd], path: /card, also: /agents/*/card}", map[string]string{
			"pass": asked("/card"), "pass: of one agent": asked("/agents/me/card"), "fail": asked("/agents/card"), "fail: deeper": asked("/agents/a/b/card"), "inconclusive": send("send", "{}"),
		}},
		{"client/address", "{what: paths, paths: [/in, /in/agents/*]}", map[string]string{
			"pass": at("/in"), "pass: of an agent": at("/in/agents/me"), "fail": at("/other"), "inconclusive": send("send", "{}"),
		}},
		{"client/member", "{ops: [send], at: /list, kinds: [list], of: text, empty: true, lacking: [send]}", map[string]string{
			"pass": send("send", `{"list":["a"]}`), "pass: empty": send("send", `{"list":[]}`), "pass: nothing at all": send("send", "{}"), "fail": send("send", `{"other":"a"}`), "fail: a number": send("send", `{"list":["a",1]}`),
			"inconclusive": "odd/card card\n  > GET - \n  < 200 application/json {}\n",
		}},
		{"client/member", "{ops: [send], at: /parts/*, kinds: [object], named: [kind], words: [text]}", map[string]string{
			"pass": send("send", `{"parts":[{"kind":"text"},{}]}`), "pass: another word": send("send", `{"parts":[{"kind":"hologram"}]}`), "fail": send("send", `{"parts":["a"]}`), "inconclusive": send("send", `{"parts":[]}`),
		}},
		{"client/member", "{ops: [send], at: /url, optional: true, form: http-url}", map[string]string{
			"pass": send("send", `{"url":"HTTPS://a.example/b"}`), "fail": send("send", `{"url":"localhost:80"}`), "fail: another scheme": send("send", `{"url":"ftp://a/"}`), "inconclusive": send("send", "{}"),
		}},
		{"client/member", "{ops: [send], at: /time, optional: true, form: date-time}", map[string]string{
			"pass": send("send", `{"time":"2026-01-31T12:00:00Z"}`), "pass: basic": send("send", `{"time":"20260131T120000+0100"}`), "fail": send("send", `{"time":1700000000}`), "fail: words": send("send", `{"time":"today"}`), "inconclusive": send("send", "{}"),
		}},
		{"client/unique", "{ops: [send], at: /no, alike: [/name, /to], call: /id}", map[string]string{
			"pass": send("send", `{"no":"1","name":"a"}`) + send("send-2", `{"no":"1","name":"a"}`), "pass: of another call": send("send", `{"no":"5","name":"a"}`) + send("send-2", `{"no":"6","name":"a"}`),
			"fail": send("send", `{"no":"1","name":"a"}`) + send("send-2", `{"no":"1","name":"b"}`), "inconclusive": send("send", `{"no":"1"}`),
		}},
	})
}
