package a2a03

import (
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// V03Hello is what a lenient server puts in place of a message it misses.
func V03Hello() map[string]any {
	return map[string]any{"kind": "message", "role": "user", "messageId": "made-up", "parts": []any{map[string]any{"kind": "text", "text": "echo hello"}}}
}

// toTask edits the calls of a method about a task for which is holds.
func toTask(method string, is func(engine.Task) bool, edit func(body any)) func(*front.Call) {
	return func(c *front.Call) {
		if c.Method == method && front.Text(c.Body, "params/message/taskId") != "" {
			if t, _ := c.Server.Engine.Task(front.Text(c.Body, "params/message/taskId")); is(t) {
				edit(c.Body)
			}
		}
	}
}

func isUnknown(t engine.Task) bool { return t.ID == "" }

// configured edits the configuration of message/send where it has a member.
func configured(member string, edit func(configuration map[string]any)) func(*front.Call) {
	return front.Misread("message/send", func(body any) {
		if c := front.Object(body, "params/configuration"); c[member] != nil {
			edit(c)
		}
	})
}

// unsupported refuses messages with parts to which objectionable applies as
// being of an unsupported type.
func unsupported(objectionable func(part map[string]any) bool) func(*front.Reply) {
	return front.Declining("message/send", contentType, front.AnyPart(objectionable))
}

// knownFile reports whether a part is a file of a type that the server takes.
func knownFile(p map[string]any) bool {
	return front.Object(p, "file") != nil && !strings.HasPrefix(front.Text(p, "file/mimeType"), "application/x-")
}

// SendMutants are about message/send, beyond what other protocols have.
var SendMutants = map[string]front.Mutant{
	"task-id-of-message": mutants.Renamed("task-id-of-message", "A task gets the id of the message that began it.", "message/send",
		func(x *front.Reply) string {
			if front.Has(x.Request, "params/message/taskId") {
				return ""
			}
			return front.Text(x.Request, "params/message/messageId")
		}),
	"task-id-of-text": mutants.Renamed("task-id-of-text", "A task gets an id made from the text of its message.", "message/send",
		func(x *front.Reply) string {
			said := front.Text(x.Request, "params/message/parts/0/text")
			if front.Has(x.Request, "params/message/taskId") || !strings.HasPrefix(said, "echo") {
				return ""
			}
			return "task-" + strconv.Itoa(len(said))
		}),
	"context-has-one-task": mutants.Renamed("context-has-one-task", "Every message of a context gets the one task id made from the context.", "message/send",
		func(x *front.Reply) string {
			if context := front.Text(x.Body, "result/contextId"); context != "" && !front.Has(x.Request, "params/message/taskId") {
				return "task-of-" + context
			}
			return ""
		}),
	"answer-starts-anew": {Call: toTask("message/send", func(t engine.Task) bool { return t.Status.State.Paused() },
		func(body any) { front.Drop(body, "params/message/taskId") })},
	"unknown-task-renewed": {Call: toTask("message/send", isUnknown, func(body any) { front.Drop(body, "params/message/taskId") })},
	"refused-message-kept": {Reply: func(x *front.Reply) {
		key := "refused by " + x.TaskID()
		if x.Answers("message/send", Unsupported) {
			x.Server.Notes.Write(key, front.At(x.Request, "params/message"))
		} else if m := x.Server.Notes.Read(key); m != nil && x.Method() == "tasks/get" {
			history, _ := front.At(x.Body, "result/history").([]any)
			front.Put(x.Body, "result/history", append(history, m))
		}
	}},
	"task-changes-context": {Call: toTask("message/send", func(t engine.Task) bool { return t.Status.State.Paused() }, func(body any) {
		front.Put(body, "params/message/moved", front.At(body, "params/message/contextId"))
		front.Drop(body, "params/message/contextId")
	}),
		Reply: onResult("message/send", func(x *front.Reply) {
			if to := front.At(x.Request, "params/message/moved"); to != nil {
				front.Put(x.Body, "result/contextId", to)
			}
		})},
	"inline-file-refused": {Reply: unsupported(func(p map[string]any) bool { return knownFile(p) && front.Has(p, "file/bytes") })},
	"linked-file-refused": {Reply: unsupported(func(p map[string]any) bool { return knownFile(p) && front.Has(p, "file/uri") })},
	"mixed-parts-refused": {Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool {
		list := front.Parts(params)
		return len(list) > 1 && front.Text(list[0], "kind") != front.Text(list[1], "kind")
	})},
	"output-modes-ignored": {Call: configured("acceptedOutputModes", func(c map[string]any) {
		if !strings.HasPrefix(front.Text(c, "acceptedOutputModes/0"), "application/x-") {
			delete(c, "acceptedOutputModes")
		}
	})},
	"send-history-unlimited": {Reply: OnTask("message/send", "", func(x *front.Reply) {
		if front.At(x.Request, "params/configuration/historyLength") == front.Num(1) {
			front.Put(x.Body, "result/history", Words.WholeHistory(x))
		}
	})},
	"send-history-earliest": {Reply: OnTask("message/send", "", func(x *front.Reply) {
		if front.At(x.Request, "params/configuration/historyLength") == front.Num(1) {
			front.Put(x.Body, "result/history", Words.WholeHistory(x)[:1])
		}
	})},
}

// OnTask edits the tasks that one method returns, for tasks of one script; an
// empty script stands for any.
func OnTask(method, script string, edit func(*front.Reply)) func(*front.Reply) {
	return onResult(method, func(x *front.Reply) {
		if front.Text(x.Body, "result/kind") == "task" && (script == "" || x.Script() == script) {
			edit(x)
		}
	})
}
