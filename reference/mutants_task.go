package reference

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// lookingAgain edits the replies to tasks/get without historyLength for tasks
// of one script, from the given look on.
func lookingAgain(script string, from int, edit func(*reply)) func(*reply) {
	return func(x *reply) {
		if has(x.body, "result") && x.looksAgain(script) >= from {
			edit(x)
		}
	}
}

// historyOf edits the history in the replies to tasks/get. asked is the
// historyLength of the call.
func historyOf(edit func(x *reply, asked string, history []any) []any) func(*reply) {
	return answering("tasks/get", func(x *reply) {
		n := at(x.request, "params/historyLength")
		history, ok := at(x.body, "result/history").([]any)
		if !isNumber(n) || !ok {
			return
		}
		put(x.body, "result/history", edit(x, string(encode(n)), history))
	})
}

// taskMutants are about the methods that return tasks and what they hold.
func taskMutants(w wording) []mutant {
	return inArea("task",
		mutant{name: "task-renamed", summary: "tasks/cancel returns the task under an id of the server's own.",
			reply: answering("tasks/cancel", func(x *reply) {
				if has(x.body, "result") {
					put(x.body, "result/id", "server-"+text(x.request, "params/id"))
				}
			})},
		mutant{name: "task-not-stored", summary: "A task that ends at once is unknown to tasks/get.",
			reply: lookingAgain("echo", 1, func(x *reply) {
				x.decline(w.notFound)
			})},
		mutant{name: "get-shows-working", summary: "tasks/get shows a task that ended at once as working for ever.",
			reply: lookingAgain("echo", 1, func(x *reply) { swap(x.body, "result/status/state", "completed", "working") })},
		mutant{name: "artifacts-not-stored", summary: "Artifacts are sent once and unknown to tasks/get.",
			reply: lookingAgain("echo", 1, func(x *reply) { drop(x.body, "result/artifacts") })},
		mutant{name: "get-without-id-misnamed", summary: "tasks/get without id is reported as an unknown task.",
			reply: func(x *reply) {
				if !has(x.request, "params/id") {
					recode("tasks/get", codeInvalidParams, w.notFound)(x)
				}
			}},
		mutant{name: "get-number-misnamed", summary: "tasks/get with a number as id is reported as an unknown task.",
			reply: func(x *reply) {
				if has(x.request, "params/id") && !isText(at(x.request, "params/id")) {
					recode("tasks/get", codeInvalidParams, w.notFound)(x)
				}
			}},
		mutant{name: "get-metadata-refused", summary: "tasks/get with metadata is refused.",
			reply: declining("tasks/get", codeInvalidParams, func(params any) bool { return has(params, "metadata") })},
		mutant{name: "get-history-length-ignored", summary: "A historyLength that is no number is ignored by tasks/get.",
			call: misread("tasks/get", func(body any) {
				if isText(at(body, "params/historyLength")) {
					drop(body, "params/historyLength")
				}
			})},
		mutant{name: "history-unlimited", summary: "The full history is returned when one message is asked for.",
			reply: historyOf(func(x *reply, asked string, history []any) []any {
				if asked == "1" {
					return w.wholeHistory(x)
				}
				return history
			})},
		mutant{name: "history-earliest", summary: "The first message is returned when the last is asked for.",
			reply: historyOf(func(x *reply, asked string, history []any) []any {
				if asked == "1" {
					return w.wholeHistory(x)[:1]
				}
				return history
			})},
		mutant{name: "history-agent-only", summary: "The user's message is not recorded when the task ends at once.",
			reply: historyOf(func(x *reply, asked string, history []any) []any {
				if x.script() != "echo" || asked == "1" {
					return history
				}
				return slices.DeleteFunc(history, func(m any) bool { return text(m, "role") == "user" })
			})},
	)
}

// a2a01TaskMutants are those that only A2A 0.1.0 has a place for.
var a2a01TaskMutants = inArea("task",
	mutant{name: "message-returned", summary: "tasks/send returns the agent's message instead of a task.",
		reply: answering("tasks/send", func(x *reply) {
			if m := object(x.body, "result/status/message"); m != nil && x.script() == "echo" {
				put(x.body, "result", m)
			}
		})},
	mutant{name: "status-returned", summary: "tasks/get returns the status instead of the task.",
		reply: lookingAgain("echo", 1, func(x *reply) { put(x.body, "result", at(x.body, "result/status")) })},
	mutant{name: "get-shows-unknown", summary: "The first look at a task that ended at once finds it in state unknown.",
		reply: func(x *reply) {
			if x.looksAgain("echo") == 1 {
				put(x.body, "result/status/state", "unknown")
			}
		}},
	mutant{name: "history-never-filled", summary: "A history of ten messages is never filled.",
		reply: historyOf(func(_ *reply, asked string, history []any) []any {
			if asked == "10" {
				return []any{}
			}
			return history
		})},
	mutant{name: "history-newest-first", summary: "A long history of questions and answers starts with the newest user message.",
		reply: historyOf(func(x *reply, _ string, history []any) []any {
			if x.script() == "ask" && len(history) > 3 {
				history[0], history[2] = history[2], history[0]
			}
			return history
		})},
	mutant{name: "history-mixed", summary: "Tasks begun at the same time share their first messages.",
		engine: func(o *engine.Options) { o.Defects.HistoryMixed = true }},
	mutant{name: "send-history-ignored", summary: "tasks/send returns no history.",
		reply: answering("tasks/send", func(x *reply) { drop(x.body, "result/history") })},
	mutant{name: "history-restarts", summary: "An answer replaces the earlier messages of its task.",
		engine: func(o *engine.Options) { o.Defects.HistoryRestarts = true }},
	mutant{name: "timestamp-local", summary: "Timestamps have an offset from UTC.",
		reply: answering("tasks/get", func(x *reply) {
			if t, ok := strings.CutSuffix(text(x.body, "result/status/timestamp"), "Z"); ok {
				put(x.body, "result/status/timestamp", t+"+02:00")
			}
		})},
)

// lifecycleMutants are about the states of tasks.
func lifecycleMutants(w wording) []mutant {
	return inArea("task",
		mutant{name: "background-work-dropped", waits: true, summary: "Work nobody waits for is dropped when " + w.send + " has answered.",
			engine: func(o *engine.Options) { o.Defects.StopUnwatched = true }},
		mutant{name: "completed-reaped", summary: "A completed task is shown as failed from the third look on.",
			reply: lookingAgain("echo", 3, func(x *reply) { swap(x.body, "result/status/state", "completed", "failed") })},
		mutant{name: "failed-retried", summary: "A failed task is shown as working from the second look on.",
			reply: lookingAgain("fail", 2, func(x *reply) { swap(x.body, "result/status/state", "failed", "working") })},
		mutant{name: "finished-task-reopened", summary: "A message to a finished task runs it again.",
			engine: func(o *engine.Options) { o.Defects.ReopenFinished = true }},
		mutant{name: "answer-refused", summary: "A message to a waiting task is refused as a duplicate id.",
			reply: answering(w.send, func(x *reply) {
				if x.script() == "ask" && text(x.request, "params/message/parts/0/text") != "ask" {
					x.decline(codeInvalidParams)
				}
			})},
		mutant{name: "cancel-missing", summary: "tasks/cancel is not implemented.",
			reply: answering("tasks/cancel", func(x *reply) { x.decline(codeMethodNotFound) })},
		mutant{name: "cancel-forgotten", summary: "tasks/cancel returns canceled and tasks/get goes on showing working.",
			engine: func(o *engine.Options) { o.Defects.CancelForgotten = true }},
		mutant{name: "cancel-ignored", summary: "tasks/cancel is accepted and ignored.",
			engine: func(o *engine.Options) { o.Defects.CancelIgnored = true }},
		mutant{name: "cancel-undone", summary: "The worker overwrites canceled with its own end.",
			engine: func(o *engine.Options) { o.Defects.CancelUndone = true }},
		mutant{name: "cancel-without-id-misnamed", summary: "tasks/cancel without id is reported as an unknown task.",
			reply: func(x *reply) {
				if !has(x.request, "params/id") {
					recode("tasks/cancel", codeInvalidParams, w.notFound)(x)
				}
			}},
	)
}

// a2a01LifecycleMutants are those that only A2A 0.1.0 has a place for.
var a2a01LifecycleMutants = inArea("task",
	mutant{name: "requeued", summary: "A working task is shown as submitted.",
		reply: lookingAgain("slow", 1, func(x *reply) { swap(x.body, "result/status/state", "working", "submitted") })},
	mutant{name: "completed-empty", summary: "tasks/send completes a task without any result.",
		reply: answering("tasks/send", func(x *reply) {
			if x.script() == "echo" {
				drop(x.body, "result/status/message")
				drop(x.body, "result/artifacts")
			}
		})},
	mutant{name: "failure-unexplained", summary: "A failed task has no status message.",
		reply: func(x *reply) {
			if text(x.body, "result/status/state") == "failed" {
				drop(x.body, "result/status/message")
			}
		}},
	mutant{name: "question-completes", summary: "A question is delivered in state completed.",
		engine: func(o *engine.Options) { o.Asks = false }},
	mutant{name: "question-unspoken", summary: "A task waits for input without saying for what.",
		reply: func(x *reply) {
			if text(x.body, "result/status/state") == "input-required" {
				drop(x.body, "result/status/message")
			}
		}},
	mutant{name: "cancel-number-misnamed", summary: "tasks/cancel with a number as id is reported as an unknown task.",
		reply: func(x *reply) {
			if has(x.request, "params/id") && !isText(at(x.request, "params/id")) {
				recode("tasks/cancel", codeInvalidParams, a2a01TaskNotFound)(x)
			}
		}},
	mutant{name: "cancel-metadata-refused", summary: "tasks/cancel with metadata is refused.",
		reply: answering("tasks/cancel", func(x *reply) {
			if has(x.request, "params/metadata") {
				x.decline(codeInvalidParams)
			}
		})},
	mutant{name: "clock-reset", summary: "The timestamp is reset to the time of creation on completion.",
		engine: func(o *engine.Options) { o.Defects.StaleClock = true }},
)
