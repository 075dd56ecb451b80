package a2a10

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// keptIn makes a server that adds a message it refused to the history of its task.
func keptIn(refused func(*front.Reply) bool) func(*front.Reply) {
	return func(x *front.Reply) {
		id := front.Text(x.Request, "params/message/taskId")
		if id != "" && refused(x) {
			x.Server.Notes.Write("refused "+id, front.At(x.Request, "params/message"))
			return
		}
		onResult(getMethod, func(x *front.Reply) {
			if m := x.Server.Notes.Read("refused " + front.Text(x.Request, "params/id")); m != nil {
				history, _ := front.At(x.Body, "result/history").([]any)
				front.Put(x.Body, "result/history", append(history, m))
			}
		})(x)
	}
}

// strange edits a call about a task that is not there.
func strange(method string, edit func(body any)) func(*front.Call) {
	return func(c *front.Call) {
		if id := front.Text(c.Body, "params/message/taskId"); c.Method == method && id != "" {
			if _, err := c.Server.Engine.Task(id); err != nil {
				edit(c.Body)
			}
		}
	}
}

func forgetTask(body any) { front.Drop(body, "params/message/taskId") }

// mismatched reports whether a message names another context than that of its task.
func mismatched(x *front.Reply) bool {
	context := front.Text(x.Request, "params/message/contextId")
	return x.Answers(sendMethod, front.CodeInvalidParams) && context != "" && x.Task().Session != "" && context != x.Task().Session
}

// sendMutants are about the message that is sent, and what comes back for it.
var sendMutants = map[string]front.Mutant{
	"canceled-task-revived": {Reply: func(x *front.Reply) {
		if t := x.Task(); x.Answers(sendMethod, Unsupported) && t.Status.State == engine.Canceled {
			t.Status.State = engine.Working
			x.Succeed(map[string]any{"task": front.Generic(Server{Server: x.Server}.Task(t, nil))})
		}
	}},
	"refused-message-kept": {Reply: keptIn(func(x *front.Reply) bool { return x.Answers(sendMethod, Unsupported) })},
	"unknown-task-begun":   {Call: strange(sendMethod, forgetTask)},
	"role-unknown-accepted": {Call: front.Misread(sendMethod, func(body any) {
		if role := front.Text(body, "params/message/role"); role != "" && roles[role] == "" {
			front.Put(body, "params/message/role", "ROLE_USER")
		}
	})},
	"output-modes-ignored": {Call: unchecked(sendMethod, "configuration/acceptedOutputModes", func(v any) bool { return !strings.HasPrefix(front.Text(v, "0"), "application/x-") })},
}

// knownContext reports whether a context has a task.
func knownContext(c *front.Call) bool {
	context := front.Text(c.Body, "params/message/contextId")
	return slices.ContainsFunc(c.Server.Engine.Tasks(), func(t engine.Listed) bool { return t.Session == context })
}

// contextDropped makes a server that puts a message into a context of its own.
func contextDropped(known bool) func(*front.Call) {
	return func(c *front.Call) {
		if c.Method == sendMethod && front.Has(c.Body, "params/message/contextId") && !front.Has(c.Body, "params/message/taskId") && knownContext(c) == known {
			front.Drop(c.Body, "params/message/contextId")
		}
	}
}

// contextMutants are about what belongs together (section 3.4).
var contextMutants = map[string]front.Mutant{
	"repeated-message-joined": {Reply: onResult(sendMethod, func(x *front.Reply) {
		front.Put(x.Body, "result", x.Server.Notes.First("message "+front.Text(x.Request, "params/message/messageId"), front.At(x.Body, "result")))
	})},
	"context-replaced":      {Call: contextDropped(false)},
	"context-not-continued": {Call: contextDropped(true)},
	"context-mismatch-kept": {Reply: keptIn(mismatched)},
	"task-ids-repeat": {Reply: onTask(func(x *front.Reply, t map[string]any) {
		if !front.Has(x.Request, "params/message/taskId") {
			t["id"] = x.Server.Notes.First("first task", t["id"])
		}
	})},
	"task-id-made-up": {Reply: onTask(func(_ *front.Reply, t map[string]any) { t["id"] = fmt.Sprint("other-", t["id"]) })},
}
