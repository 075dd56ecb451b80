package jaf03

import (
	"net/http"
	"strconv"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// slowRate refills so slowly that no count can go unnoticed; quickRate is soon
// exceeded, and soon over.
var (
	slowRate  = front.Rate{Requests: 100, Window: time.Minute}
	quickRate = front.Rate{Requests: 60, Window: 2 * time.Second}
)

// rateMutants are about the section "Rate Limiting".
var rateMutants = front.InArea("ratelimit",
	front.Mutant{Name: "rate-limit-renamed", Summary: "The limit is sent as RateLimit-Limit.",
		Reply: onRate("Limit", func(x *front.Reply, v string) {
			x.Header.Del("X-RateLimit-Limit")
			x.Header.Set("RateLimit-Limit", v)
		})},
	front.Mutant{Name: "rate-remaining-negative", Summary: "The remaining requests go negative.",
		Reply: onRate("Remaining", func(x *front.Reply, v string) { x.Header.Set("X-RateLimit-Remaining", "-"+v) })},
	front.Mutant{Name: "rate-reset-relative", Summary: "The reset time is a number of seconds from now.",
		Reply: onRate("Reset", func(x *front.Reply, _ string) { x.Header.Set("X-RateLimit-Reset", "42") })},
	front.Mutant{Name: "rate-window-missing", Summary: "The window is not sent.",
		Reply: onRate("Window", func(x *front.Reply, _ string) { x.Header.Del("X-RateLimit-Window") })},
	front.Mutant{Name: "rate-limit-other", Summary: "The limit is another one than the card's.",
		Reply: onRate("Limit", func(x *front.Reply, v string) { x.Header.Set("X-RateLimit-Limit", v+"0") })},
	front.Mutant{Name: "rate-window-milliseconds", Summary: "The window is in milliseconds.",
		Reply: onRate("Window", func(x *front.Reply, v string) { x.Header.Set("X-RateLimit-Window", v+"000") })},
	front.Mutant{Name: "rate-remaining-constant", Rate: slowRate, Summary: "The remaining requests never go down.",
		Reply: onRate("Remaining", func(x *front.Reply, _ string) { x.Header.Set("X-RateLimit-Remaining", "90") })},
	front.Mutant{Name: "rate-headers-missing-on-errors", Summary: "Errors come without the rate limit headers.",
		Reply: func(x *front.Reply) {
			if front.Has(x.Body, "error") {
				x.Unlimited()
			}
		}},
	front.Mutant{Name: "rate-reset-past", Summary: "The reset time is an hour ago.",
		Reply: onRate("Reset", func(x *front.Reply, v string) {
			if n, err := strconv.Atoi(v); err == nil {
				x.Header.Set("X-RateLimit-Reset", strconv.Itoa(n-3600))
			}
		})},
	front.Mutant{Name: "rate-remaining-above", Summary: "More requests remain than the limit has.",
		Reply: onRate("Remaining", func(x *front.Reply, v string) { x.Header.Set("X-RateLimit-Remaining", "1"+v+"0") })},
	front.Mutant{Name: "limited-never", Rate: quickRate, Summary: "The limit is stated and never applied.",
		Bounds: func(b *front.Bounds) { b.Granted = 1e6 }},
	front.Mutant{Name: "limited-by-page", Rate: quickRate, Summary: "A proxy refuses calls beyond the limit with HTTP 429 and plain text.",
		Reply: func(x *front.Reply) {
			if x.Answers("", RateLimited) {
				x.Blank(http.StatusTooManyRequests, "text/plain")
				x.Raw = []byte("Too Many Requests")
			}
		}},
	front.Mutant{Name: "limited-misnamed", Rate: quickRate, Summary: "A call beyond the limit is an internal error.",
		Reply: front.Recode("", RateLimited, front.CodeInternal)},
	front.Mutant{Name: "limited-null-id", Rate: quickRate, Summary: "The refusal beyond the limit has id null.",
		Reply: func(x *front.Reply) {
			if x.Answers("", RateLimited) {
				front.Put(x.Body, "id", nil)
			}
		}},
	front.Mutant{Name: "limited-early", Rate: quickRate, Summary: "Calls are refused at half of the limit.",
		Bounds: func(b *front.Bounds) { b.Granted = 0.5 }},
	front.Mutant{Name: "limited-for-ever", Rate: quickRate, Summary: "A client that was limited once is never served again.", Grudge: true},
	front.Mutant{Name: "limited-without-headers", Rate: quickRate, Summary: "The refusal beyond the limit has no rate limit headers.",
		Reply: func(x *front.Reply) {
			if x.Answers("", RateLimited) {
				x.Unlimited()
			}
		}},
	front.Mutant{Name: "limited-remaining-one", Rate: quickRate, Summary: "The refusal beyond the limit says that one request remains.",
		Reply: func(x *front.Reply) {
			if x.Answers("", RateLimited) {
				x.Header.Set("X-RateLimit-Remaining", "1")
			}
		}},
)

// onRate edits one of the rate limit headers.
func onRate(name string, edit func(x *front.Reply, value string)) func(*front.Reply) {
	return func(x *front.Reply) {
		if v := x.Header.Get("X-RateLimit-" + name); v != "" {
			edit(x, v)
		}
	}
}
