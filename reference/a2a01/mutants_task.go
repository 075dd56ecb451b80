package a2a01

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// TaskMutants are those that only A2A 0.1.0 has a place for.
var taskMutants = front.InArea("task",
	front.Mutant{Name: "message-returned", Summary: "tasks/send returns the agent's message instead of a task.",
		Reply: front.Answering("tasks/send", func(x *front.Reply) {
			if m := front.Object(x.Body, "result/status/message"); m != nil && x.Script() == "echo" {
				front.Put(x.Body, "result", m)
			}
		})},
	front.Mutant{Name: "status-returned", Summary: "tasks/get returns the status instead of the task.",
		Reply: mutants.LookingAgain("echo", 1, func(x *front.Reply) { front.Put(x.Body, "result", front.At(x.Body, "result/status")) })},
	front.Mutant{Name: "get-shows-unknown", Summary: "The first look at a task that ended at once finds it in state unknown.",
		Reply: func(x *front.Reply) {
			if x.LooksAgain("echo") == 1 {
				front.Put(x.Body, "result/status/state", "unknown")
			}
		}},
	front.Mutant{Name: "history-never-filled", Summary: "A history of ten messages is never filled.",
		Reply: mutants.HistoryOf(func(_ *front.Reply, asked string, history []any) []any {
			if asked == "10" {
				return []any{}
			}
			return history
		})},
	front.Mutant{Name: "history-newest-first", Summary: "A long history of questions and answers starts with the newest user message.",
		Reply: mutants.HistoryOf(func(x *front.Reply, _ string, history []any) []any {
			if x.Script() == "ask" && len(history) > 3 {
				history[0], history[2] = history[2], history[0]
			}
			return history
		})},
	front.Mutant{Name: "history-by-role", Summary: "The history has the client's messages first, and what the agent asked after them.",
		Reply: mutants.HistoryOf(func(x *front.Reply, _ string, history []any) []any {
			mutants.SortByRole(x.Body, "user")
			return history
		})},
	front.Mutant{Name: "history-mixed", Summary: "Tasks begun at the same time share their first messages.",
		Engine: func(o *engine.Options) { o.Defects.HistoryMixed = true }},
	front.Mutant{Name: "send-history-ignored", Summary: "tasks/send returns no history.",
		Reply: front.Answering("tasks/send", func(x *front.Reply) { front.Drop(x.Body, "result/history") })},
	front.Mutant{Name: "history-restarts", Summary: "An answer replaces the earlier messages of its task.",
		Engine: func(o *engine.Options) { o.Defects.HistoryRestarts = true }},
	front.Mutant{Name: "timestamp-local", Summary: "Timestamps have an offset from UTC.",
		Reply: front.Answering("tasks/get", func(x *front.Reply) {
			if t, ok := strings.CutSuffix(front.Text(x.Body, "result/status/timestamp"), "Z"); ok {
				front.Put(x.Body, "result/status/timestamp", t+"+02:00")
			}
		})},
)

// LifecycleMutants are those that only A2A 0.1.0 has a place for.
var LifecycleMutants = front.InArea("task",
	front.Mutant{Name: "requeued", Summary: "A working task is shown as submitted.",
		Reply: mutants.LookingAgain("slow", 1, func(x *front.Reply) { front.Swap(x.Body, "result/status/state", "working", "submitted") })},
	front.Mutant{Name: "completed-empty", Summary: "tasks/send completes a task without any result.",
		Reply: front.Answering("tasks/send", func(x *front.Reply) {
			if x.Script() == "echo" {
				front.Drop(x.Body, "result/status/message")
				front.Drop(x.Body, "result/artifacts")
			}
		})},
	front.Mutant{Name: "failure-unexplained", Summary: "A failed task has no status message.",
		Reply: func(x *front.Reply) {
			if front.Text(x.Body, "result/status/state") == "failed" {
				front.Drop(x.Body, "result/status/message")
			}
		}},
	front.Mutant{Name: "question-completes", Summary: "A question is delivered in state completed.",
		Engine: func(o *engine.Options) { o.Asks = false }},
	front.Mutant{Name: "question-unspoken", Summary: "A task waits for input without saying for what.",
		Reply: func(x *front.Reply) {
			if front.Text(x.Body, "result/status/state") == "input-required" {
				front.Drop(x.Body, "result/status/message")
			}
		}},
	front.Mutant{Name: "cancel-number-misnamed", Summary: "tasks/cancel with a number as id is reported as an unknown task.",
		Reply: func(x *front.Reply) {
			if front.Has(x.Request, "params/id") && !front.IsText(front.At(x.Request, "params/id")) {
				front.Recode("tasks/cancel", front.CodeInvalidParams, taskNotFound)(x)
			}
		}},
	front.Mutant{Name: "cancel-metadata-refused", Summary: "tasks/cancel with metadata is refused.",
		Reply: front.Answering("tasks/cancel", func(x *front.Reply) {
			if front.Has(x.Request, "params/metadata") {
				x.Decline(front.CodeInvalidParams)
			}
		})},
	front.Mutant{Name: "clock-reset", Summary: "The timestamp is reset to the time just before creation on completion.",
		Engine: func(o *engine.Options) { o.Defects.StaleClock = true }},
)
