package reference

import (
	"fmt"
	"strings"
)

// v10Rest makes requests over HTTP+JSON, and looks at the same things over JSON-RPC.
func (p *player) v10Rest() {
	base := "/rest"
	if p.server.Variant.Tenanted {
		base = "/rest/acme"
	}
	ask := func(step, verb, path, body string) any {
		media := ""
		if body != "" {
			media = "application/a2a+json"
		}
		return p.send("rest "+step, verb, base+path, media, body)
	}
	id := text(ask("echo", "POST", "/message:send", v10Text("echo x", `,"contextId":"a/b c"`, "")), "task/id")
	waiting := text(ask("ask", "POST", "/message:send", v10Text("ask", "", "")), "task/id")
	ask("get", "GET", "/tasks/"+id, "")
	ask("unknown", "GET", "/tasks/none", "")
	if id != "" {
		ask("encoded", "GET", fmt.Sprintf("/tasks/%%%02X%s", id[0], id[1:]), "")
	}
	ask("cancel finished", "POST", "/tasks/"+id+":cancel", "")
	ask("cancel unknown", "POST", "/tasks/none:cancel", "")
	ask("send to finished", "POST", "/message:send", v10Text("x", `,"taskId":"`+id+`"`, ""))
	ask("send nothing", "POST", "/message:send", `{}`)
	ask("send a stranger", "POST", "/message:send", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"raw":"eA==","mediaType":"application/x-unknown"}]}}`)
	for _, media := range []string{"application/json", "text/plain"} {
		p.send("rest as "+media, "POST", base+"/message:send", media, v10Text("echo x", "", ""))
	}
	for _, query := range []string{"", "?contextId=a%2Fb%20c&pageSize=1", "?contextId=a%2Fb%20c&page_size=1", // in which no other task is made meanwhile
		"?includeArtifacts=true", "?status=TASK_STATE_COMPLETED", "?contextId=a%2Fb%20c",
		"?statusTimestampAfter=2020-01-01T00:00:00Z"} {
		ask("list "+query, "GET", "/tasks"+query, "")
	}
	ask("unknown path", "GET", "/no-such-path", "")
	ask("wrong verb", "DELETE", "/message:send", "")
	p.with(map[string]string{"A2A-Version": "99.0"}, func() { ask("other version", "GET", "/tasks/none", "") })
	p.with(map[string]string{"A2A-Extensions": "-"}, func() { ask("without extension", "POST", "/message:send", v10Text("echo x", "", "")) })
	ask("extended card", "GET", "/extendedAgentCard", "")

	configs := "/tasks/" + waiting + "/pushNotificationConfigs"
	ask("push", "POST", configs, `{"id":"c","url":"https://hook.invalid/"}`)
	ask("get push", "GET", configs+"/c", "")
	ask("list push", "GET", configs, "")
	ask("delete push", "DELETE", configs+"/c", "")
	p.v10("push over JSON-RPC", "CreateTaskPushNotificationConfig", `{"taskId":"`+waiting+`","id":"over-rpc","url":"https://hook.invalid/"`+p.tenantOf()+`}`)
	ask("push of JSON-RPC", "GET", configs, "")
	ask("task of JSON-RPC", "GET", "/tasks/"+p.v10Say("over JSON-RPC", "echo x"), "")

	ask("stream", "POST", "/message:stream", v10Text("hello", "", ""))
	ask("stream of nothing", "POST", "/message:stream", `{}`)
	artifacts := false
	inTime(func() bool {
		slow := text(p.v10Post("SendMessage", v10Text("artifact", "", v10Now+p.tenantOf())), "result/task/id")
		artifacts = strings.Contains(fmt.Sprint(p.subscribed(base+"/tasks/"+slow+":subscribe")), "artifactUpdate")
		return artifacts
	})
	p.note("rest subscription", fmt.Sprint("with artifacts: ", artifacts))
	ask("cancel", "POST", "/tasks/"+waiting+":cancel", `{}`)

	for _, credential := range []string{"", "Bearer " + LowToken} {
		p.with(map[string]string{"Authorization": credential}, func() {
			ask("as "+credential, "GET", "/tasks/"+id, "")
			ask("forbidden as "+credential, "POST", "/message:send", v10Text("forbidden", "", ""))
		})
	}
}

// subscribed are the events of a subscription over HTTP+JSON, without a note.
func (p *player) subscribed(path string) []any {
	r := fetchWith(p.t, "POST", p.server.URL()+path, "", "", p.headers)
	if !strings.HasPrefix(r.header.Get("Content-Type"), "text/event-stream") {
		return nil
	}
	return readEvents(p.t, strings.NewReader(r.raw), nil)
}
