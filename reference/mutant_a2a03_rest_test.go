package reference

import (
	"fmt"
	"strings"
	"time"
)

// v03Rest makes requests over HTTP+JSON, and looks at the same things over JSON-RPC.
func (p *player) v03Rest() {
	ask := func(step, verb, path, body string) any {
		media := ""
		if body != "" {
			media = "application/json"
		}
		return p.send("rest "+step, verb, "/rest/v1"+path, media, body)
	}
	id := text(ask("echo", "POST", "/message:send", proto03("echo x", "", wait03)), "task/id")
	waiting := text(ask("ask", "POST", "/message:send", proto03("ask", "", wait03)), "task/id")
	ask("hello", "POST", "/message:send", proto03("hello", "", ""))
	ask("get", "GET", "/tasks/"+id, "")
	ask("get short", "GET", "/tasks/"+id+"?historyLength=1", "")
	ask("unknown", "GET", "/tasks/none", "")
	ask("cancel finished", "POST", "/tasks/"+id+":cancel", "")
	ask("send to finished", "POST", "/message:send", proto03("x", `,"taskId":"`+id+`"`, ""))
	ask("get after all", "GET", "/tasks/"+id, "")
	ask("send nothing", "POST", "/message:send", `{}`)
	ask("send no JSON", "POST", "/message:send", `{"message":`)
	ask("send another form", "POST", "/message:send", v03Text("echo x", ""))
	p.send("rest as text", "POST", "/rest/v1/message:send", "text/plain", proto03("echo x", "", ""))
	ask("unknown path", "GET", "/no-such-path", "")
	ask("tasks", "GET", "/tasks", "")
	ask("wrong verb", "DELETE", "/message:send", "")
	ask("card", "GET", "/card", "")

	configs := "/tasks/" + waiting + "/pushNotificationConfigs"
	for _, config := range []string{"c", "d"} {
		ask("push "+config, "POST", configs, `{"pushNotificationConfig":{"id":"`+config+`","url":"https://hook.invalid/"}}`)
	}
	ask("get push", "GET", configs+"/c", "")
	ask("list push", "GET", configs, "")
	ask("delete push", "DELETE", configs+"/c", "")
	ask("list what is left", "GET", configs, "")
	ask("get deleted", "GET", configs+"/c", "")
	ask("task of JSON-RPC", "GET", "/tasks/"+p.say("over JSON-RPC", "artifact"), "")

	ask("stream", "POST", "/message:stream", proto03("hello", "", ""))
	ask("stream of work", "POST", "/message:stream", proto03("echo x", "", ""))
	ask("stream of nothing", "POST", "/message:stream", `{}`)
	slow, subscription := "", ""
	inTime(func() bool {
		slow = text(fetchWith(p.t, "POST", p.server.URL()+"/rest/v1/message:send", "application/json", proto03("artifact", "", `,"configuration":{"blocking":false}`), p.headers).body, "task/id")
		followed := fetchWith(p.t, "GET", p.server.URL()+"/rest/v1/tasks/"+slow+":subscribe", "", "", p.headers)
		artifacts := strings.Contains(followed.raw, "artifactUpdate")
		subscription = fmt.Sprint(followed.status, " ", followed.header.Get("Content-Type"), ", with artifacts: ", artifacts)
		return artifacts
	})
	p.note("rest subscription", subscription)
	inTime(func() bool { // without streams it takes its time
		r := fetchWith(p.t, "GET", p.server.URL()+"/rest/v1/tasks/"+slow, "", "", p.headers)
		done := strings.Contains(r.raw, "_COMPLETED")
		if !done {
			time.Sleep(100 * time.Millisecond)
		}
		return done
	})
	ask("done slowly", "GET", "/tasks/"+slow, "")
	ask("cancel", "POST", "/tasks/"+waiting+":cancel", `{}`)

	if !p.server.Variant.Guarded {
		return
	}
	for _, credential := range []string{"", "Bearer wrong", "Bearer " + LowToken} {
		p.as(credential, func() {
			ask("as "+credential, "GET", "/tasks/"+id, "")
			ask("card as "+credential, "GET", "/card", "")
			ask("forbidden as "+credential, "POST", "/message:send", proto03("forbidden", "", ""))
		})
	}
}
