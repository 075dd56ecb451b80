package reference

import (
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// looked edits the results of tasks/get for tasks of one script.
func looked(script string, edit func(*reply)) func(*reply) {
	return answering("tasks/get", func(x *reply) {
		if has(x.body, "result") && (script == "" || x.script() == script) {
			edit(x)
		}
	})
}

// lookedFor recodes the errors of a method about an id that is absent or, with
// wrongType, no string.
func lookedFor(method string, wrongType bool, code int) func(*reply) {
	return func(x *reply) {
		if has(x.request, "params/id") == wrongType && !isText(at(x.request, "params/id")) {
			recode(method, codeInvalidParams, code)(x)
		}
	}
}

var jaf03TaskMutants = inArea("task",
	mutant{name: "get-missing", summary: "tasks/get is not implemented.",
		reply: answering("tasks/get", func(x *reply) { x.decline(codeMethodNotFound) })},
	mutant{name: "task-not-stored", summary: "A task that ends at once is unknown to tasks/get.",
		reply: looked("echo", func(x *reply) { x.decline(jaf03TaskNotFound) })},
	mutant{name: "task-renamed", summary: "tasks/get returns the task under another id.",
		reply: looked("", func(x *reply) { put(x.body, "result/id", "row-17") })},
	mutant{name: "timestamp-in-words", summary: "The timestamp of a status is no ISO 8601 date-time.",
		reply: looked("", func(x *reply) { put(x.body, "result/status/timestamp", "Fri Mar 15 14:30:00 2024") })},
	mutant{name: "clock-reset", summary: "The timestamp is reset to the time of creation on completion.",
		engine: func(o *engine.Options) { o.Defects.StaleClock = true }},
	mutant{name: "question-kept", summary: "The status of a completed task holds the user's message.",
		reply: looked("echo", func(x *reply) {
			put(x.body, "result/status/message/role", "user")
			put(x.body, "result/status/message/parts", generic(writeJAF03Parts(x.task().History[0].Parts)))
		})},
	mutant{name: "failure-unexplained", summary: "A failed task has no error.",
		reply: looked("fail", func(x *reply) { drop(x.body, "result/status/error") })},
	mutant{name: "success-with-error", summary: "A completed task has an error.",
		reply: looked("echo", func(x *reply) {
			put(x.body, "result/status/error", map[string]any{"code": codeInternal, "message": "The first attempt failed"})
		})},
	mutant{name: "task-id-of-context", summary: "A context's second message gets the first one's task id.",
		reply: completed(func(x *reply) {
			key := "task of " + text(x.body, "result/contextId")
			if id := x.server.notes.read(key); id != nil {
				put(x.body, "result/taskId", id)
				return
			}
			x.server.notes.write(key, at(x.body, "result/taskId"))
		})},
	mutant{name: "get-shows-working", summary: "tasks/get shows a task that ended at once as working for ever.",
		reply: lookingAgain("echo", 1, func(x *reply) { swap(x.body, "result/status/state", "completed", "working") })},
	mutant{name: "requeued", summary: "A working task is shown as submitted.",
		reply: looked("slow", func(x *reply) { swap(x.body, "result/status/state", "working", "submitted") })},
	mutant{name: "requeued-once", summary: "A slow task that was shown as working is shown as submitted once.",
		reply: lookingAgain("slow", 2, func(x *reply) { swap(x.body, "result/status/state", "working", "submitted") })},
	mutant{name: "completed-reaped", summary: "A completed task is shown as failed from the third look on.",
		reply: lookingAgain("echo", 3, func(x *reply) { swap(x.body, "result/status/state", "completed", "failed") })},
	mutant{name: "get-without-id-misnamed", summary: "tasks/get without id is reported as an unknown task.",
		reply: lookedFor("tasks/get", false, jaf03TaskNotFound)},
	mutant{name: "get-number-misnamed", summary: "tasks/get with an id that is no string is reported as an unknown task.",
		reply: lookedFor("tasks/get", true, jaf03TaskNotFound)},
	mutant{name: "cancel-returns-task", summary: "tasks/cancel of a running task returns the task.",
		reply: answering("tasks/cancel", func(x *reply) {
			if at(x.body, "result/cancelled") == true {
				x.succeed(generic(jaf03Server{Server: x.server}.task(x.task())))
			}
		})},
	mutant{name: "cancel-names-call", summary: "tasks/cancel returns the id of the call as the task's.",
		reply: answering("tasks/cancel", func(x *reply) { replace(x.body, "result/id", at(x.body, "id")) })},
	mutant{name: "cancel-timestamp-left-out", summary: "tasks/cancel returns no timestamp.",
		reply: answering("tasks/cancel", func(x *reply) { drop(x.body, "result/timestamp") })},
	mutant{name: "cancel-forgotten", summary: "A cancellation is confirmed and the task goes on.",
		engine: func(o *engine.Options) { o.Defects.CancelForgotten = true }},
	mutant{name: "cancel-reason-required", summary: "tasks/cancel of a running task without a reason is refused.",
		reply: declining("tasks/cancel", codeInvalidParams, func(params any) bool { return !has(params, "reason") })},
	mutant{name: "cancel-of-nothing", summary: "A cancellation that names no task is confirmed.",
		reply: func(x *reply) {
			if x.answers("tasks/cancel", codeInvalidParams) && !has(x.request, "params/id") {
				x.succeed(map[string]any{"id": "", "cancelled": true, "timestamp": timestamp(time.Now())})
			}
		}},
	mutant{name: "finished-task-cancelled", summary: "Cancelling a finished task overwrites its state.",
		engine: func(o *engine.Options) { o.Defects.CancelFinished = true }},

	mutant{name: "context-replaced", area: "context", summary: "The completion carries a context of the server's own.",
		reply: completed(func(x *reply) { put(x.body, "result/contextId", "server-context") })},
	mutant{name: "reply-context-replaced", area: "context", summary: "The reply message carries a context of the server's own.",
		reply: completed(func(x *reply) { put(x.body, "result/message/contextId", "server-context") })},
	mutant{name: "stored-context-replaced", area: "context", summary: "The stored task carries another context.",
		reply: looked("", func(x *reply) { put(x.body, "result/contextId", "m1") })},
	mutant{name: "third-message-refused", area: "context", summary: "The third message of a context is refused as a duplicate.",
		reply: completed(func(x *reply) {
			if x.server.notes.count("context "+text(x.body, "result/contextId")) == 3 {
				x.decline(codeInvalidRequest)
			}
		})},
	mutant{name: "contexts-mixed-up", area: "context", summary: "Of many calls at the same time each gets the context of the latest.",
		engine: func(o *engine.Options) { o.Latency += 20 * time.Millisecond },
		call: func(c *call) {
			if c.method == "message/send" {
				c.notes.add("under way", 1)
				c.notes.write("context", at(c.body, "params/message/contextId"))
			}
		},
		reply: answering("message/send", func(x *reply) {
			if x.server.notes.add("under way", -1) >= 5 {
				replace(x.body, "result/contextId", x.server.notes.read("context"))
			}
		})},
	mutant{name: "memory-lost", area: "context", summary: "Nothing said earlier in a context is remembered.",
		reply: completed(func(x *reply) {
			if text(x.request, "params/message/parts/0/text") == "recall" {
				put(x.body, "result/message/parts/0/text", "I remember nothing.")
			}
		})},
	mutant{name: "memory-shared", area: "context", summary: "What was said in one context is known in another.",
		engine: func(o *engine.Options) { o.Defects.SharedMemory = true }},
)
