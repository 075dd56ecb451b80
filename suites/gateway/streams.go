package gateway

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

func init() {
	checks["gateway/events"] = checkEvents
	checks["gateway/held-back"] = checkHeldBack
	checks["gateway/survives"] = checkSurvives
	checks["gateway/cut"] = checkCut
}

// numbersOf returns the numbers of the events of a stream of the upstream.
func numbersOf(x *record.Exchange) (out []string) {
	for _, e := range x.Events() {
		if n := e.Root.Member("n"); n != nil {
			out = append(out, n.Number)
		} else if id := e.Root.At("/task/id"); id != nil { // in gRPC each event is a task
			out = append(out, id.String)
		}
	}
	return out
}

// checkEvents judges whether the events of a stream reached the caller: all of them, or those that did in their order.
func checkEvents(j *judged, p params) outcome {
	q, stop := j.requireServed(p)
	if stop != nil {
		return *stop
	}
	direct, through := numbersOf(q.direct), numbersOf(q.through)
	x := []*record.Exchange{q.direct, q.through}
	if len(direct) == 0 {
		return leaveUndecided("no event came directly")
	}
	if p.What == "order" {
		switch {
		case len(through) < 2:
			return leaveUndecided("fewer than two events came through the gateway")
		case !slices.IsSorted(through):
			return j.failWith(x, "the events came through the gateway in the order %s", strings.Join(through, ", "))
		}
		return j.passWith("the events came in their order", x...)
	}
	for _, n := range direct {
		if !slices.Contains(through, n) {
			return j.failWith(x, "%d events came directly, and %d through the gateway; event %s is missing", len(direct), len(through), n)
		}
	}
	return j.passWith(fmt.Sprintf("all %d events reached the caller", len(direct)), x...)
}

// checkHeldBack judges whether events came as the server sent them. The times of the direct call are what is compared with, so
// that a busy machine shows on both.
func checkHeldBack(j *judged, p params) outcome {
	q, stop := j.requirePair(p)
	if stop != nil {
		return *stop
	}
	spread := func(x *record.Exchange) time.Duration {
		events := x.Events()
		if len(events) < 2 {
			return 0
		}
		return events[len(events)-1].At - events[0].At
	}
	direct, through := spread(q.direct), spread(q.through)
	switch {
	case direct < 400*time.Millisecond:
		return leaveUndecided("the events came at once directly too")
	case len(numbersOf(q.through)) < 2:
		return leaveUndecided("fewer than two events came through the gateway")
	case through < direct*2/5:
		return j.failWith([]*record.Exchange{q.direct, q.through}, "the events of %d ms came through the gateway within %d ms: it held them back", direct.Milliseconds(), through.Milliseconds())
	}
	return j.passWith("the events came one by one", q.direct, q.through)
}

// checkSurvives judges whether an answer that takes long reached the caller as it does directly.
func checkSurvives(j *judged, p params) outcome {
	q := j.findPair(p.Play, "")
	if q == nil {
		return leaveUndecided("%s (%s)", whyUnusable(q), p.Play)
	}
	if !q.direct.Answered() || q.direct.Ended != record.EOF {
		return leaveUndecided("the server itself does not answer this call")
	}
	if isUnseen(q) {
		return leaveUndecided("%s", whyUnusable(q))
	}
	x := []*record.Exchange{q.direct, q.through}
	after := (q.through.End - q.through.Start).Seconds()
	switch {
	case !q.through.Answered():
		return j.failWith(x, "for %.1f s no answer came through the gateway, and then its connection was closed", after)
	case refusedByGateway(q) != "":
		return j.failWith(x, "after %.1f s the gateway answered with HTTP status %d in place of the server", after, q.through.Status())
	case q.through.Ended != record.EOF || len(q.through.Events()) < len(q.direct.Events()):
		return j.failWith(x, "after %.1f s the gateway broke the answer off", after)
	}
	return j.passWith(fmt.Sprintf("the answer came after %.1f s", after), x...)
}

// checkCut judges whether an answer that the server broke off is broken off at the caller too.
func checkCut(j *judged, p params) outcome {
	q, stop := j.requirePair(p)
	if stop != nil {
		return *stop
	}
	switch {
	case q.direct.Ended != record.Reset:
		return leaveUndecided("the answer of the server was not broken off")
	case refusedByGateway(q) != "":
		return leaveUndecided("%s", refusedByGateway(q))
	case q.through.Ended == record.EOF && (q.through.GRPC() == nil || q.through.GRPC().Coded && !q.through.GRPC().Failed()):
		return j.failWith([]*record.Exchange{q.direct, q.through}, "the server broke its answer off, and through the gateway it looks complete")
	}
	return j.passWith("the answer is broken off at the caller too", q.direct, q.through)
}
