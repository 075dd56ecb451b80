package mutants

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// LookingAgain edits the replies to tasks/get without historyLength for tasks
// of one script, from the given look on.
func LookingAgain(script string, from int, edit func(*front.Reply)) func(*front.Reply) {
	return func(x *front.Reply) {
		if front.Has(x.Body, "result") && x.LooksAgain(script) >= from {
			edit(x)
		}
	}
}

// HistoryOf edits the history in the replies to tasks/get. asked is the
// historyLength of the call.
func HistoryOf(edit func(x *front.Reply, asked string, history []any) []any) func(*front.Reply) {
	return func(x *front.Reply) {
		if !x.Looks() {
			return
		}
		n := front.At(x.Request, "params/historyLength")
		history, ok := front.At(x.Body, "result/history").([]any)
		if !front.IsNumber(n) || !ok {
			return
		}
		front.Put(x.Body, "result/history", edit(x, string(front.Encode(n)), history))
	}
}

// SortByRole puts the messages of one role before all others in the history of a task.
func SortByRole(body any, first string) {
	history, _ := front.At(body, "result/history").([]any)
	slices.SortStableFunc(history, func(a, b any) int {
		switch one, other := front.Text(a, "role") == first, front.Text(b, "role") == first; {
		case one && !other:
			return -1
		case other && !one:
			return 1
		}
		return 0
	})
}

// TaskMutants are about the methods that return tasks and what they hold.
func TaskMutants(w Wording) []front.Mutant {
	return front.InArea("task",
		front.Mutant{Name: "task-renamed", Summary: w.Cancel + " returns the task under an id of the server's own.",
			Reply: front.Answering(w.Cancel, func(x *front.Reply) {
				if front.Has(x.Body, "result") {
					front.Put(x.Body, "result/id", "server-"+front.Text(x.Request, "params/id"))
				}
			})},
		front.Mutant{Name: "task-not-stored", Summary: "A task that ends at once is unknown to " + w.Get + ".",
			Reply: LookingAgain("echo", 1, func(x *front.Reply) {
				x.Decline(w.NotFound)
			})},
		front.Mutant{Name: "get-shows-working", Summary: w.Get + " shows a task that ended at once as working for ever.",
			Reply: LookingAgain("echo", 1, func(x *front.Reply) {
				front.Swap(x.Body, "result/status/state", w.state("completed"), w.state("working"))
			})},
		front.Mutant{Name: "artifacts-not-stored", Summary: "Artifacts are sent once and unknown to " + w.Get + ".",
			Reply: LookingAgain("echo", 1, func(x *front.Reply) { front.Drop(x.Body, "result/artifacts") })},
		front.Mutant{Name: "get-without-id-misnamed", Summary: w.Get + " without id is reported as an unknown task.",
			Reply: func(x *front.Reply) {
				if !front.Has(x.Request, "params/id") {
					front.Recode(w.Get, front.CodeInvalidParams, w.NotFound)(x)
				}
			}},
		front.Mutant{Name: "get-number-misnamed", Summary: w.Get + " with a number as id is reported as an unknown task.",
			Reply: func(x *front.Reply) {
				if front.Has(x.Request, "params/id") && !front.IsText(front.At(x.Request, "params/id")) {
					front.Recode(w.Get, front.CodeInvalidParams, w.NotFound)(x)
				}
			}},
		front.Mutant{Name: "get-metadata-refused", Summary: w.Get + " with metadata is refused.",
			Reply: front.Declining(w.Get, front.CodeInvalidParams, func(params any) bool { return front.Has(params, "metadata") })},
		front.Mutant{Name: "get-history-length-ignored", Summary: "A historyLength that is no number is ignored by " + w.Get + ".",
			Call: front.Misread(w.Get, func(body any) {
				if front.IsText(front.At(body, "params/historyLength")) {
					front.Drop(body, "params/historyLength")
				}
			})},
		front.Mutant{Name: "history-unlimited", Summary: "The full history is returned when one message is asked for.",
			Reply: HistoryOf(func(x *front.Reply, asked string, history []any) []any {
				if asked == "1" {
					return w.WholeHistory(x)
				}
				return history
			})},
		front.Mutant{Name: "history-earliest", Summary: "The first message is returned when the last is asked for.",
			Reply: HistoryOf(func(x *front.Reply, asked string, history []any) []any {
				if asked == "1" {
					return w.WholeHistory(x)[:1]
				}
				return history
			})},
		front.Mutant{Name: "history-agent-only", Summary: "The user's message is not recorded when the task ends at once.",
			Reply: HistoryOf(func(x *front.Reply, asked string, history []any) []any {
				if x.Script() != "echo" || asked == "1" {
					return history
				}
				return slices.DeleteFunc(history, func(m any) bool { return front.Text(m, "role") == w.user() })
			})},
	)
}

// LifecycleMutants are about the states of tasks.
func LifecycleMutants(w Wording) []front.Mutant {
	return front.InArea("task",
		front.Mutant{Name: "background-work-dropped", Waits: true, Summary: "Work nobody waits for is dropped when " + w.Send + " has answered.",
			Engine: func(o *engine.Options) { o.Defects.StopUnwatched = true }},
		front.Mutant{Name: "completed-reaped", Summary: "A completed task is shown as failed from the third look on.",
			Reply: LookingAgain("echo", 3, func(x *front.Reply) {
				front.Swap(x.Body, "result/status/state", w.state("completed"), w.state("failed"))
			})},
		front.Mutant{Name: "failed-retried", Summary: "A failed task is shown as working from the second look on.",
			Reply: LookingAgain("fail", 2, func(x *front.Reply) { front.Swap(x.Body, "result/status/state", w.state("failed"), w.state("working")) })},
		front.Mutant{Name: "finished-task-reopened", Summary: "A message to a finished task runs it again.",
			Engine: func(o *engine.Options) { o.Defects.ReopenFinished = true }},
		front.Mutant{Name: "answer-refused", Summary: "A message to a waiting task is refused as a duplicate id.",
			Reply: front.Answering(w.Send, func(x *front.Reply) {
				if x.Script() == "ask" && front.Text(x.Request, "params/message/parts/0/text") != "ask" {
					x.Decline(front.CodeInvalidParams)
				}
			})},
		front.Mutant{Name: "cancel-missing", Summary: w.Cancel + " is not implemented.",
			Reply: front.Answering(w.Cancel, func(x *front.Reply) { x.Decline(front.CodeMethodNotFound) })},
		front.Mutant{Name: "cancel-refused-as-invalid", Summary: w.Cancel + " of a running task is carried out, and answered as invalid.",
			Reply: front.Declining(w.Cancel, front.CodeInvalidParams, func(any) bool { return true })},
		front.Mutant{Name: "cancel-forgotten", Summary: w.Cancel + " returns canceled and " + w.Get + " goes on showing working.",
			Engine: func(o *engine.Options) { o.Defects.CancelForgotten = true }},
		front.Mutant{Name: "cancel-ignored", Summary: w.Cancel + " is accepted and ignored.",
			Engine: func(o *engine.Options) { o.Defects.CancelIgnored = true }},
		front.Mutant{Name: "cancel-undone", Summary: "The worker overwrites canceled with its own end.",
			Engine: func(o *engine.Options) { o.Defects.CancelUndone = true }},
		front.Mutant{Name: "cancel-without-id-misnamed", Summary: w.Cancel + " without id is reported as an unknown task.",
			Reply: func(x *front.Reply) {
				if !front.Has(x.Request, "params/id") {
					front.Recode(w.Cancel, front.CodeInvalidParams, w.NotFound)(x)
				}
			}},
	)
}
