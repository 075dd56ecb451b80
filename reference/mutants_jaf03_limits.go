package reference

import (
	"net/http"
	"time"
)

// jaf03LimitMutants are about the sections "Message Limits", "Request Timeouts"
// and "Concurrency Limits".
var jaf03LimitMutants = inArea("limits",
	mutant{name: "message-size-unlimited", summary: "A message of many parts has no size limit.",
		call: misread("message/send", func(body any) {
			if list := parts(at(body, "params")); len(list) > 1 && len(encode(list)) > jaf03MaxMessage {
				put(body, "params/message/parts", list[:1])
			}
		})},
	mutant{name: "message-limit-low", summary: "A message of many parts may hold 100 KB.",
		reply: func(x *reply) {
			if list := parts(at(x.request, "params")); len(list) > 1 && len(x.sent) > 200<<10 {
				x.blank(http.StatusRequestEntityTooLarge, "text/html")
			}
		}},
	mutant{name: "parts-uncounted", summary: "The parts of a message are not counted.",
		call: misread("message/send", func(body any) {
			if list := parts(at(body, "params")); len(list) > jaf03MaxParts {
				put(body, "params/message/parts", list[:1])
			}
		})},
	mutant{name: "parts-limit-off-by-one", summary: "A message with 100 parts is refused.",
		reply: declining("message/send", codeInvalidParams, func(params any) bool { return len(parts(params)) == 100 })},
	mutant{name: "text-size-unlimited", summary: "A single text has no size limit.",
		call: textPart(func(p map[string]any) {
			if len(text(p, "text")) > jaf03MaxText {
				p["text"] = "long"
			}
		})},
	mutant{name: "text-limit-low", summary: "A single text may hold 64 KB.",
		reply: declining("message/send", codeInvalidParams, func(params any) bool {
			return len(text(params, "message/parts/0/text")) > 64<<10
		})},
	mutant{name: "data-size-unlimited", summary: "A data part has no size limit.",
		call: textPart(func(p map[string]any) {
			if p["kind"] == "data" && len(encode(p["data"])) > jaf03MaxMessage {
				p["data"] = map[string]any{}
			}
		})},
	mutant{name: "data-limit-low", summary: "A data part may hold 100 KB.",
		reply: declining("message/send", codeInvalidParams, func(params any) bool { return len(encode(at(params, "message/parts/0/data"))) > 100<<10 })},
	mutant{name: "too-large-crashes", summary: "A message with too many parts gives HTTP 500.",
		reply: func(x *reply) {
			if len(parts(at(x.request, "params"))) > jaf03MaxParts {
				x.blank(http.StatusInternalServerError, "text/plain")
			}
		}},
	mutant{name: "timeout-ignored", summary: "A configured timeout is never applied.",
		call: misread("message/send", func(body any) {
			if isNumber(at(body, "params/configuration/timeout")) {
				drop(body, "params/configuration/timeout")
			}
		})},
	mutant{name: "timeout-above-internal", summary: "A configured timeout beyond the largest is an internal error.",
		reply: recodeAbove("message/send", codeInternal)},
	mutant{name: "default-timeout-missing", variant: "hasty", summary: "A call that allows itself no time has as much as it wants.",
		bounds: func(b *bounds) { b.timeout = time.Hour }},
	mutant{name: "stream-timeout-missing", variant: "hasty", summary: "A stream may stay open for ever.",
		bounds: func(b *bounds) { b.stream = time.Hour }},
	mutant{name: "calls-unlimited", summary: "A client may make any number of calls at the same time.",
		bounds: func(b *bounds) { b.calls = 0 }},
	mutant{name: "calls-limit-low", summary: "A client may make six calls at the same time.",
		bounds: func(b *bounds) { b.calls = 6 }},
	mutant{name: "tasks-unlimited", summary: "A context may have any number of tasks at the same time.",
		bounds: func(b *bounds) { b.tasks = 0 }},
	mutant{name: "context-locked", summary: "A context is locked while it has a task.",
		bounds: func(b *bounds) { b.tasks = 1 }},
	mutant{name: "exhausted-internal", summary: "Exhausted resources are an internal error.",
		reply: recode("", jaf03Exhausted, codeInternal)},
)

// recodeAbove refuses a configured timeout beyond the largest with another code.
func recodeAbove(method string, code int) func(*reply) {
	return func(x *reply) {
		if at(x.request, "params/configuration/timeout") == num(300001) && x.answers(method, codeInvalidParams) {
			put(x.body, "error/code", code)
		}
	}
}
