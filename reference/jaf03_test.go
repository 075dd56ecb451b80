package reference

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// jafMessage returns the params of message/send with the given members of the
// message replaced; an empty value removes one.
func jafMessage(replace map[string]string) string {
	members := map[string]string{
		"role":      `"user"`,
		"parts":     `[{"kind":"text","text":"echo hello"}]`,
		"messageId": `"m1"`,
		"contextId": `"ctx-é-日本"`,
		"kind":      `"message"`,
	}
	for name, value := range replace {
		members[name] = value
	}
	var list []string
	for name, value := range members {
		if value != "" {
			list = append(list, `"`+name+`":`+value)
		}
	}
	return `{"message":{` + strings.Join(list, ",") + `}}`
}

func jafText(context, text string) string {
	return jafMessage(map[string]string{
		"contextId": `"` + context + `"`,
		"parts":     `[{"kind":"text","text":` + strconv.Quote(text) + `}]`,
	})
}

func TestJAF03Discovery(t *testing.T) {
	for _, variant := range Variants("jaf-0.3") {
		t.Run(variant, func(t *testing.T) {
			s := start(t, Options{Dialect: "jaf-0.3", Variant: variant})
			for _, test := range []struct {
				path   string
				status int
				want   map[string]any
			}{
				{"/.well-known/agent-card", 200, map[string]any{"name": "ChatBot", "protocolVersion": "0.3.0", "url": s.URL() + "/a2a"}},
				{"/a2a/health", 200, map[string]any{"status": "healthy"}},
				{"/a2a/agents", 200, map[string]any{"agents/0/name": "ChatBot", "agents/1/name": "MathTutor"}},
				{"/a2a/agents/MathTutor", 200, map[string]any{"name": "MathTutor"}},
				{"/a2a/agents/MathTutor/card", 200, map[string]any{"name": "MathTutor", "url": s.URL() + "/a2a/agents/MathTutor"}},
				{"/a2a/agents/nobody", 404, nil},
				{"/a2a/agents/nobody/card", 404, nil},
				{"/a2a", 405, map[string]any{"result": nil}},
			} {
				r := fetch(t, "GET", s.URL()+test.path, "", "")
				if r.status != test.status {
					t.Errorf("%s: status %d", test.path, r.status)
				}
				expect(t, r.body, test.want)
			}
		})
	}
}

func TestJAF03Refusals(t *testing.T) {
	s := start(t, Options{Dialect: "jaf-0.3"})
	with := func(name, value string) string { return jafMessage(map[string]string{name: value}) }
	part := `{"kind":"text","text":"x"}`
	for _, test := range []struct {
		name, method, params string
		code                 int
	}{
		{"unknown method", "tasks/doesNotExist", `{}`, -32601},
		{"other case", "Message/Send", with("role", `"user"`), -32601},
		{"params array", "message/send", `["hello"]`, -32602},
		{"no message", "message/send", `{}`, -32602},
		{"no role", "message/send", with("role", ""), -32602},
		{"role robot", "message/send", with("role", `"robot"`), -32602},
		{"no parts", "message/send", with("parts", ""), -32602},
		{"empty parts", "message/send", with("parts", "[]"), -32602},
		{"no messageId", "message/send", with("messageId", ""), -32602},
		{"no contextId", "message/send", with("contextId", ""), -32602},
		{"no kind", "message/send", with("kind", ""), -32602},
		{"kind task", "message/send", with("kind", `"task"`), -32602},
		{"timestamp", "message/send", with("timestamp", `"yesterday"`), -32602},
		{"part without kind", "message/send", with("parts", `[{"text":"hello"}]`), -32602},
		{"text number", "message/send", with("parts", `[{"kind":"text","text":5}]`), -32602},
		{"101 parts", "message/send", with("parts", "["+strings.Repeat(part+",", 100)+part+"]"), -32602},
		{"large text", "message/send", with("parts", `[{"kind":"text","text":"`+strings.Repeat("x", 110000)+`"}]`), -32602},
		{"large data", "message/send", with("parts", `[{"kind":"data","data":"`+strings.Repeat("x", 1200000)+`"}]`), -32602},
		{"timeout text", "message/send", strings.Replace(with("role", `"user"`), `{`, `{"configuration":{"timeout":"soon"},`, 1), -32602},
		{"maxTurns text", "message/send", strings.Replace(with("role", `"user"`), `{`, `{"configuration":{"maxTurns":"ten"},`, 1), -32602},
		{"timed out", "message/send", strings.Replace(jafText("c", "slow 60"), `{`, `{"configuration":{"timeout":50},`, 1), -32006},
		{"failed", "message/send", jafText("c", "fail"), -32603},
		{"get unknown", "tasks/get", `{"id":"x"}`, -32001},
		{"get number", "tasks/get", `{"id":5}`, -32602},
		{"cancel unknown", "tasks/cancel", `{"id":"x"}`, -32001},
		{"cancel nothing", "tasks/cancel", `{"reason":"x"}`, -32602},
		{"stream empty parts", "message/stream", with("parts", "[]"), -32602},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := rpc(t, s.URL()+"/a2a", test.method, test.params)
			expect(t, r.body, map[string]any{"id": "r", "error/code": test.code, "error/data/requestId": "r"})
		})
	}
	r := rpc(t, s.URL()+"/a2a/agents/nobody", "message/send", jafText("c", "echo x"))
	expect(t, r.body, map[string]any{"error/code": -32000, "error/data/agentName": "nobody", "error/data/availableAgents/0": "ChatBot"})
}

func TestJAF03Messages(t *testing.T) {
	for _, variant := range Variants("jaf-0.3") {
		t.Run(variant, func(t *testing.T) {
			s := start(t, Options{Dialect: "jaf-0.3", Variant: variant})
			url := s.URL() + "/a2a/agents/MathTutor"
			for name, params := range map[string]string{
				"plain":        jafMessage(nil),
				"system":       jafMessage(map[string]string{"role": `"system"`}),
				"unknown part": jafMessage(map[string]string{"parts": `[{"kind":"text","text":"hello"},{"kind":"x-hologram","payload":{}}]`}),
				"metadata":     jafMessage(map[string]string{"metadata": `{"x":{"deep":[1,null,true]}}`}),
				"configured":   strings.Replace(jafMessage(nil), `{`, `{"configuration":{"maxTurns":10,"timeout":30000,"priority":"normal"},`, 1),
			} {
				r := rpc(t, url, "message/send", params)
				expect(t, r.body, map[string]any{"result/kind": "completion", "result/final": true, "result/contextId": "ctx-é-日本",
					"result/message/contextId": "ctx-é-日本", "result/message/role": "agent", "result/message/parts/0/text": "hello"})
				task := rpc(t, url, "tasks/get", `{"id":"`+text(r.body, "result/taskId")+`"}`)
				expect(t, task.body, map[string]any{"result/kind": "task", "result/status/state": "completed", "result/contextId": "ctx-é-日本",
					"result/status/message/messageId": at(r.body, "result/message/messageId")})
				if t.Failed() {
					t.Fatalf("with %s", name)
				}
			}
			asked := rpc(t, url, "message/send", jafText("c", "ask"))
			expect(t, asked.body, map[string]any{"result/kind": "completion"})
			done := rpc(t, url, "tasks/cancel", `{"id":"`+text(asked.body, "result/taskId")+`"}`)
			expect(t, done.body, map[string]any{"result/cancelled": false})
			if variant == "minimal" {
				r := rpc(t, url, "message/stream", jafText("c", "echo x"))
				expect(t, r.body, map[string]any{"error/code": -32601})
			} else if done.header.Get("X-RateLimit-Limit") != "10000" {
				t.Errorf("headers %v", done.header)
			}
		})
	}
}

func TestJAF03Streams(t *testing.T) {
	for _, variant := range []string{"full", "lavish"} {
		t.Run(variant, func(t *testing.T) {
			s := start(t, Options{Dialect: "jaf-0.3", Variant: variant})
			url := s.URL() + "/a2a"
			list := events(t, url, "message/stream", jafText("c", "artifact"), nil)
			kinds := make(map[string]int)
			for _, v := range list {
				kinds[text(v, "kind")]++
				expect(t, v, map[string]any{"taskId": text(list[0], "taskId"), "final": text(v, "kind") == "completion"})
			}
			if kinds["completion"] != 1 || kinds["partial-completion"] != 3 || kinds["status-update"] < 2 {
				t.Errorf("kinds %v", kinds)
			}

			failed := events(t, url, "message/stream", jafText("c", "fail"), nil)
			end := failed[len(failed)-1]
			expect(t, end, map[string]any{"kind": "status-update", "status/state": "failed", "final": true, "status/error/code": -32603})
			task := rpc(t, url, "tasks/get", `{"id":"`+text(end, "taskId")+`"}`)
			expect(t, task.body, map[string]any{"result/status/state": "failed", "result/status/error/code": -32603})

			canceled := events(t, url, "message/stream", jafText("c", "slow 60"), func(v any) {
				if text(v, "status/state") == "working" {
					r := rpc(t, url, "tasks/cancel", `{"id":"`+text(v, "taskId")+`","reason":"test"}`)
					expect(t, r.body, map[string]any{"result/id": text(v, "taskId"), "result/cancelled": true})
				}
			})
			expect(t, canceled[len(canceled)-1], map[string]any{"status/state": "cancelled", "final": true})
		})
	}
}

// Beyond the limit lies the burst of a tenth of it, then a refusal.
func TestJAF03RateLimit(t *testing.T) {
	s := start(t, Options{Dialect: "jaf-0.3", Rate: Rate{Requests: 10, Window: time.Minute}})
	for i := range 12 {
		r := rpc(t, s.URL()+"/a2a", "tasks/get", `{"id":"none"}`)
		code := num(jaf03TaskNotFound)
		if i == 11 {
			code = num(jaf03RateLimited)
		}
		if left := r.header.Get("X-RateLimit-Remaining"); left != strconv.Itoa(max(0, 9-i)) || at(r.body, "error/code") != code {
			t.Errorf("call %d: remaining %s, %v", i+1, left, r.body)
		}
	}
}

// The calls of one client, and the tasks of one context, are limited in number
// at the same time.
func TestJAF03Together(t *testing.T) {
	for name, c := range map[string]struct {
		calls, refused int
		context        func(i int) string
	}{
		"calls": {12, 2, func(i int) string { return "c" + strconv.Itoa(i) }},
		"tasks": {7, 2, func(int) string { return "c" }},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, Options{Dialect: "jaf-0.3", Variant: "full"})
			var refused atomic.Int32
			var all sync.WaitGroup
			for i := range c.calls {
				all.Go(func() {
					r := rpc(t, s.URL()+"/a2a", "message/send", jafText(c.context(i), "slow 0.5"))
					if at(r.body, "error/code") == num(jaf03Exhausted) {
						refused.Add(1)
					}
				})
			}
			all.Wait()
			if int(refused.Load()) != c.refused {
				t.Errorf("%d of %d were refused, want %d", refused.Load(), c.calls, c.refused)
			}
		})
	}
}

func TestJAF03Guard(t *testing.T) {
	s := start(t, Options{Dialect: "jaf-0.3", Variant: "guarded"})
	for name, c := range map[string]struct {
		header, value, says string
		code                int // 0 is a result
	}{
		"nobody":         {"", "", "echo x", jaf03AuthenticationRequired},
		"a token":        {"Authorization", "Bearer " + Token, "echo x", 0},
		"a key":          {"X-API-Key", Key, "echo x", 0},
		"a password":     {"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(SecondBasic)), "echo x", 0},
		"a wrong token":  {"Authorization", "Bearer x", "echo x", jaf03AuthenticationRequired},
		"a wrong key":    {"X-API-Key", "x", "echo x", jaf03AuthenticationRequired},
		"lacking rights": {"Authorization", "Bearer " + LowToken, "forbidden", jaf03PermissionDenied},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"/a2a", "/a2a/agents/MathTutor"} {
				r, err := http.NewRequest("POST", s.URL()+path, strings.NewReader(a2aCall(`"r"`, "message/send", jafText("c", c.says))))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Content-Type", "application/json")
				if c.header != "" {
					r.Header.Set(c.header, c.value)
				}
				reply, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				defer reply.Body.Close()
				var body struct{ Error struct{ Code int } }
				if err := json.NewDecoder(reply.Body).Decode(&body); err != nil || body.Error.Code != c.code {
					t.Errorf("%s answers code %d, %v", path, body.Error.Code, err)
				}
				if reply.Header.Get("X-RateLimit-Limit") != "10000" {
					t.Errorf("headers %v", reply.Header)
				}
			}
		})
	}
}
