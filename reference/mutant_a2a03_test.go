package reference

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// playA2A03 holds the conversations that the sentences of A2A 0.3.0 are about,
// the quick ones first.
func playA2A03(p *player, area string) {
	if p.server.Variant.Extended {
		p.headers = map[string]string{extensionsHeader: a2a03Trace}
	}
	p.converse(area, []conversation{
		{"card discovery transport", p.v03Documents},
		{"transport", p.oldTLS},
		{"auth card transport", p.v03Guard},
		{"transport envelope errors message context task push", p.v03Quick},
		{"envelope errors transport message", p.v03Envelopes},
		{"extension", p.v03Extensions},
		{"errors message context task stream push", p.v03Finished},
		{"errors", p.v03EmptyBody},
		{"errors message context push", p.v03Params},
		{"message context task", p.v03Turns},
		{"transport", p.v03Interfaces},
		{"push", p.v03Configurations},
		{"limits", p.v03Limits},
		{"task", p.v03Work},
		{"errors stream push", p.v03Streams},
		{"stream task", p.v03Drops},
		{"push", p.v03Push},
		{"rest", p.v03Rest},
		{"grpc", p.v03GRPC},
	})
}

// v03 sends a call with the id "r".
func (p *player) v03(step, method, params string) any {
	return p.send(step, "POST", "/", "application/json", a2aCall(`"r"`, method, params))
}

// say sends a text and waits for what comes of it.
func (p *player) say(step, what string) (task string) {
	return text(p.v03(step, "message/send", v03Text(what, v03Blocking)), "result/id")
}

func (p *player) v03Documents() {
	p.documents("/.well-known/agent-card.json", "/.well-known/agent.json", "/v1/card", "/v1/tasks/none")
	p.v03("extended card", extendedCardMethod, `{}`)
	p.send("extended card without params", "POST", "/", "application/json", `{"jsonrpc":"2.0","id":1,"method":"`+extendedCardMethod+`"}`)
}

// v03Guard makes calls with, without and with other credentials.
func (p *player) v03Guard() {
	if !p.server.Variant.Guarded {
		p.as("", func() { p.say("without a token", "echo x") })
		return
	}
	id := p.say("with a token", "ask")
	p.send("malformed with a token", "POST", "/", "application/json", `{"jsonrpc":"2.0","id":"r","method":5}`)
	task := `{"id":"` + id + `"}`
	p.send("on the second interface", "POST", a2a03Second, "application/json", a2aCall(`"r"`, "tasks/get", task))
	p.as("Bearer wrong", func() {
		p.say("wrong", "echo x")
		p.v03("wrong extended card", extendedCardMethod, `{}`)
	})
	p.as("", func() {
		p.say("nobody", "echo x")
		p.v03("token in metadata", "message/send", v03Message(map[string]string{"params.metadata": `{"token":"` + Token + `"}`}))
		for _, method := range []string{"tasks/get", "tasks/resubscribe", getPushConfigMethod, listPushConfigMethod, extendedCardMethod, "tasks/cancel"} {
			p.v03("nobody "+method, method, task)
		}
		p.v03("nobody "+setPushConfigMethod, setPushConfigMethod, `{"taskId":"`+id+`","pushNotificationConfig":{"url":"https://hook.invalid/"}}`)
		p.v03("nobody message/stream", "message/stream", v03Text("hello", ""))
		p.headers[apiKeyHeader] = Token
		p.v03("with a key", "tasks/get", task)
	})
	p.as("Bearer "+SecondToken, func() {
		p.v03("another", "tasks/get", task)
		p.v03("another follows", "tasks/resubscribe", task)
	})
	slow := fetchBy(p.client, p.t, "POST", p.server.URL(), "application/json", a2aCall(`"r"`, "message/send", v03Text("slow 0.3", `{"blocking":false}`)), p.headers)
	p.as("Bearer "+SecondToken, func() {
		p.v03("another follows what runs", "tasks/resubscribe", `{"id":"`+text(slow.body, "result/id")+`"}`)
	})
	p.as("Bearer "+LowToken, func() { p.say("few rights", "forbidden") })
}

func (p *player) v03EmptyBody() {
	p.send("empty body", "POST", "/", "application/json", "")
	p.say("after empty body", "echo x")
	p.send("cut off", "POST", "/", "application/json", `{"jsonrpc":"2.0",`)
	p.say("after cut off", "echo x")
}

func (p *player) v03Envelopes() {
	get := func(id string) string { return a2aCall(id, "tasks/get", `{"id":"x"}`) }
	p.send("charset", "POST", "/", "application/json; charset=utf-8", get(`"c"`))
	p.send("text/plain", "POST", "/", "text/plain", get(`"c"`))
	p.send("PUT", "PUT", "/", "application/json", a2aCall(`"c"`, "tasks/get", `{"id":"x"}`))
	for _, id := range []string{`"a"`, `"req-Ä-1"`, `0`, `42`, `null`, `{"a":1}`, `true`} {
		p.send("id "+id, "POST", "/", "application/json", get(id))
	}
	for _, body := range []string{
		`{"jsonrpc":"2.0",`, `hello`, `1`, `null`, `[]`, `{"jsonrpc":"2.0","id":1}`, `{"jsonrpc":"2.0","id":1,"method":42}`,
		`{"id":1,"method":"tasks/get","params":{"id":"x"}}`, `{"jsonrpc":"1.0","id":1,"method":"tasks/get","params":{"id":"x"}}`,
		`{"jsonrpc":2.0,"id":1,"method":"tasks/get","params":{"id":"x"}}`, `{"jsonrpc":"2.0","method":"tasks/get","params":{"id":"x"}}`,
		`[` + get("1") + `,` + get("2") + `]`, a2aCall("1", "tasks/get", `"x"`), a2aCall("1", "tasks/foo", `{}`),
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"x"},"more":1}`,
	} {
		p.send("body "+body, "POST", "/", "application/json", body)
	}
	p.unread("/", "message/stream", v03Text("echo x", ""))
	p.say("after all", "echo Grüße 🙂")
	p.v03("cancel waiting", "tasks/cancel", `{"id":"`+p.say("ask", "ask")+`"}`)
}

func (p *player) v03Extensions() {
	before := p.headers
	for _, asked := range []string{"", a2a03Trace, "https://conformance.example/ext/none", strings.TrimSuffix(a2a03Trace, "1") + "2",
		"https://conformance.example/ext/none, " + a2a03Trace} {
		p.headers = map[string]string{extensionsHeader: asked}
		p.say("asking for "+asked, "echo x")
	}
	p.headers = before
}

func (p *player) v03Quick() {
	id := p.say("quick", "echo hello")
	get := func(step, more string) { p.v03(step, "tasks/get", `{"id":"`+id+`"`+more+`}`) }
	for i := range 4 {
		get(fmt.Sprint("look ", i), "")
	}
	for _, n := range []string{"1", "10", "1000", "-1", `"3"`, "1.5", "null"} {
		get("history "+n, `,"historyLength":`+n)
	}
	get("get with metadata", `,"metadata":{"a":1}`)
}

// v03Finished takes up a task that has ended, and others that do not exist.
func (p *player) v03Finished() {
	id := p.say("finished", "echo hello")
	get := func(step string) { p.v03(step, "tasks/get", `{"id":"`+id+`"}`) }
	p.v03("cancel finished", "tasks/cancel", `{"id":"`+id+`"}`)
	get("after cancel")
	p.v03("send to finished", "message/send", v03Answer(id, "more"))
	get("after send")
	p.v03("stream to finished", "message/stream", v03Answer(id, "more"))
	p.v03("resubscribe finished", "tasks/resubscribe", `{"id":"`+id+`"}`)
	again := p.say("quick again", "echo hello")
	p.note("ids", fmt.Sprint("differ: ", id != again))
	p.v03("send without waiting", "message/send", v03Text("echo x", `{"blocking":false}`))
	p.v03("hello", "message/send", v03Text("hello", ""))
	unknown := `{"id":"unknown","taskId":"unknown","pushNotificationConfigId":"a","pushNotificationConfig":{"url":"https://hook.invalid/a?b=c"}}`
	for _, method := range []string{"tasks/get", "tasks/cancel", "tasks/resubscribe", setPushConfigMethod, getPushConfigMethod, listPushConfigMethod, deletePushConfigMethod} {
		p.v03(method+" unknown", method, unknown)
		p.v03(method+" without id", method, `{"pushNotificationConfig":{"url":"https://hook.invalid/a?b=c"}}`)
		p.v03(method+" number", method, `{"id":3}`)
	}
}

// v03Params sends what must be refused, and what must not.
func (p *player) v03Params() {
	p.v03("empty params", "message/send", `{}`)
	p.v03("message as text", "message/send", `{"message":"hello"}`)
	for _, test := range [][2]string{
		{"params.metadata", `{"trace":{"deep":[1]}}`}, {"params.metadata", `[]`}, {"metadata", `{"x":{"y":1}}`}, {"metadata", `[]`},
		{"kind", ``}, {"role", ``}, {"role", `"system"`}, {"messageId", ``}, {"parts", ``}, {"parts", `[]`}, {"parts", `{"kind":"text","text":"x"}`},
		{"taskId", `"unknown"`}, {"contextId", `"my-own"`}, {"referenceTaskIds", `["x"]`},
		{"params.configuration", `{"acceptedOutputModes":["text/plain"],"blocking":true}`}, {"params.configuration", `{"acceptedOutputModes":["application/x-odd"]}`},
		{"params.configuration", `{"historyLength":-1,"blocking":true}`}, {"params.configuration", `{"historyLength":1,"blocking":true}`},
		{"params.configuration", `{"blocking":true,"pushNotificationConfig":{"url":"https://hook.invalid/"}}`},
		{"params.configuration", `{"pushNotificationConfig":{"token":"x"}}`},
	} {
		p.v03("message with "+test[0]+" "+test[1], "message/send", v03Message(map[string]string{"params.configuration": v03Blocking, test[0]: test[1]}))
	}
	for _, parts := range []string{
		`{"text":"x"}`, `{"kind":"video"}`, `{"kind":"text"}`, `{"kind":"text","text":5}`, `{"kind":"file"}`, `{"kind":"file","file":{"name":"a.png"}}`,
		`{"kind":"file","file":{"mimeType":"image/png","bytes":"aGk=","uri":"https://example.com/a"}}`,
		`{"kind":"file","file":{"mimeType":"image/png","bytes":"***"}}`, `{"kind":"data","data":5}`, `{"kind":"data","data":[1,2]}`,
		`{"kind":"data","data":{"n":1}}`, `{"kind":"file","file":{"mimeType":"image/png","bytes":"aGk="}}`,
		`{"kind":"file","file":{"mimeType":"image/png","uri":"https://example.com/a"}}`,
		`{"kind":"file","file":{"mimeType":"application/x-odd","bytes":"aGk="}}`, `{"kind":"text","text":"a"},{"kind":"data","data":{"n":1}}`,
		`{"kind":"text","text":"a"},{"kind":"text","text":"b"},{"kind":"text","text":"c"}`, `{"kind":"text","text":"x","metadata":{"lang":"en"}}`,
	} {
		p.v03("parts "+parts, "message/send", v03Message(map[string]string{"params.configuration": v03Blocking, "parts": "[" + parts + "]"}))
	}
}

// v03Turns plays the tasks that need more than one exchange.
func (p *player) v03Turns() {
	in := func(step, context, what string) any {
		return p.v03(step, "message/send", v03Message(map[string]string{"contextId": strconv.Quote(context), "params.configuration": v03Blocking,
			"parts": `[{"kind":"text","text":` + strconv.Quote(what) + `}]`}))
	}
	asked := p.v03("ask", "message/send", v03Text("ask", v03Blocking))
	id, context := text(asked, "result/id"), text(asked, "result/contextId")
	task := `{"id":"` + id + `"}`
	p.v03("asking", "tasks/get", task)
	p.v03("asking again", "tasks/get", task)
	p.v03("answer", "message/send", v03Message(map[string]string{"taskId": strconv.Quote(id), "contextId": strconv.Quote(context),
		"params.configuration": `{"blocking":true,"historyLength":1}`}))
	p.v03("asked", "tasks/get", task)
	p.v03("asked once", "tasks/get", `{"id":"`+id+`","historyLength":1}`)
	first, second := in("second of context", context, "echo x"), in("third of context", context, "echo x")
	p.note("tasks of a context", fmt.Sprint("differ: ", text(first, "result/id") != text(second, "result/id")))
	p.v03("first of context", "tasks/get", task)
	in("remember", "one", "remember blue")
	in("recall", "one", "recall")
	in("recall elsewhere", "two", "recall")

	moving := p.v03("ask again", "message/send", v03Text("ask", v03Blocking))
	p.v03("answer from elsewhere", "message/send", v03Message(map[string]string{"taskId": strconv.Quote(text(moving, "result/id")), "contextId": `"elsewhere"`}))
	p.v03("cancel waiting", "tasks/cancel", `{"id":"`+text(moving, "result/id")+`"}`)
	p.v03("cancel again", "tasks/cancel", `{"id":"`+text(moving, "result/id")+`"}`)
	p.v03("canceled", "tasks/get", `{"id":"`+text(moving, "result/id")+`"}`)
	for _, script := range []string{"fail", "reject", "needauth", "artifact"} {
		done := `{"id":"` + p.say(script, script) + `"}`
		p.v03("after "+script, "tasks/get", done)
		p.v03("long after "+script, "tasks/get", done)
	}
}

func (p *player) v03Interfaces() {
	id := p.say("on the first interface", "echo hello")
	for _, params := range []string{`{"id":"` + id + `"}`, `{"id":"unknown"}`} {
		p.send("second tasks/get "+fmt.Sprint(len(params)), "POST", a2a03Second, "application/json", a2aCall(`"r"`, "tasks/get", params))
		p.send("second tasks/cancel "+fmt.Sprint(len(params)), "POST", a2a03Second, "application/json", a2aCall(`"r"`, "tasks/cancel", params))
	}
	p.stream("second stream", a2a03Second, a2aCall(`"s"`, "message/stream", v03Text("hello", "")), nil)
}

func (p *player) v03Limits() {
	p.say("large", "echo "+strings.Repeat("x", 1<<20))
	p.say("after large", "echo x")
	p.v03("deep", "message/send", v03Message(map[string]string{"params.metadata": strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200)}))
	p.say("after deep", "echo x")
	p.v03("number", "tasks/get", `{"id":5}`)
	var all sync.WaitGroup
	var tasks sync.Map
	for range 10 {
		all.Go(func() {
			r := post(p.t, p.server.URL(), a2aCall(`"r"`, "message/send", v03Text("echo x", v03Blocking)))
			tasks.Store(text(r.body, "result/id"), true)
		})
	}
	all.Wait()
	n := 0
	tasks.Range(func(any, any) bool { n++; return true })
	p.note("tasks", fmt.Sprint(n))
}

// v03Work plays the tasks that take time.
func (p *player) v03Work() {
	begin := func(step, what string) string {
		return text(p.v03(step, "message/send", v03Text(what, `{"blocking":false}`)), "result/id")
	}
	canceled := begin("to cancel", "slow 0.4")
	p.v03("cancel", "tasks/cancel", `{"id":"`+canceled+`"}`)
	slow := begin("slow", "slow 0.3")
	p.poll("slow", slow, 400*time.Millisecond)
	p.poll("canceled", canceled, 600*time.Millisecond) // the worker's own end may come late
}

// v03Stream opens a stream and notes it.
func (p *player) v03Stream(step, id, params string, each func(any, func())) []arrival {
	return p.stream(step, "/", a2aCall(id, "message/stream", params), each)
}

func (p *player) v03Streams() {
	p.v03Stream("stream without message", `"s"`, `{}`, nil)
	p.v03Stream("stream to unknown task", `"s"`, v03Answer("unknown", "hello"), nil)
	p.v03Stream("stream of hello", `"s"`, v03Text("hello", ""), nil)
	task := func(list []arrival) string {
		if len(list) == 0 {
			return ""
		}
		return text(list[0].body, "id")
	}
	quick := p.v03Stream("stream", `7`, v03Text("echo hello", `{"pushNotificationConfig":{"url":"https://hook.invalid/"}}`), nil)
	p.v03("streamed", "tasks/get", `{"id":"`+task(quick)+`"}`)
	p.v03("list of streamed", listPushConfigMethod, `{"id":"`+task(quick)+`"}`)
	p.v03("resubscribe to streamed", "tasks/resubscribe", `{"id":"`+task(quick)+`"}`)
	chunks := p.v03Stream("chunks", `"s"`, v03Text("artifact", ""), nil)
	if len(chunks) > 0 {
		p.note("chunks", fmt.Sprint("spread: ", chunks[len(chunks)-1].at.Sub(chunks[0].at) > 50*time.Millisecond))
	}
	p.v03("chunks stored", "tasks/get", `{"id":"`+task(chunks)+`"}`)
	for _, script := range []string{"fail", "crash"} {
		p.v03Stream("stream of "+script, `"s"`, v03Text(script, ""), nil)
	}
	asked := p.v03Stream("stream of question", `"s"`, v03Text("ask", ""), nil)
	p.v03Stream("stream of answer", `"s"`, v03Answer(task(asked), "blue"), nil)
}

// v03Drops follows tasks that are canceled, that run beside each other, and
// whose reader goes away.
func (p *player) v03Drops() {
	p.v03Stream("stream canceled", `"s"`, v03Text("slow 5", ""), func(event any, _ func()) {
		if text(event, "status/state") == "working" {
			post(p.t, p.server.URL(), a2aCall(`"r"`, "tasks/cancel", `{"id":"`+text(event, "taskId")+`"}`))
		}
	})
	var both sync.WaitGroup
	for _, id := range []string{"one", "two"} {
		both.Go(func() {
			chunks := 0
			for _, a := range p.v03Stream("", `"`+id+`"`, v03Text("artifact", ""), nil) {
				if has(a.body, "artifact") {
					chunks++
				}
			}
			p.note("chunks of "+id, fmt.Sprint(chunks))
		})
	}
	both.Wait()
	p.client.CloseIdleConnections()
	var dropped string
	p.v03Stream("", `"s"`, v03Text("slow 0.6", ""), func(event any, drop func()) {
		if dropped == "" {
			dropped = text(event, "id")
		}
		drop()
	})
	delete(p.seen, "")
	taken := p.stream("", "/", a2aCall(`"again"`, "tasks/resubscribe", `{"id":"`+dropped+`"}`), nil)
	again := p.seen[""]
	delete(p.seen, "")
	p.note("resubscribed", fmt.Sprint(strings.Contains(again, `text/event-stream`), strings.Contains(again, `"id":"s"`),
		strings.Contains(again, `"final":true`), len(taken) > 1, strings.Contains(again, " ended\n"))+backwards(taken))
	p.poll("dropped", dropped, 50*time.Millisecond)
}

func (p *player) v03Configurations() {
	id := p.say("push to come", "echo x")
	set := func(step, config string) {
		p.v03("push set "+step, setPushConfigMethod, `{"taskId":"`+id+`","pushNotificationConfig":`+config+`}`)
	}
	call := func(step, method, more string) { p.v03("push "+step, method, `{"id":"`+id+`"`+more+`}`) }
	call("list none", listPushConfigMethod, "")
	set("without id", `{"url":"https://hook.invalid/a?b=c"}`)
	call("get", getPushConfigMethod, "")
	set("cfg-1", `{"id":"cfg-1","url":"https://hook.invalid/old"}`)
	set("cfg-1 again", `{"id":"cfg-1","url":"https://hook.invalid/new","token":"tok","authentication":{"schemes":["Bearer"],"credentials":"key"}}`)
	set("cfg-2", `{"id":"cfg-2","url":"https://hook.invalid/other"}`)
	call("list", listPushConfigMethod, "")
	call("get cfg-2", getPushConfigMethod, `,"pushNotificationConfigId":"cfg-2"`)
	call("get cfg-1", getPushConfigMethod, `,"pushNotificationConfigId":"cfg-1"`)
	call("get unknown", getPushConfigMethod, `,"pushNotificationConfigId":"unknown"`)
	for _, config := range []string{`{}`, `{"url":"not a url"}`, `{"url":"http://169.254.169.254/"}`, `{"url":"https://hook.invalid/","authentication":{}}`} {
		set(config, config)
	}
	call("delete nothing", deletePushConfigMethod, "")
	call("delete", deletePushConfigMethod, `,"pushNotificationConfigId":"cfg-1"`)
	call("list after", listPushConfigMethod, "")
	call("delete again", deletePushConfigMethod, `,"pushNotificationConfigId":"cfg-1"`)
	call("list in the end", listPushConfigMethod, "")
}

func (p *player) v03Push() {
	// A task that waits leaves time to configure it, and ends when it is answered.
	begin := func(path string) string {
		return text(p.v03("push to "+path, "message/send", v03Text("ask", `{"blocking":true,"pushNotificationConfig":{"url":"`+p.hook+path+
			`?x=1","token":"secret-token","authentication":{"schemes":["Bearer"],"credentials":"key"}}}`)), "result/id")
	}
	id := begin("/a")
	for _, config := range []string{"b", "deleted"} {
		p.v03("push to "+config, setPushConfigMethod, `{"taskId":"`+id+`","pushNotificationConfig":{"id":"`+config+`","url":"`+p.hook+"/"+config+`"}}`)
	}
	p.v03("push deleted", deletePushConfigMethod, `{"id":"`+id+`","pushNotificationConfigId":"deleted"}`)
	p.v03("push answer", "message/send", v03Message(map[string]string{"taskId": strconv.Quote(id), "params.configuration": v03Blocking}))
	p.await(2*time.Second, func() bool { return p.told("/a", "completed") && p.told("/b", "completed") })
	p.await(shortPatience, func() bool { return p.told("/deleted", "completed") })
	p.v03("pushed", "tasks/get", `{"id":"`+id+`"}`)

	failing := begin("/failing")
	p.await(2*time.Second, func() bool { return p.told("/failing", "input-required") || p.told("/failing", "failed") })
	p.v03("push failing", "tasks/get", `{"id":"`+failing+`"}`)
	p.note("push to deleted", fmt.Sprint("told: ", p.told("/deleted", "")))
}

// told reports whether a receiver was told of a state.
func (p *player) told(path, state string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Contains(p.seen["push "+path], state) && p.seen["push "+path] != ""
}

// await waits for something to become true, no longer than patience.
func (p *player) await(patience time.Duration, is func() bool) (was bool) {
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if was = is(); was || time.Since(began) >= patience {
			return was
		}
	}
}
