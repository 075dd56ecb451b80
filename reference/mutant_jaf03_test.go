package reference

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// playJAF03 holds the conversations that the sentences of JAF A2A 0.3.0 are
// about.
func playJAF03(p *player, area string) {
	p.converse(area, []conversation{
		{"card discovery extension", func() {
			p.documents("/.well-known/agent-card", "/.well-known/agent.json", "/a2a/health", "/a2a/agents", "/a2a/agents/MathTutor",
				"/a2a/agents/nobody", "/a2a/agents/MathTutor/card", "/a2a/agents/nobody/card")
		}},
		{"transport envelope errors message extension task", p.jafEnvelopes},
		{"transport envelope errors message extension context task", p.jafMessages},
		{"context", p.jafContexts},
		{"limits", p.jafLimits},
		{"limits", p.jafTogether},
		{"ratelimit", p.jafFlood},
		{"auth", p.jafGuard},
		{"task", p.jafWork},
		{"stream", p.jafStreams},
		{"errors", p.jafEmptyBody},
	})
}

func (p *player) jafEmptyBody() {
	p.send("empty body", "POST", "/a2a", "application/json", "")
	p.jaf("after empty body", "message/send", jafText("alive", "echo x"))
}

// jaf sends a call with the id "r" to the default agent.
func (p *player) jaf(step, method, params string) any {
	return p.send(step, "POST", "/a2a", "application/json", a2aCall(`"r"`, method, params))
}

func (p *player) jafEnvelopes() {
	get := func(id string) string { return a2aCall(id, "tasks/get", `{"id":"x"}`) }
	p.send("PUT", "PUT", "/a2a", "application/json", a2aCall(`"c"`, "message/send", jafText("put", "echo x")))
	for _, id := range []string{`"a"`, `"007"`, `"ü-✓"`, `0`, `-5`, `null`, `{"a":1}`} {
		p.send("id "+id, "POST", "/a2a", "application/json", get(id))
	}
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":"x",`, `hello`, `42`, `null`, `[]`, `{"jsonrpc":"2.0","id":1,"params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":7}`, `{"id":1,"method":"tasks/get","params":{"id":"x"}}`,
		`{"jsonrpc":2.0,"id":1,"method":"tasks/get","params":{"id":"x"}}`,
		`{"jsonrpc":"2.0","method":"tasks/get","params":{"id":"x"}}`, `[` + get("1") + `,` + get("2") + `]`,
		a2aCall("1", "tasks/doesNotExist", `{}`), a2aCall("1", "Message/Send", jafMessage(nil)),
		a2aCall("1", "message/send", `["hello"]`), `{"jsonrpc":"2.0","id":1,"method":"message/send"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get"}`,
	} {
		step := "body " + body
		if strings.Contains(body, "Message/Send") {
			step = "body of Message/Send"
		}
		p.send(step, "POST", "/a2a", "application/json", body)
	}
	p.unread("/a2a", "message/stream", jafText("unread", "echo x"))
	for _, path := range []string{"/a2a/agents/MathTutor", "/a2a/agents/nobody"} {
		p.send("POST "+path, "POST", path, "application/json", a2aCall(`"r"`, "message/send", jafText("c", "echo x")))
	}
	for _, method := range []string{"tasks/get", "tasks/cancel"} {
		for _, id := range []string{`{"reason":"x"}`, `{"id":5}`, `{"id":"unknown"}`} {
			p.jaf(method+" "+id, method, id)
		}
	}
	p.sendTraced("own headers", jafText("headers", "echo x"), "trace")
	p.sendTraced("own headers, refused", `{}`, "trace")
	p.sendTraced("own headers, refused again", `{}`, "another trace")
	p.headers = map[string]string{"X-A2A-Timeout": "100"}
	p.jaf("a short time", "message/send", jafText("headers", "echo x"))
	p.headers = nil
}

// sendTraced sends message/send with the protocol's own headers.
func (p *player) sendTraced(step, params, id string) {
	p.headers = map[string]string{"X-A2A-Version": "0.3.0", "X-A2A-Client": "test", "X-A2A-Trace-Id": id, "X-A2A-Priority": "high"}
	p.jaf(step, "message/send", params)
	p.headers = nil
}

func (p *player) jafMessages() {
	message := func(step, params string) any { return p.jaf("message "+step, "message/send", params) }
	with := func(name, value string) string { return jafMessage(map[string]string{name: value}) }
	configured := func(configuration, params string) string {
		return strings.Replace(params, `{`, `{"configuration":`+configuration+`,`, 1)
	}
	done := message("plain", jafMessage(nil))
	id := text(done, "result/taskId")
	for i := range 3 {
		p.jaf(fmt.Sprint("look ", i), "tasks/get", `{"id":"`+id+`"}`)
	}
	p.jaf("cancel finished", "tasks/cancel", `{"id":"`+id+`","reason":"x"}`)
	p.jaf("after cancel", "tasks/get", `{"id":"`+id+`"}`)
	second := message("in the same context", jafMessage(nil))
	message("in the same context again", jafMessage(nil))
	p.note("tasks of a context", fmt.Sprint("differ: ", text(second, "result/taskId") != id))
	message("configured", configured(`{"maxTurns":10,"timeout":30000,"priority":"normal"}`, jafMessage(nil)))
	message("timeout", configured(`{"timeout":"soon"}`, jafMessage(nil)))
	message("maxTurns", configured(`{"maxTurns":"ten"}`, jafMessage(nil)))
	message("missing", `{}`)
	for _, name := range []string{"role", "parts", "messageId", "contextId", "kind"} {
		message("without "+name, with(name, ""))
	}
	for _, test := range [][2]string{
		{"role", `"robot"`}, {"role", `"system"`}, {"kind", `"task"`}, {"parts", `[]`}, {"parts", `{"kind":"text","text":"x"}`},
		{"timestamp", `"2024-03-15T14:30:00Z"`}, {"timestamp", `"yesterday"`}, {"parts", `[{"text":"hello"}]`},
		{"parts", `[{"kind":"text","text":5}]`}, {"parts", `[{"kind":"text","text":"a"},{"kind":"text","text":"b"},{"kind":"text","text":"c"}]`},
		{"parts", `[{"kind":"text","text":"a"},{"kind":"data","data":{"n":1}}]`}, {"parts", `[{"kind":"text","text":"a"},{"kind":"x-hologram"}]`},
		{"metadata", `{"priority":"high","tags":["a"]}`}, {"metadata", `{"x":{"deep":[1,null,true]}}`},
	} {
		message(test[0]+" "+test[1], with(test[0], test[1]))
	}
	failed := p.jaf("fail", "message/send", jafText("c", "fail"))
	p.jaf("failed", "tasks/get", `{"id":"`+text(failed, "error/data/taskId")+`"}`)
}

func (p *player) jafContexts() {
	p.jaf("remember", "message/send", jafText("one", "remember blue"))
	p.jaf("recall", "message/send", jafText("one", "recall"))
	p.jaf("recall elsewhere", "message/send", jafText("two", "recall"))
	var all sync.WaitGroup
	var mixed sync.Map
	for i := range 10 {
		context := fmt.Sprint("parallel-", i)
		all.Go(func() {
			r := post(p.t, p.server.URL()+"/a2a", a2aCall(`"r"`, "message/send", jafText(context, "echo x")))
			if text(r.body, "result/contextId") != context {
				mixed.Store("mixed", true)
			}
		})
	}
	all.Wait()
	_, is := mixed.Load("mixed")
	p.note("contexts", fmt.Sprint("mixed: ", is))
}

func (p *player) jafLimits() {
	limit := func(step, parts string) {
		p.jaf("limit "+step, "message/send", jafMessage(map[string]string{"parts": parts}))
	}
	textOf := func(n int) string { return `{"kind":"text","text":"` + strings.Repeat("x", n) + `"}` }
	many := func(n int, part string) string { return `[` + part + strings.Repeat(`,`+part, n-1) + `]` }
	limit("1.5 MB", many(16, textOf(90000)))
	limit("800 KB", many(9, textOf(88000)))
	limit("101 parts", many(101, textOf(1)))
	limit("100 parts", many(100, textOf(1)))
	limit("text of 110 KB", many(1, textOf(110000)))
	limit("text of 95 KB", many(1, textOf(95000)))
	limit("data of 1.2 MB", `[{"kind":"data","data":{"x":"`+strings.Repeat("x", 1200000)+`"}}]`)
	limit("data of 800 KB", `[{"kind":"data","data":{"x":"`+strings.Repeat("x", 800000)+`"}}]`)
	p.jaf("timed out", "message/send", strings.Replace(jafText("c", "slow 0.3"), `{`, `{"configuration":{"timeout":75},`, 1))
}

// jafTogether makes calls at the same time, and calls that take longer than a
// hasty server lets them.
func (p *player) jafTogether() {
	p.jaf("allowed too long", "message/send", strings.Replace(jafText("c", "echo x"), `{`, `{"configuration":{"timeout":300001},`, 1))
	crowd := func(step string, calls int, context func(i int) string) {
		codes, mu, all := map[any]int{}, sync.Mutex{}, sync.WaitGroup{}
		for i := range calls {
			all.Go(func() {
				r := post(p.t, p.server.URL()+"/a2a", a2aCall(`"r"`, "message/send", jafText(context(i), "slow 0.3")))
				mu.Lock()
				defer mu.Unlock()
				codes[at(r.body, "error/code")]++
			})
		}
		all.Wait()
		p.note(step, fmt.Sprint(codes))
	}
	crowd("calls of a client", 12, func(i int) string { return fmt.Sprint("apart-", i) })
	crowd("tasks of a context", 7, func(int) string { return "shared" })
	if p.server.Variant.Hasty {
		p.jaf("long", "message/send", jafText("long", "slow 3"))
		stream := p.jafStream("", `"s"`, "long", "slow 3", nil)
		p.note("long stream", fmt.Sprint("complete: ", len(stream) > 0 && text(stream[len(stream)-1].body, "kind") == "completion"))
	}
}

// jafFlood makes calls beyond the rate, and one when the window is over.
func (p *player) jafFlood() {
	first := 0
	call := func(step string) {
		r := post(p.t, p.server.URL()+"/a2a", a2aCall(`"r"`, "tasks/get", `{"id":"none"}`))
		left, _ := strconv.Atoi(r.header.Get("X-RateLimit-Remaining"))
		reset, _ := strconv.ParseInt(r.header.Get("X-RateLimit-Reset"), 10, 64)
		if first == 0 {
			first = left
		}
		p.note(step, fmt.Sprint(r.status, at(r.body, "error/code"), at(r.body, "id"), telling(r.header), left-first, reset < time.Now().Unix()))
	}
	for i := range 8 {
		call(fmt.Sprint("flood ", i))
	}
	p.jaf("well", "message/send", jafText("flooded", "echo x"))
	if p.server.Rate.Requests < 100 {
		time.Sleep(p.server.Rate.Window + 100*time.Millisecond)
		first = 0
		call("after the flood")
	}
}

// jafGuard makes calls with, without and with other credentials.
func (p *player) jafGuard() {
	done := p.jaf("with", "message/send", jafText("guarded", "echo x"))
	about := `{"id":"` + text(done, "result/taskId") + `"}`
	p.jaf("malformed with", "tasks/get", `5`)
	p.jaf("unknown task with a token", "tasks/get", `{"id":"none"}`)
	p.as("Basic "+base64.StdEncoding.EncodeToString([]byte(SecondBasic)), func() { p.jaf("by password", "message/send", jafText("c", "echo x")) })
	p.as("Bearer wrong", func() { p.jaf("wrong", "message/send", jafText("c", "echo x")) })
	p.as("Bearer "+LowToken, func() { p.jaf("low", "message/send", jafText("c", "forbidden")) })
	p.headers = map[string]string{"Authorization": "", "X-API-Key": Key}
	p.jaf("by key", "message/send", jafText("c", "echo x"))
	p.as("", func() {
		for _, method := range []string{"tasks/get", "tasks/cancel"} {
			p.jaf("none "+method, method, about)
		}
		p.jaf("none send", "message/send", jafText("c", "echo x"))
		p.jaf("none stream", "message/stream", jafText("c", "echo x"))
		p.send("none agent", "POST", "/a2a/agents/MathTutor", "application/json", a2aCall(`"r"`, "message/send", jafText("c", "echo x")))
	})
}

// jafStream opens a stream and notes it with the ids of its task and context.
func (p *player) jafStream(step, id, context, text string, each func(event any, drop func())) []arrival {
	return p.stream(step, "/a2a", a2aCall(id, "message/stream", jafText(context, text)), each)
}

// jafWork plays the tasks that take time.
func (p *player) jafWork() {
	poll := func(step, what string, d time.Duration, begun func(id string)) {
		id := make(chan string, 1)
		var done sync.WaitGroup
		done.Go(func() {
			p.jafStream("", `"s"`, step, what, func(event any, _ func()) {
				select {
				case id <- text(event, "taskId"):
				default:
				}
			})
			close(id)
		})
		task, ok := <-id
		if !ok {
			return
		}
		begun(task)
		p.pollAt("/a2a", step, task, d)
		done.Wait()
		delete(p.seen, "")
	}
	poll("slow", "slow 0.3", 400*time.Millisecond, func(string) {})
	poll("cancelled", "slow 0.6", 700*time.Millisecond, func(id string) { p.jaf("cancel", "tasks/cancel", `{"id":"`+id+`"}`) })
}

func (p *player) jafStreams() {
	p.stream("stream without parts", "/a2a", a2aCall(`"s"`, "message/stream", jafMessage(map[string]string{"parts": "[]"})), nil)
	list := p.jafStream("stream", `17`, "streamed", "echo hello", nil)
	if len(list) == 0 {
		return
	}
	p.jaf("streamed", "tasks/get", `{"id":"`+text(list[0].body, "taskId")+`"}`)
	p.jafStream("chunks", `"s"`, "c", "artifact", nil)
	p.jafStream("stream of failure", `"s"`, "c", "fail", nil)
	p.jafStream("stream cancelled", `"s"`, "c", "slow 5", func(event any, _ func()) {
		if text(event, "status/state") == "working" {
			post(p.t, p.server.URL()+"/a2a", a2aCall(`"r"`, "tasks/cancel", `{"id":"`+text(event, "taskId")+`"}`))
		}
	})
	var both sync.WaitGroup
	for _, id := range []string{"one", "two"} {
		both.Go(func() {
			chunks := 0
			for _, a := range p.jafStream("", `"`+id+`"`, id, "artifact", nil) {
				if text(a.body, "kind") == "partial-completion" {
					chunks++
				}
			}
			p.note("chunks of "+id, fmt.Sprint(chunks))
		})
	}
	both.Wait()
	var task string
	p.jafStream("", `"s"`, "c", "slow 0.3", func(event any, drop func()) {
		task = text(event, "taskId")
		drop()
	})
	delete(p.seen, "")
	p.pollAt("/a2a", "dropped", task, 400*time.Millisecond)
}
