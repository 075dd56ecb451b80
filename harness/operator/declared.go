package operator

import (
	"fmt"
	"math"
	"time"
)

// RateLimit is a number of requests that a client may make in a time.
type RateLimit struct {
	Requests int     `json:"requests" yaml:"requests"`
	Seconds  float64 `json:"seconds" yaml:"seconds"`
	Burst    int     `json:"burst,omitempty" yaml:"-"` // beyond them before one is refused, if a card reports it
}

// Timeouts are the times that a server allows a call and a stream, in seconds,
// if it is set up with others than the protocol names.
type Timeouts struct {
	Call   float64 `json:"call,omitempty" yaml:"call"`
	Stream float64 `json:"stream,omitempty" yaml:"stream"`
}

// maxSeconds bounds the times of an operator, so that they are numbers that a record can hold.
const maxSeconds = 1_000_000

// Check returns what is wrong with a rate limit of an operator. What is no number at all (NaN, infinite)
// is not between the bounds either.
func (l RateLimit) Check() error {
	if l.Requests < 1 || l.Requests > math.MaxInt32 || !(l.Seconds > 0 && l.Seconds <= maxSeconds) {
		return fmt.Errorf("is %d requests in %v seconds; both must be more than 0, and seconds at most %d; write it like rateLimit: {requests: 5, seconds: 1}", l.Requests, l.Seconds, maxSeconds)
	}
	return nil
}

// Check returns what is wrong with the timeouts of an operator.
func (t Timeouts) Check() error {
	is := func(seconds float64) bool { return seconds >= 0 && seconds <= maxSeconds }
	if !is(t.Call) || !is(t.Stream) || t.Call+t.Stream == 0 {
		return fmt.Errorf("is %v and %v; call and stream are seconds, at most %d; write it like timeouts: {call: 30, stream: 600}", t.Call, t.Stream, maxSeconds)
	}
	return nil
}

// Window returns the time in which the requests are counted.
func (l RateLimit) Window() time.Duration { return time.Duration(l.Seconds * float64(time.Second)) }
