package front

import (
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// A rateLimit grants a client so many requests in a window of seconds, and a
// burst beyond them before it is refused.
type RateLimit struct {
	Requests int
	Window   time.Duration
	Burst    int
}

// MarshalJSON writes the limit as a card shows it, with the window in seconds.
func (l RateLimit) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"requests":%d,"window":%.0f,"burst":%d}`, l.Requests, l.Window.Seconds(), l.Burst), nil
}

// A limiter counts requests by client in fixed windows.
type limiter struct {
	RateLimit
	mu    sync.Mutex
	reset time.Time
	used  map[string]int
}

func newLimiter(l RateLimit) *limiter {
	return &limiter{RateLimit: l}
}

// count counts a request, and returns how many the client has left, less than
// nothing if it is over its limit, and when the window ends.
func (l *limiter) count(r *http.Request) (left int, reset time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); !now.Before(l.reset) {
		l.reset = now.Add(l.Window)
		l.used = make(map[string]int)
	}
	client := clientOf(r)
	l.used[client]++
	return l.Requests - l.used[client], l.reset
}

// clientOf returns the credential of a client, or its address if it has none.
func clientOf(r *http.Request) string {
	for _, name := range []string{"Authorization", "X-API-Key"} {
		if credential := r.Header.Get(name); credential != "" {
			return name + " " + credential
		}
	}
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	return host
}
