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

var rateLimitChecks = []judge.Check{
	judge.Define("ratelimit/refused", "a client beyond the rate limit is refused with the named error", overLimit),
	judge.Define("ratelimit/id", "a refusal for the rate limit bears the id of the call", limitedID),
	judge.Define("ratelimit/again", "a client that was limited is served again", servedAgain),
}

type floodParams struct {
	Scenario string `json:"scenario" step:"{}/"`
	Code     string `json:"code" names:"error"` // the error for exceeding the limit
	// Exact leaves no room for a gate that answers HTTP status 429 without the
	// error.
	Exact bool `json:"exact"`
}

// calls are the calls of the flood.
func (p floodParams) calls(t *judge.T) (out []judge.Step) {
	for _, s := range t.Played(p.Scenario) {
		if strings.HasPrefix(s.Name, "call-") {
			out = append(out, s)
		}
	}
	return out
}

// overLimit judges the first refusal; calls that were under way with it may
// have been refused in another order.
func overLimit(t *judge.T, p floodParams) {
	all := p.calls(t)
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
			t.Finding(s.Reply(), "the server refuses the call with HTTP status %d", status)
			t.OK(s.Reply())
			return
		case status == 429 && !isRPC && !p.Exact:
			t.Finding(s.Head(), "the server refuses the call with HTTP status 429 and no %s", s.Reply().Words().Bare())
			t.OK(s.Head())
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
	exceeded(t, all)
}

// exceeded: no call was refused. That counts only if more of them fell into one
// window than two windows allow, since they may lie over the border of two.
func exceeded(t *judge.T, all []judge.Step) {
	l, ok := rateLimit(t)
	if !ok {
		t.Undecided("no rate limit is declared")
	}
	if len(all) == 0 {
		t.Undecided("no call was made")
	}
	begin, end := all[0].Exchange.Start, all[0].Exchange.End
	for _, s := range all {
		begin, end = min(begin, s.Exchange.Start), max(end, s.Exchange.End)
	}
	last := all[len(all)-1]
	if took := end - begin; len(all) <= 2*(l.Requests+l.Burst) || took > l.Window() {
		t.Undecided("%d calls in %.2f s may not have exceeded the declared limit of %d in %v s", len(all), took.Seconds(), l.Requests, l.Seconds)
	}
	t.Fail(last.Head(), fmt.Sprintf("served all of %d calls within %.2f s", len(all), (end-begin).Round(10*time.Millisecond).Seconds()),
		fmt.Sprintf("a refusal beyond the declared limit of %d in %v s", l.Requests, l.Seconds))
}

// limitedID reads every such refusal of the run, whatever led to it.
func limitedID(t *judge.T, p floodParams) {
	var of []judge.Value
	for _, v := range observe.Replies(t) {
		if observe.IsRefusal(t, v, []string{p.Code}) && v.Pointer() == "" {
			of = append(of, v)
		}
	}
	judge.Each(t, of, func(v judge.Value) { t.Expect(v.ID()).To(observe.BeNode(v.Sent().ID)) })
}

type againParams struct {
	observe.OnSteps
	Code string `json:"code" names:"error"`
}

// servedAgain looks at the last attempt: some servers count what they refuse.
func servedAgain(t *judge.T, p againParams) {
	made := t.Steps(p.Steps)
	last := made[len(made)-1]
	if reply := last.Reply(); match.IsError(reply) && !observe.IsRefusal(t, reply, []string{p.Code}) && last.Exchange.Standing() != 429 {
		t.Undecided("the call %s/%s was refused, but not for the rate limit: %s", last.Play.Scenario, last.Name, last.Outcome())
	}
	t.Expect(last.Reply()).To(match.BeAResult())
}
