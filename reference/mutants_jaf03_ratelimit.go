package reference

import (
	"net/http"
	"strconv"
	"time"
)

// slowRate refills so slowly that no count can go unnoticed; quickRate is soon
// exceeded, and soon over.
var (
	slowRate  = Rate{100, time.Minute}
	quickRate = Rate{60, 2 * time.Second}
)

// jaf03RateMutants are about the section "Rate Limiting".
var jaf03RateMutants = inArea("ratelimit",
	mutant{name: "rate-limit-renamed", summary: "The limit is sent as RateLimit-Limit.",
		reply: onRate("Limit", func(x *reply, v string) {
			x.header.Del("X-RateLimit-Limit")
			x.header.Set("RateLimit-Limit", v)
		})},
	mutant{name: "rate-remaining-negative", summary: "The remaining requests go negative.",
		reply: onRate("Remaining", func(x *reply, v string) { x.header.Set("X-RateLimit-Remaining", "-"+v) })},
	mutant{name: "rate-reset-relative", summary: "The reset time is a number of seconds from now.",
		reply: onRate("Reset", func(x *reply, _ string) { x.header.Set("X-RateLimit-Reset", "42") })},
	mutant{name: "rate-window-missing", summary: "The window is not sent.",
		reply: onRate("Window", func(x *reply, _ string) { x.header.Del("X-RateLimit-Window") })},
	mutant{name: "rate-limit-other", summary: "The limit is another one than the card's.",
		reply: onRate("Limit", func(x *reply, v string) { x.header.Set("X-RateLimit-Limit", v+"0") })},
	mutant{name: "rate-window-milliseconds", summary: "The window is in milliseconds.",
		reply: onRate("Window", func(x *reply, v string) { x.header.Set("X-RateLimit-Window", v+"000") })},
	mutant{name: "rate-remaining-constant", rate: slowRate, summary: "The remaining requests never go down.",
		reply: onRate("Remaining", func(x *reply, _ string) { x.header.Set("X-RateLimit-Remaining", "90") })},
	mutant{name: "rate-headers-missing-on-errors", summary: "Errors come without the rate limit headers.",
		reply: func(x *reply) {
			if has(x.body, "error") {
				x.unlimited()
			}
		}},
	mutant{name: "rate-reset-past", summary: "The reset time is an hour ago.",
		reply: onRate("Reset", func(x *reply, v string) {
			if n, err := strconv.Atoi(v); err == nil {
				x.header.Set("X-RateLimit-Reset", strconv.Itoa(n-3600))
			}
		})},
	mutant{name: "rate-remaining-above", summary: "More requests remain than the limit has.",
		reply: onRate("Remaining", func(x *reply, v string) { x.header.Set("X-RateLimit-Remaining", "1"+v+"0") })},
	mutant{name: "limited-never", rate: quickRate, summary: "The limit is stated and never applied.",
		bounds: func(b *bounds) { b.granted = 1e6 }},
	mutant{name: "limited-by-page", rate: quickRate, summary: "A proxy refuses calls beyond the limit with HTTP 429 and plain text.",
		reply: func(x *reply) {
			if x.answers("", jaf03RateLimited) {
				x.blank(http.StatusTooManyRequests, "text/plain")
				x.raw = []byte("Too Many Requests")
			}
		}},
	mutant{name: "limited-misnamed", rate: quickRate, summary: "A call beyond the limit is an internal error.",
		reply: recode("", jaf03RateLimited, codeInternal)},
	mutant{name: "limited-null-id", rate: quickRate, summary: "The refusal beyond the limit has id null.",
		reply: func(x *reply) {
			if x.answers("", jaf03RateLimited) {
				put(x.body, "id", nil)
			}
		}},
	mutant{name: "limited-early", rate: quickRate, summary: "Calls are refused at half of the limit.",
		bounds: func(b *bounds) { b.granted = 0.5 }},
	mutant{name: "limited-for-ever", rate: quickRate, summary: "A client that was limited once is never served again.", grudge: true},
	mutant{name: "limited-without-headers", rate: quickRate, summary: "The refusal beyond the limit has no rate limit headers.",
		reply: func(x *reply) {
			if x.answers("", jaf03RateLimited) {
				x.unlimited()
			}
		}},
	mutant{name: "limited-remaining-one", rate: quickRate, summary: "The refusal beyond the limit says that one request remains.",
		reply: func(x *reply) {
			if x.answers("", jaf03RateLimited) {
				x.header.Set("X-RateLimit-Remaining", "1")
			}
		}},
)

// unlimited takes the rate limit headers from a reply.
func (x *reply) unlimited() {
	for _, name := range []string{"Limit", "Remaining", "Reset", "Window"} {
		x.header.Del("X-RateLimit-" + name)
	}
}

// onRate edits one of the rate limit headers.
func onRate(name string, edit func(x *reply, value string)) func(*reply) {
	return func(x *reply) {
		if v := x.header.Get("X-RateLimit-" + name); v != "" {
			edit(x, v)
		}
	}
}
