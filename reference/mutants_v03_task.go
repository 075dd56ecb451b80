package reference

import "slices"

// a2a03TaskMutants are about tasks/get and tasks/cancel, beyond what other
// protocols have.
var a2a03TaskMutants = inArea("task",
	mutant{name: "get-missing", summary: "tasks/get is not implemented.",
		reply: answering("tasks/get", func(x *reply) { x.decline(codeMethodNotFound) })},
	looking("get-renamed", "tasks/get returns a task under another id.", "echo", setting("id", "row-17")),
	looking("get-context-changed", "tasks/get shows another context than message/send.", "echo", setting("contextId", "another-context")),
	looking("artifacts-forgotten", "tasks/get shows no artifact that came in pieces.", "artifact", lacking("artifacts")),
	mutant{name: "unknown-task-null", summary: "tasks/get for an unknown task gives a result of null.",
		reply: func(x *reply) {
			if x.answers("tasks/get", a2a03TaskNotFound) {
				x.succeed(nil)
			}
		}},
	mutant{name: "history-surplus-refused", summary: "A historyLength beyond 100 is refused by tasks/get.",
		reply: declining("tasks/get", codeInvalidParams, func(params any) bool {
			n := at(params, "historyLength")
			return isNumber(n) && len(encode(n)) > 2 && encode(n)[0] != '-'
		})},
	mutant{name: "get-negative-history", summary: "A negative historyLength is an internal error of tasks/get.",
		reply: func(x *reply) {
			if n := at(x.request, "params/historyLength"); isNumber(n) && encode(n)[0] == '-' {
				recode("tasks/get", codeInvalidParams, codeInternal)(x)
			}
		}},
	mutant{name: "get-noted-in-history", summary: "Every look at a waiting task adds a message to its history.",
		reply: onTask("tasks/get", "ask", func(x *reply) {
			history, ok := at(x.body, "result/history").([]any)
			if !ok || text(x.body, "result/status/state") != "input-required" {
				return
			}
			for range x.server.notes.count("looks at " + x.taskID()) {
				history = append(history, history[len(history)-1])
			}
			put(x.body, "result/history", history)
		})},
	mutant{name: "cancel-returns-true", summary: "tasks/cancel returns true instead of the task.",
		reply: onResult("tasks/cancel", func(x *reply) { put(x.body, "result", true) })},
	mutant{name: "cancel-shows-before", summary: "tasks/cancel returns the state before the cancellation.",
		reply: onResult("tasks/cancel", func(x *reply) { swap(x.body, "result/status/state", "canceled", "working") })},
	mutant{name: "second-cancel-internal", summary: "Cancelling a task a second time is an internal error.",
		reply: func(x *reply) {
			if x.task().Status.State == "canceled" {
				recode("tasks/cancel", a2a03TaskNotCancelable, codeInternal)(x)
			}
		}},
	mutant{name: "answer-stored", summary: "An answer is stored, and its task waits on.",
		reply: func(x *reply) {
			if x.script() == "ask" && slices.Contains([]string{"completed", "input-required"}, text(x.body, "result/status/state")) {
				put(x.body, "result/status", map[string]any{"state": "input-required"})
			}
		}},
	mutant{name: "needed-login-fails", summary: "A task that needs further credentials fails.",
		reply: func(x *reply) { swap(x.body, "result/status/state", "auth-required", "failed") }},
	mutant{name: "needed-login-unspoken", summary: "A task that needs further credentials does not say which.",
		reply: func(x *reply) {
			if text(x.body, "result/status/state") == "auth-required" {
				drop(x.body, "result/status/message")
			}
		}},
)
