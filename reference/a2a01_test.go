package reference

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// a2aText returns TaskSendParams with one text.
func a2aText(id, text string) string {
	return `{"id":"` + id + `","sessionId":"session","historyLength":50,"message":{"role":"user","parts":[{"type":"text","text":` + strconv.Quote(text) + `}]}}`
}

// a2aPart returns TaskSendParams with one part.
func a2aPart(part string) string {
	return `{"id":"p","message":{"role":"user","parts":[` + part + `]}}`
}

func TestA2A01Refusals(t *testing.T) {
	s := start(t, Options{Dialect: "a2a-0.1"})
	rpc(t, s.URL(), "tasks/send", a2aText("done", "echo x"))
	call := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":"r","method":"` + method + `","params":` + params + `}`
	}
	for _, test := range []struct {
		name, body string
		code       int
		id         any
	}{
		{"cut off", `{"jsonrpc":"2.0","id":"p1","method":`, -32700, nil},
		{"a word", `hello`, -32700, nil},
		{"trailing comma", `{"a":1,}`, -32700, nil},
		{"two texts", `{} {}`, -32700, nil},
		{"empty", ``, -32700, nil},
		{"number", `7`, -32600, nil},
		{"null", `null`, -32600, nil},
		{"empty batch", `[]`, -32600, nil},
		{"no jsonrpc", `{"id":"r","method":"tasks/get","params":{"id":"x"}}`, -32600, "r"},
		{"jsonrpc 1.0", `{"jsonrpc":"1.0","id":"r","method":"tasks/get"}`, -32600, "r"},
		{"jsonrpc number", `{"jsonrpc":2.0,"id":"r","method":"tasks/get"}`, -32600, "r"},
		{"no method", `{"jsonrpc":"2.0","id":"r"}`, -32600, "r"},
		{"method number", `{"jsonrpc":"2.0","id":"r","method":1}`, -32600, "r"},
		{"id object", `{"jsonrpc":"2.0","id":{},"method":"tasks/get","params":{"id":"x"}}`, -32600, nil},
		{"id true", `{"jsonrpc":"2.0","id":true,"method":"tasks/get","params":{"id":"x"}}`, -32600, nil},
		{"params text", call("tasks/get", `"x"`), -32600, "r"},
		{"params array", call("tasks/get", `["x"]`), -32602, "r"},
		{"unknown method", call("tasks/foo", `{}`), -32601, "r"},
		{"other case", call("Tasks/Send", `{}`), -32601, "r"},
		{"unknown task", call("tasks/get", `{"id":"x"}`), -32001, "r"},
		{"cancel unknown", call("tasks/cancel", `{"id":"x","metadata":{"a":1}}`), -32001, "r"},
		{"cancel finished", call("tasks/cancel", `{"id":"done"}`), -32002, "r"},
		{"send to finished", call("tasks/send", a2aText("done", "echo y")), -32009, "r"},
		{"get without id", call("tasks/get", `{}`), -32602, "r"},
		{"get id number", call("tasks/get", `{"id":3}`), -32602, "r"},
		{"get history text", call("tasks/get", `{"id":"done","historyLength":"all"}`), -32602, "r"},
		{"get history fraction", call("tasks/get", `{"id":"done","historyLength":1.5}`), -32602, "r"},
		{"send without id", call("tasks/send", `{"message":{"role":"user","parts":[{"type":"text","text":"x"}]}}`), -32602, "r"},
		{"send without message", call("tasks/send", `{"id":"n"}`), -32602, "r"},
		{"session number", call("tasks/send", `{"id":"n","sessionId":5,"message":{"role":"user","parts":[{"type":"text","text":"x"}]}}`), -32602, "r"},
		{"metadata text", call("tasks/send", `{"id":"n","metadata":"x","message":{"role":"user","parts":[{"type":"text","text":"x"}]}}`), -32602, "r"},
		{"role system", call("tasks/send", `{"id":"n","message":{"role":"system","parts":[{"type":"text","text":"x"}]}}`), -32602, "r"},
		{"no parts", call("tasks/send", `{"id":"n","message":{"role":"user"}}`), -32602, "r"},
		{"empty parts", call("tasks/send", `{"id":"n","message":{"role":"user","parts":[]}}`), -32602, "r"},
		{"part without type", call("tasks/send", a2aPart(`{"text":"x"}`)), -32602, "r"},
		{"part of unknown type", call("tasks/send", a2aPart(`{"type":"hologram"}`)), -32602, "r"},
		{"text null", call("tasks/send", a2aPart(`{"type":"text","text":null}`)), -32602, "r"},
		{"file text", call("tasks/send", a2aPart(`{"type":"file","file":"a.png"}`)), -32602, "r"},
		{"file twice", call("tasks/send", a2aPart(`{"type":"file","file":{"bytes":"aGk=","uri":"https://x.invalid"}}`)), -32602, "r"},
		{"file not base64", call("tasks/send", a2aPart(`{"type":"file","file":{"mimeType":"image/png","bytes":"***"}}`)), -32602, "r"},
		{"file type", call("tasks/send", a2aPart(`{"type":"file","file":{"mimeType":"application/x-odd","bytes":"aGk="}}`)), -32005, "r"},
		{"data scalar", call("tasks/send", a2aPart(`{"type":"data","data":5}`)), -32602, "r"},
		{"push without url", call("tasks/pushNotification/set", `{"id":"done","pushNotificationConfig":{}}`), -32602, "r"},
		{"push url relative", call("tasks/pushNotification/set", `{"id":"done","pushNotificationConfig":{"url":"/hook"}}`), -32602, "r"},
		{"push url http", call("tasks/pushNotification/set", `{"id":"done","pushNotificationConfig":{"url":"http://example.com/"}}`), -32602, "r"},
		{"push token number", call("tasks/pushNotification/set", `{"id":"done","pushNotificationConfig":{"url":"https://x.invalid/","token":5}}`), -32602, "r"},
		{"push without schemes", call("tasks/pushNotification/set", `{"id":"done","pushNotificationConfig":{"url":"https://x.invalid/","authentication":{}}}`), -32602, "r"},
		{"push absent", call("tasks/pushNotification/set", `{"id":"done"}`), -32602, "r"},
		{"push unknown task", call("tasks/pushNotification/set", `{"id":"x","pushNotificationConfig":null}`), -32001, "r"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := post(t, s.URL(), test.body)
			expect(t, r.body, map[string]any{"jsonrpc": "2.0", "id": test.id, "error/code": test.code, "result": nil})
			if _, ok := object(r.body, "")["id"]; !ok {
				t.Error("the reply has no id")
			}
			if r.status != http.StatusOK {
				t.Errorf("status %d", r.status)
			}
		})
	}
}

func TestA2A01Transport(t *testing.T) {
	s := start(t, Options{Dialect: "a2a-0.1"})
	get := `{"jsonrpc":"2.0","id":%,"method":"tasks/get","params":{"id":"x"}}`
	for _, test := range []struct {
		name, method, media, body string
		status                    int
		want                      map[string]any
	}{
		{"charset", "POST", "application/json; charset=utf-8", strings.Replace(get, "%", "1", 1), 200, map[string]any{"id": 1, "error/code": -32001}},
		{"text", "POST", "text/plain", strings.Replace(get, "%", "1", 1), 415, map[string]any{"error/code": -32600}},
		{"GET", "GET", "", "", 405, map[string]any{"result": nil}},
		{"PUT", "PUT", "application/json", strings.Replace(get, "%", "1", 1), 405, map[string]any{"result": nil}},
		{"fraction", "POST", "application/json", strings.Replace(get, "%", "1.5", 1), 200, map[string]any{"id": json.Number("1.5")}},
		{"large id", "POST", "application/json", strings.Replace(get, "%", "9007199254740991", 1), 200, map[string]any{"id": 9007199254740991}},
		{"null id", "POST", "application/json", strings.Replace(get, "%", "null", 1), 200, map[string]any{"id": nil, "error/code": -32001}},
		{"notification", "POST", "application/json", `{"jsonrpc":"2.0","method":"tasks/get","params":{"id":"x"}}`, 204, nil},
		{"batch", "POST", "application/json", `[` + strings.Replace(get, "%", "1", 1) + `,` + strings.Replace(get, "%", `"b"`, 1) + `,5]`, 200,
			map[string]any{"0/id": 1, "1/id": "b", "2/id": nil, "2/error/code": -32600}},
		{"huge", "POST", "application/json", strings.Repeat(" ", maxBody+1), 413, map[string]any{"error/code": -32600}},
		{"deep", "POST", "application/json", strings.Repeat("[", 20000) + strings.Repeat("]", 20000), 200, map[string]any{"error/code": -32700}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := fetch(t, test.method, s.URL(), test.media, test.body)
			if r.status != test.status {
				t.Errorf("status %d, want %d", r.status, test.status)
			}
			if test.want == nil && r.raw != "" {
				t.Errorf("body %q", r.raw)
			}
			expect(t, r.body, test.want)
		})
	}
}

func TestA2A01Tasks(t *testing.T) {
	for _, variant := range Variants("a2a-0.1") {
		t.Run(variant, func(t *testing.T) {
			s := start(t, Options{Dialect: "a2a-0.1", Variant: variant})
			card := fetch(t, "GET", s.URL()+"/.well-known/agent.json", "", "")
			expect(t, card.body, map[string]any{"url": s.URL() + "/", "skills/0/id": "echo"})
			url := text(card.body, "url")

			r := rpc(t, url, "tasks/send", a2aText("quick", "echo hello"))
			expect(t, r.body, map[string]any{"result/id": "quick", "result/status/state": "completed", "result/sessionId": "session",
				"result/status/message/parts/0/text": "hello", "result/history/0/parts/0/text": "echo hello"})
			if _, rich := object(r.body, "result")["artifacts"]; rich == (variant == "minimal") {
				t.Errorf("artifacts: %v", rich)
			}
			r = rpc(t, url, "tasks/get", `{"id":"quick","historyLength":1}`)
			expect(t, r.body, map[string]any{"result/status/state": "completed", "result/history/0/role": "agent", "result/history/1": nil})

			r = rpc(t, url, "tasks/send", a2aText("asking", "ask"))
			expect(t, r.body, map[string]any{"result/status/state": "input-required"})
			r = rpc(t, url, "tasks/send", a2aText("asking", "blue"))
			expect(t, r.body, map[string]any{"result/status/state": "completed", "result/history/0/parts/0/text": "ask", "result/history/2/parts/0/text": "blue"})

			r = rpc(t, url, "tasks/send", a2aText("failing", "fail"))
			expect(t, r.body, map[string]any{"result/status/state": "failed", "result/status/message/role": "agent"})

			rpc(t, url, "tasks/send", a2aText("remembering", "remember 42"))
			r = rpc(t, url, "tasks/send", a2aText("recalling", "recall"))
			expect(t, r.body, map[string]any{"result/status/message/parts/0/text": "I remember: 42"})

			r = rpc(t, url, "tasks/send", a2aText("slow", "slow 60"))
			expect(t, r.body, map[string]any{"result/status/state": "working"})
			r = rpc(t, url, "tasks/cancel", `{"id":"slow"}`)
			expect(t, r.body, map[string]any{"result/status/state": "canceled"})
			r = rpc(t, url, "tasks/get", `{"id":"slow"}`)
			expect(t, r.body, map[string]any{"result/status/state": "canceled"})

			streams := s.Variant.Streaming
			r = rpc(t, url, "tasks/resubscribe", `{"id":"quick"}`)
			if code := map[bool]int{true: -32009, false: -32006}[streams]; r.status != 400 || at(r.body, "error/code") != num(code) {
				t.Errorf("resubscribe to a finished task: %d %s", r.status, r.raw)
			}
			r = rpc(t, url, "tasks/pushNotification/get", `{"id":"quick"}`)
			if !streams {
				expect(t, r.body, map[string]any{"error/code": -32003})
			}
		})
	}
}

func TestA2A01Streams(t *testing.T) {
	for _, variant := range []string{"full", "lavish"} {
		t.Run(variant, func(t *testing.T) {
			s := start(t, Options{Dialect: "a2a-0.1", Variant: variant})
			last := func(list []any) any { return list[len(list)-1] }

			quick := events(t, s.URL(), "tasks/sendSubscribe", a2aText("quick", "echo hello"), nil)
			expect(t, quick[0], map[string]any{"id": "quick", "status/state": "submitted", "final": false})
			expect(t, last(quick), map[string]any{"id": "quick", "status/state": "completed", "final": true})

			var begun time.Time
			var story string
			list := events(t, s.URL(), "tasks/sendSubscribe", a2aText("story", "artifact"), func(v any) {
				if begun.IsZero() {
					begun = time.Now()
				}
				story += text(v, "artifact/parts/0/text")
			})
			if took := time.Since(begun); took < 100*time.Millisecond {
				t.Errorf("all events arrived within %v", took)
			}
			expect(t, last(list), map[string]any{"status/state": "completed", "final": true})
			got := rpc(t, s.URL(), "tasks/get", `{"id":"story"}`)
			var stored string
			for _, p := range at(got.body, "result/artifacts/0/parts").([]any) {
				stored += text(p, "text")
			}
			if story == "" || stored != story {
				t.Errorf("stored %q, streamed %q", stored, story)
			}

			asked := events(t, s.URL(), "tasks/sendSubscribe", a2aText("asking", "ask"), nil)
			expect(t, last(asked), map[string]any{"status/state": "input-required", "final": true})
			answered := events(t, s.URL(), "tasks/sendSubscribe", a2aText("asking", "blue"), nil)
			expect(t, last(answered), map[string]any{"status/state": "completed", "final": true})

			canceled := events(t, s.URL(), "tasks/sendSubscribe", a2aText("slow", "slow 60"), func(v any) {
				if text(v, "status/state") == "working" {
					rpc(t, s.URL(), "tasks/cancel", `{"id":"slow"}`)
				}
			})
			expect(t, last(canceled), map[string]any{"status/state": "canceled", "final": true})

			rpc(t, s.URL(), "tasks/send", a2aText("resumed", "slow 0.3"))
			resumed := events(t, s.URL(), "tasks/resubscribe", `{"id":"resumed","historyLength":5,"metadata":{"a":1}}`, nil)
			expect(t, last(resumed), map[string]any{"id": "resumed", "status/state": "completed", "final": true})
			if len(resumed) < 2 {
				t.Errorf("resubscription saw %v", resumed)
			}
		})
	}
}

func TestA2A01DroppedStream(t *testing.T) {
	s := start(t, Options{Dialect: "a2a-0.1"})
	ctx, drop := context.WithCancel(context.Background())
	body := `{"jsonrpc":"2.0","id":1,"method":"tasks/sendSubscribe","params":` + a2aText("dropped", "slow 0.2") + `}`
	r, _ := http.NewRequestWithContext(ctx, "POST", s.URL(), strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	reply, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	reply.Body.Read(make([]byte, 1))
	drop()
	reply.Body.Close()
	list := events(t, s.URL(), "tasks/resubscribe", `{"id":"dropped"}`, nil)
	expect(t, list[len(list)-1], map[string]any{"status/state": "completed", "final": true})
}

func TestA2A01Push(t *testing.T) {
	type delivery struct {
		path   string
		header http.Header
		body   any
	}
	got := make(chan delivery, 20)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		body, _ := decode(raw)
		got <- delivery{r.URL.Path, r.Header, body}
	}))
	defer hook.Close()
	s := start(t, Options{Dialect: "a2a-0.1"})

	params := strings.Replace(a2aText("pushed", "slow 0.3"), `"id"`,
		`"pushNotification":{"url":"`+hook.URL+`/a","token":"tok","authentication":{"schemes":["Bearer"],"credentials":"secret"}},"id"`, 1)
	rpc(t, s.URL(), "tasks/send", params)
	r := rpc(t, s.URL(), "tasks/pushNotification/get", `{"id":"pushed"}`)
	expect(t, r.body, map[string]any{"result/id": "pushed", "result/pushNotificationConfig/url": hook.URL + "/a",
		"result/pushNotificationConfig/token": "tok", "result/pushNotificationConfig/authentication/schemes/0": "Bearer"})
	rpc(t, s.URL(), "tasks/pushNotification/set", `{"id":"pushed","pushNotificationConfig":{"url":"`+hook.URL+`/b","token":null,"authentication":null}}`)

	first := <-got
	if first.path != "/a" || first.header.Get("X-A2A-Notification-Token") != "tok" || first.header.Get("Authorization") != "Bearer secret" {
		t.Errorf("first delivery: %+v", first)
	}
	for d := range got {
		expect(t, d.body, map[string]any{"taskId": "pushed"})
		if state := text(d.body, "status/state"); state == "completed" {
			if d.path != "/b" || d.header.Get("Authorization") != "" {
				t.Errorf("last delivery: %+v", d)
			}
			return
		}
	}
}
