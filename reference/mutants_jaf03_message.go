package reference

import (
	"time"
)

// completed edits the results of message/send.
func completed(edit func(*reply)) func(*reply) {
	return answering("message/send", func(x *reply) {
		if text(x.body, "result/kind") == "completion" {
			edit(x)
		}
	})
}

// lenient fills in a member of an incoming message that is missing.
func lenient(member string) func(*call) {
	return misread("message/send", func(body any) {
		if m := object(body, "params/message"); m != nil && !has(m, member) {
			m[member] = jafHello()[member]
		}
	})
}

// textPart edits the first part of an incoming message.
func textPart(edit func(part map[string]any)) func(*call) {
	return misread("message/send", func(body any) {
		if p := object(body, "params/message/parts/0"); p != nil {
			edit(p)
		}
	})
}

// parts returns the parts of the message in params.
func parts(params any) []any {
	list, _ := at(params, "message/parts").([]any)
	return list
}

var jaf03MessageMutants = inArea("message",
	mutant{name: "send-missing", summary: "message/send is not implemented.",
		reply: answering("message/send", func(x *reply) { x.decline(codeMethodNotFound) })},
	mutant{name: "completion-is-task", summary: "The result of message/send has the kind task.",
		reply: completed(func(x *reply) { put(x.body, "result/kind", "task") })},
	mutant{name: "task-id-renamed", summary: "The result of message/send calls the task's id id.",
		reply: completed(func(x *reply) {
			put(x.body, "result/id", at(x.body, "result/taskId"))
			drop(x.body, "result/taskId")
		})},
	mutant{name: "completion-not-final", summary: "The completion of message/send has final false.",
		reply: completed(func(x *reply) { put(x.body, "result/final", false) })},
	mutant{name: "reply-from-user", summary: "The reply message has the role user.",
		reply: completed(func(x *reply) { put(x.body, "result/message/role", "user") })},
	mutant{name: "message-id-fixed", summary: "Every reply carries the same messageId.",
		reply: completed(func(x *reply) { put(x.body, "result/message/messageId", "resp-1") })},

	mutant{name: "configuration-required", summary: "A short message without configuration is refused.",
		reply: declining("message/send", codeInvalidParams, func(params any) bool {
			return !has(params, "configuration") && len(parts(params)) == 1 && !has(params, "message/metadata")
		})},
	mutant{name: "priority-refused", summary: "A configuration with a priority is refused.",
		reply: declining("message/send", codeInvalidParams, func(params any) bool { return has(params, "configuration/priority") })},
	mutant{name: "timeout-unchecked", summary: "A timeout that is no number is ignored.",
		call: misread("message/send", func(body any) {
			if isText(at(body, "params/configuration/timeout")) {
				drop(body, "params/configuration/timeout")
			}
		})},
	mutant{name: "params-optional", summary: "Missing params are reported as an invalid request.",
		reply: answering("message/send", func(x *reply) {
			if !has(x.request, "params") {
				put(x.body, "error/code", codeInvalidRequest)
			}
		})},
	mutant{name: "message-optional", summary: "A missing message is made up.",
		call: misread("message/send", func(body any) {
			if has(body, "params") && at(body, "params/message") == nil {
				put(body, "params/message", jafHello())
			}
		})},
	mutant{name: "role-optional", summary: "A missing role is taken as user.",
		call: lenient("role")},
	mutant{name: "role-unchecked", summary: "Any role is accepted.",
		call: misread("message/send", func(body any) { swap(body, "params/message/role", "robot", "user") })},
	mutant{name: "role-system-refused", summary: "The role system is refused.",
		reply: declining("message/send", codeInvalidParams, func(params any) bool { return text(params, "message/role") == "system" })},
	mutant{name: "parts-optional", summary: "Missing parts mean an empty prompt.",
		call: lenient("parts")},
	mutant{name: "parts-may-be-empty", summary: "An empty array of parts is accepted.",
		call: misread("message/send", func(body any) {
			if list, ok := at(body, "params/message/parts").([]any); ok && len(list) == 0 {
				put(body, "params/message/parts", jafHello()["parts"])
			}
		})},
	mutant{name: "single-part-wrapped", summary: "A single part is accepted in place of the array.",
		call: misread("message/send", func(body any) {
			if part := object(body, "params/message/parts"); part != nil {
				put(body, "params/message/parts", []any{part})
			}
		})},
	mutant{name: "message-id-optional", summary: "A missing messageId is made up.",
		call: lenient("messageId")},
	mutant{name: "context-id-optional", summary: "A missing contextId is made up.",
		call: lenient("contextId")},
	mutant{name: "kind-optional", summary: "A missing kind is not noticed.",
		call: lenient("kind")},
	mutant{name: "kind-unchecked", summary: "Any kind is accepted.",
		call: misread("message/send", func(body any) {
			if isText(at(body, "params/message/kind")) {
				put(body, "params/message/kind", "message")
			}
		})},
	mutant{name: "timestamp-refused", summary: "A message with a timestamp is refused.",
		reply: declining("message/send", codeInvalidParams, func(params any) bool { return has(params, "message/timestamp") })},
	mutant{name: "timestamp-unchecked", summary: "Any timestamp is accepted.",
		call: misread("message/send", func(body any) {
			if s := text(body, "params/message/timestamp"); s != "" {
				if _, err := time.Parse(time.RFC3339, s); err != nil {
					drop(body, "params/message/timestamp")
				}
			}
		})},
	mutant{name: "part-kind-guessed", summary: "A part with a text is taken for a text part.",
		call: textPart(func(p map[string]any) {
			if !has(p, "kind") && isText(p["text"]) {
				p["kind"] = "text"
			}
		})},
	mutant{name: "text-stringified", summary: "A text that is a number is turned into a string.",
		call: textPart(func(p map[string]any) {
			if isNumber(p["text"]) {
				p["text"] = string(encode(p["text"]))
			}
		})},
	mutant{name: "one-part-only", summary: "A message with three parts is refused.",
		reply: declining("message/send", codeInvalidParams, func(params any) bool { return len(parts(params)) == 3 })},
	mutant{name: "data-refused", summary: "A data part beside a text is refused.",
		reply: declining("message/send", codeInvalidParams, func(params any) bool {
			return len(parts(params)) > 1 && text(params, "message/parts/1/kind") == "data"
		})},
	mutant{name: "unknown-part-fatal", summary: "A part of an unknown kind is an internal error.",
		reply: declining("message/send", codeInternal, anyPart(func(p map[string]any) bool { return p["kind"] != "text" && p["kind"] != "data" }))},
)
