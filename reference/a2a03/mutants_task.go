package a2a03

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// TaskMutants are about tasks/get and tasks/cancel, beyond what other
// protocols have.
var TaskMutants = map[string]front.Mutant{
	"history-surplus-refused": {Reply: front.Declining("tasks/get", front.CodeInvalidParams, func(params any) bool {
		n := front.At(params, "historyLength")
		return front.IsNumber(n) && len(front.Encode(n)) > 2 && front.Encode(n)[0] != '-'
	})},
	"get-noted-in-history": {Reply: OnTask("tasks/get", "ask", func(x *front.Reply) {
		history, ok := front.At(x.Body, "result/history").([]any)
		if !ok || front.Text(x.Body, "result/status/state") != "input-required" {
			return
		}
		for range x.Server.Notes.Count("looks at " + x.TaskID()) {
			history = append(history, history[len(history)-1])
		}
		front.Put(x.Body, "result/history", history)
	})},
	"second-cancel-internal": {Reply: func(x *front.Reply) {
		if x.Task().Status.State == "canceled" {
			front.Recode("tasks/cancel", taskNotCancelable, front.CodeInternal)(x)
		}
	}},
	"answer-stored": {Reply: func(x *front.Reply) {
		if x.Script() == "ask" && slices.Contains([]string{"completed", "input-required"}, front.Text(x.Body, "result/status/state")) {
			front.Put(x.Body, "result/status", map[string]any{"state": "input-required"})
		}
	}},
}
