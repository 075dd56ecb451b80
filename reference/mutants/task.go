package mutants

import (
	"slices"

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
func TaskMutants(w Wording) map[string]front.Mutant {
	return map[string]front.Mutant{
		"task-renamed": {Reply: front.Answering(w.Cancel, func(x *front.Reply) {
			if front.Has(x.Body, "result") {
				front.Put(x.Body, "result/id", "server-"+front.Text(x.Request, "params/id"))
			}
		})},
		"history-unlimited": {Reply: HistoryOf(func(x *front.Reply, asked string, history []any) []any {
			if asked == "1" {
				return w.WholeHistory(x)
			}
			return history
		})},
		"history-earliest": {Reply: HistoryOf(func(x *front.Reply, asked string, history []any) []any {
			if asked == "1" {
				return w.WholeHistory(x)[:1]
			}
			return history
		})},
		"history-agent-only": {Reply: HistoryOf(func(x *front.Reply, asked string, history []any) []any {
			if x.Script() != "echo" || asked == "1" {
				return history
			}
			return slices.DeleteFunc(history, func(m any) bool { return front.Text(m, "role") == w.user() })
		})},
	}
}
