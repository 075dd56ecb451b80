package client

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"
)

// callWithRetries sends a call, again as often as the rules for retries allow, and reads what
// comes by a function.
func (s *session) callWithRetries(c *call, read func(*response) error) error {
	for number := 1; ; number++ {
		if s.calls.Load() > maxCalls {
			return fmt.Errorf("the client gives up after %d calls", maxCalls)
		}
		if err := s.awaitLimit(); err != nil {
			return err
		}
		r, err := s.sendCall(c)
		a := attempt{call: c, number: number}
		if err == nil {
			a.status, a.retryAfter = r.status, r.header.Get("Retry-After")
			s.noteLimit(r.header)
			err = read(r)
			r.body.Close()
		}
		a.err = err
		again, wait := s.habits.retry(a)
		if !again {
			return err
		}
		s.calls.Add(1)
		if err := s.waitFor(wait); err != nil {
			return err
		}
	}
}

// noteLimit notes from when on calls are left, if an answer states that none is.
func (s *session) noteLimit(h http.Header) {
	reset, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	if at := time.Unix(reset, 0); s.dialect.readsLimits && err == nil && h.Get("X-RateLimit-Remaining") == "0" && time.Until(at) <= maxRetryWait {
		s.notBefore = at
	}
}

// awaitLimit waits until there are calls left.
func (s *session) awaitLimit() error {
	if s.notBefore.IsZero() || s.habits.limitsIgnored {
		return nil
	}
	return s.waitFor(time.Until(s.notBefore))
}

// An attempt is how one try of a call ended.
type attempt struct {
	call       *call
	number     int // from 1
	status     int
	retryAfter string
	err        error
}

// Limits of retries.
const (
	maxTries     = 3
	maxRetryWait = 5 * time.Second
)

// decideRetry decides whether a call is made again, and after which time: if the agent is
// busy and names a time, or if it cannot be reached and the card names another address.
func decideRetry(a attempt) (again bool, wait time.Duration) {
	s := a.call.session
	if isUnreachable(a.err) && len(s.card.endpoints) > 1 && !s.habits.firstInterfaceOnly {
		s.card.endpoints = s.card.endpoints[1:]
		a.call.useFirstEndpoint()
		return true, 0
	}
	if a.err == nil || a.number >= maxTries || a.status != http.StatusTooManyRequests && a.status != http.StatusServiceUnavailable {
		return false, 0
	}
	wait, ok := readRetryAfter(a.retryAfter)
	return ok && wait <= maxRetryWait, wait
}

// readRetryAfter reads a number of seconds or a date (RFC 9110, section 10.2.3).
func readRetryAfter(value string) (time.Duration, bool) {
	if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < 1<<20 {
		return time.Duration(n) * time.Second, true
	}
	if t, err := http.ParseTime(value); err == nil {
		return max(time.Until(t), 0), true
	}
	return 0, false
}

// isUnreachable reports whether no connection was made, so that nothing was sent.
func isUnreachable(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}
