package limits

import (
	"fmt"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

type floodParams struct {
	Scenario string `json:"scenario" step:"{}/"`
	Code     string `json:"code" names:"error"` // the error for exceeding the limit
	// Exact leaves no room for a gate that answers HTTP status 429 without the
	// error.
	Exact bool `json:"exact"`
}

// listCalls returns the calls of the flood.
func (p floodParams) listCalls(t *judge.T) []judge.Step {
	return listStepsByPrefix(t, p.Scenario, "call-")
}

// checkFloodRefused judges the first refusal; calls that were under way with it may
// have been refused in another order.
func checkFloodRefused(t *judge.T, p floodParams) {
	all := p.listCalls(t)
	for _, s := range all {
		status := s.Exchange.Standing()
		isRPC, limited := false, false
		if s.Exchange.Answered() && !s.Exchange.IsStream() {
			_, isRPC = s.Reply().ErrorCode().Int()
			limited = s.Reply().Refuses(p.Code)
			isRPC = isRPC || limited
		}
		switch {
		case limited && (status == 200 || status == 429):
			t.OK(s.Reply())
			return
		case limited:
			t.Tolerate(s.Reply(), "the server refuses the call with HTTP status %d", status)
			return
		case status == 429 && !isRPC && !p.Exact:
			t.Tolerate(s.Head(), "the server refuses the call with HTTP status 429 and no %s", s.Reply().Words().Bare())
			return
		case status == 429, status >= 500, !s.Exchange.Answered():
			if isRPC || p.Exact && s.Exchange.Answered() {
				t.Expect(s.Reply()).To(match.BeRPCError(t, p.Code))
			}
			t.Expect(s.Head()).To(match.Head(t.Case.Binding().Sign(p.Code)+", with HTTP status 200 or 429",
				func(judge.Value) bool { return false },
				func(v judge.Value) string {
					return fmt.Sprintf("answered %s to call %s of the flood", observe.StatusOf(v.Exchange()), strings.TrimPrefix(s.Name, "call-"))
				}).On(report.StatusLine))
		}
	}
	failFloodServedBeyondLimit(t, all)
}

// failFloodServedBeyondLimit judges a flood without a refusal. It fails only if more calls fell into one
// window than two windows allow, since the calls may lie over the border of two.
func failFloodServedBeyondLimit(t *judge.T, all []judge.Step) {
	l, ok := findOperatorOrCardLimit(t)
	observe.StopUndecidedIf(t, !ok, "no rate limit is declared")
	observe.StopUndecidedIf(t, len(all) == 0, "no call was made")
	begin, end := all[0].Exchange.Start, all[0].Exchange.End
	for _, s := range all {
		begin, end = min(begin, s.Exchange.Start), max(end, s.Exchange.End)
	}
	last := all[len(all)-1]
	if took := end - begin; len(all) <= 2*(l.Requests+l.Burst) || took > l.Window() {
		t.StopUndecided("%d calls in %.2f s may not have exceeded the declared limit of %d in %v s", len(all), took.Seconds(), l.Requests, l.Seconds)
	}
	t.Fail(last.Head(), fmt.Sprintf("served all of %d calls within %.2f s", len(all), (end-begin).Round(10*time.Millisecond).Seconds()),
		fmt.Sprintf("a refusal beyond the declared limit of %d in %v s", l.Requests, l.Seconds))
}

// checkRateLimitErrorID reads every such refusal of the run, whatever led to it.
func checkRateLimitErrorID(t *judge.T, p floodParams) {
	of := judge.Filter(observe.Replies(t), func(v judge.Value) bool { return v.Refuses(p.Code) && v.Pointer() == "" })
	judge.Each(t, of, func(v judge.Value) { t.Expect(v.ID()).To(observe.BeNode(v.Sent().ID)) })
}

type againParams struct {
	observe.OnSteps
	Code string `json:"code" names:"error"`
}

// checkServedAfterRateLimit looks at the last attempt: some servers count what they refuse.
func checkServedAfterRateLimit(t *judge.T, p againParams) {
	made := t.Steps(p.Steps)
	last := made[len(made)-1]
	if reply := last.Reply(); match.IsError(reply) && !reply.Refuses(p.Code) && last.Exchange.Standing() != 429 {
		t.StopUndecided("the call %s/%s was refused, but not for the rate limit: %s", last.Play.Scenario, last.Name, last.Outcome())
	}
	t.Expect(last.Reply()).To(match.BeAResult())
}
