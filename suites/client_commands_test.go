package suites_test

import (
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

const reporting = "knows works exits adapter\n"

// answerTo is a call that is answered by a result.
func answerTo(step, method, params, result string) string {
	return call(step, method, params, `{"jsonrpc":"2.0","id":1,"result":`+result+`}`)
}

func TestCommandsThatAClientFollows(t *testing.T) {
	send := func(scenario string) string { return call(scenario+"/send send", "do", message(""), working) }
	drop := func(scenario, params, phase string) string {
		return answerTo(scenario+"/cancel cancel", "drop", params, `{"number":"7","now":{"phase":"`+phase+`"}}`)
	}
	refused := reporting + send("get") + "reports get 3 {\"cannot\":\"get\"}\n"
	list := func(step, token, next string) string {
		return answerTo("pages/"+step+" list", "all", `{"token":"`+token+`"}`, `{"jobs":[],"more":"`+next+`"}`)
	}
	first := answerTo("pages/list list", "all", `{}`, `{"jobs":[],"more":"a/b+c"}`)
	runClientTrials(t, "client_commands", []trial{
		{"client/given", "{plays: [quit], ops: [cancel], at: /number, task: true}", map[string]string{
			"pass": send("quit") + drop("quit", `{"number":"7"}`, "dropped"), "fail": send("quit") + call("quit/cancel cancel", "drop", `{"number":"m"}`, fault),
			"fail: a context": send("quit") + call("quit/cancel cancel", "drop", `{"number":"g"}`, fault), "fail: none": send("quit") + call("quit/cancel cancel", "drop", `{"job":"7"}`, fault),
			"fail: a number": send("quit") + call("quit/cancel cancel", "drop", `{"number":7}`, fault),
			"inconclusive":   send("quit"), "inconclusive: not played": send("hello"), "inconclusive: without something for it": send("quit") + "reports quit 3 {\"cannot\":\"cancel\"}\n",
		}},
		{"client/given", "{plays: [get], ops: [get], at: /number, task: true, command: get}", map[string]string{
			"pass": send("get") + call("get/get get", "look", `{"number":"7"}`, done), "fail": refused, "fail: of another name": send("get") + call("get/get get", "look", `{"job":"7"}`, fault),
			"inconclusive": send("get") + "reports get 3 {\"saw\":\"error\"}\n", "pass: for another command": send("get") + call("get/get get", "look", `{"number":"7"}`, done) + "reports get 3 {\"cannot\":\"list\"}\n",
		}},
		{"client/state-unreported", "{plays: [quit-late-*], ops: [cancel], state: dropped}", map[string]string{
			"pass":              reporting + send("quit-late-a") + drop("quit-late-a", `{"number":"7"}`, "busy") + "reports quit-late-a 5 {\"saw\":\"task\",\"state\":\"busy\"}\n",
			"pass: an error":    reporting + send("quit-late-b") + call("quit-late-b/cancel cancel", "drop", `{"number":"7"}`, fault) + "reports quit-late-b 5 {\"saw\":\"error\",\"code\":-32603}\n",
			"pass: earlier":     reporting + send("quit-late-a") + drop("quit-late-a", `{"number":"7"}`, "busy") + "reports quit-late-a 2.5 {\"saw\":\"task\",\"state\":\"dropped\"}\nreports quit-late-a 5 {\"saw\":\"task\",\"state\":\"busy\"}\n",
			"fail":              reporting + send("quit-late-a") + drop("quit-late-a", `{"number":"7"}`, "busy") + "reports quit-late-a 5 {\"saw\":\"status\",\"state\":\"DROPPED\"}\n",
			"fail: on an error": reporting + send("quit-late-b") + call("quit-late-b/cancel cancel", "drop", `{"number":"7"}`, fault) + "reports quit-late-b 5 {\"saw\":\"task\",\"state\":\"task_state_dropped\"}\n",
			"inconclusive":      send("quit-late-a") + drop("quit-late-a", `{"number":"7"}`, "busy"), "inconclusive: no call": reporting + send("quit-late-a") + "reports quit-late-a 5 {\"saw\":\"task\",\"state\":\"dropped\"}\n",
			"inconclusive: nothing reported": reporting + send("quit-late-a") + drop("quit-late-a", `{"number":"7"}`, "busy") + "reports quit-late-a 5 {\"saw\":\"end\",\"of\":\"task\"}\n",
		}},
		{"client/pages", "{plays: [pages], ops: [list], token: /token, what: token}", map[string]string{
			"pass": first + list("list-2", "a/b+c", ""), "pass: again": first + list("list-2", "a/b+c", "") + list("list-3", "a/b+c", ""), "fail": first + list("list-2", "2", ""),
			"fail: a space": first + list("list-2", "a/b c", ""), "fail: a number": first + call("pages/list-2 list", "all", `{"token":2}`, fault),
			"inconclusive": first, "inconclusive: no token": first + list("list-2", "", "a/b+c"), "inconclusive: from elsewhere": list("list", "x", ""),
		}},
		{"client/pages", "{plays: [pages], ops: [list], what: end}", map[string]string{
			"pass": first + list("list-2", "a/b+c", ""), "fail": first + list("list-2", "a/b+c", "") + list("list-3", "", "a/b+c"), "inconclusive": first, "inconclusive: unended": "run pages unended\n" + first + list("list-2", "a/b+c", ""),
		}},
		{"client/question", "{plays: [asks], state: asking}", map[string]string{
			"pass":                           reporting + "run asks sent=status\n" + asks + "reports asks 2 {\"saw\":\"status\",\"state\":\"asking\",\"text\":\"Which? word-status\"}\n",
			"pass: printed":                  reporting + "run asks printed=status\n" + asks + "reports asks 2 {\"saw\":\"status\",\"state\":\"asking\"}\n",
			"pass: the end of the next turn": reporting + "run asks sent=status\n" + asks + call("asks/send-2 send", "do", message(`,"job":"7"`), done) + "reports asks 2 {\"saw\":\"status\",\"text\":\"word-status\"}\nreports asks 5 {\"saw\":\"end\",\"of\":\"task\"}\n",
			"fail":                           reporting + "run asks sent=status\n" + asks + "reports asks 2 {\"saw\":\"status\",\"text\":\"word-status\"}\nreports asks 2 {\"saw\":\"end\",\"of\":\"task\",\"task\":\"7\"}\n",
			"fail: no text":                  reporting + "run asks sent=status\n" + asks + "reports asks 2 {\"saw\":\"status\",\"state\":\"asking\"}\n",
			"inconclusive":                   "run asks sent=status\n" + asks, "inconclusive: nothing reported": reporting + "run asks sent=status\n" + asks, "inconclusive: no question": reporting + "run asks sent=status\n" + send("asks") + "reports asks 2 {\"saw\":\"task\"}\n",
		}},
		{"client/pieces-once", "{plays: [joins], ops: [resubscribe]}", map[string]string{
			"pass":         reporting + joins + "reports joins 5 {\"saw\":\"artifact\",\"text\":\"word-chunk-1 \"}\nreports joins 6 {\"saw\":\"artifact\",\"text\":\"word-chunk-1 word-chunk-2\",\"assembled\":true}\n",
			"fail":         reporting + joins + "reports joins 6 {\"saw\":\"artifact\",\"text\":\"word-chunk-1 word-chunk-1 word-chunk-2\",\"assembled\":true}\n",
			"inconclusive": joins, "inconclusive: pieces alone": reporting + joins + "reports joins 6 {\"saw\":\"artifact\",\"text\":\"word-chunk-1 word-chunk-1\"}\n",
			"inconclusive: no second stream": reporting + "run joins sent=chunk-1\n" + send("joins") + send("joins-2") + "reports joins 6 {\"saw\":\"artifact\",\"text\":\"word-chunk-1\",\"assembled\":true}\n",
		}},
		{"client/leaves", "{plays: [left], ops: [stream], events: 2, seconds: 0.5}", map[string]string{
			"pass": reporting + readStream("100 900 950") + "reports left 1.5 {\"saw\":\"status\"}\n", "fail": reporting + readStream("100 200 300") + "reports left 1.5 {\"saw\":\"status\"}\n",
			"inconclusive": readStream("100 200 300"), "inconclusive: no event": reporting + readStream("100") + "reports left 1.5 {\"saw\":\"status\"}\n", "inconclusive: nothing reported": reporting + readStream("100 200 300"),
			"inconclusive: read on": reporting + readStream("100 200 300") + strings.Repeat("reports left 1.5 {\"saw\":\"artifact\"}\n", 7), "inconclusive: no stream": reporting + send("left"),
		}},
	})
}

const (
	asks  = "asks/send send\n  > {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"do\",\"params\":{}}\n  < 200 application/json {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"number\":\"7\",\"now\":{\"phase\":\"asking\"}}}\n"
	joins = "run joins sent=chunk-1 sent=chunk-2\n" +
		"joins/stream stream\n  > {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"watch\",\"params\":{}}\n  < 200 application/json {}\n" +
		"joins/subscribe resubscribe\n  > {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"rejoin\",\"params\":{\"number\":\"7\"}}\n  < 200 application/json {}\n"
)

// A program that has nothing for a command breaks what obliges clients to have it, and nothing else.
func TestCommandsThatAClientIsObligedToHave(t *testing.T) {
	refused := "knows works adapter cannot=get\n" + call("get/send send", "do", message(""), done) + "reports get 3 {\"cannot\":\"get\"}\n"
	for obliged, want := range map[bool]report.Verdict{true: report.Fail, false: report.NotApplicable} {
		d := judgetest.Dialect(t, "  - {id: ZZ99-X-001, level: MUST, area: task, section: '1', statement: It holds., check: client/given, with: {plays: [get], ops: [get], at: /number, task: true, command: get}}\n")
		r := d.Requirement("ZZ99-X-001")
		r.Needs, r.Obliged = []string{"adapter.get"}, obliged
		got := verdict.NewDecider(d, clientTranscript(t, refused), suites.Checks(), nil).Result("ZZ99-X-001")
		if got.Verdict != want {
			t.Errorf("obliged %v: got %s (%s), want %s", obliged, got.Verdict, got.Reason, want)
		}
		if obliged && (len(got.Evidence) != 1 || got.Evidence[0].Said != 1) {
			t.Errorf("the evidence is %+v", got.Evidence)
		}
	}
}

// readStream is a call for a stream of three events, which came at some times.
func readStream(came string) string {
	return "left/stream stream\n  > {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"watch\",\"params\":{}}\n  < 200 text/event-stream data: {}\n  |\n  | data: {}\n  |\n  | data: {}\n  |\n  |\n  @ " + came + "\n"
}

func TestCardsThatAClientKeeps(t *testing.T) {
	at := func(path string) string { return "http://server.invalid/" + path }
	card := func(step, path, more string) string {
		return "kept/" + step + " card\n  > GET - \n" + more + "  < 200 application/json {\"called\":\"Z\",\"can\":{\"stream\":false},\"at\":[{\"to\":\"" + at(path) + "\",\"by\":\"JSONRPC\"}]}\n  + ETag: \"1\"\n  + Last-Modified: Fri, 02 Jan 2026 03:04:05 GMT\n"
	}
	unchanged := func(step string) string {
		return "kept/" + step + " card\n  > GET - \n  If-None-Match: \"1\"\n  < 304\n"
	}
	send := func(step, path string) string { return call("kept/"+step+" send url="+at(path), "do", "{}", done) }
	hello := call("hello/send send", "do", "{}", done)
	again := card("card", "a", "") + send("send", "a")
	got := func(name string) string {
		return answerTo("kept/extended-card extended-card url="+at("a"), "enrich", "{}", `{"called":"`+name+`","can":{"stream":true},"at":[{"to":"`+at("a")+`","by":"JSONRPC"}]}`)
	}
	streamed := func(scenario string) string {
		return scenario + "/stream stream url=" + at("a") + "\n  > {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"watch\",\"params\":{}}\n  < 200 application/json {}\n"
	}
	open := "live/card card\n  > GET - \n  < 200 application/json {\"called\":\"Z\",\"can\":{\"stream\":true},\"at\":[{\"to\":\"" + at("a") + "\",\"by\":\"JSONRPC\"}]}\n"
	runClientTrials(t, "client_cards", []trial{
		{"client/kept-card", "{plays: [kept], what: fresh}", map[string]string{
			"pass": again + send("send-2", "a"), "pass: unchanged": again + unchanged("card-2") + send("send-2", "a"),
			"pass: from another path": again + strings.Replace(card("card-2", "a", ""), "card-2 card", "card-2 card url=http://server.invalid/old", 1) + send("send-2", "a"),
			"fail":                    again + card("card-2", "a", "") + send("send-2", "a"), "fail: before it was used": card("card", "a", "") + card("card-2", "a", "") + send("send", "a"),
			"inconclusive": again, "inconclusive: a reload": again + card("card-2", "a", "  Cache-Control: no-cache\n") + send("send-2", "a"), "inconclusive: no card": send("send", "a") + send("send-2", "a"),
		}},
		{"client/kept-card", "{plays: [kept], what: condition}", map[string]string{
			"pass": again + unchanged("card-2"), "pass: by the time": again + card("card-2", "a", "  If-Modified-Since: Fri, 02 Jan 2026 03:04:05 GMT\n"), "pass: weakly": again + card("card-2", "a", "  If-None-Match: W/\"1\"\n"),
			"fail": again + card("card-2", "a", ""), "fail: another one": again + card("card-2", "a", "  If-None-Match: \"2\"\n"), "inconclusive": again + send("send-2", "a"),
		}},
		{"client/kept-card", "{plays: [kept], what: unchanged}", map[string]string{
			"pass": again + unchanged("card-2") + send("send-2", "a"), "fail": hello + again + unchanged("card-2"), "fail: elsewhere": again + unchanged("card-2") + send("send-2", "b"),
			"inconclusive": again + card("card-2", "a", "") + send("send-2", "a"), "inconclusive: unended": "run kept unended\n" + hello + again + unchanged("card-2"), "inconclusive: it fails anyhow": "run hello exit=1\n" + hello + again + unchanged("card-2"),
		}},
		{"client/kept-card", "{plays: [kept], what: moved}", map[string]string{
			"pass": again + card("card-2", "new", "") + send("send-2", "new"), "fail": again + card("card-2", "new", "") + send("send-2", "a"), "fail: not asked for": again + send("send-2", "a"),
			"pass: tried twice": card("card", "a", "") + call("kept/send send url="+at("a"), "do", "{}", fault) + send("send-2", "a") + card("card-2", "new", "") + send("send-3", "new"),
			"inconclusive":      again + card("card-2", "new", ""), "inconclusive: no card": send("send", "a") + send("send-2", "a"),
		}},
		{"client/extended-card", "{plays: [kept], ops: [extended-card], claim: streaming}", map[string]string{
			"pass": reporting + card("card", "a", "") + got("More") + streamed("kept"), "pass: reported": reporting + card("card", "a", "") + got("More") + "reports kept 5 {\"saw\":\"card\",\"name\":\"More\"}\n",
			"fail":         reporting + card("card", "a", "") + got("More") + send("send", "a") + open + streamed("live") + "reports kept 5 {\"saw\":\"card\",\"name\":\"Z\"}\n",
			"inconclusive": reporting + card("card", "a", "") + send("send", "a"), "inconclusive: it never streams": reporting + card("card", "a", "") + got("More") + send("send", "a"),
			"inconclusive: it always streams": reporting + card("card", "a", "") + got("More") + streamed("kept") + strings.ReplaceAll(open, "true", "false") + streamed("live"),
			"inconclusive: it sends nothing":  reporting + card("card", "a", "") + got("More"), "inconclusive: nothing reports": card("card", "a", "") + got("More") + streamed("kept"),
		}},
	}, func(d *schema.Dialect) {
		d.Card.Interfaces = schema.Interfaces{At: "/at", URL: "/to", Transport: "/by", Speaks: "JSONRPC"}
		d.Operations["extended-card"] = schema.Operation{Reads: true}
		d.Bindings["JSONRPC"].Methods["extended-card"] = "enrich"
	})
}

func TestValuesInAddressesOfAClient(t *testing.T) {
	begin := "odd/send send by=WEB url=http://server.invalid/jobs\n  > POST application/json {}\n  < 200 application/json {\"number\":\"a/b c+é\",\"now\":{\"phase\":\"ready\"}}\n"
	get := func(path string) string {
		return "odd/get get by=WEB url=http://server.invalid/jobs" + path + "\n  > GET - \n  < 404 application/json {}\n"
	}
	pages := "odd/list list by=WEB url=http://server.invalid/jobs\n  > GET - \n  < 200 application/json {\"jobs\":[],\"more\":\"p/1+a=b&c%2Fx\"}\n"
	web := func(d *schema.Dialect) {
		d.Bindings["WEB"] = schema.Binding{Kind: schema.KindREST, Routes: map[string]schema.Routes{"send": {{Verb: "POST", Path: "/jobs"}}, "get": {{Verb: "GET", Path: "/jobs/{number}"}}, "list": {{Verb: "GET", Path: "/jobs"}}}}
	}
	runClientTrials(t, "client_encoding", []trial{
		{"client/encoding", "{plays: [odd], at: [/number, /token]}", map[string]string{
			"pass": begin + get("/a%2Fb%20c%2B%C3%A9"), "pass: all encoded": begin + get("/%61%2F%62%20c%2B%C3%A9"), "pass: a plus sign for a space": begin + get("/a%2Fb+c+%C3%A9"), "pass: a token": pages + get("?token=p%2F1%2Ba%3Db%26c%252Fx"),
			"fail": begin + get("/a/b%20c%2B%C3%A9"), "fail: twice": begin + get("/a%252Fb%2520c%252B%25C3%25A9"), "fail: a token": pages + get("?token=p/1+a=b&c%2Fx"),
			"inconclusive": begin, "inconclusive: in another binding": call("odd/send send", "do", "{}", done) + call("odd/get get", "look", `{"number":"7"}`, done),
		}},
		{"client/pages", "{plays: [odd], ops: [list], token: /token, what: token}", map[string]string{
			"pass": pages + strings.Replace(get("?token=p%2F1%2Ba%3Db%26c%252Fx"), "get get", "list-2 list", 1), "fail": pages + strings.Replace(get("?token=2"), "get get", "list-2 list", 1),
			"inconclusive": pages + strings.Replace(get("?token=p/1+a=b&c%2Fx"), "get get", "list-2 list", 1), "inconclusive: twice": pages + strings.Replace(get("?token=p%252F1%252Ba%253Db%2526c%25252Fx"), "get get", "list-2 list", 1),
		}},
	}, web)
}
