package front

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

// defaultRates are wide enough for a whole run in which every variant of a dialect
// is limited.
var defaultRates = map[string]Rate{"a2a-0.1": {5, time.Second}, "a2a-0.3": {5, time.Second}, "a2x-0.3": {5, time.Second}, "a2a-1.0": {400, 2 * time.Second}, "jaf-0.3": {400, 2 * time.Second}}

// RateLimit is the limit of the server as its card may show it.
func (s *Server) RateLimit() RateLimit {
	return RateLimit{Requests: s.Rate.Requests, Window: s.Rate.Window, Burst: s.Rate.Requests * s.dialect.Burst / 100}
}

type allowanceKey struct{}

// limit refuses calls beyond the rate limit of the variant, and says on every
// response how much of it is left (A2A 0.1.0, sections 8.2 and 10.2; JAF A2A
// 0.3.0, section "Rate Limiting").
func (s *Server) limit(next http.Handler) http.Handler {
	if !s.Variant.Limited {
		return next
	}
	l := newLimiter(s.RateLimit())
	granted := int(float64(l.Requests)*s.Bounds.Granted) + l.Burst
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		left, reset := l.count(r)
		until := time.Until(reset)
		h := http.Header{}
		h.Set("X-RateLimit-Limit", strconv.Itoa(l.Requests))
		h.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, left)))
		h.Set("X-RateLimit-Reset", ceiling(float64(reset.UnixMilli())/1000))
		h.Set("X-RateLimit-Window", ceiling(l.Window.Seconds()))
		r = r.WithContext(context.WithValue(r.Context(), allowanceKey{}, h))
		if l.Requests-left <= granted && !(s.Mutant.NeverUnlimits && s.Notes.Read("limited") != nil) {
			next.ServeHTTP(w, r)
			return
		}
		s.Notes.Write("limited", true)
		body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody))
		if err != nil {
			return
		}
		x := s.newReply(r)
		x.Request, _ = s.requested(r, bytes.Clone(body))
		x.Header.Set("Retry-After", ceiling(until.Seconds()))
		x.refuse(http.StatusTooManyRequests, Response{JSONRPC: "2.0", ID: readableID(x.Request),
			Error: s.explained(r, x.Request, &RPCError{Code: s.dialect.Codes.Limited, Message: "Rate limit exceeded"})})
		x.write(w)
	})
}

// ceiling writes seconds as a whole number, rounded up.
func ceiling(seconds float64) string {
	return strconv.FormatFloat(math.Ceil(max(0, seconds)), 'f', 0, 64)
}

// DeadlyAfter makes a server that serves no call any more after a certain one.
func DeadlyAfter(deadly func(*Reply) bool) func(*Reply) {
	return func(x *Reply) {
		switch {
		case x.Document != "":
		case deadly(x):
			x.Server.Notes.Write("dead", true)
		case x.Server.Notes.Read("dead") != nil:
			x.Blank(http.StatusServiceUnavailable, "text/plain")
		}
	}
}
