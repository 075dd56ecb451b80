package jaf03

import (
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// looked edits the results of tasks/get for tasks of one script.
func looked(script string, edit func(*front.Reply)) func(*front.Reply) {
	return front.Answering("tasks/get", func(x *front.Reply) {
		if front.Has(x.Body, "result") && (script == "" || x.Script() == script) {
			edit(x)
		}
	})
}

var taskMutants = front.InArea("task",
	front.Mutant{Name: "get-missing", Summary: "tasks/get is not implemented.",
		Reply: front.Answering("tasks/get", func(x *front.Reply) { x.Decline(front.CodeMethodNotFound) })},
	front.Mutant{Name: "task-not-stored", Summary: "A task that ends at once is unknown to tasks/get.",
		Reply: looked("echo", func(x *front.Reply) { x.Decline(TaskNotFound) })},
	front.Mutant{Name: "task-renamed", Summary: "tasks/get returns the task under another id.",
		Reply: looked("", func(x *front.Reply) { front.Put(x.Body, "result/id", "row-17") })},
	front.Mutant{Name: "timestamp-in-words", Summary: "The timestamp of a status is no ISO 8601 date-time.",
		Reply: looked("", func(x *front.Reply) { front.Put(x.Body, "result/status/timestamp", "Fri Mar 15 14:30:00 2024") })},
	front.Mutant{Name: "clock-reset", Summary: "The timestamp is reset to the time just before creation on completion.",
		Engine: func(o *engine.Options) { o.Defects.StaleClock = true }},
	front.Mutant{Name: "question-kept", Summary: "The status of a completed task holds the user's message.",
		Reply: looked("echo", func(x *front.Reply) {
			front.Put(x.Body, "result/status/message/role", "user")
			front.Put(x.Body, "result/status/message/parts", front.Generic(writeJAF03Parts(x.Task().History[0].Parts)))
		})},
	front.Mutant{Name: "failure-unexplained", Summary: "A failed task has no error.",
		Reply: looked("fail", func(x *front.Reply) { front.Drop(x.Body, "result/status/error") })},
	front.Mutant{Name: "success-with-error", Summary: "A completed task has an error.",
		Reply: looked("echo", func(x *front.Reply) {
			front.Put(x.Body, "result/status/error", map[string]any{"code": front.CodeInternal, "message": "The first attempt failed"})
		})},
	front.Mutant{Name: "task-id-of-context", Summary: "A context's second message gets the first one's task id.",
		Reply: completed(func(x *front.Reply) {
			key := "task of " + front.Text(x.Body, "result/contextId")
			if id := x.Server.Notes.Read(key); id != nil {
				front.Put(x.Body, "result/taskId", id)
				return
			}
			x.Server.Notes.Write(key, front.At(x.Body, "result/taskId"))
		})},
	front.Mutant{Name: "get-shows-working", Summary: "tasks/get shows a task that ended at once as working for ever.",
		Reply: mutants.LookingAgain("echo", 1, func(x *front.Reply) { front.Swap(x.Body, "result/status/state", "completed", "working") })},
	front.Mutant{Name: "requeued", Summary: "A working task is shown as submitted.",
		Reply: looked("slow", func(x *front.Reply) { front.Swap(x.Body, "result/status/state", "working", "submitted") })},
	front.Mutant{Name: "requeued-once", Summary: "A slow task that was shown as working is shown as submitted once.",
		Reply: mutants.LookingAgain("slow", 2, func(x *front.Reply) { front.Swap(x.Body, "result/status/state", "working", "submitted") })},
	front.Mutant{Name: "completed-reaped", Summary: "A completed task is shown as failed from the third look on.",
		Reply: mutants.LookingAgain("echo", 3, func(x *front.Reply) { front.Swap(x.Body, "result/status/state", "completed", "failed") })},
	front.Mutant{Name: "get-without-id-misnamed", Summary: "tasks/get without id is reported as an unknown task.",
		Reply: front.LookedFor("tasks/get", false, TaskNotFound)},
	front.Mutant{Name: "get-number-misnamed", Summary: "tasks/get with an id that is no string is reported as an unknown task.",
		Reply: front.LookedFor("tasks/get", true, TaskNotFound)},
	front.Mutant{Name: "cancel-returns-task", Summary: "tasks/cancel of a running task returns the task.",
		Reply: front.Answering("tasks/cancel", func(x *front.Reply) {
			if front.At(x.Body, "result/cancelled") == true {
				x.Succeed(front.Generic(Server{Server: x.Server}.task(x.Task())))
			}
		})},
	front.Mutant{Name: "cancel-names-call", Summary: "tasks/cancel returns the id of the call as the task's.",
		Reply: front.Answering("tasks/cancel", func(x *front.Reply) { front.Replace(x.Body, "result/id", front.At(x.Body, "id")) })},
	front.Mutant{Name: "cancel-timestamp-left-out", Summary: "tasks/cancel returns no timestamp.",
		Reply: front.Answering("tasks/cancel", func(x *front.Reply) { front.Drop(x.Body, "result/timestamp") })},
	front.Mutant{Name: "cancel-forgotten", Summary: "A cancellation is confirmed and the task goes on.",
		Engine: func(o *engine.Options) { o.Defects.CancelForgotten = true }},
	front.Mutant{Name: "cancel-reason-required", Summary: "tasks/cancel of a running task without a reason is refused.",
		Reply: front.Declining("tasks/cancel", front.CodeInvalidParams, func(params any) bool { return !front.Has(params, "reason") })},
	front.Mutant{Name: "cancel-of-nothing", Summary: "A cancellation that names no task is confirmed.",
		Reply: func(x *front.Reply) {
			if x.Answers("tasks/cancel", front.CodeInvalidParams) && !front.Has(x.Request, "params/id") {
				x.Succeed(map[string]any{"id": "", "cancelled": true, "timestamp": front.Timestamp(time.Now())})
			}
		}},
	front.Mutant{Name: "finished-task-cancelled", Summary: "Cancelling a finished task overwrites its state.",
		Engine: func(o *engine.Options) { o.Defects.CancelFinished = true }},

	front.Mutant{Name: "context-replaced", Area: "context", Summary: "The completion carries a context of the server's own.",
		Reply: completed(func(x *front.Reply) { front.Put(x.Body, "result/contextId", "server-context") })},
	front.Mutant{Name: "reply-context-replaced", Area: "context", Summary: "The reply message carries a context of the server's own.",
		Reply: completed(func(x *front.Reply) { front.Put(x.Body, "result/message/contextId", "server-context") })},
	front.Mutant{Name: "stored-context-replaced", Area: "context", Summary: "The stored task carries another context.",
		Reply: looked("", func(x *front.Reply) { front.Put(x.Body, "result/contextId", "m1") })},
	front.Mutant{Name: "third-message-refused", Area: "context", Summary: "The third message of a context is refused as a duplicate.",
		Reply: completed(func(x *front.Reply) {
			if x.Server.Notes.Count("context "+front.Text(x.Body, "result/contextId")) == 3 {
				x.Decline(front.CodeInvalidRequest)
			}
		})},
	front.Mutant{Name: "contexts-mixed-up", Area: "context", Summary: "Of many calls at the same time each gets the context of the latest.",
		Engine: func(o *engine.Options) { o.Latency += 20 * time.Millisecond },
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
	front.Mutant{Name: "memory-lost", Area: "context", Summary: "Nothing said earlier in a context is remembered.",
		Reply: completed(func(x *front.Reply) {
			if front.Text(x.Request, "params/message/parts/0/text") == "recall" {
				front.Put(x.Body, "result/message/parts/0/text", "I remember nothing.")
			}
		})},
	front.Mutant{Name: "memory-shared", Area: "context", Summary: "What was said in one context is known in another.",
		Engine: func(o *engine.Options) { o.Defects.SharedMemory = true }},
)
