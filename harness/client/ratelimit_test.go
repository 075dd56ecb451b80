package client

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestReadAllowance(t *testing.T) {
	now := time.Unix(1_700_000_000, 400_000_000).UTC()
	none := Allowance{Remaining: -1}
	for _, c := range []struct {
		name, head string
		want       Allowance
		ok         bool
	}{
		{"none", "X-Other: 5", none, false},
		{"gateway, seconds", "X-RateLimit-Limit: 5|X-RateLimit-Remaining: 4|X-RateLimit-Reset: 1", Allowance{5, 4, 2 * time.Second, 0}, true},
		{"gateway, epoch", "X-RateLimit-Limit: 5|X-RateLimit-Remaining: 0|X-RateLimit-Reset: 1700000001", Allowance{5, 0, 1600 * time.Millisecond, 0}, true},
		{"epoch in milliseconds", "X-RateLimit-Limit: 5|X-RateLimit-Reset: 1700000001400", Allowance{5, -1, 2 * time.Second, 0}, true},
		{"epoch by another clock", "X-RateLimit-Limit: 5|X-RateLimit-Reset: 1700003601|Date: Tue, 14 Nov 2023 23:13:20 GMT", Allowance{5, -1, 2 * time.Second, 0}, true},
		{"epoch in the past", "X-RateLimit-Limit: 5|X-RateLimit-Reset: 1600000000", Allowance{5, -1, 0, 0}, true},
		{"with a window", "X-Rate-Limit-Limit: 10|X-Rate-Limit-Remaining: 9|X-Rate-Limit-Window: 60", Allowance{10, 9, 0, time.Minute}, true},
		{"a duration", "X-RateLimit-Limit: 10|X-RateLimit-Remaining: 9|X-RateLimit-Reset: 6m0s", Allowance{10, 9, 6 * time.Minute, 0}, true},
		{"draft 3", "RateLimit-Limit: 10, 10;w=1, 50;w=60|RateLimit-Remaining: 9|RateLimit-Reset: 1", Allowance{10, 9, 2 * time.Second, time.Second}, true},
		{"draft 6", "RateLimit-Limit: 10|RateLimit-Policy: 10;w=1|RateLimit-Remaining: 9|RateLimit-Reset: 1", Allowance{10, 9, 2 * time.Second, time.Second}, true},
		{"draft 7", "RateLimit: limit=10, remaining=9, reset=1|RateLimit-Policy: 10;w=1", Allowance{10, 9, 2 * time.Second, time.Second}, true},
		{"draft 8", `RateLimit: "default";r=9;t=1|RateLimit-Policy: "default";q=10;w=1`, Allowance{10, 9, 2 * time.Second, time.Second}, true},
		{"words", "X-RateLimit-Limit: many|X-RateLimit-Remaining: some|X-RateLimit-Reset: soon", none, false},
		{"negative and huge", "X-RateLimit-Limit: -5|X-RateLimit-Remaining: 99999999999999999999|X-RateLimit-Reset: -1", none, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := http.Header{}
			for field := range strings.SplitSeq(c.head, "|") {
				name, value, _ := strings.Cut(field, ": ")
				h.Add(name, value)
			}
			got, ok := ReadAllowance(h, now)
			if d := got.Reset - c.want.Reset; d > time.Millisecond || d < -time.Millisecond {
				t.Errorf("reset in %v, want %v", got.Reset, c.want.Reset)
			}
			got.Reset = c.want.Reset
			if got != c.want || ok != c.ok {
				t.Errorf("got %+v, %v", got, ok)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for text, want := range map[string]time.Duration{
		"": 0, "2": 2 * time.Second, "0.5": 500 * time.Millisecond, "-1": 0, "soon": 0, "1e99": 0,
		"Tue, 14 Nov 2023 22:13:25 GMT": 5 * time.Second, "Tue, 14 Nov 2023 22:13:15 GMT": 0,
	} {
		if got := RetryAfter(http.Header{"Retry-After": {text}}, now); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func FuzzReadAllowance(f *testing.F) {
	f.Add("5", "4", "1700000001", "10;w=1", `"default";r=9;t=1`)
	f.Fuzz(func(t *testing.T, limit, remaining, reset, policy, facts string) {
		h := http.Header{"X-Ratelimit-Limit": {limit}, "X-Ratelimit-Remaining": {remaining}, "X-Ratelimit-Reset": {reset},
			"Ratelimit-Policy": {policy}, "Ratelimit": {facts}, "Retry-After": {reset}}
		a, _ := ReadAllowance(h, time.Now())
		if a.Limit < 0 || a.Remaining < -1 || a.Reset < 0 || a.Window < 0 || RetryAfter(h, time.Now()) < 0 {
			t.Errorf("got %+v", a)
		}
	})
}
