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
var SendMutants = front.InArea("message",
	front.Mutant{Name: "send-wrapped", Summary: "message/send returns the task inside an object with the member task.",
		Reply: OnTask("message/send", "echo", func(x *front.Reply) { front.Put(x.Body, "result", map[string]any{"task": front.At(x.Body, "result")}) })},
	mutants.Renamed("task-id-of-message", "A task gets the id of the message that began it.", "message/send",
		func(x *front.Reply) string {
			if front.Has(x.Request, "params/message/taskId") {
				return ""
			}
			return front.Text(x.Request, "params/message/messageId")
		}),
	mutants.Renamed("task-id-of-text", "A task gets an id made from the text of its message.", "message/send",
		func(x *front.Reply) string {
			said := front.Text(x.Request, "params/message/parts/0/text")
			if front.Has(x.Request, "params/message/taskId") || !strings.HasPrefix(said, "echo") {
				return ""
			}
			return "task-" + strconv.Itoa(len(said))
		}),
	front.Mutant{Name: "context-left-out", Area: "context", Summary: "message/send returns a new task without its context.",
		Reply: OnTask("message/send", "echo", func(x *front.Reply) {
			if !front.Has(x.Request, "params/message/contextId") {
				front.Drop(x.Body, "result/contextId")
			}
		})},
	front.Mutant{Name: "context-renewed", Area: "context", Summary: "Every message opens a new context.",
		Call: front.Misread("message/send", func(body any) {
			if !front.Has(body, "params/message/taskId") {
				front.Drop(body, "params/message/contextId")
			}
		})},
	mutants.Renamed("context-has-one-task", "Every message of a context gets the one task id made from the context.", "message/send",
		func(x *front.Reply) string {
			if context := front.Text(x.Body, "result/contextId"); context != "" && !front.Has(x.Request, "params/message/taskId") {
				return "task-of-" + context
			}
			return ""
		}),
	front.Mutant{Name: "answer-starts-anew", Summary: "An answer to a waiting task starts a new one.",
		Call: toTask("message/send", func(t engine.Task) bool { return t.Status.State.Paused() },
			func(body any) { front.Drop(body, "params/message/taskId") })},
	front.Mutant{Name: "unknown-task-renewed", Summary: "A message to an unknown task begins a new one.",
		Call: toTask("message/send", isUnknown, func(body any) { front.Drop(body, "params/message/taskId") })},
	front.Mutant{Name: "refused-message-kept", Summary: "A message that was refused because its task has ended is kept in the history.",
		Reply: func(x *front.Reply) {
			key := "refused by " + x.TaskID()
			if x.Answers("message/send", Unsupported) {
				x.Server.Notes.Write(key, front.At(x.Request, "params/message"))
			} else if m := x.Server.Notes.Read(key); m != nil && x.Method() == "tasks/get" {
				history, _ := front.At(x.Body, "result/history").([]any)
				front.Put(x.Body, "result/history", append(history, m))
			}
		}},
	front.Mutant{Name: "task-changes-context", Area: "context", Summary: "A task moves into the context that a message to it names.",
		Call: toTask("message/send", func(t engine.Task) bool { return t.Status.State.Paused() }, func(body any) {
			front.Put(body, "params/message/moved", front.At(body, "params/message/contextId"))
			front.Drop(body, "params/message/contextId")
		}),
		Reply: onResult("message/send", func(x *front.Reply) {
			if to := front.At(x.Request, "params/message/moved"); to != nil {
				front.Put(x.Body, "result/contextId", to)
			}
		})},
	front.Mutant{Name: "message-missing-internal", Summary: "A missing message is an internal error.",
		Reply: front.Answering("message/send", func(x *front.Reply) {
			if !front.Has(x.Request, "params/message") {
				x.Decline(front.CodeInternal)
			}
		})},
	front.Mutant{Name: "message-id-optional", Summary: "A missing messageId is made up.",
		Call: front.Misread("message/send", func(body any) {
			if m := front.Object(body, "params/message"); m != nil && !front.Has(m, "messageId") {
				m["messageId"] = "made-up"
			}
		})},
	front.Mutant{Name: "hollow-file-accepted", Summary: "A file with neither bytes nor uri is accepted.",
		Call: Words.PartsMisread(func(p map[string]any) {
			if f := front.Object(p, "file"); f != nil && f["bytes"] == nil && f["uri"] == nil {
				f["bytes"] = ""
			}
		})},
	front.Mutant{Name: "data-array-accepted", Summary: "A data part may hold an array.",
		Call: Words.PartsMisread(func(p map[string]any) {
			if _, is := p["data"].([]any); is {
				p["data"] = map[string]any{}
			}
		})},
	front.Mutant{Name: "wrong-type-internal", Summary: "A message of the wrong type is an internal error.",
		Reply: front.Answering("message/send", func(x *front.Reply) {
			if front.IsText(front.At(x.Request, "params/message")) {
				x.Decline(front.CodeInternal)
			}
		})},
	front.Mutant{Name: "text-refused", Summary: "A message of one text is refused as being of an unsupported type, unless it is in a context or for a task.",
		Reply: front.Declining("message/send", contentType, func(params any) bool {
			return front.Text(params, "message/parts/0/kind") == "text" && len(front.Parts(params)) == 1 &&
				!front.Has(params, "message/contextId") && !front.Has(params, "message/taskId")
		})},
	front.Mutant{Name: "inline-file-refused", Summary: "A file by value is refused as being of an unsupported type.",
		Reply: unsupported(func(p map[string]any) bool { return knownFile(p) && front.Has(p, "file/bytes") })},
	front.Mutant{Name: "linked-file-refused", Summary: "A file by reference is refused as being of an unsupported type.",
		Reply: unsupported(func(p map[string]any) bool { return knownFile(p) && front.Has(p, "file/uri") })},
	front.Mutant{Name: "data-refused", Summary: "A data part is refused as being of an unsupported type.",
		Reply: unsupported(func(p map[string]any) bool { return p["kind"] == "data" })},
	front.Mutant{Name: "mixed-parts-refused", Summary: "A message whose parts are of several kinds is refused.",
		Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool {
			list := front.Parts(params)
			return len(list) > 1 && front.Text(list[0], "kind") != front.Text(list[1], "kind")
		})},
	front.Mutant{Name: "file-type-internal", Summary: "A file of an unsupported type is an internal error.",
		Reply: func(x *front.Reply) {
			if front.AnyPart(func(p map[string]any) bool { return p["kind"] == "file" })(front.At(x.Request, "params")) {
				front.Recode("message/send", contentType, front.CodeInternal)(x)
			}
		}},
	front.Mutant{Name: "output-modes-ignored", Summary: "Answers come in all types, whichever are accepted.",
		Call: configured("acceptedOutputModes", func(c map[string]any) {
			if !strings.HasPrefix(front.Text(c, "acceptedOutputModes/0"), "application/x-") {
				delete(c, "acceptedOutputModes")
			}
		})},
	front.Mutant{Name: "output-modes-internal", Summary: "Output modes that the agent does not have are an internal error.",
		Reply: func(x *front.Reply) {
			if front.Has(x.Request, "params/configuration/acceptedOutputModes") {
				front.Recode("message/send", contentType, front.CodeInternal)(x)
			}
		}},
	front.Mutant{Name: "output-modes-unchecked", Summary: "Output modes that the agent does not have are passed over.",
		Call: configured("acceptedOutputModes", func(c map[string]any) {
			if strings.HasPrefix(front.Text(c, "acceptedOutputModes/0"), "application/x-") {
				delete(c, "acceptedOutputModes")
			}
		})},
	front.Mutant{Name: "blocking-ignored", Summary: "message/send that should wait returns an echo before it is complete.",
		Call: front.Misread("message/send", func(body any) {
			if front.At(body, "params/configuration/blocking") == true && strings.HasPrefix(front.Text(body, "params/message/parts/0/text"), "echo") {
				front.Put(body, "params/configuration/blocking", false)
			}
		})},
	front.Mutant{Name: "blocking-always", Summary: "message/send that should not wait waits for the end.",
		Call: front.Misread("message/send", func(body any) {
			if front.At(body, "params/configuration/blocking") == false {
				front.Put(body, "params/configuration/blocking", true)
			}
		})},
	front.Mutant{Name: "send-history-unlimited", Summary: "message/send returns the full history when one message is asked for.",
		Reply: OnTask("message/send", "", func(x *front.Reply) {
			if front.At(x.Request, "params/configuration/historyLength") == front.Num(1) {
				front.Put(x.Body, "result/history", Words.WholeHistory(x))
			}
		})},
	front.Mutant{Name: "send-history-earliest", Summary: "message/send returns the first message when the last is asked for.",
		Reply: OnTask("message/send", "", func(x *front.Reply) {
			if front.At(x.Request, "params/configuration/historyLength") == front.Num(1) {
				front.Put(x.Body, "result/history", Words.WholeHistory(x)[:1])
			}
		})},
	front.Mutant{Name: "negative-history-accepted", Summary: "A negative historyLength is ignored by message/send.",
		Call: configured("historyLength", func(c map[string]any) {
			if n := c["historyLength"]; front.IsNumber(n) && string(front.Encode(n))[0] == '-' {
				delete(c, "historyLength")
			}
		})},
	front.Mutant{Name: "negative-history-internal", Summary: "A negative historyLength is an internal error of message/send.",
		Reply: func(x *front.Reply) {
			if n := front.At(x.Request, "params/configuration/historyLength"); front.IsNumber(n) && string(front.Encode(n))[0] == '-' {
				x.Decline(front.CodeInternal)
			}
		}},
	front.Mutant{Name: "references-refused", Summary: "A message that refers to a task is refused.",
		Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool { return front.Has(params, "message/referenceTaskIds") })},
	front.Mutant{Name: "push-in-send-ignored", Area: "push", Summary: "A configuration sent with a message is ignored.",
		Call: configured("pushNotificationConfig", func(c map[string]any) { delete(c, "pushNotificationConfig") })},
	front.Mutant{Name: "push-in-send-accepted", Area: "push", Variant: "silent", Summary: "Without push notifications a configuration sent with a message is ignored.",
		Call: configured("pushNotificationConfig", func(c map[string]any) { delete(c, "pushNotificationConfig") })},
	front.Mutant{Name: "push-in-send-internal", Area: "push", Variant: "silent", Summary: "Without push notifications a configuration sent with a message is an internal error.",
		Reply: front.Recode("message/send", pushNotSupported, front.CodeInternal)},

	front.Mutant{Name: "chat-from-user", Summary: "A direct answer has the role user.", Reply: onChat(func(x *front.Reply) { front.Put(x.Body, "result/role", "user") })},
	front.Mutant{Name: "chat-repeats-id", Summary: "A direct answer has the messageId of the question.",
		Reply: onChat(func(x *front.Reply) {
			front.Put(x.Body, "result/messageId", front.At(x.Request, "params/message/messageId"))
		})},
	front.Mutant{Name: "chat-without-context", Summary: "A direct answer names no context.", Reply: onChat(func(x *front.Reply) { front.Drop(x.Body, "result/contextId") })},

	front.Mutant{Name: "answer-in-status-only", Area: "task", Summary: "A completed task has its output in the status only.",
		Reply: func(x *front.Reply) {
			if x.Script() == "artifact" || x.Script() == "echo" {
				front.Drop(x.Body, "result/artifacts")
			}
		}},
)

// OnTask edits the tasks that one method returns, for tasks of one script; an
// empty script stands for any.
func OnTask(method, script string, edit func(*front.Reply)) func(*front.Reply) {
	return onResult(method, func(x *front.Reply) {
		if front.Text(x.Body, "result/kind") == "task" && (script == "" || x.Script() == script) {
			edit(x)
		}
	})
}

// onChat edits the messages that message/send returns in place of a task.
func onChat(edit func(*front.Reply)) func(*front.Reply) {
	return onResult("message/send", func(x *front.Reply) {
		if front.Text(x.Body, "result/kind") == "message" {
			edit(x)
		}
	})
}
