package reference

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// listed notes whether the card has the server's own address for gRPC in a list.
func (p *player) listed(in string) {
	card, _ := decode([]byte(fetchBy(p.client, p.t, "GET", p.server.URL()+"/.well-known/agent-card.json", "", "", p.headers).raw))
	p.note("grpc on the card", fmt.Sprint("its address: ", strings.Contains(string(encode(at(card, in))), strconv.Quote(p.server.GRPCAddr()))))
}

// v10GRPC makes calls over gRPC, and looks at the same things over JSON-RPC.
func (p *player) v10GRPC() {
	c := dialGRPC(p.t, p.server)
	p.listed("supportedInterfaces")
	tenant := p.tenantOf()
	ask := func(step, method, params string) any { return p.overGRPC(c, "grpc "+step, method, params) }
	id := text(ask("echo", "SendMessage", v10Text("echo x", `,"contextId":"a/b c"`, tenant)), "task/id")
	waiting := text(ask("ask", "SendMessage", v10Text("ask", "", tenant)), "task/id")
	ask("get", "GetTask", `{"id":"`+id+`"`+tenant+`}`)
	ask("unknown", "GetTask", `{"id":"none"`+tenant+`}`)
	ask("list", "ListTasks", `{"pageSize":9,"contextId":"a/b c"`+tenant+`}`)
	ask("cancel finished", "CancelTask", `{"id":"`+id+`"`+tenant+`}`)
	ask("cancel unknown", "CancelTask", `{"id":"none"`+tenant+`}`)
	ask("send to finished", "SendMessage", v10Text("x", `,"taskId":"`+id+`"`, tenant))
	ask("send nothing", "SendMessage", `{}`)
	ask("send a stranger", "SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"raw":"eA==","mediaType":"application/x-unknown"}]}`+tenant+`}`)
	ask("extended card", "GetExtendedAgentCard", `{}`)
	p.overGRPC(c.with("a2a-version", "99.0"), "grpc other version", "GetTask", `{"id":"none"}`)
	p.overGRPC(c.with("a2a-version", "99.0"), "grpc list in other version", "ListTasks", `{"pageSize":9}`)
	p.overGRPC(c.with("a2a-extensions", v10Trace), "grpc with extension", "SendMessage", v10Text("hello", "", tenant))
	p.with(map[string]string{"A2A-Extensions": "-"}, func() { ask("without extension", "SendMessage", v10Text("echo x", "", tenant)) })

	ask("push", "CreateTaskPushNotificationConfig", `{"taskId":"`+waiting+`","id":"c","url":"https://hook.invalid/"`+tenant+`}`)
	ask("get push", "GetTaskPushNotificationConfig", `{"taskId":"`+waiting+`","id":"c"`+tenant+`}`)
	ask("list push", "ListTaskPushNotificationConfigs", `{"taskId":"`+waiting+`"`+tenant+`}`)
	ask("delete push", "DeleteTaskPushNotificationConfig", `{"taskId":"`+waiting+`","id":"c"`+tenant+`}`)
	p.v10("push over JSON-RPC", "CreateTaskPushNotificationConfig", `{"taskId":"`+waiting+`","id":"over-rpc","url":"https://hook.invalid/"`+tenant+`}`)
	ask("push of JSON-RPC", "ListTaskPushNotificationConfigs", `{"taskId":"`+waiting+`"`+tenant+`}`)
	ask("task of JSON-RPC", "GetTask", `{"id":"`+p.v10Say("over JSON-RPC", "echo x")+`"`+tenant+`}`)

	ask("stream", "SendStreamingMessage", v10Text("hello", "", tenant))
	subscription := ""
	inTime(func() bool {
		slow := text(p.v10Post("SendMessage", v10Text("artifact", "", v10Now+tenant)), "result/task/id")
		followed := c.call("SubscribeToTask", `{"id":"`+slow+`"`+tenant+`}`)
		artifacts := strings.Contains(fmt.Sprint(followed.results), "artifactUpdate")
		subscription = fmt.Sprint(followed.status.Code(), ", with artifacts: ", artifacts)
		return artifacts
	})
	p.note("grpc subscription", subscription)
	ask("cancel", "CancelTask", `{"id":"`+waiting+`"`+tenant+`}`)

	for _, credential := range []string{"", "Bearer " + LowToken} {
		as := c.with("authorization", credential)
		p.overGRPC(as, "grpc as "+credential, "GetTask", `{"id":"`+id+`"}`)
		p.overGRPC(as, "grpc forbidden as "+credential, "SendMessage", v10Text("forbidden", "", ""))
	}
	p.givesUp(c)
}

// overGRPC notes what comes of a call over gRPC, and returns its first result.
func (p *player) overGRPC(c grpc10, step, method, params string) any {
	return p.overGRPCFor(30*time.Second, c, step, method, params)
}

// overGRPCFor is overGRPC with a time after which the client gives up.
func (p *player) overGRPCFor(patience time.Duration, c grpc10, step, method, params string) any {
	if asked := p.headers["A2A-Extensions"]; asked != "" {
		c = c.with("a2a-extensions", asked)
	}
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	s := c.follow(ctx, method, params, nil)
	said := fmt.Sprintln(s.status.Code(), s.status.Message(), "unknown fields:", s.unknown)
	told := details(p.t, s.status)
	for _, name := range slices.Sorted(maps.Keys(told)) {
		said += name + " " + string(encode(told[name])) + "\n"
	}
	for _, name := range []string{"a2a-extensions", "retry-after"} {
		said += fmt.Sprintln(name, s.header.Get(name))
	}
	for _, v := range s.results {
		said += string(encode(v)) + "\n"
	}
	p.note(step, said)
	if len(s.results) == 0 {
		return nil
	}
	return s.results[0]
}

// givesUp leaves a stream before its end, and notes what becomes of the connection.
func (p *player) givesUp(c grpc10) {
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	lost := p.server.LostReaders.Load()
	c.follow(ctx, "SendStreamingMessage", v10Text("slow 1", "", p.tenantOf()), func(any) { stop() })
	if !p.server.Variant.Streaming {
		return
	}
	for deadline := time.Now().Add(10 * time.Second); p.server.LostReaders.Load() == lost && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	for range 2 { // the first may be how the client learns that its connection is gone
		c.call("GetTask", `{"id":"none"}`)
	}
	p.note("grpc after a drop", fmt.Sprint("connections: ", c.dials.Load()))
}
