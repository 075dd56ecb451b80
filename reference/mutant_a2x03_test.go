package reference

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// playA2X03 holds the conversations that the sentences of A2X 0.3.0 are about,
// the quick ones first.
func playA2X03(p *player, area string) {
	if p.server.Variant.Pays {
		p.headers = map[string]string{extensionsHeader: paymentsExtension}
	}
	p.converse(area, []conversation{
		{"card discovery", func() { p.as("", func() { p.documents("/.well-known/agent.json", "/.well-known/agent-card.json") }) }},
		{"auth", p.a2xGuard},
		{"transport envelope errors message context task", p.a2xQuick},
		{"envelope errors transport message", p.a2xEnvelopes},
		{"message errors context", p.a2xParams},
		{"extension", p.a2xExtensions},
		{"errors message context task", p.a2xTurns},
		{"errors stream message", p.a2xStreams},
		{"task stream", p.a2xWork},
	})
}

// a2x sends a call with the id "r".
func (p *player) a2x(step, method, params string) any {
	return p.send(step, "POST", "/api/a2a", "application/json", a2aCall(`"r"`, method, params))
}

// a2xSay sends a text in a context and returns its task; the empty context is
// none.
func (p *player) a2xSay(step, context, what string) (task string) {
	members := map[string]string{"parts": `[{"kind":"text","text":` + strconv.Quote(what) + `}]`}
	if context != "" {
		members["contextId"] = strconv.Quote(context)
	}
	return text(p.a2x(step, "message/send", v03Message(members)), "result/id")
}

func (p *player) a2xGuard() {
	p.as("Bearer "+Token, func() {
		task := p.a2xSay("with a token", "c", "echo x")
		p.a2x("get with a token", "tasks/get", `{"id":"`+task+`"}`)
		p.a2x("malformed with a token", "tasks/get", `5`)
		p.a2x("unknown task with a token", "tasks/get", `{"id":"none"}`)
	})
	p.as("", func() { p.a2xSay("nobody", "c", "echo x") })
}

func (p *player) a2xQuick() {
	first, second := p.a2xSay("quick", "c", "echo hello"), p.a2xSay("quick again", "c", "echo hello")
	p.note("ids", fmt.Sprint("differ: ", first != second))
	p.a2xSay("without context", "", "echo hello")
	get := func(step string) { p.a2x(step, "tasks/get", `{"id":"`+first+`"}`) }
	for i := range 4 {
		get(fmt.Sprint("look ", i))
	}
	one := text(p.a2x("message of one", "message/send", v03Text("echo a", "")), "result/status/message/messageId")
	two := text(p.a2x("message of two", "message/send", v03Text("echo a", "")), "result/status/message/messageId")
	p.note("message ids", fmt.Sprint("differ: ", one != two))
	shown := p.a2x("shown", "tasks/get", `{"id":"`+first+`"}`)
	p.note("task of shown", fmt.Sprint("same: ", text(shown, "result/id") == first, text(shown, "result/status/message/taskId") == first))
	p.a2x("cancel finished", "tasks/cancel", `{"id":"`+first+`"}`)
	get("after cancel")
	for _, method := range []string{"tasks/get", "tasks/cancel"} {
		for _, params := range []string{`{"id":"unknown"}`, `{}`, `{"id":5}`} {
			p.a2x(method+" "+params, method, params)
		}
	}
}

func (p *player) a2xEnvelopes() {
	get := func(id string) string { return a2aCall(id, "tasks/get", `{"id":"x"}`) }
	p.send("PUT", "PUT", "/api/a2a", "application/json", a2aCall(`"c"`, "message/send", v03Text("echo x", "")))
	for _, id := range []string{`"a"`, `"req-Ä-1"`, `0`, `42`, `null`, `{"a":1}`} {
		p.send("id "+id, "POST", "/api/a2a", "application/json", get(id))
	}
	for _, body := range []string{
		`{"jsonrpc":"2.0",`, `hello`, `null`, `[]`, `{"jsonrpc":"2.0","id":1}`, `{"jsonrpc":"2.0","id":1,"method":42}`,
		`{"id":1,"method":"tasks/get","params":{"id":"x"}}`, `{"jsonrpc":"1.0","id":1,"method":"tasks/get","params":{"id":"x"}}`,
		`{"jsonrpc":"2.0","method":"tasks/get","params":{"id":"x"}}`, `[` + get("1") + `,` + get("2") + `]`, a2aCall("1", "tasks/foo", `{}`),
	} {
		p.send("body "+body, "POST", "/api/a2a", "application/json", body)
	}
	p.unread("/api/a2a", "message/stream", v03Text("echo x", ""))
	p.a2x("other case", "Message/Send", v03Text("echo x", ""))
	p.a2xSay("after all", "c", "echo x")
	p.a2x("cancel waiting", "tasks/cancel", `{"id":"`+p.a2xSay("ask", "c", "ask")+`"}`)
}

func (p *player) a2xParams() {
	for _, params := range []string{`{}`, `["x"]`} {
		p.a2x("params "+params, "message/send", params)
	}
	for _, test := range [][2]string{{"metadata", `{}`}, {"role", ``}, {"messageId", ``}, {"parts", ``}, {"parts", `"hello"`}, {"parts", `[{"text":"x"}]`},
		{"parts", `[{"kind":"text","text":"x"},{"kind":"hologram"}]`}} {
		p.a2x("message with "+test[0]+" "+test[1], "message/send", v03Message(map[string]string{test[0]: test[1]}))
	}
}

func (p *player) a2xExtensions() {
	before := p.headers
	for _, asked := range []string{"", a2a03Trace, paymentsExtension, "https://conformance.example/ext/none"} {
		p.headers = map[string]string{extensionsHeader: asked}
		p.a2xSay("asking for "+asked, "c", "echo x")
	}
	p.headers = before
	if !p.server.Variant.Pays {
		return
	}
	p.lowerCase()
	task := p.a2xSay("to pay", "c", "pay")
	p.a2x("not paid", "message/send", v03Answer(task, "no"))
	p.a2x("paid", "message/send", v03Message(map[string]string{"taskId": strconv.Quote(task), "metadata": `{"x402.payment.payload":{}}`}))
	p.a2x("looked at", "tasks/get", `{"id":"`+task+`"}`)
}

// lowerCase asks for the extension by a header in small letters.
func (p *player) lowerCase() {
	r, err := http.NewRequest("POST", p.server.URL()+"/api/a2a", strings.NewReader(a2aCall(`"r"`, "message/send", v03Text("echo x", ""))))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header[strings.ToLower(extensionsHeader)] = []string{paymentsExtension} // as it is written here
	reply, err := p.client.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	p.note("header in small letters", fmt.Sprint(reply.StatusCode, string(body), err))
}

func (p *player) a2xTurns() {
	asked := p.a2x("ask", "message/send", v03Text("ask", ""))
	id, context := text(asked, "result/id"), text(asked, "result/contextId")
	p.a2x("answer", "message/send", v03Message(map[string]string{"taskId": strconv.Quote(id), "contextId": strconv.Quote(context)}))
	p.a2x("answered", "tasks/get", `{"id":"`+id+`"}`)
	first := p.a2xSay("first of a context", "own", "echo x")
	p.a2xSay("second of a context", "own", "echo y")
	p.a2x("first again", "tasks/get", `{"id":"`+first+`"}`)
}

// a2xStream opens a stream and notes it.
func (p *player) a2xStream(step, id, params string, each func(any, func())) []arrival {
	return p.stream(step, "/api/a2a", a2aCall(id, "message/stream", params), each)
}

func (p *player) a2xStreams() {
	p.a2xStream("stream without message", `"s"`, `{}`, nil)
	p.a2xStream("stream of hello", `"s"`, v03Text("hello", ""), nil)
	quick := p.a2xStream("stream", `7`, v03Text("echo hello", ""), nil)
	if len(quick) > 0 {
		p.a2x("streamed", "tasks/get", `{"id":"`+text(quick[0].body, "taskId")+`"}`)
	}
	if !p.server.Variant.Streaming {
		return
	}
	p.a2xStream("stream canceled", `"s"`, v03Text("slow 5", ""), func(event any, _ func()) {
		if text(event, "status/state") == "working" {
			post(p.t, p.server.URL()+"/api/a2a", a2aCall(`"r"`, "tasks/cancel", `{"id":"`+text(event, "taskId")+`"}`))
		}
	})
	var both sync.WaitGroup
	for _, id := range []string{"one", "two"} {
		both.Go(func() {
			list := p.a2xStream("", `"`+id+`"`, v03Text("artifact", ""), nil)
			p.note("events of "+id, fmt.Sprint(len(list), len(list) > 0 && list[len(list)-1].at.Sub(list[0].at) > 50*time.Millisecond))
		})
	}
	both.Wait()
	delete(p.seen, "")
}

// a2xWork follows tasks whose reader goes away, and one that is canceled.
func (p *player) a2xWork() {
	if !p.server.Variant.Streaming {
		return
	}
	begin := func(what string) (task string) {
		p.a2xStream("", `"s"`, v03Text(what, ""), func(event any, drop func()) {
			task = cmp.Or(text(event, "taskId"), text(event, "id"))
			drop()
		})
		delete(p.seen, "")
		return task
	}
	canceled := begin("slow 0.4")
	p.a2x("cancel", "tasks/cancel", `{"id":"`+canceled+`"}`)
	p.a2x("canceled", "tasks/get", `{"id":"`+canceled+`"}`)
	p.pollAt("/api/a2a", "dropped", begin("slow 0.3"), 400*time.Millisecond)
	p.pollAt("/api/a2a", "canceled", canceled, 600*time.Millisecond) // the worker's own end may come late
}
