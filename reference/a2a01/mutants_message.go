package a2a01

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// PartMutants are those that only A2A 0.1.0 has a place for.
var partMutants = front.InArea("message",
	front.Mutant{Name: "data-object-refused", Summary: "A data part with an object is refused.",
		Reply: front.Declining("tasks/send", front.CodeInvalidParams, front.AnyPart(func(p map[string]any) bool { return front.Object(p, "data") != nil }))},
	front.Mutant{Name: "uri-required", Summary: "A file without uri is refused, unless it has no bytes either.",
		Reply: words.FileDeclined(func(bytes, uri bool) bool { return bytes && !uri })},
	front.Mutant{Name: "bytes-required", Summary: "A file without bytes is refused, unless it has no uri either.",
		Reply: words.FileDeclined(func(bytes, uri bool) bool { return uri && !bytes })},
	front.Mutant{Name: "part-metadata-refused", Summary: "A part that states its language is refused.",
		Reply: front.Declining("tasks/send", front.CodeInvalidParams, front.AnyPart(func(p map[string]any) bool { return front.Has(p, "metadata/lang") }))},
	front.Mutant{Name: "data-array-refused", Summary: "A data part with an array is refused.",
		Reply: front.Declining("tasks/send", front.CodeInvalidParams, front.AnyPart(func(p map[string]any) bool {
			_, is := p["data"].([]any)
			return is
		}))},
	front.Mutant{Name: "bare-file-refused", Summary: "A file with neither bytes nor uri is refused.",
		Reply: words.FileDeclined(func(bytes, uri bool) bool { return !uri && !bytes })},
)

// contentMutants are about the messages and parts the server sends.
var contentMutants = front.InArea("message",
	front.Mutant{Name: "status-message-from-user", Summary: "A status message has the role user.",
		Reply: func(x *front.Reply) { front.Swap(x.Body, "result/status/message/role", "agent", "user") }},
	front.Mutant{Name: "file-type-left-out", Summary: "A file states no mimeType.",
		Reply: mutants.SentFiles(func(f map[string]any) { delete(f, "mimeType") })},
	front.Mutant{Name: "file-bytes-raw", Summary: "The bytes of a file are not base64.",
		Reply: mutants.SentFiles(func(f map[string]any) {
			if f["bytes"] != nil {
				f["bytes"] = "0x68:65:6c:6c:6f"
			}
		})},
	front.Mutant{Name: "file-uri-windows", Summary: "The uri of a file is a Windows path with spaces.",
		Reply: mutants.SentFiles(func(f map[string]any) {
			if f["uri"] != nil {
				f["uri"] = `C:\my files\100%\out.png`
			}
		})},
	front.Mutant{Name: "file-uri-relative", Summary: "The uri of a file is relative.",
		Reply: mutants.SentFiles(func(f map[string]any) {
			if f["uri"] != nil {
				f["uri"] = "files/out.png"
			}
		})},
)

// SendMutants are those that only A2A 0.1.0 has a place for.
var sendMutants = front.InArea("message",
	front.Mutant{Name: "send-params-optional", Summary: "Missing params are reported as an invalid request.",
		Reply: func(x *front.Reply) {
			if !front.Has(x.Request, "params") && x.Answers("tasks/send", front.CodeInvalidParams) {
				front.Put(x.Body, "error/code", front.CodeInvalidRequest)
			}
		}},
	front.Mutant{Name: "task-id-invented", Summary: "A missing task id is made up.",
		Call: front.Misread("tasks/send", func(body any) {
			if !front.Has(body, "params/id") {
				front.Put(body, "params/id", "invented")
			}
		})},
	front.Mutant{Name: "task-id-stringified", Summary: "A task id that is a number is turned into a string.",
		Call: front.Misread("tasks/send", func(body any) {
			if id := front.At(body, "params/id"); front.IsNumber(id) {
				front.Put(body, "params/id", string(front.Encode(id)))
			}
		})},
	front.Mutant{Name: "one-part-only", Summary: "A message with three parts is refused.",
		Reply: front.Declining("tasks/send", front.CodeInvalidParams, func(params any) bool { return front.At(params, "message/parts/2") != nil })},
	front.Mutant{Name: "null-refused", Summary: "A historyLength of null is refused.",
		Reply: front.Declining("tasks/send", front.CodeInvalidParams, func(params any) bool {
			return front.Has(params, "historyLength") && front.At(params, "historyLength") == nil
		})},
	front.Mutant{Name: "history-length-parsed", Summary: "A historyLength is read from a string and rounded.",
		Call: front.Misread("tasks/send", func(body any) {
			if n := front.At(body, "params/historyLength"); front.IsText(n) || front.IsNumber(n) && strings.Contains(string(front.Encode(n)), ".") {
				front.Put(body, "params/historyLength", front.Num(1))
			}
		})},
	front.Mutant{Name: "session-number-kept", Summary: "A sessionId that is a number is accepted.",
		Call: front.Misread("tasks/send", func(body any) {
			if front.IsNumber(front.At(body, "params/sessionId")) {
				front.Put(body, "params/sessionId", "number")
			}
		})},
	front.Mutant{Name: "output-hint-fatal", Area: "extension", Summary: "A hint about the wished output makes the call fail.",
		Reply: front.Declining("tasks/send", front.CodeInternal, front.AnyPart(func(p map[string]any) bool { return front.Has(p, "metadata/desiredOutputMimeType") }))},
	front.Mutant{Name: "unknown-member-fatal", Area: "extension", Summary: "An unknown member of the params makes the call fail.",
		Reply: front.Declining("tasks/send", front.CodeInternal, func(params any) bool { return front.Has(params, "x-unlisted") })},

	front.Mutant{Name: "session-replaced", Area: "context", Summary: "tasks/send returns a session of the server's own.",
		Reply: front.Answering("tasks/send", func(x *front.Reply) {
			if front.Has(x.Body, "result/sessionId") && x.Script() != "ask" {
				front.Put(x.Body, "result/sessionId", "server-session")
			}
		})},
	front.Mutant{Name: "session-dropped", Area: "context", Summary: "tasks/get returns no session.",
		Reply: front.Answering("tasks/get", func(x *front.Reply) { front.Drop(x.Body, "result/sessionId") })},
	front.Mutant{Name: "session-required", Area: "context", Summary: "A plain message without a session is refused.",
		Reply: func(x *front.Reply) {
			if x.Script() == "echo" {
				front.Declining("tasks/send", front.CodeInvalidParams, func(params any) bool {
					return !front.Has(params, "sessionId") && !front.Has(params, "metadata") && !front.Has(params, "pushNotification")
				})(x)
			}
		}},
	front.Mutant{Name: "one-task-per-session", Area: "context", Summary: "A session's second task replaces the first.",
		Engine: func(o *engine.Options) { o.Defects.OneTaskPerSession = true }},
	front.Mutant{Name: "session-lost", Area: "context", Summary: "An answer without session clears the session of its task.",
		Engine: func(o *engine.Options) { o.Defects.SessionLost = true }},
	front.Mutant{Name: "memory-shared", Area: "context", Summary: "What one session said is known in another.",
		Engine: func(o *engine.Options) { o.Defects.SharedMemory = true }},
)
