package reference

import (
	"crypto/tls"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// rpc sends a call with the id "r".
func (p *player) rpc(step, method, params string) any {
	return p.send(step, "POST", "/", "application/json", a2aCall(`"r"`, method, params))
}

func a2aCall(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
}

// a2aBare returns TaskSendParams without optional members, with further ones
// added in front.
func a2aBare(id, text, more string) string {
	return `{` + more + `"id":"` + id + `","message":{"role":"user","parts":[{"type":"text","text":"` + text + `"}]}}`
}

// playA2A01 holds the conversations that the sentences of A2A 0.1.0 are about.
func playA2A01(p *player, area string) {
	p.converse(area, []conversation{
		{"card discovery transport", func() {
			p.documents("/.well-known/agent.json", "/agent.json", "/.well-known/agent-card.json")
		}},
		{"transport", p.oldTLS},
		{"transport envelope errors message", p.a2aEnvelopes},
		{"transport envelope errors message extension context task stream push", p.a2aQuick},
		{"errors message extension push", p.a2aParams},
		{"envelope message context task push", p.a2aTurns},
		{"task", p.a2aWork},
		{"errors stream", p.a2aStreams},
		{"push", p.a2aPush},
		{"errors", p.a2aEmptyBody},
		{"auth", p.a2aGuard},
		{"ratelimit", p.a2aFlood},
		{"limits", p.a2aHeavy},
	})
}

func (p *player) a2aEmptyBody() {
	p.send("empty body", "POST", "/", "application/json", "")
	p.rpc("after empty body", "tasks/send", a2aBare("alive", "echo x", ""))
}

// oldTLS notes whether the server speaks a version of TLS below 1.2.
func (p *player) oldTLS() {
	address, secure := strings.CutPrefix(p.server.URL(), "https://")
	if !secure {
		return
	}
	c, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11})
	if err == nil {
		c.Close()
	}
	p.note("old TLS", fmt.Sprint("spoken: ", err == nil))
}

func (p *player) documents(paths ...string) {
	for _, path := range paths {
		p.send("GET "+path, "GET", path, "", "")
	}
}

func (p *player) a2aEnvelopes() {
	get := func(id string) string { return a2aCall(id, "tasks/get", `{"id":"x"}`) }
	p.send("charset", "POST", "/", "application/json; charset=utf-8", get(`"c"`))
	p.send("text/plain", "POST", "/", "text/plain", get(`"c"`))
	p.send("PUT", "PUT", "/", "application/json", a2aCall(`"c"`, "tasks/send", a2aBare("put", "echo x", "")))
	p.rpc("task of PUT", "tasks/get", `{"id":"put"}`)
	for _, id := range []string{`"a"`, `"1"`, `0`, `-7`, `1.5`, `null`, `{}`, `[]`, `true`} {
		p.send("id "+id, "POST", "/", "application/json", get(id))
	}
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":"p1","method":`, `hello`, `7`, `null`, `[]`,
		`{"jsonrpc":"2.0","id":"inv-1"}`, `{"jsonrpc":"2.0","id":1,"method":7}`,
		`{"id":1,"method":"tasks/get","params":{"id":"x"}}`, `{"jsonrpc":2.0,"id":1,"method":"tasks/get","params":{"id":"x"}}`,
		`{"jsonrpc":"2.0","method":"tasks/get","params":{"id":"x"}}`, `[` + get("1") + `,` + get("2") + `]`,
		a2aCall("1", "tasks/get", `"x"`), a2aCall("1", "tasks/get", `["x"]`), a2aCall("1", "tasks/foo", `{}`),
		a2aCall("1", "Tasks/Send", `{}`), a2aCall("1", "message/send", `{"message":{"kind":"message"}}`),
		`{"jsonrpc":"2.0","id":1,"method":"tasks/send"}`,
	} {
		p.send("body "+body, "POST", "/", "application/json", body)
	}
	p.unread("/", "tasks/sendSubscribe", a2aBare("unread", "echo x", ""))
}

func (p *player) a2aQuick() {
	p.rpc("quick", "tasks/send", a2aText("quick", "echo hello"))
	for i := range 4 {
		p.rpc(fmt.Sprint("look ", i), "tasks/get", `{"id":"quick"}`)
	}
	for _, n := range []string{"1", "10", "50", "-1", `"all"`, "null"} {
		p.rpc("history "+n, "tasks/get", `{"id":"quick","historyLength":`+n+`}`)
	}
	p.rpc("get with metadata", "tasks/get", `{"id":"quick","metadata":{"a":1}}`)
	p.rpc("cancel finished", "tasks/cancel", `{"id":"quick"}`)
	p.rpc("after cancel", "tasks/get", `{"id":"quick"}`)
	p.rpc("send to finished", "tasks/send", a2aText("quick", "echo again"))
	p.rpc("after send", "tasks/get", `{"id":"quick"}`)
	p.rpc("second of session", "tasks/send", a2aText("second", "echo again"))
	p.rpc("first of session", "tasks/get", `{"id":"quick","historyLength":10}`)
	p.rpc("no session", "tasks/send", a2aBare("bare", "echo x", ""))
	for _, method := range []string{"tasks/get", "tasks/cancel", "tasks/resubscribe", setPushMethod, getPushMethod} {
		p.rpc(method+" unknown", method, `{"id":"unknown","pushNotificationConfig":{"url":"https://hook.invalid/a?b=c"}}`)
		p.rpc(method+" without id", method, `{"pushNotificationConfig":{"url":"https://hook.invalid/a?b=c"}}`)
		p.rpc(method+" number", method, `{"id":3}`)
	}
	p.rpc("cancel with metadata", "tasks/cancel", `{"id":"unknown","metadata":{"a":1}}`)
	p.rpc("resubscribe finished", "tasks/resubscribe", `{"id":"quick"}`)
}

// a2aParams sends what must be refused, and what must not.
func (p *player) a2aParams() {
	n := 0
	id := func() string {
		n++
		return fmt.Sprint("params-", n)
	}
	for _, more := range []string{
		`"metadata":{"trace":1},`, `"historyLength":null,`, `"historyLength":"3",`, `"historyLength":1.5,`,
		`"historyLength":-1,`, `"sessionId":5,`, `"metadata":"x",`, `"x-unlisted":1,`,
		`"pushNotification":{"url":"https://hook.invalid/"},`, `"pushNotification":{"token":"x"},`,
	} {
		p.rpc("params "+more, "tasks/send", a2aBare(id(), "echo x", more))
	}
	for _, rest := range []string{
		``, `,"message":"hello"`, `,"message":{"parts":[{"type":"text","text":"x"}]}`,
		`,"message":{"role":"system","parts":[{"type":"text","text":"x"}]}`, `,"message":{"role":"user"}`,
		`,"message":{"role":"user","parts":[]}`, `,"message":{"role":"user","parts":{"type":"text","text":"x"}}`,
		`,"message":{"role":"user","metadata":{"x":1},"parts":[{"type":"text","text":"x"}]}`,
	} {
		p.rpc("message "+rest, "tasks/send", `{"id":"`+id()+`"`+rest+`}`)
	}
	p.rpc("send without id", "tasks/send", `{"message":{"role":"user","parts":[{"type":"text","text":"x"}]}}`)
	p.rpc("send with number", "tasks/send", `{"id":12,"message":{"role":"user","parts":[{"type":"text","text":"x"}]}}`)
	for _, parts := range []string{
		`{"text":"x"}`, `{"type":"hologram"}`, `{"type":"text"}`, `{"type":"text","text":5}`, `{"type":"file"}`,
		`{"type":"file","file":{"mimeType":"image/png","bytes":"aGk=","uri":"https://example.com/a"}}`,
		`{"type":"file","file":{"mimeType":"image/png","bytes":"***"}}`, `{"type":"data","data":5}`,
		`{"type":"data","data":{"n":1}}`, `{"type":"data","data":[1,2]}`,
		`{"type":"file","file":{"mimeType":"image/png","bytes":"aGk="}}`,
		`{"type":"file","file":{"mimeType":"image/png","uri":"https://example.com/a"}}`,
		`{"type":"file","file":{"mimeType":"image/png","name":"a.png"}}`,
		`{"type":"file","file":{"mimeType":"application/x-odd","bytes":"aGk="}}`,
		`{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"text","text":"c"}`,
		`{"type":"text","text":"x","metadata":{"lang":"en"}}`,
		`{"type":"text","text":"x","metadata":{"desiredOutputMimeType":"application/json"}}`,
	} {
		p.rpc("parts "+parts, "tasks/send", `{"id":"`+id()+`","message":{"role":"user","parts":[`+parts+`]}}`)
	}
}

// a2aTurns plays the tasks that need more than one exchange.
func (p *player) a2aTurns() {
	p.rpc("ask", "tasks/send", a2aText("asking", "ask"))
	p.rpc("answer", "tasks/send", a2aBare("asking", "blue", ""))
	p.rpc("asked", "tasks/get", `{"id":"asking","historyLength":50}`)
	p.rpc("asked once", "tasks/get", `{"id":"asking","historyLength":1}`)
	p.rpc("fail", "tasks/send", a2aText("failing", "fail"))
	p.rpc("failed", "tasks/get", `{"id":"failing"}`)
	p.rpc("still failed", "tasks/get", `{"id":"failing"}`)
	p.rpc("remember", "tasks/send", a2aBare("m1", "remember blue", `"sessionId":"one",`))
	p.rpc("recall", "tasks/send", a2aBare("m2", "recall", `"sessionId":"two",`))
	p.rpc("ask in vain", "tasks/send", a2aText("unanswered", "ask"))
	p.rpc("cancel waiting", "tasks/cancel", `{"id":"unanswered"}`)
	p.rpc("push set", setPushMethod, `{"id":"asking","pushNotificationConfig":{"url":"https://hook.invalid/"}}`)
}

// a2aWork plays the tasks that take time.
func (p *player) a2aWork() {
	p.rpc("cancel", "tasks/send", a2aBare("canceled", "slow 0.6", ""))
	p.rpc("cancel", "tasks/cancel", `{"id":"canceled"}`)
	p.poll("canceled", "canceled", 700*time.Millisecond)
	p.rpc("slow", "tasks/send", a2aBare("slow", "slow 0.3", ""))
	p.poll("slow", "slow", 400*time.Millisecond)
}

// poll notes the states a task goes through in the given time, and whether its
// timestamps run forward.
func (p *player) poll(step, id string, d time.Duration) { p.pollAt("/", step, id, d) }

// pollAt is poll for a server that listens at path.
func (p *player) pollAt(path, step, id string, d time.Duration) {
	var states, times []string
	settled := false
	// A slow machine sees the end of the work later, so the looks go on until it
	// has come; a mutant may never let it come.
	for began := time.Now(); time.Since(began) < d || !settled && time.Since(began) < 3*time.Second; time.Sleep(20 * time.Millisecond) {
		r := post(p.t, p.server.URL()+path, a2aCall(`"r"`, "tasks/get", `{"id":"`+id+`"}`))
		state := text(r.body, "result/status/state")
		settled = slices.Contains([]string{"completed", "failed", "canceled", "cancelled"}, state)
		if len(states) == 0 && state == "submitted" {
			continue // whether the first look comes before the work begins is chance
		}
		if !slices.Contains(states, state) {
			states = append(states, state)
		}
		times = append(times, text(r.body, "result/status/timestamp"))
	}
	p.note(step, fmt.Sprint(states, slices.IsSorted(times)))
}

func (p *player) a2aStreams() {
	subscribe := func(step, id, task, text string, each func(any, func())) []arrival {
		return p.stream(step, "/", a2aCall(id, "tasks/sendSubscribe", a2aBare(task, text, "")), each)
	}
	p.stream("stream without message", "/", a2aCall(`"s"`, "tasks/sendSubscribe", `{"id":"none"}`), nil)
	subscribe("stream", `7`, "streamed", "echo hello", nil)
	p.rpc("streamed", "tasks/get", `{"id":"streamed"}`)
	list := subscribe("chunks", `"s"`, "chunks", "artifact", nil)
	if len(list) > 0 {
		p.note("chunks", fmt.Sprint("spread: ", list[len(list)-1].at.Sub(list[0].at) > 50*time.Millisecond))
	}
	p.rpc("chunks stored", "tasks/get", `{"id":"chunks"}`)
	subscribe("stream to finished", `"s"`, "streamed", "echo again", nil)
	p.rpc("streamed again", "tasks/get", `{"id":"streamed"}`)
	subscribe("stream of failure", `"s"`, "failure", "fail", nil)
	subscribe("stream of question", `"s"`, "question", "ask", nil)
	subscribe("stream of answer", `"s"`, "question", "blue", nil)
	if len(list) == 0 {
		p.rpc("resubscribe", "tasks/resubscribe", `{"id":"streamed"}`)
		return
	}
	subscribe("stream canceled", `"s"`, "stopped", "slow 5", func(event any, _ func()) {
		if text(event, "status/state") == "working" {
			post(p.t, p.server.URL(), a2aCall(`"r"`, "tasks/cancel", `{"id":"stopped"}`))
		}
	})

	var both sync.WaitGroup
	for _, id := range []string{"one", "two"} {
		both.Go(func() {
			chunks := 0
			for _, a := range subscribe("", `"`+id+`"`, id, "artifact", nil) {
				if has(a.body, "artifact") {
					chunks++
				}
			}
			p.note("chunks of "+id, fmt.Sprint(chunks))
		})
	}
	both.Wait()
	delete(p.seen, "")

	p.client.CloseIdleConnections()
	subscribe("", `"s"`, "dropped", "slow 0.8", func(_ any, drop func()) { drop() })
	delete(p.seen, "")
	taken := p.stream("", "/", a2aCall(`"again"`, "tasks/resubscribe", `{"id":"dropped","historyLength":5,"metadata":{"a":1}}`), nil)
	again := p.seen[""]
	delete(p.seen, "")
	p.note("resubscribed", fmt.Sprint(strings.Contains(again, `text/event-stream`), strings.Contains(again, `"id":"s"`),
		strings.Contains(again, `"task":`), len(taken) > 1, strings.Contains(again, " ended\n"))+backwards(taken))
	p.poll("dropped", "dropped", 100*time.Millisecond)
}

func (p *player) a2aPush() {
	set := func(step, task, config string) {
		p.rpc("push set "+step, setPushMethod, `{"id":"`+task+`","pushNotificationConfig":`+config+`}`)
		p.rpc("push get "+step, getPushMethod, `{"id":"`+task+`"}`)
	}
	push := `"pushNotification":{"url":"` + p.hook + `/a?x=1","token":"secret-token","authentication":{"schemes":["Bearer"],"credentials":"key"}},`
	p.rpc("push quick", "tasks/send", a2aBare("pushed-quick", "echo x", push))
	p.rpc("push of quick", getPushMethod, `{"id":"pushed-quick"}`)
	p.rpc("push slow", "tasks/send", a2aBare("pushed", "slow 0.6", push))
	set("second", "pushed", `{"url":"`+p.hook+`/b"}`)
	set("other", "pushed-quick", `{"url":"`+p.hook+`/c"}`)
	p.rpc("push get again", getPushMethod, `{"id":"pushed"}`)
	p.rpc("push get none", getPushMethod, `{"id":"quick"}`)
	for _, config := range []string{
		`{}`, `{"url":"/hook"}`, `{"url":"http://example.com/"}`, `"https://hook.invalid/"`, `null`,
		`{"url":"https://hook.invalid/","authentication":{"credentials":"x"}}`,
		`{"url":"https://hook.invalid/","token":null,"authentication":null}`,
		`{"url":"https://hook.invalid/","token":5}`,
		`{"url":"https://hook.invalid/","authentication":{"schemes":["APIKey"],"credentials":{"name":"X-K"}}}`,
	} {
		p.rpc("push config "+config, setPushMethod, `{"id":"quick","pushNotificationConfig":`+config+`}`)
	}
	p.rpc("push config absent", setPushMethod, `{"id":"quick"}`)
	p.poll("", "pushed", 800*time.Millisecond)
	delete(p.seen, "")
	p.rpc("pushed", "tasks/get", `{"id":"pushed"}`)
}
