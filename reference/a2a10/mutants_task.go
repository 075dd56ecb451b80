package a2a10

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// withoutID serves a call that names no task with the newest one.
func withoutID(method string) func(*front.Call) {
	return func(c *front.Call) {
		if c.Method == method && front.Text(c.Body, "params/id") == "" {
			if all := c.Server.Engine.Tasks(); len(all) > 0 && front.Object(c.Body, "params") != nil {
				front.Put(c.Body, "params/id", all[0].ID)
			}
		}
	}
}

// taskMutants are about GetTask and CancelTask.
var taskMutants = map[string]front.Mutant{
	"get-other-task": {Reply: onResult(getMethod, func(x *front.Reply) {
		front.Put(x.Body, "result", x.Server.Notes.First("task", front.At(x.Body, "result")))
	})},
	"get-without-id-served": {Call: withoutID(getMethod)},
	"get-adds-history": {Reply: onResult(getMethod, func(x *front.Reply) {
		history, _ := front.At(x.Body, "result/history").([]any)
		if len(history) == 0 {
			return
		}
		for range x.Server.Notes.Count("looks at " + front.Text(x.Request, "params/id")) {
			history = append(history, history[len(history)-1])
		}
		front.Put(x.Body, "result/history", history)
	})},
	"history-reversed": {Reply: onResult(getMethod, func(x *front.Reply) {
		history, _ := front.At(x.Body, "result/history").([]any)
		slices.Reverse(history)
	})},
	"history-by-role":      {Reply: onResult(getMethod, func(x *front.Reply) { mutants.SortByRole(x.Body, "ROLE_USER") })},
	"send-history-ignored": {Call: unchecked(sendMethod, "configuration/historyLength", func(v any) bool { return !negative(v) })},
	"history-beyond-refused": {Reply: front.Declining(getMethod, front.CodeInvalidParams, func(params any) bool {
		return front.Has(params, "historyLength") && len(front.Encode(front.At(params, "historyLength"))) > 2
	})},
	"history-rewritten": {Reply: onResult(getMethod, func(x *front.Reply) {
		front.Walk(front.At(x.Body, "result/history"), func(m map[string]any) {
			if text, is := m["text"].(string); is {
				m["text"] = strings.ToUpper(text)
			}
		})
	})},
	"cancel-refused": {Call: front.Misread(cancelMethod, func(body any) { front.Put(body, "params/id", front.Text(body, "params/id")+"-kept") }),
		Reply: front.Recode(cancelMethod, TaskNotFound, taskNotCancelable)},
	"failure-rejected": {Reply: member("state", func(v string) any { return strings.Replace(v, "FAILED", "REJECTED", 1) }),
		Event: func(f *front.Frame) {
			front.Walk(front.At(f.Body, "result"), func(m map[string]any) {
				front.Swap(m, "state", "TASK_STATE_FAILED", "TASK_STATE_REJECTED")
			})
		}},
	"cancel-again-internal": {Reply: func(x *front.Reply) {
		if x.Method() == cancelMethod && x.Answers(cancelMethod, taskNotCancelable) && x.Task().Status.State == engine.Canceled {
			x.Decline(front.CodeInternal)
		}
	}},
}

// stateMutants are about the states of tasks, and those that need credentials
// (section 7.6).
var stateMutants = map[string]front.Mutant{
	"needauth-breaks-subscription": {Event: func(f *front.Frame) {
		if f.Method() == subscribeMethod && f.Whole() && f.State() == stateName(engine.AuthRequired) {
			f.After = []any{map[string]any{"jsonrpc": "2.0", "id": front.At(f.Body, "id"), "error": map[string]any{"code": front.CodeInternal, "message": "Credentials are missing"}}}
			f.Cut = true
		}
	}},
	"needauth-closes-subscription": {Event: func(f *front.Frame) {
		f.Cut = f.Cut || f.Method() == subscribeMethod && f.Whole() && f.State() == stateName(engine.AuthRequired)
	}},
}
