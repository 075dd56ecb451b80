package reference

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// v03Message returns the params of message/send with the given members of the
// message replaced; an empty value removes one. The members under the name
// configuration and metadata stand beside the message.
func v03Message(replace map[string]string) string {
	members := map[string]string{
		"kind":      `"message"`,
		"messageId": `"m1"`,
		"role":      `"user"`,
		"parts":     `[{"kind":"text","text":"echo hello"}]`,
	}
	for name, value := range replace {
		members[name] = value
	}
	var list, beside []string
	for name, value := range members {
		switch {
		case value == "":
		case strings.HasPrefix(name, "params."):
			beside = append(beside, `"`+strings.TrimPrefix(name, "params.")+`":`+value+`,`)
		default:
			list = append(list, `"`+name+`":`+value)
		}
	}
	return `{` + strings.Join(beside, "") + `"message":{` + strings.Join(list, ",") + `}}`
}

// v03Text returns the params of message/send with one text, and a
// configuration unless that is empty.
func v03Text(text, configuration string) string {
	return v03Message(map[string]string{"parts": `[{"kind":"text","text":` + strconv.Quote(text) + `}]`, "params.configuration": configuration})
}

// v03Answer is a message to a task.
func v03Answer(task, text string) string {
	return v03Message(map[string]string{"taskId": strconv.Quote(task), "parts": `[{"kind":"text","text":` + strconv.Quote(text) + `}]`})
}

const v03Blocking = `{"blocking":true}`

// v03Send calls message/send.
func v03Send(t *testing.T, s *Server, params string) any {
	t.Helper()
	return rpc(t, s.URL(), "message/send", params).body
}

func TestA2A03Refusals(t *testing.T) {
	s := start(t, Options{Dialect: "a2a-0.3"})
	done := text(v03Send(t, s, v03Text("echo x", "")), "result/id")
	with := func(name, value string) string { return v03Message(map[string]string{name: value}) }
	parts := func(parts string) string { return with("parts", "["+parts+"]") }
	hook := func(task, config string) string {
		return `{"taskId":"` + task + `","pushNotificationConfig":` + config + `}`
	}
	set, list, remove := setPushConfigMethod, listPushConfigMethod, deletePushConfigMethod
	for _, test := range []struct {
		name, method, params string
		code                 int
	}{
		{"unknown method", "tasks/foo", `{}`, -32601},
		{"no params", "message/send", `null`, -32602},
		{"no message", "message/send", `{}`, -32602},
		{"no parts", "message/send", with("parts", ""), -32602},
		{"empty parts", "message/send", with("parts", "[]"), -32602},
		{"no messageId", "message/send", with("messageId", ""), -32602},
		{"no role", "message/send", with("role", ""), -32602},
		{"role system", "message/send", with("role", `"system"`), -32602},
		{"kind task", "message/send", with("kind", `"task"`), -32602},
		{"metadata array", "message/send", with("params.metadata", `[]`), -32602},
		{"references text", "message/send", with("referenceTaskIds", `"x"`), -32602},
		{"unknown part", "message/send", parts(`{"kind":"video"}`), -32602},
		{"no text", "message/send", parts(`{"kind":"text"}`), -32602},
		{"hollow file", "message/send", parts(`{"kind":"file","file":{"name":"a.png"}}`), -32602},
		{"file twice", "message/send", parts(`{"kind":"file","file":{"bytes":"aGk=","uri":"https://x.invalid"}}`), -32602},
		{"file not base64", "message/send", parts(`{"kind":"file","file":{"mimeType":"image/png","bytes":"***"}}`), -32602},
		{"file type", "message/send", parts(`{"kind":"file","file":{"mimeType":"application/x-odd","bytes":"aGk="}}`), -32005},
		{"data array", "message/send", parts(`{"kind":"data","data":[1,2]}`), -32602},
		{"unknown task", "message/send", v03Answer("x", "hello"), -32001},
		{"finished task", "message/send", v03Answer(done, "hello"), -32004},
		{"foreign context", "message/send", v03Message(map[string]string{"taskId": `"` + done + `"`, "contextId": `"other"`}), -32602},
		{"output modes", "message/send", v03Text("echo x", `{"acceptedOutputModes":["application/x-odd"]}`), -32005},
		{"blocking text", "message/send", v03Text("echo x", `{"blocking":"yes"}`), -32602},
		{"negative history", "message/send", v03Text("echo x", `{"historyLength":-1}`), -32602},
		{"get unknown", "tasks/get", `{"id":"x"}`, -32001},
		{"get without id", "tasks/get", `{}`, -32602},
		{"get number", "tasks/get", `{"id":5}`, -32602},
		{"get history fraction", "tasks/get", `{"id":"` + done + `","historyLength":1.5}`, -32602},
		{"cancel unknown", "tasks/cancel", `{"id":"x"}`, -32001},
		{"cancel finished", "tasks/cancel", `{"id":"` + done + `"}`, -32002},
		{"stream without message", "message/stream", `{}`, -32602},
		{"stream unknown task", "message/stream", v03Answer("x", "hello"), -32001},
		{"resubscribe unknown", "tasks/resubscribe", `{"id":"x"}`, -32001},
		{"resubscribe finished", "tasks/resubscribe", `{"id":"` + done + `"}`, -32004},
		{"push without url", set, hook(done, `{}`), -32602},
		{"push url relative", set, hook(done, `{"url":"not a url"}`), -32602},
		{"push link-local", set, hook(done, `{"url":"http://169.254.169.254/"}`), -32602},
		{"push without task", set, `{"pushNotificationConfig":{"url":"https://x.invalid/"}}`, -32602},
		{"push unknown task", set, hook("x", `{"url":"https://x.invalid/"}`), -32001},
		{"push get none", getPushConfigMethod, `{"id":"` + done + `"}`, -32602},
		{"push list unknown", list, `{"id":"x"}`, -32001},
		{"push delete unknown", remove, `{"id":"x","pushNotificationConfigId":"a"}`, -32001},
		{"push delete nothing", remove, `{"id":"` + done + `"}`, -32602},
		{"no extended card", "agent/getAuthenticatedExtendedCard", `{}`, -32007},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := rpc(t, s.URL(), test.method, test.params)
			expect(t, r.body, map[string]any{"jsonrpc": "2.0", "id": "r", "error/code": test.code, "result": nil})
		})
	}
}

func TestA2A03Tasks(t *testing.T) {
	for _, variant := range Variants("a2a-0.3") {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			s := start(t, Options{Dialect: "a2a-0.3", Variant: variant})
			card := fetch(t, "GET", s.URL()+"/.well-known/agent-card.json", "", "")
			expect(t, card.body, map[string]any{"protocolVersion": "0.3.0", "url": s.URL() + "/", "preferredTransport": "JSONRPC", "skills/0/id": "echo"})
			if variant == "extended" {
				refused := v03Send(t, s, v03Text("echo hello", ""))
				expect(t, refused, map[string]any{"error/code": -32600})
				return
			}

			r := v03Send(t, s, v03Text("echo hello", v03Blocking))
			expect(t, r, map[string]any{"result/kind": "task", "result/status/state": "completed", "result/status/message/kind": "message",
				"result/status/message/parts/0/text": "hello", "result/status/message/taskId": text(r, "result/id")})
			id, context := text(r, "result/id"), text(r, "result/contextId")
			if id == "" || context == "" {
				t.Errorf("id %q, contextId %q", id, context)
			}
			got := rpc(t, s.URL(), "tasks/get", `{"id":"`+id+`","historyLength":1}`)
			expect(t, got.body, map[string]any{"result/kind": "task", "result/contextId": context, "result/history/0/role": "agent", "result/history/1": nil})

			hello := v03Send(t, s, v03Message(map[string]string{"contextId": strconv.Quote(context), "parts": `[{"kind":"text","text":"hello"}]`}))
			expect(t, hello, map[string]any{"result/kind": "message", "result/role": "agent", "result/contextId": context, "result/taskId": nil})

			asked := v03Send(t, s, v03Text("ask", v03Blocking))
			expect(t, asked, map[string]any{"result/status/state": "input-required"})
			task := text(asked, "result/id")
			answered := v03Send(t, s, v03Message(map[string]string{"taskId": strconv.Quote(task), "params.configuration": `{"blocking":true,"historyLength":9}`}))
			expect(t, answered, map[string]any{"result/status/state": "completed", "result/id": task, "result/contextId": text(asked, "result/contextId"),
				"result/history/0/parts/0/text": "ask", "result/history/2/parts/0/text": "echo hello"})

			for script, state := range map[string]string{"fail": "failed", "reject": "rejected", "needauth": "auth-required"} {
				expect(t, v03Send(t, s, v03Text(script, v03Blocking)), map[string]any{"result/status/state": state, "result/status/message/role": "agent"})
			}

			started := v03Send(t, s, v03Text("slow 60", `{"blocking":false}`))
			expect(t, started, map[string]any{"result/status/state": "submitted"})
			slow := `{"id":"` + text(started, "result/id") + `"}`
			expect(t, rpc(t, s.URL(), "tasks/cancel", slow).body, map[string]any{"result/status/state": "canceled"})
			expect(t, rpc(t, s.URL(), "tasks/get", slow).body, map[string]any{"result/status/state": "canceled"})

			if !s.Variant.Streaming {
				expect(t, rpc(t, s.URL(), "message/stream", v03Text("echo x", "")).body, map[string]any{"error/code": -32004})
				expect(t, rpc(t, s.URL(), "tasks/resubscribe", slow).body, map[string]any{"error/code": -32004})
			}
			if !s.Variant.Push {
				for _, method := range []string{setPushConfigMethod, getPushConfigMethod, listPushConfigMethod, deletePushConfigMethod} {
					expect(t, rpc(t, s.URL(), method, slow).body, map[string]any{"error/code": -32003})
				}
				configured := v03Text("echo x", `{"pushNotificationConfig":{"url":"https://x.invalid/"}}`)
				expect(t, v03Send(t, s, configured), map[string]any{"error/code": -32003})
			}
			if variant == "guarded" {
				extended := post(t, s.URL(), `{"jsonrpc":"2.0","id":1,"method":"agent/getAuthenticatedExtendedCard"}`)
				expect(t, extended.body, map[string]any{"result/name": "Reference Agent", "result/skills/2/id": "remember"})
			}
		})
	}
}

func TestA2A03OutputModes(t *testing.T) {
	s := start(t, Options{Dialect: "a2a-0.3"})
	for mode, kinds := range map[string]string{"text/*": "text file", "image/png": "file", "application/json": "data"} {
		r := v03Send(t, s, v03Text("echo x", `{"blocking":true,"acceptedOutputModes":["`+mode+`"]}`))
		var got []string
		artifacts, _ := at(r, "result/artifacts").([]any)
		for _, a := range artifacts {
			for _, p := range at(a, "parts").([]any) {
				got = append(got, text(p, "kind"))
			}
		}
		if strings.Join(got, " ") != kinds {
			t.Errorf("%s: parts %v", mode, got)
		}
	}
}

func TestA2A03Extensions(t *testing.T) {
	for _, variant := range []string{"full", "extended"} {
		s := start(t, Options{Dialect: "a2a-0.3", Variant: variant})
		for asked, active := range map[string]string{
			"":                                   "",
			a2a03Trace:                           a2a03Trace,
			"https://x.invalid/a, " + a2a03Trace: a2a03Trace,
			strings.Replace(a2a03Trace, "/v1", "/v2", 1): "",
			a2a03Provenance: "",
		} {
			r, _ := http.NewRequest("POST", s.URL(), strings.NewReader(a2aCall("1", "message/send",
				v03Message(map[string]string{"extensions": `["` + a2a03Trace + `"]`, "params.configuration": v03Blocking}))))
			r.Header.Set("Content-Type", "application/json")
			if asked != "" {
				r.Header.Set(extensionsHeader, asked)
			}
			reply, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			raw, _ := io.ReadAll(reply.Body)
			reply.Body.Close()
			body, _ := decode(raw)
			if reply.Header.Get(extensionsHeader) != active || has(body, "error") != (variant == "extended" && active == "") ||
				(text(body, "result/status/message/extensions/0") == a2a03Trace) != (active != "") {
				t.Errorf("%s asked for %q: %v %s", variant, asked, reply.Header, raw)
			}
		}
	}
}

func TestA2A03Streams(t *testing.T) {
	for _, variant := range []string{"full", "lavish"} {
		t.Run(variant, func(t *testing.T) {
			s := start(t, Options{Dialect: "a2a-0.3", Variant: variant})
			last := func(list []any) any { return list[len(list)-1] }
			stream := func(params string, seen func(any)) []any {
				return events(t, s.URL(), "message/stream", params, seen)
			}

			quick := stream(v03Text("echo hello", ""), nil)
			id := text(quick[0], "id")
			expect(t, quick[0], map[string]any{"kind": "task", "status/state": "submitted", "history/0/messageId": "m1"})
			expect(t, quick[1], map[string]any{"kind": "status-update", "taskId": id, "contextId": text(quick[0], "contextId"), "status/state": "working", "final": false})
			expect(t, quick[2], map[string]any{"kind": "artifact-update", "taskId": id, "artifact/artifactId": "artifact-0"})
			expect(t, last(quick), map[string]any{"kind": "status-update", "taskId": id, "status/state": "completed", "final": true})

			hello := stream(v03Text("hello", ""), nil)
			expect(t, hello[0], map[string]any{"kind": "message", "role": "agent"})
			if len(hello) != 1 {
				t.Errorf("small talk: %v", hello)
			}

			var told string
			story := stream(v03Text("artifact", ""), func(v any) { told += text(v, "artifact/parts/0/text") })
			got := rpc(t, s.URL(), "tasks/get", `{"id":"`+text(story[0], "id")+`"}`)
			var stored string
			for _, p := range at(got.body, "result/artifacts/0/parts").([]any) {
				stored += text(p, "text")
			}
			if told == "" || stored != told {
				t.Errorf("stored %q, streamed %q", stored, told)
			}

			asked := stream(v03Text("ask", ""), nil)
			expect(t, last(asked), map[string]any{"status/state": "input-required", "final": true})
			answered := stream(v03Answer(text(asked[0], "id"), "blue"), nil)
			expect(t, answered[0], map[string]any{"kind": "task", "id": text(asked[0], "id"), "status/state": "working"})
			expect(t, last(answered), map[string]any{"status/state": "completed", "final": true})

			canceled := stream(v03Text("slow 60", ""), func(v any) {
				if text(v, "status/state") == "working" {
					rpc(t, s.URL(), "tasks/cancel", `{"id":"`+text(v, "taskId")+`"}`)
				}
			})
			expect(t, last(canceled), map[string]any{"status/state": "canceled", "final": true})

			slow := text(v03Send(t, s, v03Text("slow 0.3", `{"blocking":false}`)), "result/id")
			resumed := events(t, s.URL(), "tasks/resubscribe", `{"id":"`+slow+`","metadata":{"a":1}}`, nil)
			expect(t, last(resumed), map[string]any{"taskId": slow, "status/state": "completed", "final": true})
			if kind := text(resumed[0], "kind"); (kind == "task") != (variant == "full") {
				t.Errorf("a resubscription begins with %s", kind)
			}
		})
	}
}

func TestA2A03Push(t *testing.T) {
	type delivery struct {
		path   string
		header http.Header
		body   any
	}
	got := make(chan delivery, 50)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		body, _ := decode(raw)
		got <- delivery{r.URL.Path, r.Header, body}
		if r.URL.Path == "/c" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer hook.Close()
	s := start(t, Options{Dialect: "a2a-0.3"})

	begun := v03Send(t, s, v03Text("slow 0.3", `{"blocking":false,"pushNotificationConfig":{"url":"`+hook.URL+
		`/a","token":"tok","authentication":{"schemes":["Bearer"],"credentials":"secret"}}}`))
	id := text(begun, "result/id")
	set := func(config, path string) {
		r := rpc(t, s.URL(), setPushConfigMethod, `{"taskId":"`+id+`","pushNotificationConfig":{"id":"`+config+`","url":"`+hook.URL+path+`"}}`)
		expect(t, r.body, map[string]any{"result/taskId": id, "result/pushNotificationConfig/id": config, "result/pushNotificationConfig/url": hook.URL + path})
	}
	set("b", "/old")
	set("b", "/b")
	set("c", "/c")
	set("d", "/d")
	r := rpc(t, s.URL(), deletePushConfigMethod, `{"id":"`+id+`","pushNotificationConfigId":"d"}`)
	if !has(r.body, "result") || at(r.body, "result") != nil {
		t.Errorf("deletion: %s", r.raw)
	}
	r = rpc(t, s.URL(), listPushConfigMethod, `{"id":"`+id+`"}`)
	expect(t, r.body, map[string]any{"result/0/pushNotificationConfig/id": id, "result/1/pushNotificationConfig/id": "b", "result/2/pushNotificationConfig/id": "c", "result/3": nil})
	r = rpc(t, s.URL(), getPushConfigMethod, `{"id":"`+id+`"}`)
	expect(t, r.body, map[string]any{"result/pushNotificationConfig/token": "tok", "result/pushNotificationConfig/authentication/schemes/0": "Bearer"})
	r = rpc(t, s.URL(), getPushConfigMethod, `{"id":"`+id+`","pushNotificationConfigId":"b"}`)
	expect(t, r.body, map[string]any{"result/taskId": id, "result/pushNotificationConfig/url": hook.URL + "/b"})

	ended := map[string]bool{}
	for len(ended) < 3 {
		select {
		case d := <-got:
			expect(t, d.body, map[string]any{"kind": "task", "id": id})
			if d.path == "/a" && (d.header.Get("X-A2A-Notification-Token") != "tok" || d.header.Get("Authorization") != "Bearer secret") {
				t.Errorf("delivery: %+v", d)
			}
			if text(d.body, "status/state") == "completed" {
				ended[d.path] = true
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("ended: %v", ended)
		}
	}
	if ended["/old"] || ended["/d"] {
		t.Errorf("ended: %v", ended)
	}
}

func TestA2A03Guard(t *testing.T) {
	s := start(t, Options{Dialect: "a2a-0.3", Variant: "guarded"})
	first, second, low := "Bearer "+Token, "Bearer "+SecondToken, "Bearer "+LowToken
	begun := ask(t, s, first, "message/send", v03Text("ask", v03Blocking))
	id := text(begun.body, "result/id")
	task := `{"id":"` + id + `"}`
	for _, c := range []struct {
		name, authorization, method, params string
		status, code                        int // code 0 is a result
	}{
		{"nobody", "", "tasks/get", task, 401, -32050},
		{"a stranger", "Bearer x", "message/send", v03Text("echo x", ""), 401, -32050},
		{"nobody and the extended card", "", extendedCardMethod, `{}`, 401, -32050},
		{"another client", second, "tasks/get", task, 200, -32001},
		{"another client answers", second, "message/send", v03Answer(id, "blue"), 200, -32001},
		{"another client configures", second, setPushConfigMethod, `{"taskId":"` + id + `","pushNotificationConfig":{"url":"https://x.invalid/"}}`, 200, -32001},
		{"few rights", low, "message/send", v03Text("forbidden", ""), 403, -32051},
		{"the owner", first, "message/send", v03Answer(id, "blue"), 200, 0},
	} {
		r := ask(t, s, c.authorization, c.method, c.params)
		code, _ := strconv.Atoi(string(encode(at(r.body, "error/code"))))
		if r.status != c.status || code != c.code || at(r.body, "id") != "r" {
			t.Errorf("%s: answered %d %v", c.name, r.status, r.body)
		}
	}
	for header, want := range map[string]int{"": 401, "Authorization: Bearer x": 401, "Authorization: " + first: 200, apiKeyHeader + ": " + Token: 200} {
		q, err := http.NewRequest("GET", s.URL()+"/.well-known/agent-card.json", nil)
		if err != nil {
			t.Fatal(err)
		}
		if name, value, ok := strings.Cut(header, ": "); ok {
			q.Header.Set(name, value)
		}
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != want || (r.Header.Get("WWW-Authenticate") != "") != (want == 401) {
			t.Errorf("with %q the card is answered %d, %v", header, r.StatusCode, r.Header)
		}
	}
	r, _ := http.NewRequest("POST", s.URL(), strings.NewReader(a2aCall(`"r"`, "tasks/get", task)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(apiKeyHeader, Token)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	reply.Body.Close()
	if reply.StatusCode != 200 {
		t.Errorf("an API key is answered %d", reply.StatusCode)
	}
}
