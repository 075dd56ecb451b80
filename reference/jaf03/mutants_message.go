package jaf03

import (
	"time"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// completed edits the results of message/send.
func completed(edit func(*front.Reply)) func(*front.Reply) {
	return front.Answering("message/send", func(x *front.Reply) {
		if front.Text(x.Body, "result/kind") == "completion" {
			edit(x)
		}
	})
}

// lenient fills in a member of an incoming message that is missing.
func lenient(member string) func(*front.Call) {
	return front.Misread("message/send", func(body any) {
		if m := front.Object(body, "params/message"); m != nil && !front.Has(m, member) {
			m[member] = jafHello()[member]
		}
	})
}

// textPart edits the first part of an incoming message.
func textPart(edit func(part map[string]any)) func(*front.Call) {
	return front.Misread("message/send", func(body any) {
		if p := front.Object(body, "params/message/parts/0"); p != nil {
			edit(p)
		}
	})
}

var messageMutants = front.InArea("message",
	front.Mutant{Name: "send-missing", Summary: "message/send is not implemented.",
		Reply: front.Answering("message/send", func(x *front.Reply) { x.Decline(front.CodeMethodNotFound) })},
	front.Mutant{Name: "completion-is-task", Summary: "The result of message/send has the kind task.",
		Reply: completed(func(x *front.Reply) { front.Put(x.Body, "result/kind", "task") })},
	front.Mutant{Name: "task-id-renamed", Summary: "The result of message/send calls the task's id id.",
		Reply: completed(func(x *front.Reply) {
			front.Put(x.Body, "result/id", front.At(x.Body, "result/taskId"))
			front.Drop(x.Body, "result/taskId")
		})},
	front.Mutant{Name: "completion-not-final", Summary: "The completion of message/send has final false.",
		Reply: completed(func(x *front.Reply) { front.Put(x.Body, "result/final", false) })},
	front.Mutant{Name: "reply-from-user", Summary: "The reply message has the role user.",
		Reply: completed(func(x *front.Reply) { front.Put(x.Body, "result/message/role", "user") })},
	front.Mutant{Name: "message-id-fixed", Summary: "Every reply carries the same messageId.",
		Reply: completed(func(x *front.Reply) { front.Put(x.Body, "result/message/messageId", "resp-1") })},

	front.Mutant{Name: "configuration-required", Summary: "A short message without configuration is refused.",
		Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool {
			return !front.Has(params, "configuration") && len(front.Parts(params)) == 1 && !front.Has(params, "message/metadata")
		})},
	front.Mutant{Name: "priority-refused", Summary: "A configuration with a priority is refused.",
		Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool { return front.Has(params, "configuration/priority") })},
	front.Mutant{Name: "timeout-unchecked", Summary: "A timeout that is no number is ignored.",
		Call: front.Misread("message/send", func(body any) {
			if front.IsText(front.At(body, "params/configuration/timeout")) {
				front.Drop(body, "params/configuration/timeout")
			}
		})},
	front.Mutant{Name: "params-optional", Summary: "Missing params are reported as an invalid request.",
		Reply: front.Answering("message/send", func(x *front.Reply) {
			if !front.Has(x.Request, "params") {
				front.Put(x.Body, "error/code", front.CodeInvalidRequest)
			}
		})},
	front.Mutant{Name: "message-optional", Summary: "A missing message is made up.",
		Call: front.Misread("message/send", func(body any) {
			if front.Has(body, "params") && front.At(body, "params/message") == nil {
				front.Put(body, "params/message", jafHello())
			}
		})},
	front.Mutant{Name: "role-optional", Summary: "A missing role is taken as user.",
		Call: lenient("role")},
	front.Mutant{Name: "role-unchecked", Summary: "Any role is accepted.",
		Call: front.Misread("message/send", func(body any) { front.Swap(body, "params/message/role", "robot", "user") })},
	front.Mutant{Name: "role-system-refused", Summary: "The role system is refused.",
		Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool { return front.Text(params, "message/role") == "system" })},
	front.Mutant{Name: "parts-optional", Summary: "Missing parts mean an empty prompt.",
		Call: lenient("parts")},
	front.Mutant{Name: "parts-may-be-empty", Summary: "An empty array of parts is accepted.",
		Call: front.Misread("message/send", func(body any) {
			if list, ok := front.At(body, "params/message/parts").([]any); ok && len(list) == 0 {
				front.Put(body, "params/message/parts", jafHello()["parts"])
			}
		})},
	front.Mutant{Name: "single-part-wrapped", Summary: "A single part is accepted in place of the array.",
		Call: front.Misread("message/send", func(body any) {
			if part := front.Object(body, "params/message/parts"); part != nil {
				front.Put(body, "params/message/parts", []any{part})
			}
		})},
	front.Mutant{Name: "message-id-optional", Summary: "A missing messageId is made up.",
		Call: lenient("messageId")},
	front.Mutant{Name: "context-id-optional", Summary: "A missing contextId is made up.",
		Call: lenient("contextId")},
	front.Mutant{Name: "kind-optional", Summary: "A missing kind is not noticed.",
		Call: lenient("kind")},
	front.Mutant{Name: "kind-unchecked", Summary: "Any kind is accepted.",
		Call: front.Misread("message/send", func(body any) {
			if front.IsText(front.At(body, "params/message/kind")) {
				front.Put(body, "params/message/kind", "message")
			}
		})},
	front.Mutant{Name: "timestamp-refused", Summary: "A message with a timestamp is refused.",
		Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool { return front.Has(params, "message/timestamp") })},
	front.Mutant{Name: "timestamp-unchecked", Summary: "Any timestamp is accepted.",
		Call: front.Misread("message/send", func(body any) {
			if s := front.Text(body, "params/message/timestamp"); s != "" {
				if _, err := time.Parse(time.RFC3339, s); err != nil {
					front.Drop(body, "params/message/timestamp")
				}
			}
		})},
	front.Mutant{Name: "part-kind-guessed", Summary: "A part with a text is taken for a text part.",
		Call: textPart(func(p map[string]any) {
			if !front.Has(p, "kind") && front.IsText(p["text"]) {
				p["kind"] = "text"
			}
		})},
	front.Mutant{Name: "text-stringified", Summary: "A text that is a number is turned into a string.",
		Call: textPart(func(p map[string]any) {
			if front.IsNumber(p["text"]) {
				p["text"] = string(front.Encode(p["text"]))
			}
		})},
	front.Mutant{Name: "one-part-only", Summary: "A message with three parts is refused.",
		Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool { return len(front.Parts(params)) == 3 })},
	front.Mutant{Name: "data-refused", Summary: "A data part beside a text is refused.",
		Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool {
			return len(front.Parts(params)) > 1 && front.Text(params, "message/parts/1/kind") == "data"
		})},
	front.Mutant{Name: "unknown-part-fatal", Summary: "A part of an unknown kind is an internal error.",
		Reply: front.Declining("message/send", front.CodeInternal, front.AnyPart(func(p map[string]any) bool { return p["kind"] != "text" && p["kind"] != "data" }))},
)
