package jaf03

import (
	"net/http"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// limitMutants are about the sections "Message Limits", "Request Timeouts"
// and "Concurrency Limits".
var limitMutants = map[string]front.Mutant{
	"message-size-unlimited": {Call: front.Misread("message/send", func(body any) {
		if list := front.Parts(front.At(body, "params")); len(list) > 1 && len(front.Encode(list)) > maxMessage {
			front.Put(body, "params/message/parts", list[:1])
		}
	})},
	"message-limit-low": {Reply: func(x *front.Reply) {
		if list := front.Parts(front.At(x.Request, "params")); len(list) > 1 && len(x.Sent) > 200<<10 {
			x.Blank(http.StatusRequestEntityTooLarge, "text/html")
		}
	}},
	"parts-uncounted": {Call: front.Misread("message/send", func(body any) {
		if list := front.Parts(front.At(body, "params")); len(list) > maxParts {
			front.Put(body, "params/message/parts", list[:1])
		}
	})},
	"text-size-unlimited": {Call: textPart(func(p map[string]any) {
		if len(front.Text(p, "text")) > maxText {
			p["text"] = "long"
		}
	})},
	"text-limit-low": {Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool {
		return len(front.Text(params, "message/parts/0/text")) > 64<<10
	})},
	"data-size-unlimited": {Call: textPart(func(p map[string]any) {
		if p["kind"] == "data" && len(front.Encode(p["data"])) > maxMessage {
			p["data"] = map[string]any{}
		}
	})},
	"data-limit-low":          {Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool { return len(front.Encode(front.At(params, "message/parts/0/data"))) > 100<<10 })},
	"default-timeout-missing": {Bounds: func(b *front.Bounds) { b.Timeout = time.Hour }},
	"stream-timeout-missing":  {Bounds: func(b *front.Bounds) { b.Stream = time.Hour }},
	"calls-unlimited":         {Bounds: func(b *front.Bounds) { b.Calls = 0 }},
	"calls-limit-low":         {Bounds: func(b *front.Bounds) { b.Calls = 6 }},
	"tasks-unlimited":         {Bounds: func(b *front.Bounds) { b.Tasks = 0 }},
	"context-locked":          {Bounds: func(b *front.Bounds) { b.Tasks = 1 }},
}
