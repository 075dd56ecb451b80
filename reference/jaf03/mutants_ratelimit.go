package jaf03

import (
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
var rateMutants = map[string]front.Mutant{
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

// onRate edits one of the rate limit headers.
func onRate(name string, edit func(x *front.Reply, value string)) func(*front.Reply) {
	return func(x *front.Reply) {
		if v := x.Header.Get("X-RateLimit-" + name); v != "" {
			edit(x, v)
		}
	}
}
