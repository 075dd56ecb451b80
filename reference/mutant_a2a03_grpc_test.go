package reference

import (
	"fmt"
	"strings"
	"time"
)

// v03GRPC makes calls over gRPC, and looks at the same things over JSON-RPC. A stream that
// goes on for five seconds does so for ever.
func (p *player) v03GRPC() {
	c := dialGRPC03(p.t, p.server)
	p.listed("additionalInterfaces")
	ask := func(step, method, params string) any {
		return p.overGRPCFor(5*time.Second, c, "grpc "+step, method, params)
	}
	id := text(ask("echo", "SendMessage", proto03("echo x", "", wait03)), "task/id")
	waiting := text(ask("ask", "SendMessage", proto03("ask", "", wait03)), "task/id")
	ask("hello", "SendMessage", proto03("hello", "", ""))
	ask("get", "GetTask", name03(id))
	ask("get by bare id", "GetTask", `{"name":"`+id+`"}`)
	ask("unknown", "GetTask", name03("none"))
	ask("cancel finished", "CancelTask", name03(id))
	ask("cancel unknown", "CancelTask", name03("none"))
	ask("send to finished", "SendMessage", proto03("x", `,"taskId":"`+id+`"`, ""))
	ask("send nothing", "SendMessage", `{}`)
	ask("card", "GetAgentCard", `{}`)

	for _, config := range []string{"c", "d"} {
		ask("push "+config, "CreateTaskPushNotificationConfig",
			`{"parent":"tasks/`+waiting+`","configId":"`+config+`","config":{"pushNotificationConfig":{"url":"https://hook.invalid/"}}}`)
	}
	ask("get push", "GetTaskPushNotificationConfig", name03(waiting+"/pushNotificationConfigs/c"))
	ask("list push", "ListTaskPushNotificationConfig", `{"parent":"tasks/`+waiting+`"}`)
	ask("delete push", "DeleteTaskPushNotificationConfig", name03(waiting+"/pushNotificationConfigs/c"))
	ask("list what is left", "ListTaskPushNotificationConfig", `{"parent":"tasks/`+waiting+`"}`)
	ask("task of JSON-RPC", "GetTask", name03(p.say("over JSON-RPC", "artifact")))

	ask("stream", "SendStreamingMessage", proto03("hello", "", ""))
	ask("stream of work", "SendStreamingMessage", proto03("echo x", "", ""))
	ask("stream of nothing", "SendStreamingMessage", `{}`)
	ask("subscription to finished", "TaskSubscription", name03(id))
	subscription := ""
	inTime(func() bool {
		followed := c.call("TaskSubscription", name03(text(c.begun(proto03("slow 0.4", "", `,"configuration":{"blocking":false}`)), "task/id")))
		whole := strings.Contains(fmt.Sprint(followed.results), "final:true")
		subscription = fmt.Sprint(followed.status.Code(), ", to its end: ", whole)
		return whole
	})
	p.note("grpc subscription", subscription)
	ask("cancel", "CancelTask", name03(waiting))

	if !p.server.Variant.Guarded {
		return
	}
	for _, credential := range []string{"", "Bearer wrong", "Bearer " + LowToken} {
		as := c.with("authorization", credential)
		p.overGRPC(as, "grpc as "+credential, "GetTask", name03(id))
		p.overGRPC(as, "grpc card as "+credential, "GetAgentCard", `{}`)
		p.overGRPC(as, "grpc forbidden as "+credential, "SendMessage", proto03("forbidden", "", ""))
	}
}
