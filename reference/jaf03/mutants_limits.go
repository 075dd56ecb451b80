package jaf03

import (
	"net/http"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// limitMutants are about the sections "Message Limits", "Request Timeouts"
// and "Concurrency Limits".
var limitMutants = front.InArea("limits",
	front.Mutant{Name: "message-size-unlimited", Summary: "A message of many parts has no size limit.",
		Call: front.Misread("message/send", func(body any) {
			if list := front.Parts(front.At(body, "params")); len(list) > 1 && len(front.Encode(list)) > maxMessage {
				front.Put(body, "params/message/parts", list[:1])
			}
		})},
	front.Mutant{Name: "message-limit-low", Summary: "A message of many parts may hold 100 KB.",
		Reply: func(x *front.Reply) {
			if list := front.Parts(front.At(x.Request, "params")); len(list) > 1 && len(x.Sent) > 200<<10 {
				x.Blank(http.StatusRequestEntityTooLarge, "text/html")
			}
		}},
	front.Mutant{Name: "parts-uncounted", Summary: "The parts of a message are not counted.",
		Call: front.Misread("message/send", func(body any) {
			if list := front.Parts(front.At(body, "params")); len(list) > maxParts {
				front.Put(body, "params/message/parts", list[:1])
			}
		})},
	front.Mutant{Name: "parts-limit-off-by-one", Summary: "A message with 100 parts is refused.",
		Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool { return len(front.Parts(params)) == 100 })},
	front.Mutant{Name: "text-size-unlimited", Summary: "A single text has no size limit.",
		Call: textPart(func(p map[string]any) {
			if len(front.Text(p, "text")) > maxText {
				p["text"] = "long"
			}
		})},
	front.Mutant{Name: "text-limit-low", Summary: "A single text may hold 64 KB.",
		Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool {
			return len(front.Text(params, "message/parts/0/text")) > 64<<10
		})},
	front.Mutant{Name: "data-size-unlimited", Summary: "A data part has no size limit.",
		Call: textPart(func(p map[string]any) {
			if p["kind"] == "data" && len(front.Encode(p["data"])) > maxMessage {
				p["data"] = map[string]any{}
			}
		})},
	front.Mutant{Name: "data-limit-low", Summary: "A data part may hold 100 KB.",
		Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool { return len(front.Encode(front.At(params, "message/parts/0/data"))) > 100<<10 })},
	front.Mutant{Name: "too-large-crashes", Summary: "A message with too many parts gives HTTP 500.",
		Reply: func(x *front.Reply) {
			if len(front.Parts(front.At(x.Request, "params"))) > maxParts {
				x.Blank(http.StatusInternalServerError, "text/plain")
			}
		}},
	front.Mutant{Name: "timeout-ignored", Summary: "A configured timeout is never applied.",
		Call: front.Misread("message/send", func(body any) {
			if front.IsNumber(front.At(body, "params/configuration/timeout")) {
				front.Drop(body, "params/configuration/timeout")
			}
		})},
	front.Mutant{Name: "timeout-above-internal", Summary: "A configured timeout beyond the largest is an internal error.",
		Reply: recodeAbove("message/send", front.CodeInternal)},
	front.Mutant{Name: "default-timeout-missing", Variant: "hasty", Summary: "A call that allows itself no time has as much as it wants.",
		Bounds: func(b *front.Bounds) { b.Timeout = time.Hour }},
	front.Mutant{Name: "stream-timeout-missing", Variant: "hasty", Summary: "A stream may stay open for ever.",
		Bounds: func(b *front.Bounds) { b.Stream = time.Hour }},
	front.Mutant{Name: "calls-unlimited", Summary: "A client may make any number of calls at the same time.",
		Bounds: func(b *front.Bounds) { b.Calls = 0 }},
	front.Mutant{Name: "calls-limit-low", Summary: "A client may make six calls at the same time.",
		Bounds: func(b *front.Bounds) { b.Calls = 6 }},
	front.Mutant{Name: "tasks-unlimited", Summary: "A context may have any number of tasks at the same time.",
		Bounds: func(b *front.Bounds) { b.Tasks = 0 }},
	front.Mutant{Name: "context-locked", Summary: "A context is locked while it has a task.",
		Bounds: func(b *front.Bounds) { b.Tasks = 1 }},
	front.Mutant{Name: "exhausted-internal", Summary: "Exhausted resources are an internal error.",
		Reply: front.Recode("", Exhausted, front.CodeInternal)},
)

// recodeAbove refuses a configured timeout beyond the largest with another code.
func recodeAbove(method string, code int) func(*front.Reply) {
	return func(x *front.Reply) {
		if front.At(x.Request, "params/configuration/timeout") == front.Num(300001) && x.Answers(method, front.CodeInvalidParams) {
			front.Put(x.Body, "error/code", code)
		}
	}
}
