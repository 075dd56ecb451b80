package reference

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"
)

// Rate is a number of requests that a client may make in a time.
type Rate struct {
	Requests int
	Window   time.Duration
}

// String writes the rate as the flag --rate takes it.
func (r Rate) String() string { return fmt.Sprintf("%d/%v", r.Requests, r.Window) }

// defaultRates are wide enough for a whole run where every variant of a dialect
// is limited.
var defaultRates = map[string]Rate{"a2a-0.1": {5, time.Second}, "a2a-0.3": {5, time.Second}, "a2x-0.3": {5, time.Second}, "jaf-0.3": {400, 2 * time.Second}}

// rateLimit is the limit of the server as its card may show it.
func (s *Server) rateLimit() rateLimit {
	return rateLimit{Requests: s.rate.Requests, Window: s.rate.Window, Burst: s.rate.Requests * s.dialect.burst / 100}
}

type allowanceKey struct{}

// limit refuses calls beyond the rate limit of the variant, and says on every
// response how much of it is left (A2A 0.1.0, sections 8.2 and 10.2; JAF A2A
// 0.3.0, section "Rate Limiting").
func (s *Server) limit(next http.Handler) http.Handler {
	if !s.variant.limited {
		return next
	}
	l := newLimiter(s.rateLimit())
	granted := int(float64(l.Requests)*s.bounds.granted) + l.Burst
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		left, reset := l.count(r)
		until := time.Until(reset)
		h := http.Header{}
		h.Set("X-RateLimit-Limit", strconv.Itoa(l.Requests))
		h.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, left)))
		h.Set("X-RateLimit-Reset", ceiling(float64(reset.UnixMilli())/1000))
		h.Set("X-RateLimit-Window", ceiling(l.Window.Seconds()))
		r = r.WithContext(context.WithValue(r.Context(), allowanceKey{}, h))
		if l.Requests-left <= granted && !(s.mutant.grudge && s.notes.read("limited") != nil) {
			next.ServeHTTP(w, r)
			return
		}
		s.notes.write("limited", true)
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
		if err != nil {
			return
		}
		x := s.newReply(r)
		x.request, _ = decode(bytes.Clone(body))
		x.header.Set("Retry-After", ceiling(until.Seconds()))
		x.refuse(http.StatusTooManyRequests, response{JSONRPC: "2.0", ID: readableID(x.request),
			Error: &rpcError{Code: s.dialect.codes.limited, Message: "Rate limit exceeded"}})
		x.write(w)
	})
}

// ceiling writes seconds as a whole number, rounded up.
func ceiling(seconds float64) string {
	return strconv.FormatFloat(math.Ceil(max(0, seconds)), 'f', 0, 64)
}

var a2a01RateMutants = inArea("ratelimit",
	mutant{name: "limited-by-page", variant: "limited", summary: "A proxy refuses calls beyond the limit with HTTP 503 and HTML.",
		reply: func(x *reply) {
			if x.answers("", a2a01RateLimited) {
				x.blank(http.StatusServiceUnavailable, "text/html")
				x.raw = []byte("<h1>Too busy</h1>")
			}
		}},
	mutant{name: "limited-null-id", variant: "limited", summary: "The refusal beyond the limit has id null.",
		reply: func(x *reply) {
			if x.answers("", a2a01RateLimited) {
				put(x.body, "id", nil)
			}
		}},
	mutant{name: "limited-for-ever", variant: "limited", summary: "A client that was limited once is never served again.", grudge: true},
)

var a2a01LimitMutants = inArea("limits",
	mutant{name: "large-body-deadly", summary: "After a very large message none is served any more.",
		reply: deadlyAfter(func(x *reply) bool { return len(x.sent) >= maxBody })},
	mutant{name: "deep-body-deadly", summary: "After deeply nested JSON no message is served any more.",
		reply: deadlyAfter(func(x *reply) bool { return bytes.Contains(x.sent, bytes.Repeat([]byte("["), 10_000)) })},
)

// deadlyAfter makes a server that serves no call any more after a certain one.
func deadlyAfter(deadly func(*reply) bool) func(*reply) {
	return func(x *reply) {
		switch {
		case x.document != "":
		case deadly(x):
			x.server.notes.write("dead", true)
		case x.server.notes.read("dead") != nil:
			x.blank(http.StatusServiceUnavailable, "text/plain")
		}
	}
}
