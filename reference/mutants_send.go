package reference

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// hello is what a lenient server puts in place of a message it misses.
func hello() map[string]any {
	return map[string]any{"role": "user", "parts": []any{hi()}}
}

func hi() map[string]any {
	return map[string]any{"type": "text", "text": "hello"}
}

// sendMutants are about the message that is sent, and what stands beside it.
func sendMutants(w wording) []mutant {
	return inArea("message",
		mutant{name: "send-missing", summary: w.send + " is not implemented.",
			reply: answering(w.send, func(x *reply) { x.decline(codeMethodNotFound) })},
		mutant{name: "message-optional", summary: "A task is made without any message.",
			call: misread(w.send, func(body any) {
				if at(body, "params/message") == nil {
					put(body, "params/message", w.hello())
				}
			})},
		mutant{name: "message-as-text", summary: "A bare string is taken as the message.",
			call: misread(w.send, func(body any) {
				if isText(at(body, "params/message")) {
					put(body, "params/message", w.hello())
				}
			})},
		mutant{name: "role-defaults-to-user", summary: "A missing role is taken as user.",
			call: supply(w.send, "params/message/role", "user")},
		mutant{name: "role-unchecked", summary: "Any role is accepted.",
			call: misread(w.send, func(body any) { swap(body, "params/message/role", "system", "user") })},
		mutant{name: "parts-optional", summary: "Missing parts mean an empty prompt.",
			call: misread(w.send, func(body any) {
				if m := object(body, "params/message"); m != nil && !has(m, "parts") {
					m["parts"] = w.hello()["parts"]
				}
			})},
		mutant{name: "parts-may-be-empty", summary: "An empty array of parts is accepted.",
			call: misread(w.send, func(body any) {
				if parts, ok := at(body, "params/message/parts").([]any); ok && len(parts) == 0 {
					put(body, "params/message/parts", w.hello()["parts"])
				}
			})},
		mutant{name: "single-part-wrapped", summary: "A single part is accepted in place of the array.",
			call: misread(w.send, func(body any) {
				if part := object(body, "params/message/parts"); part != nil {
					put(body, "params/message/parts", []any{part})
				}
			})},
		mutant{name: "message-metadata-refused", summary: "A message with metadata is refused.",
			reply: declining(w.send, codeInvalidParams, func(params any) bool { return object(params, "message/metadata") != nil })},
		mutant{name: "params-metadata-refused", summary: w.send + " with metadata is refused.",
			reply: declining(w.send, codeInvalidParams, func(params any) bool { return object(params, "metadata") != nil })},
		mutant{name: "metadata-unchecked", summary: "Metadata of any type is accepted.",
			call: misread(w.send, func(body any) {
				for _, path := range []string{"params/metadata", "params/message/metadata"} {
					if has(body, path) && object(body, path) == nil {
						drop(body, path)
					}
				}
			})},
	)
}

// a2a01SendMutants are those that only A2A 0.1.0 has a place for.
var a2a01SendMutants = inArea("message",
	mutant{name: "send-params-optional", summary: "Missing params are reported as an invalid request.",
		reply: func(x *reply) {
			if !has(x.request, "params") && x.answers("tasks/send", codeInvalidParams) {
				put(x.body, "error/code", codeInvalidRequest)
			}
		}},
	mutant{name: "task-id-invented", summary: "A missing task id is made up.",
		call: misread("tasks/send", func(body any) {
			if !has(body, "params/id") {
				put(body, "params/id", "invented")
			}
		})},
	mutant{name: "task-id-stringified", summary: "A task id that is a number is turned into a string.",
		call: misread("tasks/send", func(body any) {
			if id := at(body, "params/id"); isNumber(id) {
				put(body, "params/id", string(encode(id)))
			}
		})},
	mutant{name: "one-part-only", summary: "A message with three parts is refused.",
		reply: declining("tasks/send", codeInvalidParams, func(params any) bool { return at(params, "message/parts/2") != nil })},
	mutant{name: "null-refused", summary: "A historyLength of null is refused.",
		reply: declining("tasks/send", codeInvalidParams, func(params any) bool {
			return has(params, "historyLength") && at(params, "historyLength") == nil
		})},
	mutant{name: "history-length-parsed", summary: "A historyLength is read from a string and rounded.",
		call: misread("tasks/send", func(body any) {
			if n := at(body, "params/historyLength"); isText(n) || isNumber(n) && strings.Contains(string(encode(n)), ".") {
				put(body, "params/historyLength", num(1))
			}
		})},
	mutant{name: "session-number-kept", summary: "A sessionId that is a number is accepted.",
		call: misread("tasks/send", func(body any) {
			if isNumber(at(body, "params/sessionId")) {
				put(body, "params/sessionId", "number")
			}
		})},
	mutant{name: "output-hint-fatal", area: "extension", summary: "A hint about the wished output makes the call fail.",
		reply: declining("tasks/send", codeInternal, anyPart(func(p map[string]any) bool { return has(p, "metadata/desiredOutputMimeType") }))},
	mutant{name: "unknown-member-fatal", area: "extension", summary: "An unknown member of the params makes the call fail.",
		reply: declining("tasks/send", codeInternal, func(params any) bool { return has(params, "x-unlisted") })},

	mutant{name: "session-replaced", area: "context", summary: "tasks/send returns a session of the server's own.",
		reply: answering("tasks/send", func(x *reply) {
			if has(x.body, "result/sessionId") && x.script() != "ask" {
				put(x.body, "result/sessionId", "server-session")
			}
		})},
	mutant{name: "session-dropped", area: "context", summary: "tasks/get returns no session.",
		reply: answering("tasks/get", func(x *reply) { drop(x.body, "result/sessionId") })},
	mutant{name: "session-required", area: "context", summary: "A plain message without a session is refused.",
		reply: func(x *reply) {
			if x.script() == "echo" {
				declining("tasks/send", codeInvalidParams, func(params any) bool {
					return !has(params, "sessionId") && !has(params, "metadata") && !has(params, "pushNotification")
				})(x)
			}
		}},
	mutant{name: "one-task-per-session", area: "context", summary: "A session's second task replaces the first.",
		engine: func(o *engine.Options) { o.Defects.OneTaskPerSession = true }},
	mutant{name: "session-lost", area: "context", summary: "An answer without session clears the session of its task.",
		engine: func(o *engine.Options) { o.Defects.SessionLost = true }},
	mutant{name: "memory-shared", area: "context", summary: "What one session said is known in another.",
		engine: func(o *engine.Options) { o.Defects.SharedMemory = true }},
)
