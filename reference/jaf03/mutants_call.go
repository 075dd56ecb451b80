package jaf03

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// anonymizeCallersUsing makes a guard that does not know one of the ways in which callers show
// who they are. Those who show it in several ways are not affected.
func anonymizeCallersUsing(scheme, header string) func(*front.Caller) {
	return func(c *front.Caller) {
		word, _, _ := strings.Cut(c.HTTP.Header.Get("Authorization"), " ")
		if word == scheme && (c.HTTP.Header.Get("X-API-Key") != "") == (header != "") {
			c.Client = ""
		}
	}
}

// jafHello is what a lenient server puts in place of a message it misses.
func jafHello() map[string]any {
	return map[string]any{
		"role": "user", "kind": "message", "messageId": "made-up", "contextId": "made-up",
		"parts": []any{map[string]any{"kind": "text", "text": "hello"}},
	}
}

// quickRate is soon exceeded, and soon over.
var quickRate = front.Rate{Requests: 60, Window: 2 * time.Second}

// onRate edits one of the rate limit headers.
func onRate(name string, edit func(x *front.Reply, value string)) func(*front.Reply) {
	return func(x *front.Reply) {
		if v := x.Header.Get("X-RateLimit-" + name); v != "" {
			edit(x, v)
		}
	}
}

// callMutants are about calls, limits and who may make a call.
var callMutants = map[string]front.Mutant{
	"bearer-overlooked":  {Guard: anonymizeCallersUsing("Bearer", "")},
	"key-header-renamed": {Guard: anonymizeCallersUsing("", "X-API-Key")},
	"basic-undecoded":    {Guard: anonymizeCallersUsing("Basic", "")},
	"guard-open-agents": {Guard: func(c *front.Caller) {
		if strings.HasPrefix(c.HTTP.URL.Path, "/a2a/agents/") {
			front.AnonymousTo("message/send", "message/stream", "tasks/get", "tasks/cancel")(c)
		}
	}},
	"notification-refused-by-name": {Reply: func(x *front.Reply) {
		if x.Call != nil && x.Call.Notification && x.Status == http.StatusNoContent {
			x.Status = http.StatusOK
			x.Body = map[string]any{"jsonrpc": "2.0", "id": "notification", "error": map[string]any{"code": TaskNotFound, "message": "Task not found"}}
		}
	}},
	"trace-id-foreign": {Reply: func(x *front.Reply) {
		if id := front.At(x.Body, "error/data/traceId"); id != nil {
			if before := x.Server.Notes.Write("trace", id); before != nil {
				front.Put(x.Body, "error/data/traceId", before)
			}
		}
	}},
	"timeout-header-refused": {Reply: front.Answering("message/send", func(x *front.Reply) {
		if ms, err := strconv.Atoi(x.HTTP.Header.Get("X-A2A-Timeout")); err == nil && ms < 1000 {
			x.Decline(front.CodeInvalidRequest)
		}
	})},
	"metadata-keys-fixed": {Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool {
		for key := range front.Object(params, "message/metadata") {
			if key != "priority" && key != "tags" && key != "userId" && key != "sessionInfo" {
				return true
			}
		}
		return false
	})},
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
		return hasPart(params, func(part any) bool { return len(front.Text(part, "text")) > 64<<10 })
	})},
	"data-size-unlimited": {Call: textPart(func(p map[string]any) {
		if p["kind"] == "data" && len(front.Encode(p["data"])) > maxMessage {
			p["data"] = map[string]any{}
		}
	})},
	"data-limit-low": {Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool {
		return hasPart(params, func(part any) bool { return len(front.Encode(front.At(part, "data"))) > 100<<10 })
	})},
	"default-timeout-missing": {Bounds: func(b *front.Bounds) { b.Timeout = time.Hour }},
	"stream-timeout-missing":  {Bounds: func(b *front.Bounds) { b.Stream = time.Hour }},
	"calls-unlimited":         {Bounds: func(b *front.Bounds) { b.Calls = 0 }},
	"calls-limit-low":         {Bounds: func(b *front.Bounds) { b.Calls = 6 }},
	"tasks-unlimited":         {Bounds: func(b *front.Bounds) { b.Tasks = 0 }},
	"context-locked":          {Bounds: func(b *front.Bounds) { b.Tasks = 1 }},
	"rate-limit-renamed": {Reply: onRate("Limit", func(x *front.Reply, v string) {
		x.Header.Del("X-RateLimit-Limit")
		x.Header.Set("RateLimit-Limit", v)
	})},
	"rate-remaining-negative":  {Reply: onRate("Remaining", func(x *front.Reply, v string) { x.Header.Set("X-RateLimit-Remaining", "-"+v) })},
	"rate-limit-other":         {Reply: onRate("Limit", func(x *front.Reply, v string) { x.Header.Set("X-RateLimit-Limit", v+"0") })},
	"rate-window-milliseconds": {Reply: onRate("Window", func(x *front.Reply, v string) { x.Header.Set("X-RateLimit-Window", v+"000") })},
	"rate-headers-missing-on-errors": {Reply: func(x *front.Reply) {
		if front.Has(x.Body, "error") {
			x.Unlimited()
		}
	}},
	"rate-reset-past": {Reply: onRate("Reset", func(x *front.Reply, v string) {
		if n, err := strconv.Atoi(v); err == nil {
			x.Header.Set("X-RateLimit-Reset", strconv.Itoa(n-3600))
		}
	})},
	"rate-remaining-above": {Reply: onRate("Remaining", func(x *front.Reply, v string) { x.Header.Set("X-RateLimit-Remaining", "1"+v+"0") })},
	"limited-never": {Rate: quickRate,
		Bounds: func(b *front.Bounds) { b.Granted = 1e6 }},
	"limited-early": {Rate: quickRate,
		Bounds: func(b *front.Bounds) { b.Granted = 0.5 }},
	"limited-without-headers": {Rate: quickRate,
		Reply: func(x *front.Reply) {
			if x.Answers("", RateLimited) {
				x.Unlimited()
			}
		}},
}

// hasPart reports whether a part of a message is such a one.
func hasPart(params any, is func(part any) bool) bool {
	parts, _ := front.At(params, "message/parts").([]any)
	return slices.ContainsFunc(parts, is)
}
