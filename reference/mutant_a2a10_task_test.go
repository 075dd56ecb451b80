package reference

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

func (p *player) v10Quick() {
	p.v10Say("before", "echo other")
	p.v10("first look", "GetTask", `{"id":"`+p.v10Say("first", "echo first")+`"}`)
	id := p.v10Say("quick", "echo hello")
	get := func(step, more string) { p.v10(step, "GetTask", `{"id":"`+id+`"`+more+`}`) }
	for i := range 4 {
		get(fmt.Sprint("look ", i), "")
	}
	for _, n := range []string{"0", "1", "10", "1000", "-1", `"3"`, "1.5", "null"} {
		get("history "+n, `,"historyLength":`+n)
	}
	get("get with metadata", `,"metadata":{"a":1}`)
	p.v10("list by state", "ListTasks", `{"status":"TASK_STATE_FAILED"}`)
}

// v10Finished takes up a task that has ended, and others that do not exist.
func (p *player) v10Finished() {
	id := p.v10Say("finished", "echo hello")
	get := func(step string) { p.v10(step, "GetTask", `{"id":"`+id+`"}`) }
	p.v10("cancel finished", "CancelTask", `{"id":"`+id+`"}`)
	get("after cancel")
	p.v10("send to finished", "SendMessage", v10Text("more", `,"taskId":"`+id+`"`, ""))
	get("after send")
	p.v10("stream to finished", "SendStreamingMessage", v10Text("more", `,"taskId":"`+id+`"`, ""))
	p.v10("subscribe finished", "SubscribeToTask", `{"id":"`+id+`"}`)
	again := p.v10Say("quick again", "echo hello")
	p.note("ids", fmt.Sprint("differ: ", id != again))
	p.v10("send without waiting", "SendMessage", v10Text("echo x", "", v10Now))
	p.v10("hello", "SendMessage", v10Text("hello", "", ""))
	p.v10("failed", "GetTask", `{"id":"`+p.v10Say("fail", "fail")+`"}`)
	unknown := `{"id":"unknown","taskId":"unknown","url":"https://hook.invalid/a?b=c","metadata":{}}`
	for _, method := range []string{"GetTask", "CancelTask", "SubscribeToTask", "CreateTaskPushNotificationConfig", "GetTaskPushNotificationConfig",
		"ListTaskPushNotificationConfigs", "DeleteTaskPushNotificationConfig"} {
		p.v10(method+" unknown", method, unknown)
		p.v10(method+" unknown alone", method, `{"id":"unknown"}`)
		p.v10(method+" without id", method, `{"url":"https://hook.invalid/a?b=c"}`)
		p.v10(method+" number", method, `{"id":3}`)
	}
}

func (p *player) v10Credentials() {
	id := p.v10Say("needauth", "needauth")
	p.v10("needing", "GetTask", `{"id":"`+id+`"}`)
	needing := p.v10Quiet("SubscribeToTask", `{"id":"`+p.v10Say("needauth again", "needauth")+`"}`, func(event any, _ func()) {
		if v10State(event) == "TASK_STATE_AUTH_REQUIRED" {
			p.v10Post("SendMessage", v10Text("here", `,"taskId":"`+text(event, "task/id")+`"`, ""))
		}
	})
	p.note("subscribed to what needs", needing.told()+fmt.Sprint(strings.Contains(needing.raw, `"error"`)))
	p.v10("given", "SendMessage", v10Text("here", `,"taskId":"`+id+`"`, ""))
	p.v10Stream("stream of needauth", `"s"`, v10Text("needauth", "", ""), nil)
}

// v10Locked follows a task that waits for credentials, and cancels it then.
func (p *player) v10Locked() {
	id, begun := p.v10Say("needauth to follow", "needauth"), false
	list := p.v10Quiet("SubscribeToTask", `{"id":"`+id+`"}`, func(any, func()) {
		if !begun {
			begun = true
			p.v10Post("CancelTask", `{"id":"`+id+`"}`)
		}
	})
	p.note("locked", list.told())
}

// v10Work plays the tasks that take time.
func (p *player) v10Work() {
	begin := func(step, what string) string {
		return text(p.v10(step, "SendMessage", v10Text(what, "", v10Now)), "result/task/id")
	}
	canceled := begin("to cancel", "slow 0.4")
	p.v10("cancel", "CancelTask", `{"id":"`+canceled+`"}`)
	slow := begin("slow", "slow 0.3")
	p.v10Poll("slow", slow, 400*time.Millisecond)
	p.v10Poll("canceled", canceled, 100*time.Millisecond)
}

// v10Poll looks at a task until it has ended, at least for a time.
func (p *player) v10Poll(step, id string, d time.Duration) {
	var states, times []string
	settled := false
	for began := time.Now(); time.Since(began) < d || !settled && time.Since(began) < 3*time.Second; time.Sleep(20 * time.Millisecond) {
		r := p.v10Post("GetTask", `{"id":"`+id+`"}`)
		state := text(r, "result/status/state")
		settled = slices.Contains([]string{"TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED"}, state)
		if len(states) == 0 && state == "TASK_STATE_SUBMITTED" {
			continue // whether the first look comes before the work begins is chance
		}
		if !slices.Contains(states, state) {
			states = append(states, state)
		}
		times = append(times, text(r, "result/status/timestamp"))
	}
	p.note(step, fmt.Sprint(states, slices.IsSorted(times)))
}
