package reference

import (
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// A rateLimit grants a client so many requests in a window of seconds, and a
// burst beyond them before it is refused.
type rateLimit struct {
	Requests int `json:"requests"`
	Window   int `json:"window"`
	Burst    int `json:"burst"`
}

// A limiter counts requests by client in fixed windows.
type limiter struct {
	rateLimit
	mu    sync.Mutex
	reset time.Time
	used  map[string]int
}

func newLimiter(l rateLimit) *limiter {
	return &limiter{rateLimit: l}
}

// take counts a request and writes the rate limit headers.
func (l *limiter) take(h http.Header, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); !now.Before(l.reset) {
		l.reset = now.Add(time.Duration(l.Window) * time.Second)
		l.used = make(map[string]int)
	}
	client := clientOf(r)
	l.used[client]++
	h.Set("X-RateLimit-Limit", strconv.Itoa(l.Requests))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, l.Requests-l.used[client])))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(l.reset.Unix(), 10))
	h.Set("X-RateLimit-Window", strconv.Itoa(l.Window))
}

// exceeded reports whether the client is over its limit.
func (l *limiter) exceeded(r *http.Request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.used[clientOf(r)] > l.Requests+l.Burst
}

// clientOf tells clients apart by credential, or by address without one.
func clientOf(r *http.Request) string {
	for _, name := range []string{"Authorization", "X-API-Key"} {
		if credential := r.Header.Get(name); credential != "" {
			return name + " " + credential
		}
	}
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	return host
}
