package observe

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// smallCall is the size up to which a call or its answer takes no noticeable time, in bytes.
const smallCall = 16 << 10

// SlowestWithoutAgent returns the longest that any plain question took, of those under way
// between two instants; 0 if there were none. If even such a call took long, the server
// was busy, or the machine of the run. What takes its time because of us is no measure:
// our webhook that does not answer and what waits for it, large messages, streams, and
// calls that a server may answer slowly on purpose because they are not in order.
func SlowestWithoutAgent(t *judge.T, from, to record.Instant) (took record.Instant) {
	for p, s := range TranscriptSteps(t) {
		x := s.Exchange
		if isSmallReadCall(t, s) && x.Start < to && x.End > from && !overlapsDelivery(p, x) {
			took = max(took, x.End-x.Start)
		}
	}
	return took
}

// isSmallReadCall reports whether a step is a small call that changes nothing and asks
// nothing of the agent, by a client that the server has no reason to keep waiting.
func isSmallReadCall(t *judge.T, s *record.Step) bool {
	x, op := s.Exchange, t.Case.Dialect.Operation(s.Op)
	switch {
	case x == nil || x.Dir != record.Out || !x.Answered() || !op.Reads || op.Agent || op.Streams:
		return false
	case s.Invalid || s.Contradicts || s.Limited != "" || s.As == record.Nobody || s.As == record.Stranger:
		return false
	}
	return x.Request.Recipe == nil && len(x.Request.Body) <= smallCall && len(x.Response.Body) <= smallCall
}

// overlapsDelivery reports whether our webhook was being called for the task of a play while one
// of its calls was under way: the answer may have waited for us.
func overlapsDelivery(p *record.Play, x *record.Exchange) bool {
	return slices.ContainsFunc(p.Steps, func(s record.Step) bool {
		d := s.Exchange
		return d != nil && d.Dir == record.In && d.Start < x.End && d.End > x.Start
	})
}
