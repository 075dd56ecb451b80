package a2a03

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// TaskMutants are about tasks/get and tasks/cancel, beyond what other
// protocols have.
var TaskMutants = front.InArea("task",
	front.Mutant{Name: "get-missing", Summary: "tasks/get is not implemented.",
		Reply: front.Answering("tasks/get", func(x *front.Reply) { x.Decline(front.CodeMethodNotFound) })},
	Looking("get-renamed", "tasks/get returns a task under another id.", "echo", Setting("id", "row-17")),
	Looking("get-context-changed", "tasks/get shows another context than message/send.", "echo", Setting("contextId", "another-context")),
	Looking("artifacts-forgotten", "tasks/get shows no artifact that came in pieces.", "artifact", Lacking("artifacts")),
	front.Mutant{Name: "unknown-task-null", Summary: "tasks/get for an unknown task gives a result of null.",
		Reply: func(x *front.Reply) {
			if x.Answers("tasks/get", TaskNotFound) {
				x.Succeed(nil)
			}
		}},
	front.Mutant{Name: "history-surplus-refused", Summary: "A historyLength beyond 100 is refused by tasks/get.",
		Reply: front.Declining("tasks/get", front.CodeInvalidParams, func(params any) bool {
			n := front.At(params, "historyLength")
			return front.IsNumber(n) && len(front.Encode(n)) > 2 && front.Encode(n)[0] != '-'
		})},
	front.Mutant{Name: "get-negative-history", Summary: "A negative historyLength is an internal error of tasks/get.",
		Reply: func(x *front.Reply) {
			if n := front.At(x.Request, "params/historyLength"); front.IsNumber(n) && front.Encode(n)[0] == '-' {
				front.Recode("tasks/get", front.CodeInvalidParams, front.CodeInternal)(x)
			}
		}},
	front.Mutant{Name: "get-noted-in-history", Summary: "Every look at a waiting task adds a message to its history.",
		Reply: OnTask("tasks/get", "ask", func(x *front.Reply) {
			history, ok := front.At(x.Body, "result/history").([]any)
			if !ok || front.Text(x.Body, "result/status/state") != "input-required" {
				return
			}
			for range x.Server.Notes.Count("looks at " + x.TaskID()) {
				history = append(history, history[len(history)-1])
			}
			front.Put(x.Body, "result/history", history)
		})},
	front.Mutant{Name: "cancel-returns-true", Summary: "tasks/cancel returns true instead of the task.",
		Reply: onResult("tasks/cancel", func(x *front.Reply) { front.Put(x.Body, "result", true) })},
	front.Mutant{Name: "cancel-shows-before", Summary: "tasks/cancel returns the state before the cancellation.",
		Reply: onResult("tasks/cancel", func(x *front.Reply) { front.Swap(x.Body, "result/status/state", "canceled", "working") })},
	front.Mutant{Name: "second-cancel-internal", Summary: "Cancelling a task a second time is an internal error.",
		Reply: func(x *front.Reply) {
			if x.Task().Status.State == "canceled" {
				front.Recode("tasks/cancel", taskNotCancelable, front.CodeInternal)(x)
			}
		}},
	front.Mutant{Name: "answer-stored", Summary: "An answer is stored, and its task waits on.",
		Reply: func(x *front.Reply) {
			if x.Script() == "ask" && slices.Contains([]string{"completed", "input-required"}, front.Text(x.Body, "result/status/state")) {
				front.Put(x.Body, "result/status", map[string]any{"state": "input-required"})
			}
		}},
	front.Mutant{Name: "needed-login-fails", Summary: "A task that needs further credentials fails.",
		Reply: func(x *front.Reply) { front.Swap(x.Body, "result/status/state", "auth-required", "failed") }},
	front.Mutant{Name: "needed-login-unspoken", Summary: "A task that needs further credentials does not say which.",
		Reply: func(x *front.Reply) {
			if front.Text(x.Body, "result/status/state") == "auth-required" {
				front.Drop(x.Body, "result/status/message")
			}
		}},
)
