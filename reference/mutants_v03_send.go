package reference

import (
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// v03Hello is what a lenient server puts in place of a message it misses.
func v03Hello() map[string]any {
	return map[string]any{"kind": "message", "role": "user", "messageId": "made-up", "parts": []any{map[string]any{"kind": "text", "text": "echo hello"}}}
}

// toTask edits the calls of a method about a task for which is holds.
func toTask(method string, is func(engine.Task) bool, edit func(body any)) func(*call) {
	return func(c *call) {
		if c.method == method && text(c.body, "params/message/taskId") != "" {
			if t, _ := c.server.engine.Task(text(c.body, "params/message/taskId")); is(t) {
				edit(c.body)
			}
		}
	}
}

func isUnknown(t engine.Task) bool { return t.ID == "" }

// configured edits the configuration of message/send where it has a member.
func configured(member string, edit func(configuration map[string]any)) func(*call) {
	return misread("message/send", func(body any) {
		if c := object(body, "params/configuration"); c[member] != nil {
			edit(c)
		}
	})
}

// unsupported refuses messages with parts to which objectionable applies as
// being of an unsupported type.
func unsupported(objectionable func(part map[string]any) bool) func(*reply) {
	return declining("message/send", a2a03ContentType, anyPart(objectionable))
}

// knownFile reports whether a part is a file of a type that the server takes.
func knownFile(p map[string]any) bool {
	return object(p, "file") != nil && !strings.HasPrefix(text(p, "file/mimeType"), "application/x-")
}

// a2a03SendMutants are about message/send, beyond what other protocols have.
var a2a03SendMutants = inArea("message",
	mutant{name: "send-wrapped", summary: "message/send returns the task inside an object with the member task.",
		reply: onTask("message/send", "echo", func(x *reply) { put(x.body, "result", map[string]any{"task": at(x.body, "result")}) })},
	renamed("task-id-of-message", "A task gets the id of the message that began it.", "message/send",
		func(x *reply) string {
			if has(x.request, "params/message/taskId") {
				return ""
			}
			return text(x.request, "params/message/messageId")
		}),
	renamed("task-id-of-text", "A task gets an id made from the text of its message.", "message/send",
		func(x *reply) string {
			said := text(x.request, "params/message/parts/0/text")
			if has(x.request, "params/message/taskId") || !strings.HasPrefix(said, "echo") {
				return ""
			}
			return "task-" + strconv.Itoa(len(said))
		}),
	mutant{name: "context-left-out", area: "context", summary: "message/send returns a new task without its context.",
		reply: onTask("message/send", "echo", func(x *reply) {
			if !has(x.request, "params/message/contextId") {
				drop(x.body, "result/contextId")
			}
		})},
	mutant{name: "context-renewed", area: "context", summary: "Every message opens a new context.",
		call: misread("message/send", func(body any) {
			if !has(body, "params/message/taskId") {
				drop(body, "params/message/contextId")
			}
		})},
	renamed("context-has-one-task", "Every message of a context gets the one task id made from the context.", "message/send",
		func(x *reply) string {
			if context := text(x.body, "result/contextId"); context != "" && !has(x.request, "params/message/taskId") {
				return "task-of-" + context
			}
			return ""
		}),
	mutant{name: "answer-starts-anew", summary: "An answer to a waiting task starts a new one.",
		call: toTask("message/send", func(t engine.Task) bool { return t.Status.State.Paused() },
			func(body any) { drop(body, "params/message/taskId") })},
	mutant{name: "unknown-task-renewed", summary: "A message to an unknown task begins a new one.",
		call: toTask("message/send", isUnknown, func(body any) { drop(body, "params/message/taskId") })},
	mutant{name: "refused-message-kept", summary: "A message that was refused because its task has ended is kept in the history.",
		reply: func(x *reply) {
			key := "refused by " + x.taskID()
			if x.answers("message/send", a2a03Unsupported) {
				x.server.notes.write(key, at(x.request, "params/message"))
			} else if m := x.server.notes.read(key); m != nil && x.method() == "tasks/get" {
				history, _ := at(x.body, "result/history").([]any)
				put(x.body, "result/history", append(history, m))
			}
		}},
	mutant{name: "task-changes-context", area: "context", summary: "A task moves into the context that a message to it names.",
		call: toTask("message/send", func(t engine.Task) bool { return t.Status.State.Paused() }, func(body any) {
			put(body, "params/message/moved", at(body, "params/message/contextId"))
			drop(body, "params/message/contextId")
		}),
		reply: onResult("message/send", func(x *reply) {
			if to := at(x.request, "params/message/moved"); to != nil {
				put(x.body, "result/contextId", to)
			}
		})},
	mutant{name: "message-missing-internal", summary: "A missing message is an internal error.",
		reply: answering("message/send", func(x *reply) {
			if !has(x.request, "params/message") {
				x.decline(codeInternal)
			}
		})},
	mutant{name: "message-id-optional", summary: "A missing messageId is made up.",
		call: misread("message/send", func(body any) {
			if m := object(body, "params/message"); m != nil && !has(m, "messageId") {
				m["messageId"] = "made-up"
			}
		})},
	mutant{name: "hollow-file-accepted", summary: "A file with neither bytes nor uri is accepted.",
		call: a2a03Words.partsMisread(func(p map[string]any) {
			if f := object(p, "file"); f != nil && f["bytes"] == nil && f["uri"] == nil {
				f["bytes"] = ""
			}
		})},
	mutant{name: "data-array-accepted", summary: "A data part may hold an array.",
		call: a2a03Words.partsMisread(func(p map[string]any) {
			if _, is := p["data"].([]any); is {
				p["data"] = map[string]any{}
			}
		})},
	mutant{name: "wrong-type-internal", summary: "A message of the wrong type is an internal error.",
		reply: answering("message/send", func(x *reply) {
			if isText(at(x.request, "params/message")) {
				x.decline(codeInternal)
			}
		})},
	mutant{name: "text-refused", summary: "A message of one text is refused as being of an unsupported type, unless it is in a context or for a task.",
		reply: declining("message/send", a2a03ContentType, func(params any) bool {
			return text(params, "message/parts/0/kind") == "text" && len(parts(params)) == 1 &&
				!has(params, "message/contextId") && !has(params, "message/taskId")
		})},
	mutant{name: "inline-file-refused", summary: "A file by value is refused as being of an unsupported type.",
		reply: unsupported(func(p map[string]any) bool { return knownFile(p) && has(p, "file/bytes") })},
	mutant{name: "linked-file-refused", summary: "A file by reference is refused as being of an unsupported type.",
		reply: unsupported(func(p map[string]any) bool { return knownFile(p) && has(p, "file/uri") })},
	mutant{name: "data-refused", summary: "A data part is refused as being of an unsupported type.",
		reply: unsupported(func(p map[string]any) bool { return p["kind"] == "data" })},
	mutant{name: "mixed-parts-refused", summary: "A message whose parts are of several kinds is refused.",
		reply: declining("message/send", codeInvalidParams, func(params any) bool {
			list := parts(params)
			return len(list) > 1 && text(list[0], "kind") != text(list[1], "kind")
		})},
	mutant{name: "file-type-internal", summary: "A file of an unsupported type is an internal error.",
		reply: func(x *reply) {
			if anyPart(func(p map[string]any) bool { return p["kind"] == "file" })(at(x.request, "params")) {
				recode("message/send", a2a03ContentType, codeInternal)(x)
			}
		}},
	mutant{name: "output-modes-ignored", summary: "Answers come in all types, whichever are accepted.",
		call: configured("acceptedOutputModes", func(c map[string]any) {
			if !strings.HasPrefix(text(c, "acceptedOutputModes/0"), "application/x-") {
				delete(c, "acceptedOutputModes")
			}
		})},
	mutant{name: "output-modes-internal", summary: "Output modes that the agent does not have are an internal error.",
		reply: func(x *reply) {
			if has(x.request, "params/configuration/acceptedOutputModes") {
				recode("message/send", a2a03ContentType, codeInternal)(x)
			}
		}},
	mutant{name: "output-modes-unchecked", summary: "Output modes that the agent does not have are passed over.",
		call: configured("acceptedOutputModes", func(c map[string]any) {
			if strings.HasPrefix(text(c, "acceptedOutputModes/0"), "application/x-") {
				delete(c, "acceptedOutputModes")
			}
		})},
	mutant{name: "blocking-ignored", summary: "message/send that should wait returns an echo before it is complete.",
		call: misread("message/send", func(body any) {
			if at(body, "params/configuration/blocking") == true && strings.HasPrefix(text(body, "params/message/parts/0/text"), "echo") {
				put(body, "params/configuration/blocking", false)
			}
		})},
	mutant{name: "blocking-always", summary: "message/send that should not wait waits for the end.",
		call: misread("message/send", func(body any) {
			if at(body, "params/configuration/blocking") == false {
				put(body, "params/configuration/blocking", true)
			}
		})},
	mutant{name: "send-history-unlimited", summary: "message/send returns the full history when one message is asked for.",
		reply: onTask("message/send", "", func(x *reply) {
			if at(x.request, "params/configuration/historyLength") == num(1) {
				put(x.body, "result/history", a2a03Words.wholeHistory(x))
			}
		})},
	mutant{name: "send-history-earliest", summary: "message/send returns the first message when the last is asked for.",
		reply: onTask("message/send", "", func(x *reply) {
			if at(x.request, "params/configuration/historyLength") == num(1) {
				put(x.body, "result/history", a2a03Words.wholeHistory(x)[:1])
			}
		})},
	mutant{name: "negative-history-accepted", summary: "A negative historyLength is ignored by message/send.",
		call: configured("historyLength", func(c map[string]any) {
			if n := c["historyLength"]; isNumber(n) && string(encode(n))[0] == '-' {
				delete(c, "historyLength")
			}
		})},
	mutant{name: "negative-history-internal", summary: "A negative historyLength is an internal error of message/send.",
		reply: func(x *reply) {
			if n := at(x.request, "params/configuration/historyLength"); isNumber(n) && string(encode(n))[0] == '-' {
				x.decline(codeInternal)
			}
		}},
	mutant{name: "references-refused", summary: "A message that refers to a task is refused.",
		reply: declining("message/send", codeInvalidParams, func(params any) bool { return has(params, "message/referenceTaskIds") })},
	mutant{name: "push-in-send-ignored", area: "push", summary: "A configuration sent with a message is ignored.",
		call: configured("pushNotificationConfig", func(c map[string]any) { delete(c, "pushNotificationConfig") })},
	mutant{name: "push-in-send-accepted", area: "push", variant: "silent", summary: "Without push notifications a configuration sent with a message is ignored.",
		call: configured("pushNotificationConfig", func(c map[string]any) { delete(c, "pushNotificationConfig") })},
	mutant{name: "push-in-send-internal", area: "push", variant: "silent", summary: "Without push notifications a configuration sent with a message is an internal error.",
		reply: recode("message/send", a2a03PushNotSupported, codeInternal)},

	mutant{name: "chat-from-user", summary: "A direct answer has the role user.", reply: onChat(func(x *reply) { put(x.body, "result/role", "user") })},
	mutant{name: "chat-repeats-id", summary: "A direct answer has the messageId of the question.",
		reply: onChat(func(x *reply) { put(x.body, "result/messageId", at(x.request, "params/message/messageId")) })},
	mutant{name: "chat-without-context", summary: "A direct answer names no context.", reply: onChat(func(x *reply) { drop(x.body, "result/contextId") })},

	mutant{name: "answer-in-status-only", area: "task", summary: "A completed task has its output in the status only.",
		reply: func(x *reply) {
			if x.script() == "artifact" || x.script() == "echo" {
				drop(x.body, "result/artifacts")
			}
		}},
)

// onTask edits the tasks that one method returns, for tasks of one script; an
// empty script stands for any.
func onTask(method, script string, edit func(*reply)) func(*reply) {
	return onResult(method, func(x *reply) {
		if text(x.body, "result/kind") == "task" && (script == "" || x.script() == script) {
			edit(x)
		}
	})
}

// onChat edits the messages that message/send returns in place of a task.
func onChat(edit func(*reply)) func(*reply) {
	return onResult("message/send", func(x *reply) {
		if text(x.body, "result/kind") == "message" {
			edit(x)
		}
	})
}
