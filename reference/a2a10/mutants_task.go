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
var taskMutants = front.InArea("task",
	front.Mutant{Name: "get-other-task", Summary: "GetTask returns the task that it returned first.",
		Reply: onResult(getMethod, func(x *front.Reply) {
			front.Put(x.Body, "result", x.Server.Notes.First("task", front.At(x.Body, "result")))
		})},
	front.Mutant{Name: "get-wrapped", Summary: "GetTask returns the task in a wrapper.",
		Reply: onResult(getMethod, func(x *front.Reply) {
			front.Put(x.Body, "result", map[string]any{"task": front.At(x.Body, "result")})
		})},
	front.Mutant{Name: "unknown-task-empty", Summary: "GetTask returns an empty object for an unknown task.", Reply: succeeding(getMethod, TaskNotFound, nothing)},
	front.Mutant{Name: "get-without-id-served", Summary: "GetTask without id returns the newest task.", Call: withoutID(getMethod)},
	front.Mutant{Name: "get-adds-history", Summary: "Each look at a task adds a message to its history.",
		Reply: onResult(getMethod, func(x *front.Reply) {
			history, _ := front.At(x.Body, "result/history").([]any)
			if len(history) == 0 {
				return
			}
			for range x.Server.Notes.Count("looks at " + front.Text(x.Request, "params/id")) {
				history = append(history, history[len(history)-1])
			}
			front.Put(x.Body, "result/history", history)
		})},
	front.Mutant{Name: "history-reversed", Summary: "The history comes newest first.",
		Reply: onResult(getMethod, func(x *front.Reply) {
			history, _ := front.At(x.Body, "result/history").([]any)
			slices.Reverse(history)
		})},
	front.Mutant{Name: "history-by-role", Summary: "The history has the client's messages first, and what the agent asked after them.",
		Reply: onResult(getMethod, func(x *front.Reply) { mutants.SortByRole(x.Body, "ROLE_USER") })},
	front.Mutant{Name: "history-zero-unlimited", Summary: "A historyLength of 0 is read as no limit.",
		Call: unchecked(getMethod, "historyLength", func(v any) bool { return v == front.Num(0) })},
	front.Mutant{Name: "history-zero-empty", Summary: "A historyLength of 0 gives an empty history.",
		Reply: onResult(getMethod, func(x *front.Reply) {
			if front.At(x.Request, "params/historyLength") == front.Num(0) {
				front.Put(x.Body, "result/history", []any{})
			}
		})},
	front.Mutant{Name: "send-history-ignored", Summary: "SendMessage does not look at historyLength.",
		Call: unchecked(sendMethod, "configuration/historyLength", func(v any) bool { return !negative(v) })},
	front.Mutant{Name: "negative-history-internal", Summary: "A negative historyLength is an internal error of GetTask.",
		Reply: front.Answering(getMethod, func(x *front.Reply) {
			if negative(front.At(x.Request, "params/historyLength")) {
				x.Decline(front.CodeInternal)
			}
		})},
	front.Mutant{Name: "negative-history-accepted", Summary: "A negative historyLength is ignored by GetTask.",
		Call: unchecked(getMethod, "historyLength", negative)},
	front.Mutant{Name: "history-beyond-refused", Summary: "A historyLength of three digits is refused.",
		Reply: front.Declining(getMethod, front.CodeInvalidParams, func(params any) bool {
			return front.Has(params, "historyLength") && len(front.Encode(front.At(params, "historyLength"))) > 2
		})},
	front.Mutant{Name: "history-rewritten", Summary: "The texts in the history are in capital letters.",
		Reply: onResult(getMethod, func(x *front.Reply) {
			front.Walk(front.At(x.Body, "result/history"), func(m map[string]any) {
				if text, is := m["text"].(string); is {
					m["text"] = strings.ToUpper(text)
				}
			})
		})},
	front.Mutant{Name: "artifacts-forgotten", Summary: "GetTask shows no artifact that came in pieces.",
		Reply: onResult(getMethod, func(x *front.Reply) {
			if x.Script() == "artifact" {
				front.Drop(x.Body, "result/artifacts")
			}
		})},

	front.Mutant{Name: "cancel-refused", Summary: "The agent refuses to cancel what it works on.",
		Call:  front.Misread(cancelMethod, func(body any) { front.Put(body, "params/id", front.Text(body, "params/id")+"-kept") }),
		Reply: front.Recode(cancelMethod, TaskNotFound, taskNotCancelable)},
	front.Mutant{Name: "failure-rejected", Summary: "A task that fails is told to be rejected.",
		Reply: member("state", func(v string) any { return strings.Replace(v, "FAILED", "REJECTED", 1) }),
		Event: func(f *front.Frame) {
			front.Walk(front.At(f.Body, "result"), func(m map[string]any) {
				front.Swap(m, "state", "TASK_STATE_FAILED", "TASK_STATE_REJECTED")
			})
		}},
	front.Mutant{Name: "cancel-empty", Summary: "CancelTask returns an empty object.",
		Reply: onResult(cancelMethod, func(x *front.Reply) { front.Put(x.Body, "result", map[string]any{}) })},
	front.Mutant{Name: "cancel-without-id-pretended", Summary: "CancelTask without id says that it canceled a task.",
		Reply: front.Answering(cancelMethod, func(x *front.Reply) {
			if front.Text(x.Request, "params/id") == "" {
				x.Succeed(map[string]any{"id": "task-1", "status": map[string]any{"state": stateName(engine.Canceled)}})
			}
		})},
	front.Mutant{Name: "unknown-cancel-misnamed", Summary: "CancelTask reports an unknown task as not cancelable.",
		Reply: front.Recode(cancelMethod, TaskNotFound, taskNotCancelable)},
	front.Mutant{Name: "finished-cancel-misnamed", Summary: "CancelTask of a finished task is an unsupported operation.",
		Reply: front.Recode(cancelMethod, taskNotCancelable, Unsupported)},
	front.Mutant{Name: "cancel-again-internal", Summary: "A second CancelTask is an internal error.",
		Reply: func(x *front.Reply) {
			if x.Method() == cancelMethod && x.Answers(cancelMethod, taskNotCancelable) && x.Task().Status.State == engine.Canceled {
				x.Decline(front.CodeInternal)
			}
		}},
	front.Mutant{Name: "cancel-metadata-refused", Summary: "CancelTask with metadata is refused.",
		Reply: front.Declining(cancelMethod, front.CodeInvalidParams, func(params any) bool { return front.Has(params, "metadata") })},
)

// needing edits the tasks that wait for credentials, wherever they are shown.
func needing(edit func(task map[string]any)) func(*front.Reply) {
	return func(x *front.Reply) {
		for _, path := range []string{"result", "result/task"} {
			if t := front.Object(x.Body, path); front.Text(t, "status/state") == stateName(engine.AuthRequired) {
				edit(t)
			}
		}
	}
}

// stateMutants are about the states of tasks, and those that need credentials
// (section 7.6).
var stateMutants = front.InArea("state",
	front.Mutant{Name: "needauth-as-message", Summary: "An agent that needs credentials asks for them in a message without a task.",
		Reply: onTask(func(x *front.Reply, t map[string]any) {
			if front.Text(t, "status/state") == stateName(engine.AuthRequired) {
				front.Put(x.Body, "result", map[string]any{"message": front.At(t, "status/message")})
			}
		})},
	front.Mutant{Name: "needauth-fails", Summary: "A task that needs credentials is shown as failed.",
		Reply: needing(func(t map[string]any) { front.Put(t, "status/state", stateName(engine.Failed)) })},
	front.Mutant{Name: "needauth-wordless", Summary: "A task that needs credentials does not say which.",
		Reply: needing(func(t map[string]any) { front.Drop(t, "status/message") })},
	front.Mutant{Name: "needauth-refuses", Summary: "A task that needs credentials takes no message.",
		Reply: front.Answering(sendMethod, func(x *front.Reply) {
			if front.Has(x.Request, "params/message/taskId") && x.Script() == "needauth" {
				x.Decline(Unsupported)
			}
		})},
	front.Mutant{Name: "needauth-breaks-stream", Summary: "The stream of a task that needs credentials breaks off with an error.",
		Event: func(f *front.Frame) {
			if f.State() == stateName(engine.AuthRequired) && !f.Whole() {
				f.Body = map[string]any{"jsonrpc": "2.0", "id": front.At(f.Body, "id"), "error": map[string]any{"code": front.CodeInternal, "message": "Credentials are missing"}}
				f.Cut = true
			}
		}},
	front.Mutant{Name: "needauth-breaks-subscription", Summary: "The subscription to a task that needs credentials breaks off with an error.",
		Event: func(f *front.Frame) {
			if f.Method() == subscribeMethod && f.Whole() && f.State() == stateName(engine.AuthRequired) {
				f.After = []any{map[string]any{"jsonrpc": "2.0", "id": front.At(f.Body, "id"), "error": map[string]any{"code": front.CodeInternal, "message": "Credentials are missing"}}}
				f.Cut = true
			}
		}},
	front.Mutant{Name: "needauth-closes-subscription", Summary: "The subscription to a task that needs credentials ends with what the task is.",
		Event: func(f *front.Frame) {
			f.Cut = f.Cut || f.Method() == subscribeMethod && f.Whole() && f.State() == stateName(engine.AuthRequired)
		}},
	front.Mutant{Name: "needauth-asks-password", Summary: "The agent asks for a password in a message.",
		Reply: needing(func(t map[string]any) {
			front.Put(t, "status/message/parts", []any{map[string]any{"text": "Please reply with your password."}})
		})},
)
