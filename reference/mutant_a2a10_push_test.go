package reference

import (
	"fmt"
	"strings"
	"time"
)

func (p *player) v10Configurations() {
	id := p.v10Say("push to come", "echo x")
	other := p.v10Say("push of another", "echo x")
	create := func(config string) {
		p.v10("push create "+config, "CreateTaskPushNotificationConfig", `{"taskId":"`+id+`"`+config+`}`)
	}
	call := func(step, method, more string) {
		p.v10("push "+step, method+"TaskPushNotificationConfig", `{"taskId":"`+id+`"`+more+`}`)
	}
	list := func(step, more string) any {
		return p.v10("push "+step, "ListTaskPushNotificationConfigs", `{"taskId":"`+id+`"`+more+`}`)
	}
	list("list none", "")
	create(`,"url":"https://hook.invalid/a?b=c"`)
	p.v10("push list of another", "ListTaskPushNotificationConfigs", `{"taskId":"`+other+`"}`)
	create(`,"id":"cfg-1","url":"https://hook.invalid/old"`)
	create(`,"id":"cfg-1","url":"https://hook.invalid/new","token":"tok","authentication":{"scheme":"Bearer","credentials":"key"}`)
	create(`,"id":"cfg-2","url":"https://hook.invalid/other"`)
	list("list", "")
	page := list("list one", `,"pageSize":1`)
	list("list two", `,"pageSize":1,"pageToken":"`+text(page, "result/nextPageToken")+`"`)
	p.note("push pages", fmt.Sprint("on: ", text(list("list on", `,"pageSize":1,"pageToken":"`+text(page, "result/nextPageToken")+`"`), "result/nextPageToken") != text(page, "result/nextPageToken")))
	call("get cfg-2", "Get", `,"id":"cfg-2"`)
	call("get cfg-1", "Get", `,"id":"cfg-1"`)
	p.v10("push get by another", "GetTaskPushNotificationConfig", `{"taskId":"`+other+`","id":"cfg-1"}`)
	call("get unknown", "Get", `,"id":"unknown"`)
	for _, config := range []string{``, `,"url":"not a url"`, `,"url":"http://169.254.169.254/"`, `,"url":"https://hook.invalid/","authentication":{}`} {
		create(config)
	}
	call("delete nothing", "Delete", "")
	call("delete", "Delete", `,"id":"cfg-1"`)
	list("list after", "")
	call("delete again", "Delete", `,"id":"cfg-1"`)
	list("list in the end", "")
	waiting := p.v10Say("push of what waits", "ask")
	p.v10("push create while waiting", "CreateTaskPushNotificationConfig", `{"taskId":"`+waiting+`","url":"https://hook.invalid/"}`)
	p.v10("push list while waiting", "ListTaskPushNotificationConfigs", `{"taskId":"`+waiting+`"}`)
	p.v10("push create another", "CreateTaskPushNotificationConfig", `{"taskId":"`+waiting+`","url":"https://hook.invalid/another"}`)
	p.v10("push list of two", "ListTaskPushNotificationConfigs", `{"taskId":"`+waiting+`"}`)
}

// v10Elsewhere asks for a configuration under another task, and for that of a task that
// waits.
func (p *player) v10Elsewhere() {
	config := func(task string) string { return `{"taskId":"` + task + `","id":"here","url":"https://hook.invalid/"}` }
	waiting, other := p.v10Say("question with a webhook", "ask"), p.v10Say("without a webhook", "echo x")
	p.v10("push here", "CreateTaskPushNotificationConfig", config(waiting))
	p.v10("push elsewhere", "GetTaskPushNotificationConfig", `{"taskId":"`+other+`","id":"here"}`)
	p.v10("push list while waiting", "ListTaskPushNotificationConfigs", `{"taskId":"`+waiting+`"}`)
}

// shortPatience is how long a play waits for what should not come.
const shortPatience = 200 * time.Millisecond

func (p *player) v10Push() {
	patience := 2 * time.Second
	if card := fetch(p.t, "GET", p.server.URL()+"/.well-known/agent-card.json", "", "").raw; !strings.Contains(card, `"pushNotifications":true`) {
		patience = shortPatience // nothing is due
	}
	due := func(is func() bool) {
		if !p.await(patience, is) {
			patience = shortPatience // who did not deliver once will not do so later
		}
	}
	// A task that waits leaves time to configure it, and ends when it is answered.
	begin := func(path, more string) string {
		return text(p.v10("push to "+path, "SendMessage", v10Text("ask", "", `,"configuration":{`+more+`"taskPushNotificationConfig":{"url":"`+p.hook+path+
			`?x=1","token":"secret-token","authentication":{"scheme":"Basic","credentials":"a2V5"}}}`)), "result/task/id")
	}
	id := begin("/a", "")
	for _, config := range []string{"b", "deleted"} {
		p.v10("push to "+config, "CreateTaskPushNotificationConfig", `{"taskId":"`+id+`","id":"`+config+`","url":"`+p.hook+"/"+config+`"}`)
	}
	p.v10("push deleted", "DeleteTaskPushNotificationConfig", `{"taskId":"`+id+`","id":"deleted"}`)
	due(func() bool { return p.told("/a", "INPUT_REQUIRED") })
	p.v10("push answer", "SendMessage", v10Text("blue", `,"taskId":"`+id+`"`, ""))
	due(func() bool { return p.told("/a", "COMPLETED") && p.told("/b", "COMPLETED") })
	p.await(shortPatience, func() bool { return p.told("/deleted", "COMPLETED") })
	p.v10("pushed", "GetTask", `{"id":"`+id+`"}`)
	p.v10("push list in the end", "ListTaskPushNotificationConfigs", `{"taskId":"`+id+`"}`)

	failing := begin("/failing", "")
	due(func() bool { return p.told("/failing", "INPUT_REQUIRED") || p.told("/failing", "FAILED") })
	again := p.await(shortPatience, func() bool { return p.undelivered.Load() > 1 })
	p.note("push failing again", fmt.Sprint(again))
	p.v10("push failing", "GetTask", `{"id":"`+failing+`"}`)
	began := time.Now()
	begin("/hanging", "")
	p.v10Say("beside what hangs", "echo x")
	p.note("push hanging", fmt.Sprint("free: ", time.Since(began) < 2*time.Second))
	due(func() bool { return p.told("/hanging", "INPUT_REQUIRED") })
	now := begin("/now", `"returnImmediately":true,`)
	due(func() bool { return p.told("/now", "INPUT_REQUIRED") })
	p.note("push now", fmt.Sprint(now != "", p.told("/now", "INPUT_REQUIRED")))
	p.note("push to deleted", fmt.Sprint("told: ", p.told("/deleted", "")))
}
