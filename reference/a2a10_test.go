package reference

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// v10 makes calls of A2A 1.0 to a server.
type v10 struct {
	t    *testing.T
	url  string
	more map[string]string // further headers
}

func start10(t *testing.T, variant string) (*Server, v10) {
	t.Helper()
	s := start(t, Options{Dialect: "a2a-1.0", Variant: variant})
	return s, v10{t, s.URL() + "/", map[string]string{"A2A-Version": "1.0"}}
}

// with is the same client with one more header.
func (c v10) with(name, value string) v10 {
	more := map[string]string{name: value}
	for n, v := range c.more {
		if _, ok := more[n]; !ok {
			more[n] = v
		}
	}
	return v10{c.t, c.url, more}
}

// call calls a method with params given as JSON.
func (c v10) call(method, params string) result {
	c.t.Helper()
	return fetchWith(c.t, http.MethodPost, c.url, "application/json", `{"jsonrpc":"2.0","id":"r","method":"`+method+`","params":`+params+`}`, c.more)
}

// say sends a text, with more members of the message and of the params.
func (c v10) say(text, message, params string) any {
	c.t.Helper()
	return c.call("SendMessage", v10Text(text, message, params)).body
}

// events reads the results of a stream to its end.
func (c v10) events(method, params string, seen func(any)) []any {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url, strings.NewReader(`{"jsonrpc":"2.0","id":"s","method":"`+method+`","params":`+params+`}`))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range c.more {
		r.Header.Set(name, value)
	}
	reply, err := client.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer reply.Body.Close()
	if media := reply.Header.Get("Content-Type"); !strings.HasPrefix(media, "text/event-stream") {
		c.t.Fatalf("%s: the stream is %s", method, media)
	}
	var results []any
	readEvents(c.t, reply.Body, func(v any) {
		expect(c.t, v, map[string]any{"id": "s", "jsonrpc": "2.0"})
		results = append(results, at(v, "result"))
		if seen != nil {
			seen(at(v, "result"))
		}
	})
	return results
}

// v10Text is the params of a message with one text.
func v10Text(text, message, params string) string {
	return fmt.Sprintf(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":%q}]%s}%s}`, text, message, params)
}

func TestA2A10AnswersWithTasksAndMessages(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{"full", "minimal", "lavish", "silent", "tls", "limited", "signed", "two-versions"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			_, c := start10(t, variant)
			done := c.say("echo hello", "", "")
			expect(t, done, map[string]any{"jsonrpc": "2.0", "id": "r", "result/task/status/state": "TASK_STATE_COMPLETED",
				"result/task/status/message/role": "ROLE_AGENT", "result/task/kind": nil})
			id := text(done, "result/task/id")
			expect(t, c.call("GetTask", `{"id":"`+id+`"}`).body, map[string]any{"result/id": id, "result/status/state": "TASK_STATE_COMPLETED"})
			expect(t, c.call("GetTask", `{"id":"none"}`).body, map[string]any{"error/code": -32001})
			expect(t, c.call("CancelTask", `{"id":"`+id+`"}`).body, map[string]any{"error/code": -32002})
			expect(t, c.say("more", `,"taskId":"`+id+`"`, ""), map[string]any{"error/code": -32004})
			expect(t, c.say("hello", "", ""), map[string]any{"result/message/role": "ROLE_AGENT", "result/task": nil})
			expect(t, c.say("", `,"parts":[]`, ""), map[string]any{"error/code": -32602})
			asked := c.say("ask", `,"contextId":"mine"`, "")
			expect(t, asked, map[string]any{"result/task/status/state": "TASK_STATE_INPUT_REQUIRED", "result/task/contextId": "mine"})
			waiting := text(asked, "result/task/id")
			expect(t, c.say("blue", `,"taskId":"`+waiting+`","contextId":"yours"`, ""), map[string]any{"error/code": -32602})
			expect(t, c.say("blue", `,"taskId":"`+waiting+`"`, ""), map[string]any{"result/task/id": waiting, "result/task/contextId": "mine",
				"result/task/status/state": "TASK_STATE_COMPLETED"})
			slow := c.say("slow 5", "", `,"configuration":{"returnImmediately":true}`)
			expect(t, slow, map[string]any{"result/task/status/state": "TASK_STATE_SUBMITTED"})
			expect(t, c.call("CancelTask", `{"id":"`+text(slow, "result/task/id")+`","metadata":{"why":"test"}}`).body,
				map[string]any{"result/status/state": "TASK_STATE_CANCELED"})
		})
	}
}

func TestA2A10Streams(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{"full", "lavish"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			_, c := start10(t, variant)
			list := c.events("SendStreamingMessage", v10Text("artifact", "", ""), nil)
			expect(t, list[0], map[string]any{"task/status/state": "TASK_STATE_SUBMITTED"})
			expect(t, list[len(list)-1], map[string]any{"statusUpdate/status/state": "TASK_STATE_COMPLETED", "statusUpdate/final": nil,
				"statusUpdate/taskId": text(list[0], "task/id")})
			if one := c.events("SendStreamingMessage", v10Text("hello", "", ""), nil); len(one) != 1 || at(one[0], "message") == nil {
				t.Errorf("a message is streamed as %v", one)
			}
			id := text(c.say("slow 0.3", "", `,"configuration":{"returnImmediately":true}`), "result/task/id")
			list = c.events("SubscribeToTask", `{"id":"`+id+`"}`, nil)
			expect(t, list[0], map[string]any{"task/id": id})
			expect(t, list[len(list)-1], map[string]any{"statusUpdate/status/state": "TASK_STATE_COMPLETED"})
			expect(t, c.call("SubscribeToTask", `{"id":"`+id+`"}`).body, map[string]any{"error/code": -32004})
			expect(t, c.call("SubscribeToTask", `{"id":"none"}`).body, map[string]any{"error/code": -32001})
			expect(t, c.call("SendStreamingMessage", `{}`).body, map[string]any{"error/code": -32602})
		})
	}
	for _, variant := range []string{"minimal", "silent"} {
		_, c := start10(t, variant)
		expect(t, c.call("SendStreamingMessage", v10Text("echo x", "", "")).body, map[string]any{"error/code": -32004})
		expect(t, c.call("SubscribeToTask", `{"id":"none"}`).body, map[string]any{"error/code": -32004})
		expect(t, c.call("ListTaskPushNotificationConfigs", `{"taskId":"none"}`).body, map[string]any{"error/code": -32003})
	}
}

// A subscription to a task that waits goes on with the answer.
func TestA2A10SubscriptionsOutlastQuestions(t *testing.T) {
	t.Parallel()
	_, c := start10(t, "full")
	if list := c.events("SendStreamingMessage", v10Text("ask", "", ""), nil); text(list[len(list)-1], "statusUpdate/status/state") != "TASK_STATE_INPUT_REQUIRED" {
		t.Errorf("the stream ends with %v", list[len(list)-1])
	}
	id := text(c.say("ask", "", ""), "result/task/id")
	list := c.events("SubscribeToTask", `{"id":"`+id+`"}`, func(v any) {
		if at(v, "task") != nil {
			c.say("blue", `,"taskId":"`+id+`"`, "")
		}
	})
	expect(t, list[0], map[string]any{"task/status/state": "TASK_STATE_INPUT_REQUIRED"})
	expect(t, list[len(list)-1], map[string]any{"statusUpdate/status/state": "TASK_STATE_COMPLETED"})
}

func TestA2A10Versions(t *testing.T) {
	t.Parallel()
	_, c := start10(t, "full")
	for version, served := range map[string]bool{"1.0": true, "1.0.1": true, "1.0.99": true, "": false, "0.3": false, "0.5": false, "1.99": false, "99.0": false, "banana": false} {
		body := c.with("A2A-Version", version).call("GetTask", `{"id":"none"}`).body
		want := -32009
		if served {
			want = -32001
		}
		expect(t, body, map[string]any{"error/code": want})
		if !served && !strings.Contains(text(body, "error/message"), "1.0") {
			t.Errorf("version %q: %v does not name what is served", version, body)
		}
	}
	_, both := start10(t, "two-versions")
	for _, version := range []string{"", "0.3"} {
		body := both.with("A2A-Version", version).call("message/send", v03Text("echo x", `{"blocking":true}`)).body
		expect(t, body, map[string]any{"result/kind": "task", "result/status/state": "completed"})
		expect(t, both.call("GetTask", `{"id":"`+text(body, "result/id")+`"}`).body, map[string]any{"result/status/state": "TASK_STATE_COMPLETED"})
	}
	expect(t, both.call("message/send", v03Text("echo x", "")).body, map[string]any{"error/code": -32601})
}

func TestA2A10Lists(t *testing.T) {
	t.Parallel()
	_, c := start10(t, "full")
	var ids []string
	for i := range 5 {
		ids = append([]string{text(c.say(fmt.Sprint("echo ", i), `,"contextId":"one"`, ""), "result/task/id")}, ids...)
	}
	c.say("ask", `,"contextId":"two"`, "")
	var seen []string
	token := ""
	for range 3 {
		page := c.call("ListTasks", `{"contextId":"one","pageSize":2,"pageToken":"`+token+`"}`).body
		expect(t, page, map[string]any{"result/totalSize": 5, "result/pageSize": 2, "result/tasks/0/artifacts": nil})
		list, _ := at(page, "result/tasks").([]any)
		for _, task := range list {
			seen = append(seen, text(task, "id"))
		}
		token = text(page, "result/nextPageToken")
	}
	if fmt.Sprint(seen) != fmt.Sprint(ids) || token != "" {
		t.Errorf("the pages hold %v, want %v; the last token is %q", seen, ids, token)
	}
	expect(t, c.call("ListTasks", `{"status":"TASK_STATE_INPUT_REQUIRED"}`).body, map[string]any{"result/totalSize": 1, "result/pageSize": 50, "result/nextPageToken": ""})
	expect(t, c.call("ListTasks", `{"contextId":"none"}`).body, map[string]any{"result/totalSize": 0, "result/nextPageToken": ""})
	middle := text(c.call("GetTask", `{"id":"`+ids[2]+`"}`).body, "result/status/timestamp")
	if n := at(c.call("ListTasks", `{"contextId":"one","includeArtifacts":true,"statusTimestampAfter":"`+middle+`"}`).body, "result/tasks/2"); text(n, "id") != ids[2] || at(n, "artifacts/0/artifactId") == nil {
		t.Errorf("the third task since %s is %v", middle, n)
	}
	for _, params := range []string{`{"pageSize":0}`, `{"pageSize":101}`, `{"pageSize":-1}`, `{"pageToken":"not-a-token"}`, `{"status":"TASK_STATE_RUNNING"}`,
		`{"statusTimestampAfter":"yesterday"}`, `{"historyLength":-1}`} {
		body := c.call("ListTasks", params).body
		expect(t, body, map[string]any{"error/code": -32602, "error/data/0/@type": "type.googleapis.com/google.rpc.BadRequest"})
		if field := text(body, "error/data/0/fieldViolations/0/field"); !strings.Contains(params, `"`+field+`"`) {
			t.Errorf("%s is refused because of %q", params, field)
		}
	}
	_, lavish := start10(t, "lavish")
	expect(t, lavish.call("ListTasks", `{"pageSize":1000}`).body, map[string]any{"result/pageSize": 100})
	expect(t, lavish.call("ListTasks", `{"pageSize":-1}`).body, map[string]any{"result/pageSize": 1})
}
