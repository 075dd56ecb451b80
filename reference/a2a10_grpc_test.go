package reference

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
)

func TestGRPCServesEveryOperation(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{"full", "lavish", "tls", "limited", "signed", "two-versions"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			_, rpc, c := startGRPC10(t, variant)
			done := c.call("SendMessage", v10Text("echo hello", `,"contextId":"a/b c"`, ""))
			expect(t, done.result(t), map[string]any{"task/status/state": "TASK_STATE_COMPLETED", "task/contextId": "a/b c", "task/status/message/role": "ROLE_AGENT"})
			if done.unknown {
				t.Error("the task has unknown fields")
			}
			id := text(done.result(t), "task/id")
			expect(t, c.call("GetTask", `{"id":"`+id+`","historyLength":1}`).result(t), map[string]any{"id": id, "history/1": nil})
			expect(t, rpc.call("GetTask", `{"id":"`+id+`"}`).body, map[string]any{"result/id": id})
			expect(t, c.call("ListTasks", `{"pageSize":1,"includeArtifacts":true,"status":"TASK_STATE_COMPLETED","contextId":"a/b c","statusTimestampAfter":"2020-01-01T00:00:00Z"}`).result(t),
				map[string]any{"tasks/0/id": id, "pageSize": 1, "totalSize": 1, "tasks/0/artifacts/0/artifactId": "artifact-0"})
			c.refused(c.call("CancelTask", `{"id":"`+id+`"}`), codes.FailedPrecondition, "TASK_NOT_CANCELABLE")
			c.refused(c.call("SendMessage", v10Text("more", `,"taskId":"`+id+`"`, "")), codes.FailedPrecondition, "UNSUPPORTED_OPERATION")
			c.refused(c.call("GetTask", `{"id":"none"}`), codes.NotFound, "TASK_NOT_FOUND")

			waiting := text(c.call("SendMessage", v10Text("ask", "", "")).result(t), "task/id")
			config := `{"taskId":"` + waiting + `","id":"c 1"}`
			expect(t, c.call("CreateTaskPushNotificationConfig", `{"taskId":"`+waiting+`","id":"c 1","url":"https://hook.invalid/"}`).result(t), map[string]any{"id": "c 1", "taskId": waiting})
			expect(t, c.call("GetTaskPushNotificationConfig", config).result(t), map[string]any{"id": "c 1", "taskId": waiting})
			expect(t, rpc.call("ListTaskPushNotificationConfigs", `{"taskId":"`+waiting+`"}`).body, map[string]any{"result/configs/0/id": "c 1"})
			if gone := c.call("DeleteTaskPushNotificationConfig", config); len(object(gone.result(t), "")) > 0 || gone.unknown {
				t.Errorf("a deletion is answered with %v", gone.results)
			}
			expect(t, c.call("ListTaskPushNotificationConfigs", `{"taskId":"`+waiting+`"}`).result(t), map[string]any{"configs/0": nil})
			expect(t, c.call("CancelTask", `{"id":"`+waiting+`","metadata":{"why":"test"}}`).result(t), map[string]any{"status/state": "TASK_STATE_CANCELED"})

			list := c.call("SendStreamingMessage", v10Text("artifact", "", ""))
			if list.status.Code() != codes.OK {
				t.Fatalf("the stream ends with %v", list.status)
			}
			expect(t, list.results[0], map[string]any{"task/status/state": "TASK_STATE_SUBMITTED"})
			expect(t, list.results[len(list.results)-1], map[string]any{"statusUpdate/status/state": "TASK_STATE_COMPLETED"})
			slow := text(c.call("SendMessage", v10Text("slow 0.3", "", v10Now)).result(t), "task/id")
			list = c.call("SubscribeToTask", `{"id":"`+slow+`"}`)
			expect(t, list.results[0], map[string]any{"task/id": slow})
			expect(t, list.results[len(list.results)-1], map[string]any{"statusUpdate/status/state": "TASK_STATE_COMPLETED"})

			c.refused(c.call("SubscribeToTask", `{"id":"`+id+`"}`), codes.FailedPrecondition, "UNSUPPORTED_OPERATION")
			c.refused(c.call("SendStreamingMessage", `{}`), codes.InvalidArgument, "")
			reason := "UNSUPPORTED_OPERATION"
			if variant == "lavish" {
				reason = "EXTENDED_AGENT_CARD_NOT_CONFIGURED"
			}
			c.refused(c.call("GetExtendedAgentCard", `{}`), codes.FailedPrecondition, reason)
		})
	}
}

// What is said over gRPC is what is said over JSON-RPC, but for the members that a
// message does not have and the values that it does not tell from none.
func TestGRPCLosesNothing(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{"full", "minimal", "guarded", "two-versions"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			_, rpc, c := startGRPC10(t, variant)
			for _, word := range []string{"echo hello", "ask", "artifact", "fail"} {
				id := text(c.call("SendMessage", v10Text(word, `,"metadata":{"n":1.5,"list":[null,{"a":true}]}`, "")).result(t), "task/id")
				params := `{"id":"` + id + `","historyLength":9}`
				same(t, c.call("GetTask", params).result(t), at(rpc.call("GetTask", params).body, "result"))
			}
			if variant == "guarded" {
				card := c.call("GetExtendedAgentCard", `{}`)
				if card.unknown || !verified(card.result(t), 0) {
					t.Errorf("the card has unknown fields (%v), or a signature that does not hold", card.unknown)
				}
				want := at(rpc.call("GetExtendedAgentCard", `{}`).body, "result")
				for _, card := range []any{card.result(t), want} { // a signature is never the same twice
					list, _ := at(card, "signatures").([]any)
					for _, signature := range list {
						object(signature, "")["signature"] = "S"
					}
				}
				same(t, card.result(t), want)
			}
		})
	}
}

// same compares two JSON values. A member with an empty value may be absent.
func same(t *testing.T, got, want any) {
	t.Helper()
	if g, w := encode(full(got)), encode(full(want)); string(g) != string(w) {
		t.Errorf("over gRPC it is\n%s\nand over JSON-RPC\n%s", g, w)
	}
}

// full is v without empty members of objects, and with its numbers written alike.
func full(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = full(v[i])
		}
	case map[string]any:
		for name, member := range v {
			v[name] = full(member)
			switch m := v[name].(type) {
			case []any:
				if len(m) == 0 {
					delete(v, name)
				}
			case string:
				// Times are written with as many digits as they need.
				if at, err := time.Parse(time.RFC3339Nano, m); err == nil {
					v[name] = at.UnixMilli()
				}
				if m == "" {
					delete(v, name)
				}
			case bool:
				if !m && name == "required" {
					delete(v, name)
				}
			}
		}
	}
	return v
}

func TestGRPCRefuses(t *testing.T) {
	t.Parallel()
	_, _, c := startGRPC10(t, "full")
	message := v10Text("echo x", "", "")
	for _, params := range []string{`{}`, `{"message":{}}`, `{"message":{"messageId":"m","parts":[{"text":"x"}]}}`, `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{}]}}`,
		`{"message":{"messageId":"m","role":7,"parts":[{"text":"x"}]}}`} {
		refused := c.call("SendMessage", params)
		c.refused(refused, codes.InvalidArgument, "")
		if details(t, refused.status)["BadRequest"] == nil {
			t.Errorf("%s is refused without the field: %v", params, refused.status)
		}
	}
	c.refused(c.call("ListTasks", `{"pageSize":-1}`), codes.InvalidArgument, "")
	c.refused(c.call("ListTasks", `{"status":77}`), codes.InvalidArgument, "")
	c.refused(c.with("a2a-version", "").call("GetTask", `{"id":"none"}`), codes.FailedPrecondition, "VERSION_NOT_SUPPORTED")
	c.refused(c.with("a2a-version", "99.0").call("GetTask", `{"id":"none"}`), codes.FailedPrecondition, "VERSION_NOT_SUPPORTED")
	c.refused(c.with("a2a-version", "1.0.1").call("GetTask", `{"id":"none"}`), codes.NotFound, "TASK_NOT_FOUND")
	c.refused(c.call("SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"raw":"eA==","mediaType":"application/x-unknown"}]}}`),
		codes.InvalidArgument, "CONTENT_TYPE_NOT_SUPPORTED")
	large := c.call("SendMessage", v10Text(strings.Repeat("x", maxBody), "", ""))
	c.refused(large, codes.ResourceExhausted, "")

	_, _, silent := startGRPC10(t, "silent")
	c.refused(silent.call("SendStreamingMessage", message), codes.FailedPrecondition, "UNSUPPORTED_OPERATION")
	c.refused(silent.call("ListTaskPushNotificationConfigs", `{"taskId":"x"}`), codes.FailedPrecondition, "PUSH_NOTIFICATION_NOT_SUPPORTED")
	_, _, both := startGRPC10(t, "two-versions")
	older := both.with("a2a-version", "0.3").call("GetTask", `{"id":"none"}`)
	c.refused(older, codes.FailedPrecondition, "VERSION_NOT_SUPPORTED")
	expect(t, details(t, older.status)["ErrorInfo"], map[string]any{"metadata/supportedVersions": "1.0"})
	_, _, extended := startGRPC10(t, "extended")
	c.refused(extended.call("SendMessage", message), codes.FailedPrecondition, "EXTENSION_SUPPORT_REQUIRED")
	active := extended.with("a2a-extensions", v10Trace).call("SendMessage", message)
	expect(t, active.result(t), map[string]any{"task/status/state": "TASK_STATE_COMPLETED"})
	if got := active.header.Get("a2a-extensions"); !slices.Equal(got, []string{v10Trace}) {
		t.Errorf("the extensions that are active are %q", got)
	}
	_, _, talking := startGRPC10(t, "talking")
	expect(t, talking.call("SendMessage", message).result(t), map[string]any{"message/role": "ROLE_AGENT"})
	expect(t, talking.call("SendStreamingMessage", message).result(t), map[string]any{"message/role": "ROLE_AGENT"})
}

func TestGRPCKeepsTenantsApart(t *testing.T) {
	t.Parallel()
	s, rpc, c := startGRPC10(t, "tenanted")
	id := text(c.call("SendMessage", v10Text("ask", "", `,"tenant":"acme"`)).result(t), "task/id")
	expect(t, c.call("GetTask", `{"id":"`+id+`","tenant":"acme"}`).result(t), map[string]any{"id": id})
	expect(t, rpc.call("GetTask", `{"id":"`+id+`","tenant":"acme"}`).body, map[string]any{"result/id": id})
	c.refused(c.call("GetTask", `{"id":"`+id+`","tenant":"globex"}`), codes.NotFound, "TASK_NOT_FOUND")
	c.refused(c.call("SendMessage", v10Text("ask", "", "")), codes.InvalidArgument, "")
	var tenants []string
	list, _ := at(fetch(t, "GET", s.URL()+"/.well-known/agent-card.json", "", "").body, "supportedInterfaces").([]any)
	for _, entry := range list {
		if text(entry, "protocolBinding") == "GRPC" {
			tenants = append(tenants, text(entry, "tenant"))
		}
	}
	if !slices.Equal(tenants, []string{"acme", "globex"}) {
		t.Errorf("over gRPC the card has the tenants %q", tenants)
	}
}

func TestGRPCIsGuardedAndLimited(t *testing.T) {
	t.Parallel()
	_, rpc, c := startGRPC10(t, "guarded")
	nobody, second, low := c.with("authorization", ""), c.with("authorization", "Bearer "+SecondToken), c.with("authorization", "Bearer "+LowToken)
	id := text(c.call("SendMessage", v10Text("ask", "", "")).result(t), "task/id")
	c.refused(nobody.call("GetTask", `{"id":"`+id+`"}`), codes.Unauthenticated, "")
	c.refused(nobody.call("SubscribeToTask", `{"id":"`+id+`"}`), codes.Unauthenticated, "")
	c.refused(nobody.call("GetExtendedAgentCard", `{}`), codes.Unauthenticated, "")
	expect(t, nobody.with("x-api-key", Key).call("GetTask", `{"id":"`+id+`"}`).result(t), map[string]any{"id": id})
	c.refused(second.call("GetTask", `{"id":"`+id+`"}`), codes.NotFound, "TASK_NOT_FOUND")
	c.refused(second.call("CancelTask", `{"id":"`+id+`"}`), codes.NotFound, "TASK_NOT_FOUND")
	c.refused(low.call("SendMessage", v10Text("forbidden", "", "")), codes.PermissionDenied, "")
	expect(t, second.call("ListTasks", `{}`).result(t), map[string]any{"totalSize": nil})
	expect(t, rpc.call("GetTask", `{"id":"`+id+`"}`).body, map[string]any{"result/id": id})

	s := start(t, Options{Dialect: "a2a-1.0", Variant: "limited", Rate: Rate{Requests: 2, Window: time.Minute}, GRPCAddr: "127.0.0.1:0"})
	limited := dialGRPC(t, s)
	for range 2 {
		c.refused(limited.call("GetTask", `{"id":"none"}`), codes.NotFound, "TASK_NOT_FOUND")
	}
	r := limited.call("GetTask", `{"id":"none"}`)
	c.refused(r, codes.ResourceExhausted, "")
	if again := text(details(t, r.status)["RetryInfo"], "retryDelay"); again == "" || len(r.header.Get("retry-after"))+len(r.trailer.Get("retry-after")) == 0 {
		t.Errorf("the limit does not say when to come again: %v, %v", r.status, r.header)
	}
}

// A client that gives up a stream, or runs out of time, ends the stream and no more.
func TestGRPCStreamEndsAlone(t *testing.T) {
	t.Parallel()
	s, _, c := startGRPC10(t, "full")
	for name, leave := range map[string]func(parent context.Context) (context.Context, context.CancelFunc){
		"canceled": context.WithCancel,
		"too late": func(parent context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(parent, 200*time.Millisecond)
		},
	} {
		ctx, stop := leave(t.Context())
		defer stop()
		id := ""
		end := c.follow(ctx, "SendStreamingMessage", v10Text("slow 0.6", "", ""), func(v any) {
			if id == "" {
				if id = text(v, "task/id"); name == "canceled" {
					stop()
				}
			}
		})
		if code := end.status.Code(); code != codes.Canceled && code != codes.DeadlineExceeded {
			t.Errorf("%s: the stream ends with %v", name, end.status)
		}
		rest := c.call("SubscribeToTask", `{"id":"`+id+`"}`)
		if len(rest.results) == 0 {
			t.Fatalf("%s: a subscription ends with %v", name, rest.status)
		}
		expect(t, rest.results[len(rest.results)-1], map[string]any{"statusUpdate/status/state": "TASK_STATE_COMPLETED"})
	}
	if lost := s.LostReaders.Load(); lost != 2 {
		t.Errorf("%d streams lost their reader", lost)
	}
}

// A card lists gRPC where it is served, as clients of gRPC dial it, and only there.
func TestCardListsGRPC(t *testing.T) {
	t.Parallel()
	for _, variant := range Variants("a2a-1.0") {
		s, _, _ := startGRPC10(t, variant)
		list, _ := at(fetch(t, "GET", s.URL()+"/.well-known/agent-card.json", "", "").body, "supportedInterfaces").([]any)
		i := slices.IndexFunc(list, func(v any) bool { return text(v, "protocolBinding") == "GRPC" })
		if i < 2 {
			t.Fatalf("%s: the interfaces are %v", variant, list)
		}
		expect(t, list[i], map[string]any{"url": s.GRPCAddr(), "protocolVersion": "1.0"})
	}
	alone, _ := start10(t, "full")
	if card := fetch(t, "GET", alone.URL()+"/.well-known/agent-card.json", "", ""); alone.GRPCAddr() != "" || strings.Contains(card.raw, "GRPC") {
		t.Errorf("gRPC is on the card of a server that has no address for it: %s", card.raw)
	}
	if _, err := Start(t.Context(), Options{Dialect: "a2a-0.1", GRPCAddr: "127.0.0.1:0"}); err == nil || !strings.Contains(err.Error(), "gRPC") {
		t.Errorf("a protocol without gRPC is served over it: %v", err)
	}
}
