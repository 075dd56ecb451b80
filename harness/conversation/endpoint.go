package conversation

import (
	"fmt"
	"sync/atomic"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Endpoint remembers whether the RPC endpoint has ever answered.
type Endpoint struct {
	answered atomic.Bool
	silent   atomic.Int64
}

// Dead returns why the endpoint is asked no further; "" as long as it is.
func (e *Endpoint) Dead() string {
	if n := e.silent.Load(); n >= silentCalls && !e.answered.Load() {
		return fmt.Sprintf("the RPC endpoint gave no HTTP response to the first %d calls, so the run made no more", n)
	}
	return ""
}

// recordOutcome takes the outcome of a call into account. What the run itself ended shows
// nothing, and neither does a handshake that may well be refused.
func (e *Endpoint) recordOutcome(s Step, x *record.Exchange) {
	switch {
	case x.Answered():
		e.answered.Store(true)
	case x.Ended != record.Aborted && x.Ended != record.OurClose && s.MaxTLS == 0:
		e.silent.Add(1)
	}
}

// silentCalls is how many calls an endpoint may leave without any HTTP response
// before it counts as dead. One or two may be lost to a server that is just
// starting; each may cost the whole patience.
const silentCalls = 3
