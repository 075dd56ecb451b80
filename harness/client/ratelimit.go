package client

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Allowance is what a response states about the rate limit of its server.
type Allowance struct {
	Limit     int           // requests in a window; 0 if it is not stated
	Remaining int           // of them; -1 if it is not stated
	Reset     time.Duration // at most so long until the window ends; 0 if it is not stated
	Window    time.Duration // 0 if it is not stated
}

// limitNames are the spellings in use: X-RateLimit-Limit of many gateways,
// X-Rate-Limit-Limit, and the RateLimit-Limit of the IETF drafts up to the
// sixth.
var limitNames = []string{"X-Ratelimit-", "X-Rate-Limit-", "Ratelimit-"}

// The later drafts write several facts into one field: "limit=5, remaining=4,
// reset=1", or `"default";r=4;t=1` with a policy `"default";q=5;w=1`.
var (
	remainingFact = regexp.MustCompile(`(?i)(?:^|[\s;,])(?:remaining|r)=(\d+)`)
	resetFact     = regexp.MustCompile(`(?i)(?:^|[\s;,])(?:reset|t)=(\d+)`)
	limitFact     = regexp.MustCompile(`(?i)(?:^|[\s;,])(?:limit|q)=(\d+)`)
	windowFact    = regexp.MustCompile(`(?i);\s*w=(\d+)`)
	leadingNumber = regexp.MustCompile(`^\s*(\d+)`)
)

// ReadAllowance reads the rate limit headers of a response that came at the
// given time; ok is false if there are none.
func ReadAllowance(h http.Header, now time.Time) (a Allowance, ok bool) {
	a.Remaining = -1
	get := func(what string) string {
		for _, prefix := range limitNames {
			if v := h.Get(prefix + what); v != "" {
				return v
			}
		}
		return ""
	}
	number := func(text string, is *regexp.Regexp) int {
		m := is.FindStringSubmatch(text)
		if m == nil {
			return -1
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || n > 1e9 {
			return -1
		}
		return n
	}
	limit, policy, facts := get("Limit"), h.Get("Ratelimit-Policy"), h.Get("Ratelimit")
	for _, n := range []int{number(limit, leadingNumber), number(facts, limitFact), number(policy, limitFact), number(policy, leadingNumber)} {
		if a.Limit == 0 && n > 0 {
			a.Limit = n
		}
	}
	for _, n := range []int{number(get("Remaining"), leadingNumber), number(facts, remainingFact)} {
		if a.Remaining < 0 {
			a.Remaining = n
		}
	}
	for _, n := range []int{number(get("Window"), leadingNumber), number(limit, windowFact), number(policy, windowFact)} {
		if a.Window == 0 && n > 0 {
			a.Window = time.Duration(min(n, 1e6)) * time.Second
		}
	}
	reset := get("Reset")
	if n := number(facts, resetFact); reset == "" && n >= 0 {
		reset = strconv.Itoa(n)
	}
	a.Reset = untilReset(reset, h.Get("Date"), now)
	return a, a.Limit > 0 || a.Remaining >= 0
}

// untilReset is the longest time that a reset may mean: seconds from now, a
// duration such as 1s, or a point in time in seconds or milliseconds of the
// epoch. Whole seconds may have been rounded down, so one more is added.
func untilReset(text, date string, now time.Time) time.Duration {
	text = strings.TrimSpace(text)
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v < 0 || v > 1e14 {
		return 0
	}
	switch {
	case v > 1e11:
		v /= 1e3
		fallthrough
	case v > 1e9:
		// The server's clock counts, if its Date shows that it differs.
		if theirs, err := http.ParseTime(date); err == nil && (now.Sub(theirs) > 3*time.Second || theirs.Sub(now) > 2*time.Second) {
			now = theirs
		}
		v -= float64(now.UnixMicro()) / 1e6
	}
	return max(0, time.Duration((v+1)*float64(time.Second)))
}

// RetryAfter is how long a response asks its client to wait; 0 if it does not.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.ParseFloat(text, 64); err == nil && n >= 0 && n < 1e6 {
		return time.Duration(n * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
