package reference

import (
	"fmt"
	"strings"
	"sync"
)

func (p *player) v10Envelopes() {
	get := func(id string) string { return a2aCall(id, "GetTask", `{"id":"x"}`) }
	p.send("charset", "POST", "/", "application/json; charset=utf-8", get(`"c"`))
	p.send("text/plain", "POST", "/", "text/plain", get(`"c"`))
	p.send("PUT", "PUT", "/", "application/json", get(`"c"`))
	for _, id := range []string{`"a"`, `"req-Ä-1"`, `0`, `42`, `null`, `{"a":1}`, `true`} {
		p.send("id "+id, "POST", "/", "application/json", get(id))
	}
	for _, body := range []string{
		`{"jsonrpc":"2.0",`, `hello`, `1`, `null`, `[]`, `{"jsonrpc":"2.0","id":1}`, `{"jsonrpc":"2.0","id":1,"method":42}`,
		`{"id":1,"method":"GetTask","params":{"id":"x"}}`, `{"jsonrpc":"1.0","id":1,"method":"GetTask","params":{"id":"x"}}`,
		`{"jsonrpc":2.0,"id":1,"method":"GetTask","params":{"id":"x"}}`, `{"jsonrpc":"2.0","method":"GetTask","params":{"id":"x"}}`,
		`[` + get("1") + `,` + get("2") + `]`, a2aCall("1", "GetTask", `"x"`), a2aCall("1", "tasks/foo", `{}`), a2aCall("1", "tasks/get", `{"id":"x"}`),
		`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"},"more":1}`,
	} {
		p.send("body "+body, "POST", "/", "application/json", body)
	}
	p.unread("/", "SendStreamingMessage", v10Text("echo x", "", ""))
	p.v10Say("after all", "echo Grüße 🙂")
	p.v10("cancel waiting", "CancelTask", `{"id":"`+p.v10Say("ask", "ask")+`"}`)
}

func (p *player) v10EmptyBody() {
	p.send("empty body", "POST", "/", "application/json", "")
	p.v10Say("after empty body", "echo x")
	p.send("cut off", "POST", "/", "application/json", `{"jsonrpc":"2.0",`)
	p.v10Say("after cut off", "echo x")
	p.v10("wrong", "SendMessage", `{}`)
	p.v10Say("after what was wrong", "echo x")
}

func (p *player) v10Versions() {
	for _, version := range []string{"1.0", "1.0.1", "0.3", "0.5", "1.99", "99.0", "banana", "-"} {
		p.with(map[string]string{"A2A-Version": version}, func() {
			p.v10Say(version+" send", "echo x")
			p.v10(version+" GetTask", "GetTask", `{"id":"none"}`)
			p.v10(version+" stream", "SendStreamingMessage", v10Text("hello", "", ""))
			p.v10(version+" older send", "message/send", v03Text("echo x", v03Blocking))
		})
	}
	for _, name := range []string{"a2a-version", "a2A-VERSION"} {
		p.with(map[string]string{"A2A-Version": "-", name: "1.0"}, func() { p.v10("name "+name, "GetTask", `{"id":"none"}`) })
	}
	p.with(map[string]string{"A2A-Version": ""}, func() { p.v10("empty version", "GetTask", `{"id":"none"}`) })
	p.v10("its task", "GetTask", `{"id":"`+p.v10Say("quick", "echo x")+`"}`)
}

// v10VersionsElsewhere names versions where ListTasks, the params and the older endpoint
// may read them in another way.
func (p *player) v10VersionsElsewhere() {
	for _, version := range []string{"1.0", "99.0"} {
		p.with(map[string]string{"A2A-Version": version}, func() {
			p.v10(version+" ListTasks", "ListTasks", `{}`)
			p.v10(version+" with 1.0 in the params", "GetTask", `{"id":"none","A2A-Version":"1.0"}`)
			p.send(version+" at the older endpoint", "POST", "/older", "application/json", a2aCall(`"r"`, "tasks/get", `{"id":"none"}`))
		})
	}
}

func (p *player) v10Limits() {
	p.v10Say("large", "echo "+strings.Repeat("x", 1<<20))
	p.v10Say("after large", "echo x")
	p.v10("deep", "SendMessage", v10Text("echo x", "", `,"metadata":`+strings.Repeat(`{"a":`, 200)+"1"+strings.Repeat("}", 200)))
	p.v10Say("after deep", "echo x")
	p.v10("number", "GetTask", `{"id":5}`)
	var all sync.WaitGroup
	var tasks sync.Map
	for range 10 {
		all.Go(func() { tasks.Store(text(p.v10Post("SendMessage", v10Text("echo x", "", "")), "result/task/id"), true) })
	}
	all.Wait()
	n := 0
	tasks.Range(func(any, any) bool { n++; return true })
	p.note("tasks", fmt.Sprint(n))
}

func (p *player) v10Flood() {
	for i := range 7 {
		p.v10(fmt.Sprint("call ", i), "GetTask", `{"id":"none"}`)
	}
}
