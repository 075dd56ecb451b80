package client

import (
	"errors"
	"net/http"
	"time"
)

// retryMutants repeat calls that they should not repeat.
var retryMutants = []mutant{
	{name: "retries-401", summary: "repeats a call that is refused for lack of credentials or rights",
		habit: repeatCalls(func(a attempt) bool { return a.status == http.StatusUnauthorized || a.status == http.StatusForbidden })},
	{name: "retries-busy-at-once", summary: "repeats a call at once, whatever Retry-After says",
		habit: repeatCalls(func(a attempt) bool {
			return a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable
		})},
	{name: "retries-500-at-once", summary: "repeats a call that is answered 500, without pauses",
		habit: repeatCalls(func(a attempt) bool { return a.status == http.StatusInternalServerError })},
	{name: "retries-refused-version", dialect: "a2a-1.0", summary: "repeats a call whose version is refused",
		habit: repeatCalls(func(a attempt) bool { return hasCode(a.err, -32009) })},
	{name: "retries-refused-stream", variant: "streaming", summary: "asks again and again for a stream that is not supported",
		habit: repeatCalls(func(a attempt) bool { return hasCode(a.err, -32004) })},
	{name: "retries-with-new-id", summary: "sends a message again under a new id if the response is lost",
		habit: repeatCalls(func(a attempt) bool {
			if a.err == nil || a.status != 0 || isUnreachable(a.err) || a.number >= maxTries {
				return false
			}
			if m := a.call.getMessage(); m != nil {
				m["messageId"] = newID()
			}
			return true
		})},
}

// maxBadTries bounds what mutants repeat.
const maxBadTries = 15

// repeatCalls makes a habit of repeating calls at once.
func repeatCalls(which func(attempt) bool) func(*habits) {
	return func(h *habits) {
		h.retry = func(a attempt) (bool, time.Duration) {
			if a.number < maxBadTries && which(a) {
				return true, 0
			}
			return decideRetry(a)
		}
	}
}

// hasCode reports whether an error is one of JSON-RPC with the code.
func hasCode(err error, code int) bool {
	var e *rpcError
	return errors.As(err, &e) && e.code == code
}
