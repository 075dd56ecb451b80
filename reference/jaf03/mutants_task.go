package jaf03

import (
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// looked edits the results of tasks/get for tasks of one script.
func looked(script string, edit func(*front.Reply)) func(*front.Reply) {
	return front.Answering("tasks/get", func(x *front.Reply) {
		if front.Has(x.Body, "result") && (script == "" || x.Script() == script) {
			edit(x)
		}
	})
}

var taskMutants = map[string]front.Mutant{
	"question-kept": {Reply: looked("echo", func(x *front.Reply) {
		front.Put(x.Body, "result/status/message/role", "user")
		front.Put(x.Body, "result/status/message/parts", front.Generic(writeJAF03Parts(x.Task().History[0].Parts)))
	})},
	"task-id-of-context": {Reply: completed(func(x *front.Reply) {
		key := "task of " + front.Text(x.Body, "result/contextId")
		if id := x.Server.Notes.Read(key); id != nil {
			front.Put(x.Body, "result/taskId", id)
			return
		}
		x.Server.Notes.Write(key, front.At(x.Body, "result/taskId"))
	})},
	"get-without-id-misnamed": {Reply: front.LookedFor("tasks/get", false, TaskNotFound)},
	"get-number-misnamed":     {Reply: front.LookedFor("tasks/get", true, TaskNotFound)},
	"cancel-returns-task": {Reply: front.Answering("tasks/cancel", func(x *front.Reply) {
		if front.At(x.Body, "result/cancelled") == true {
			x.Succeed(front.Generic(Server{Server: x.Server}.task(x.Task())))
		}
	})},
	"cancel-names-call": {Reply: front.Answering("tasks/cancel", func(x *front.Reply) { front.Replace(x.Body, "result/id", front.At(x.Body, "id")) })},
	"cancel-of-nothing": {Reply: func(x *front.Reply) {
		if x.Answers("tasks/cancel", front.CodeInvalidParams) && !front.Has(x.Request, "params/id") {
			x.Succeed(map[string]any{"id": "", "cancelled": true, "timestamp": front.Timestamp(time.Now())})
		}
	}},
	"third-message-refused": {Reply: completed(func(x *front.Reply) {
		if x.Server.Notes.Count("context "+front.Text(x.Body, "result/contextId")) == 3 {
			x.Decline(front.CodeInvalidRequest)
		}
	})},
	"contexts-mixed-up": {Engine: func(o *engine.Options) { o.Latency += 20 * time.Millisecond },
		Call: func(c *front.Call) {
			if c.Method == "message/send" {
				c.Notes.Add("under way", 1)
				c.Notes.Write("context", front.At(c.Body, "params/message/contextId"))
			}
		},
		Reply: front.Answering("message/send", func(x *front.Reply) {
			if x.Server.Notes.Add("under way", -1) >= 5 {
				front.Replace(x.Body, "result/contextId", x.Server.Notes.Read("context"))
			}
		})},
}
