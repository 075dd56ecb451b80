package reference

import (
	"strconv"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
)

func startGRPC03(t *testing.T, variant string) (*Server, grpc10) {
	t.Helper()
	s := start(t, Options{Dialect: "a2a-0.3", Variant: variant, GRPCAddr: "127.0.0.1:0"})
	return s, dialGRPC03(t, s)
}

func name03(task string) string { return `{"name":"tasks/` + task + `"}` }

func TestGRPC03ServesEveryOperation(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{"full", "lavish", "tls", "rest-schema"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			s, c := startGRPC03(t, variant)
			if got := interface03(t, s, "GRPC"); got != s.GRPCAddr() {
				t.Errorf("gRPC is on the card with the url %q, not %q", got, s.GRPCAddr())
			}
			done := c.call("SendMessage", proto03("echo hello", `,"contextId":"a/b c"`, wait03))
			expect(t, done.result(t), map[string]any{"task/status/state": "TASK_STATE_COMPLETED", "task/contextId": "a/b c", "task/status/message/role": "ROLE_AGENT",
				"task/status/message/content/0/text": "hello", "task/history/0/content/0/text": "echo hello"})
			if done.unknown {
				t.Error("the task has unknown fields")
			}
			id := text(done.result(t), "task/id")
			expect(t, c.call("GetTask", `{"name":"tasks/`+id+`","historyLength":1}`).result(t), map[string]any{"id": id, "history/0/role": "ROLE_AGENT", "history/1": nil})
			expect(t, c.call("GetTask", name03(id)).result(t), map[string]any{"history/1/role": "ROLE_AGENT"})
			expect(t, rpc(t, s.URL(), "tasks/get", `{"id":"`+id+`"}`).body, map[string]any{"result/id": id})
			expect(t, c.call("SendMessage", proto03("hello", "", "")).result(t), map[string]any{"message/role": "ROLE_AGENT", "task": nil})
			c.refused(c.call("CancelTask", name03(id)), codes.FailedPrecondition, "")
			c.refused(c.call("SendMessage", proto03("more", `,"taskId":"`+id+`"`, "")), codes.FailedPrecondition, "")

			waiting := text(c.call("SendMessage", proto03("ask", "", wait03)).result(t), "task/id")
			push := func(id string) string { return name03(waiting + "/pushNotificationConfigs/" + id) }
			made := c.call("CreateTaskPushNotificationConfig", `{"parent":"tasks/`+waiting+`","configId":"one","config":{"pushNotificationConfig":{"url":"https://hook.invalid/","token":"t"}}}`)
			want := map[string]any{"name": "tasks/" + waiting + "/pushNotificationConfigs/one", "pushNotificationConfig/id": "one", "pushNotificationConfig/token": "t"}
			expect(t, made.result(t), want)
			c.call("CreateTaskPushNotificationConfig", `{"parent":"tasks/`+waiting+`","config":{"name":"tasks/`+waiting+`/pushNotificationConfigs/two","pushNotificationConfig":{"url":"https://hook.invalid/2"}}}`).result(t)
			expect(t, c.call("GetTaskPushNotificationConfig", push("one")).result(t), want)
			expect(t, c.call("ListTaskPushNotificationConfig", `{"parent":"tasks/`+waiting+`"}`).result(t),
				map[string]any{"configs/0/pushNotificationConfig/id": "one", "configs/1/pushNotificationConfig/id": "two", "nextPageToken": nil})
			expect(t, c.call("DeleteTaskPushNotificationConfig", push("one")).result(t), map[string]any{})
			c.refused(c.call("GetTaskPushNotificationConfig", push("one")), codes.NotFound, "")
			expect(t, c.call("CancelTask", name03(waiting)).result(t), map[string]any{"id": waiting, "status/state": "TASK_STATE_CANCELLED"})

			list := c.call("SendStreamingMessage", proto03("artifact", "", ""))
			expect(t, list.results[0], map[string]any{"task/status/state": "TASK_STATE_SUBMITTED"})
			expect(t, list.results[len(list.results)-1], map[string]any{"statusUpdate/status/state": "TASK_STATE_COMPLETED", "statusUpdate/final": true})
			slow := text(c.call("SendMessage", proto03("slow 0.3", "", `,"configuration":{"blocking":false}`)).result(t), "task/id")
			list = c.call("TaskSubscription", name03(slow))
			if len(list.results) == 0 || list.status.Code() != codes.OK {
				t.Fatalf("a subscription ends with %v", list.status)
			}
			expect(t, list.results[len(list.results)-1], map[string]any{"statusUpdate/status/state": "TASK_STATE_COMPLETED"})
			expect(t, c.call("TaskSubscription", name03(id)).result(t), map[string]any{"task/id": id, "task/status/state": "TASK_STATE_COMPLETED"})
			c.refused(c.call("GetAgentCard", `{}`), codes.FailedPrecondition, "")
		})
	}
}

func TestGRPC03Refuses(t *testing.T) {
	t.Parallel()
	_, c := startGRPC03(t, "full")
	for _, params := range []string{`{}`, `{"message":{}}`, `{"message":{"messageId":"m","content":[{"text":"x"}]}}`, `{"message":{"messageId":"m","role":"ROLE_USER","content":[{}]}}`,
		`{"message":{"messageId":"m","role":7,"content":[{"text":"x"}]}}`, `{"message":{"messageId":"m","role":"ROLE_USER"}}`} {
		c.refused(c.call("SendMessage", params), codes.InvalidArgument, "")
		c.refused(c.call("SendStreamingMessage", params), codes.InvalidArgument, "")
	}
	for _, method := range []string{"GetTask", "CancelTask", "TaskSubscription"} {
		c.refused(c.call(method, name03("none")), codes.NotFound, "")
		for _, name := range []string{"", "none", "tasks/", "tasks/a/b"} {
			c.refused(c.call(method, `{"name":`+strconv.Quote(name)+`}`), codes.InvalidArgument, "")
		}
	}
	c.refused(c.call("ListTaskPushNotificationConfig", `{"parent":"tasks/none"}`), codes.NotFound, "")
	c.refused(c.call("CreateTaskPushNotificationConfig", `{"parent":"tasks/none","config":{"pushNotificationConfig":{"url":"https://hook.invalid/"}}}`), codes.NotFound, "")
	c.refused(c.call("SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","content":[{"file":{"fileWithBytes":"eA==","mimeType":"application/x-unknown"}}]}}`), codes.InvalidArgument, "")
	for _, method := range []string{"/a2a.v1.A2AService/ListTasks", "/a2a.A2AService/GetTask"} {
		if err := c.conn.Invoke(t.Context(), method, &emptypb.Empty{}, &emptypb.Empty{}); status.Code(err) != codes.Unimplemented {
			t.Errorf("%s ends with %v", method, err)
		}
	}

	_, silent := startGRPC03(t, "silent")
	silent.refused(silent.call("SendStreamingMessage", proto03("echo x", "", "")), codes.Unimplemented, "")
	silent.refused(silent.call("ListTaskPushNotificationConfig", `{"parent":"tasks/x"}`), codes.Unimplemented, "")
	_, minimal := startGRPC03(t, "minimal")
	minimal.refused(minimal.call("GetAgentCard", `{}`), codes.Unimplemented, "")
	expect(t, minimal.call("SendMessage", proto03("echo x", "", wait03)).result(t), map[string]any{"task/status/state": "TASK_STATE_COMPLETED"})
	_, extended := startGRPC03(t, "extended")
	extended.refused(extended.call("SendMessage", proto03("echo x", "", "")), codes.InvalidArgument, "")
	active := extended.with(strings.ToLower(extensionsHeader), a2a03Trace).call("SendMessage", proto03("echo x", "", wait03))
	expect(t, active.result(t), map[string]any{"task/status/state": "TASK_STATE_COMPLETED"})
	if got := active.header.Get(extensionsHeader); len(got) != 1 || got[0] != a2a03Trace {
		t.Errorf("the extensions that are active are %q", got)
	}
}

func TestGRPC03IsGuarded(t *testing.T) {
	t.Parallel()
	_, c := startGRPC03(t, "guarded")
	nobody, second, low := c.with("authorization", ""), c.with("authorization", "Bearer "+SecondToken), c.with("authorization", "Bearer "+LowToken)
	id := text(c.call("SendMessage", proto03("ask", "", wait03)).result(t), "task/id")
	c.refused(nobody.call("GetTask", name03(id)), codes.Unauthenticated, "")
	c.refused(nobody.call("TaskSubscription", name03(id)), codes.Unauthenticated, "")
	c.refused(nobody.call("GetAgentCard", `{}`), codes.Unauthenticated, "")
	c.refused(second.call("GetTask", name03(id)), codes.NotFound, "")
	c.refused(low.call("SendMessage", proto03("forbidden", "", "")), codes.PermissionDenied, "")
	card := c.call("GetAgentCard", `{}`)
	expect(t, card.result(t), map[string]any{"skills/2/id": "remember", "protocolVersion": "0.3.0", "preferredTransport": "JSONRPC", "supportsAuthenticatedExtendedCard": true,
		"securitySchemes/bearer/httpAuthSecurityScheme/scheme": "Bearer", "securitySchemes/key/apiKeySecurityScheme/location": "header"})
	if list, _ := at(card.result(t), "security").([]any); len(list) != 2 || at(list[0], "schemes/bearer") == nil {
		t.Errorf("the card demands %v", list)
	}
	if card.unknown {
		t.Error("the card has unknown fields")
	}
}

// What a client does not wait for is done without it.
func TestGRPC03DoesNotBlock(t *testing.T) {
	t.Parallel()
	_, c := startGRPC03(t, "full")
	at := func(configuration string) any {
		return c.call("SendMessage", proto03("slow 0.4", "", configuration)).result(t)
	}
	for _, configuration := range []string{`,"configuration":{"blocking":false}`, `,"configuration":{"historyLength":1}`} {
		expect(t, at(configuration), map[string]any{"task/status/state": "TASK_STATE_SUBMITTED"})
	}
	expect(t, at(`,"configuration":{"blocking":true}`), map[string]any{"task/status/state": "TASK_STATE_COMPLETED"})
}
