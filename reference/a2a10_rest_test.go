package reference

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// rest10 makes requests of A2A 1.0 over HTTP+JSON.
type rest10 struct {
	t    *testing.T
	base string
	more map[string]string // headers
}

func startRest10(t *testing.T, variant string) (v10, rest10) {
	t.Helper()
	s, rpc := start10(t, variant)
	return rpc, rest10{t, s.URL() + "/rest", rpc.more}
}

// with is the same client with one header set to another value.
func (c rest10) with(name, value string) rest10 {
	return rest10{c.t, c.base, v10{more: c.more}.with(name, value).more}
}

// ask makes a request and reads the whole reply. A body is labelled as is due.
func (c rest10) ask(verb, path, body string) result {
	c.t.Helper()
	media := ""
	if body != "" {
		media = "application/a2a+json"
	}
	return c.askAs(media, verb, path, body)
}

func (c rest10) askAs(media, verb, path, body string) result {
	c.t.Helper()
	r := fetchWith(c.t, verb, c.base+path, media, body, c.more)
	if got := r.header.Get("Content-Type"); r.raw != "" && !strings.HasPrefix(got, "application/a2a+json") && !strings.HasPrefix(got, "text/event-stream") {
		c.t.Errorf("%s %s is answered as %q", verb, path, got)
	}
	if at(r.body, "jsonrpc") != nil {
		c.t.Errorf("%s %s is answered with an envelope: %s", verb, path, r.raw)
	}
	return r
}

// refused expects an error of a status and, unless it is none of the protocol, a reason.
func (c rest10) refused(r result, status int, name, reason string) {
	c.t.Helper()
	want := map[string]any{"error/code": status, "error/status": name}
	if reason != "" {
		want["error/details/0/@type"] = "type.googleapis.com/google.rpc.ErrorInfo"
		want["error/details/0/domain"] = "a2a-protocol.org"
		want["error/details/0/reason"] = reason
	}
	expect(c.t, r.body, want)
	if r.status != status || text(r.body, "error/message") == "" {
		c.t.Errorf("refused with HTTP %d and %s", r.status, r.raw)
	}
}

// events reads the events of a stream to its end.
func (c rest10) events(verb, path, body string) []any {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), verb, c.base+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	for name, value := range c.more {
		r.Header.Set(name, value)
	}
	reply, err := client.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer reply.Body.Close()
	if media := reply.Header.Get("Content-Type"); !strings.HasPrefix(media, "text/event-stream") {
		raw, _ := io.ReadAll(reply.Body)
		c.t.Fatalf("%s %s: the stream is %s %s", verb, path, media, raw)
	}
	return readEvents(c.t, reply.Body, func(v any) {
		if at(v, "jsonrpc") != nil {
			c.t.Errorf("an event has an envelope: %v", v)
		}
	})
}

func TestRestServesEveryOperation(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{"full", "lavish", "tls", "limited", "signed", "two-versions"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			rpc, c := startRest10(t, variant)
			done := c.ask("POST", "/message:send", v10Text("echo hello", `,"contextId":"a/b c"`, ""))
			expect(t, done.body, map[string]any{"task/status/state": "TASK_STATE_COMPLETED", "task/contextId": "a/b c", "task/status/message/role": "ROLE_AGENT"})
			id := text(done.body, "task/id")
			expect(t, c.ask("GET", "/tasks/"+id+"?historyLength=1", "").body, map[string]any{"id": id, "status/state": "TASK_STATE_COMPLETED", "history/1": nil})
			expect(t, rpc.call("GetTask", `{"id":"`+id+`"}`).body, map[string]any{"result/id": id})
			expect(t, c.ask("GET", "/tasks?pageSize=1&includeArtifacts=true&status=TASK_STATE_COMPLETED&contextId=a%2Fb+c", "").body,
				map[string]any{"tasks/0/id": id, "pageSize": 1, "totalSize": 1, "tasks/0/artifacts/0/artifactId": "artifact-0"})
			c.refused(c.ask("POST", "/tasks/"+id+":cancel", ""), 400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE")
			c.refused(c.ask("POST", "/message:send", v10Text("more", `,"taskId":"`+id+`"`, "")), 400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION")
			c.refused(c.ask("GET", "/tasks/no%2Fsuch", ""), 404, "NOT_FOUND", "TASK_NOT_FOUND")

			waiting := text(c.ask("POST", "/message:send", v10Text("ask", "", "")).body, "task/id")
			configs := "/tasks/" + waiting + "/pushNotificationConfigs"
			expect(t, c.ask("POST", configs, `{"id":"c 1","url":"https://hook.invalid/"}`).body, map[string]any{"id": "c 1", "taskId": waiting})
			expect(t, c.ask("GET", configs+"/c%201", "").body, map[string]any{"id": "c 1", "taskId": waiting})
			expect(t, rpc.call("ListTaskPushNotificationConfigs", `{"taskId":"`+waiting+`"}`).body, map[string]any{"result/configs/0/id": "c 1"})
			if r := c.ask("DELETE", configs+"/c%201", ""); r.status != 200 && r.status != 204 {
				t.Errorf("DELETE is answered with %d %s", r.status, r.raw)
			}
			expect(t, c.ask("GET", configs, "").body, map[string]any{"configs/0": nil})
			expect(t, c.ask("POST", "/tasks/"+waiting+":cancel", `{"metadata":{"why":"test"}}`).body, map[string]any{"status/state": "TASK_STATE_CANCELED"})

			list := c.events("POST", "/message:stream", v10Text("artifact", "", ""))
			expect(t, list[0], map[string]any{"task/status/state": "TASK_STATE_SUBMITTED"})
			expect(t, list[len(list)-1], map[string]any{"statusUpdate/status/state": "TASK_STATE_COMPLETED"})
			for _, verb := range []string{"GET", "POST"} {
				slow := text(c.ask("POST", "/message:send", v10Text("slow 0.3", "", v10Now)).body, "task/id")
				list = c.events(verb, "/tasks/"+slow+":subscribe", "")
				expect(t, list[0], map[string]any{"task/id": slow})
				expect(t, list[len(list)-1], map[string]any{"statusUpdate/status/state": "TASK_STATE_COMPLETED"})
			}
			if variant != "lavish" {
				c.refused(c.ask("POST", "/tasks/"+id+":subscribe", ""), 400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION")
				c.refused(c.ask("POST", "/message:stream", `{}`), 400, "INVALID_ARGUMENT", "")
				c.refused(c.ask("GET", "/extendedAgentCard", ""), 400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION")
				return
			}
			c.refused(c.ask("GET", "/extendedAgentCard", ""), 400, "FAILED_PRECONDITION", "EXTENDED_AGENT_CARD_NOT_CONFIGURED")
			if list := c.events("POST", "/tasks/"+id+":subscribe", ""); text(list[0], "error/status") != "FAILED_PRECONDITION" {
				t.Errorf("the stream that is refused says %v", list)
			}
		})
	}
}

func TestRestRefuses(t *testing.T) {
	t.Parallel()
	_, c := startRest10(t, "full")
	message := v10Text("echo x", "", "")
	for _, test := range []struct {
		media, verb, path, body string
		status                  int
		name                    string
	}{
		{"", "GET", "/no-such-path", "", 404, "NOT_FOUND"},
		{"", "GET", "", "", 404, "NOT_FOUND"},
		{"", "DELETE", "/message:send", "", 405, "UNIMPLEMENTED"},
		{"", "POST", "/tasks/x", "", 405, "UNIMPLEMENTED"},
		{"text/plain", "POST", "/message:send", message, 415, "INVALID_ARGUMENT"},
		{"application/json", "POST", "/message:send", `{"message":`, 400, "INVALID_ARGUMENT"},
		{"application/json", "POST", "/message:send", `[]`, 400, "INVALID_ARGUMENT"},
		{"application/json", "POST", "/message:send", `{}`, 400, "INVALID_ARGUMENT"},
		{"", "POST", "/message:send", "", 400, "INVALID_ARGUMENT"},
		{"application/json", "POST", "/message:send", strings.Repeat(" ", maxBody+1), 413, "INVALID_ARGUMENT"},
		{"", "GET", "/tasks?pageSize=many", "", 400, "INVALID_ARGUMENT"},
		{"", "GET", "/tasks?includeArtifacts=1", "", 400, "INVALID_ARGUMENT"},
		{"", "GET", "/tasks?status=3", "", 400, "INVALID_ARGUMENT"},
		{"", "GET", "/tasks?statusTimestampAfter=1767225600", "", 400, "INVALID_ARGUMENT"},
	} {
		r := c.askAs(test.media, test.verb, test.path, test.body)
		c.refused(r, test.status, test.name, "")
		if allow := r.header.Get("Allow"); (allow != "") != (r.status == 405) {
			t.Errorf("%s %s is for %q", test.verb, test.path, allow)
		}
	}
	expect(t, c.askAs("application/json; charset=utf-8", "POST", "/message:send", message).body, map[string]any{"task/status/state": "TASK_STATE_COMPLETED"})
	expect(t, c.ask("POST", "/acme/message:send", message).body, map[string]any{"task/status/state": "TASK_STATE_COMPLETED"})
	c.refused(c.with("A2A-Version", "").ask("GET", "/tasks/none", ""), 400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED")
	c.refused(c.with("A2A-Version", "").ask("GET", "/tasks/none?A2A-Version=1.0", ""), 404, "NOT_FOUND", "TASK_NOT_FOUND")
	foreign := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"raw":"eA==","mediaType":"application/x-unknown"}]}}`
	c.refused(c.ask("POST", "/message:send", foreign), 400, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED")

	_, silent := startRest10(t, "silent")
	c.refused(silent.ask("POST", "/message:stream", message), 400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION")
	c.refused(silent.ask("GET", "/tasks/x/pushNotificationConfigs", ""), 400, "FAILED_PRECONDITION", "PUSH_NOTIFICATION_NOT_SUPPORTED")
	_, both := startRest10(t, "two-versions")
	older := both.with("A2A-Version", "0.3").ask("GET", "/tasks/none", "")
	c.refused(older, 400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED")
	expect(t, older.body, map[string]any{"error/details/0/metadata/supportedVersions": "1.0"})
	_, extended := startRest10(t, "extended")
	c.refused(extended.ask("POST", "/message:send", message), 400, "FAILED_PRECONDITION", "EXTENSION_SUPPORT_REQUIRED")
	if r := extended.with("A2A-Extensions", v10Trace).ask("POST", "/message:send", message); r.status != 200 || r.header.Get("A2A-Extensions") != v10Trace {
		t.Errorf("the extension is answered with %d, %q", r.status, r.header.Get("A2A-Extensions"))
	}
}

func TestRestKeepsTenantsApart(t *testing.T) {
	t.Parallel()
	rpc, c := startRest10(t, "tenanted")
	id := text(c.ask("POST", "/acme/message:send", v10Text("ask", "", "")).body, "task/id")
	expect(t, c.ask("GET", "/acme/tasks/"+id, "").body, map[string]any{"id": id})
	expect(t, c.ask("GET", "/tasks/"+id+"?tenant=acme", "").body, map[string]any{"id": id})
	expect(t, rpc.call("GetTask", `{"id":"`+id+`","tenant":"acme"}`).body, map[string]any{"result/id": id})
	c.refused(c.ask("GET", "/globex/tasks/"+id, ""), 404, "NOT_FOUND", "TASK_NOT_FOUND")
	c.refused(c.ask("POST", "/message:send", v10Text("ask", "", "")), 400, "INVALID_ARGUMENT", "")
	expect(t, c.ask("GET", "/globex/tasks", "").body, map[string]any{"totalSize": 0})
	expect(t, c.ask("POST", "/acme/tasks/"+id+"/pushNotificationConfigs", `{"url":"https://hook.invalid/"}`).body, map[string]any{"taskId": id, "tenant": "acme"})
}

func TestRestIsGuardedAndLimited(t *testing.T) {
	t.Parallel()
	_, c := startRest10(t, "guarded")
	nobody, second, low := c.with("Authorization", ""), c.with("Authorization", "Bearer "+SecondToken), c.with("Authorization", "Bearer "+LowToken)
	id := text(c.ask("POST", "/message:send", v10Text("ask", "", "")).body, "task/id")
	for _, path := range []string{"/tasks", "/tasks/" + id, "/extendedAgentCard", "/no-such-path"} {
		r := nobody.ask("GET", path, "")
		c.refused(r, 401, "UNAUTHENTICATED", "")
		if !strings.HasPrefix(r.header.Get("WWW-Authenticate"), "Bearer ") {
			t.Errorf("GET %s is refused without a challenge", path)
		}
	}
	c.refused(second.ask("GET", "/tasks/"+id, ""), 404, "NOT_FOUND", "TASK_NOT_FOUND")
	c.refused(second.ask("POST", "/tasks/"+id+":cancel", ""), 404, "NOT_FOUND", "TASK_NOT_FOUND")
	c.refused(low.ask("POST", "/message:send", v10Text("forbidden", "", "")), 403, "PERMISSION_DENIED", "")
	card := c.ask("GET", "/extendedAgentCard", "")
	expect(t, card.body, map[string]any{"skills/3/id": "forbidden"})
	if card.header.Get("Cache-Control") != "private" || !verified(card.body, 0) {
		t.Errorf("the extended card comes with %v", card.header)
	}
	expect(t, second.ask("GET", "/tasks", "").body, map[string]any{"totalSize": 0})

	s := start(t, Options{Dialect: "a2a-1.0", Variant: "limited", Rate: Rate{Requests: 2, Window: time.Minute}})
	limited := rest10{t, s.URL() + "/rest", c.more}
	for range 2 {
		c.refused(limited.ask("GET", "/tasks/none", ""), 404, "NOT_FOUND", "TASK_NOT_FOUND")
	}
	r := limited.ask("GET", "/tasks/none", "")
	c.refused(r, 429, "RESOURCE_EXHAUSTED", "")
	if r.header.Get("Retry-After") == "" {
		t.Error("the limit does not say when to come again")
	}
}

// A card lists both bindings, JSON-RPC first.
func TestCardListsRest(t *testing.T) {
	t.Parallel()
	for _, variant := range Variants("a2a-1.0") {
		s, _ := start10(t, variant)
		list, _ := at(fetch(t, "GET", s.URL()+"/.well-known/agent-card.json", "", "").body, "supportedInterfaces").([]any)
		i := slices.IndexFunc(list, func(v any) bool { return text(v, "protocolBinding") == "HTTP+JSON" })
		if i < 1 {
			t.Fatalf("%s: the interfaces are %v", variant, list)
		}
		expect(t, list[i], map[string]any{"url": s.URL() + "/rest", "protocolVersion": "1.0"})
		if tenant := text(list[i], "tenant"); (tenant != "") != (variant == "tenanted") {
			t.Errorf("%s: the tenant is %q", variant, tenant)
		}
	}
}
