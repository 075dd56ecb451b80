package client

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"sync/atomic"
)

// traceHeader is the header field of W3C Trace Context.
const traceHeader = "Traceparent"

// tracer gives each call a trace of its own, so that it is found in the server's own traces.
type tracer struct {
	run  [8]byte
	sent atomic.Uint64
}

func newTracerWithRandomID() *tracer {
	t := &tracer{}
	rand.Read(t.run[:]) // which cannot fail
	t.run[0] |= 1       // no id may be all zeros
	return t
}

// addTraceHeader gives a call the next number, as the second half of the id of its trace and as the id of its
// parent span. A call that has the header already keeps it.
func (t *tracer) addTraceHeader(h http.Header) {
	if t == nil || h.Get(traceHeader) != "" {
		return
	}
	n := t.sent.Add(1)
	h.Set(traceHeader, fmt.Sprintf("00-%x%016x-%016[2]x-01", t.run, n))
}
