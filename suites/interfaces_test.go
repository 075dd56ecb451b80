package suites_test

import (
	"fmt"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// addSecondInterface has the made-up dialect travel by paths too.
func addSecondInterface(d *schema.Dialect) {
	plain, codes := d.Bindings, d.Errors
	useREST(d)
	d.Bindings["JSONRPC"] = plain["JSONRPC"]
	web := d.Bindings["WEB"]
	for op, verb := range map[string]string{"resubscribe": "POST", "push-set": "POST", "push-list": "GET"} {
		web.Routes[op] = schema.Routes{{Verb: verb, Path: "/jobs/{number}/" + op}}
	}
	for name, web := range d.Errors {
		web.Code = codes[name].Code
		d.Errors[name] = web
	}
	d.Card.Interfaces = schema.Interfaces{At: "/ways", URL: "/url", Transport: "/by", Speaks: "JSONRPC"}
}

// callHere is a step at the first interface, and there the same at the second.
func callHere(step, body string) string { return answerCall("x/"+step, "{}", body) }

func callThere(step, op, answer string) string {
	return fmt.Sprintf("x/%s-2 %s task=7 by=WEB\n  > GET -\n  < %s\n", step, op, answer)
}

func TestInterfaces(t *testing.T) {
	result := func(json string) string { return `{"jsonrpc":"2.0","id":1,"result":` + json + `}` }
	card := func(ways string) string {
		return "card/well-known card url=http://server.invalid/card\n  < 200 application/json {\"called\":\"Z\",\"ways\":[" + ways + "]}\n"
	}
	const jsonrpc, web = `{"url":"http://server.invalid/","by":"JSONRPC"}`, `{"url":"http://other.invalid/","by":"WEB"}`
	const plain = `{"number":"7","group":"g","now":{"phase":"ready","at":"2024-03-15T14:30:00Z"},"files":[{"kind":"a","bytes":"x"}],"log":[]}`
	task := func(json string) string { return callHere("get get task=7", result(json)) }
	alone := "x/get get task=7\n  > {}\n  < 200 application/json " + result(plain) + "\n"
	const steps = "{steps: [x/get]}"
	notFound := rpcError("1", -32001)

	const same = "{steps: [x/get], again: x/get-again, ignore: [link]}"
	other := func(json string) string { return callThere("get", "get", "200 application/json "+json) }
	again := func(json string) string { return callHere("get-again get task=7", result(json)) }
	const late = `{"group":"g","number":"7","now":{"at":"2024-03-15T15:30:00.0004+01:00","phase":"ready"},"files":[{"bytes":"x","kind":"a","link":"http://signed"}],"more":""}`

	const offers = "{steps: [x/all], missing: [MethodNotFound]}"
	all := func(body string) string { return callHere("all list", body) }
	web2 := func(answer string) string { return callThere("all", "list", answer) }

	const hooks = "{sets: x/set, lists: x/aims}"
	aim := func(id string) string { return `{"number":"7","tell":{"id":"` + id + `"}}` }
	sets := callHere("set push-set task=7", result(aim("one"))) + callThere("set", "push-set", "200 application/json "+aim("two"))
	aims := func(first, second string) string {
		list := func(ids string) string { return `{"all":[` + ids + `]}` }
		return sets + callHere("aims push-list task=7", result(list(first))) + callThere("aims", "push-list", "200 application/json "+list(second))
	}

	event := func(state string) string { return fmt.Sprintf(`{"number":"7","now":{"phase":%q}}`, state) }
	stream := func(step, by string, states ...string) string {
		out := "x/" + step + " resubscribe task=7" + by + " beside\n  > {\"id\":1}\n  < 200 text/event-stream : begin\n"
		for _, state := range states {
			data := event(state)
			if by == "" {
				data = result(data)
			}
			out += "  | data: " + data + "\n  |\n  |\n"
		}
		return out
	}
	first := task(plain) + stream("watch", "", "queued", "busy", "ready")

	asked := func(url, web string) string {
		return "x/ask get\n  > {}\n  < 404 - \n" + "x/ask get url=" + url + " in=WEB\n  > GET -\n" + web
	}
	const refused, found, gate = "  ! no-dial\n", "  < 200 application/json " + plain + "\n", "http://other.invalid/jobs/7"

	runTrials(t, "interfaces", []trial{
		{"interfaces/answer", "{step: x/ask}", map[string]string{
			"pass": card(web) + asked(gate, found), "fail: nobody listens": card(web) + asked(gate, refused), "fail: a page": card(web) + asked(gate, "  < 404 text/html no\n"),
			"inconclusive: no answer in time": card(web) + asked(gate, "  ! timeout\n"), "inconclusive: where the operator says": card(web) + asked("http://third.invalid/jobs/7", refused),
			"inconclusive: shut": card(web) + asked(gate, "  < 401 - \n"), "not-applicable: one alone": alone + card(jsonrpc)}},
		{"interfaces/seen", steps, map[string]string{
			"pass": task(plain) + other(plain), "fail: unknown": task(plain) + callThere("get", "get", restError(404, noJob)), "fail: another": task(plain) + other(`{"number":"8"}`),
			"inconclusive: not shown at the first": callHere("get get task=7", notFound) + other(plain), "inconclusive: not asked": alone + card(jsonrpc+","+web),
			"not-applicable: one alone": alone + card(jsonrpc), "not-applicable: another that is not spoken": alone + card(jsonrpc+`,{"url":"http://a/","by":"PIGEON"}`), "inconclusive: no card": alone}},
		{"interfaces/same-task", same, map[string]string{
			"pass": task(plain) + other(plain) + again(plain), "pass: written otherwise": task(plain) + other(late), "pass: not defined": task(plain) + other(plain[:len(plain)-1]+`,"x-own":1}`),
			"fail: a member is missing": task(plain) + other(`{"number":"7","group":"g","now":{"phase":"ready","at":"2024-03-15T14:30:00Z"},"files":[{"kind":"a"}]}`),
			"fail: another":             task(plain) + other(`{"number":"7","now":{"phase":"ready","at":"2024-03-15T14:31:00Z"}}`), "fail: one element fewer": task(plain) + other(`{"number":"7","now":{"phase":"ready","at":"2024-03-15T14:30:00Z"}}`),
			"inconclusive: it changes": task(plain) + other(`{"number":"7","now":{"phase":"ready"}}`) + again(`{"number":"7","now":{"phase":"broken"}}`), "inconclusive: not ended": task(event("busy")) + other(event("ready"))}},
		{"interfaces/same-error", steps, map[string]string{
			"pass": callHere("get get", notFound) + callThere("get", "get", restError(404, noJob)), "pass: no reason": callHere("get get", notFound) + callThere("get", "get", restError(404, "")),
			"fail: another": callHere("get get", notFound) + callThere("get", "get", restError(500, "")), "fail: served": callHere("get get", notFound) + other(plain), "fail: a page": callHere("get get", notFound) + callThere("get", "get", "404 text/html no"),
			"inconclusive: no mistake": task(plain) + other(plain), "inconclusive: shut": callHere("get get", notFound) + callThere("get", "get", "401 - "), "inconclusive: no known error": callHere("get get", rpcError("1", 7)) + other(plain)}},
		{"interfaces/offered", offers, map[string]string{
			"pass": all(result(`{}`)) + web2("200 application/json {}"), "pass: refused otherwise": all(rpcError("1", -32602)) + web2("200 application/json {}"), "pass: at neither": all(rpcError("1", -32601)) + web2("404 text/html no"),
			"fail: not at the second": all(result(`{}`)) + web2("404 text/html no"), "fail: not at the first": all(rpcError("1", -32601)) + web2("200 application/json {}"),
			"inconclusive: a fault": all(result(`{}`)) + web2("500 text/html no"), "inconclusive: shut": all(result(`{}`)) + web2("401 - "),
			"fail: an error about a task": all(rpcError("1", -32601)) + web2(restError(404, noJob)), "inconclusive: another error": all(rpcError("1", -32601)) + web2(restError(400, ""))}},
		{"interfaces/let-in", steps, map[string]string{
			"pass": "secret bearer\n" + task(plain) + other(plain), "fail": "secret bearer\n" + task(plain) + callThere("get", "get", "401 - "), "inconclusive: taken at neither": "secret bearer\n" + "x/get get task=7\n  > {}\n  < 403 - \n" + callThere("get", "get", "401 - ")}},
		{"interfaces/configurations", hooks, map[string]string{
			"pass": aims(aim("one")+","+aim("two"), aim("two")+","+aim("one")), "fail: not at the second": aims(aim("one")+","+aim("two"), aim("two")), "fail: not at the first": aims(aim("one"), aim("two")+","+aim("one")),
			"inconclusive: none taken": callHere("aims push-list task=7", result(`{}`)) + callThere("aims", "push-list", "200 application/json {}")}},
		{"stream/same-everywhere", "{steps: [x/watch]}", map[string]string{
			"pass": first + stream("watch-2", " by=WEB", "queued", "busy", "ready"), "pass: begun later": first + stream("watch-2", " by=WEB", "busy", "ready"), "fail: one is missing": first + stream("watch-2", " by=WEB", "queued", "ready"),
			"fail: another": first + stream("watch-2", " by=WEB", "queued", "asking", "ready"), "inconclusive: no stream": first + callThere("watch", "resubscribe", restError(404, noJob)), "inconclusive: cut off": first + stream("watch-2", " by=WEB", "queued", "busy")}},
	}, addSecondInterface)
}
