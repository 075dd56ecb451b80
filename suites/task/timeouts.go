package task

import (
	"cmp"
	"fmt"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type timeoutParams struct {
	observe.OnStep
	At   string `json:"at"` // in the parameters of the call, in milliseconds
	Code string `json:"code" names:"error"`
}

// clockTolerance is the difference that is allowed between the clocks of server and suite.
const clockTolerance = 20 * time.Millisecond

// checkTimeoutErrorNotEarly is undecided if the agent ended before its time was over.
func checkTimeoutErrorNotEarly(t *judge.T, p timeoutParams) {
	s := t.Step(p.Step)
	allowed := float64(0)
	if n := observe.Params(s).At(p.At); n != nil {
		fmt.Sscan(n.Number, &allowed)
	}
	took, may := s.Exchange.End-s.Exchange.Start, time.Duration(allowed*float64(time.Millisecond))
	if s.Accepted() && took < may {
		t.TooQuick("slow", "the agent answered after %.2f s, before the %.2f s that the call allowed were over: make stimuli.slow take longer", took.Seconds(), may.Seconds())
	}
	t.Expect(s.Reply()).Because("the call allowed %.2f s and was answered after %.2f s", may.Seconds(), took.Seconds()).To(match.BeRPCError(t, p.Code))
	t.Expect(s.Head()).To(match.Head(fmt.Sprintf("the end of the call no earlier than after the %.2f s that it allowed", may.Seconds()),
		func(judge.Value) bool { return took >= may-clockTolerance },
		func(judge.Value) string { return fmt.Sprintf("ended it after %.2f s", took.Seconds()) }))
}

type timeoutAboveParams struct {
	observe.OnStep
	Code  string  `json:"code" names:"error"` // of the refusal
	Limit float64 `json:"limit"`              // the longest time, in seconds
}

// checkTimeoutAboveLimitRefused needs a call that takes longer than the longest time, since only that
// shows whether the time is cut down.
func checkTimeoutAboveLimitRefused(t *judge.T, p timeoutAboveParams) {
	s := t.Step(p.Step)
	observe.RequireControlAccepted(t, s)
	took := s.Exchange.End - s.Exchange.Start
	if s.Accepted() && took < observe.Seconds(p.Limit) {
		t.OK(s.Reply())
		t.StopNotApplicable("the call was accepted and answered after %.3f s, which does not show whether its time is cut down to %.0f s", took.Seconds(), p.Limit)
	}
	t.Expect(s.Reply()).To(match.BeRPCError(t, p.Code))
}

type serverTimeoutParams struct {
	observe.OnStep
	Code string `json:"code" names:"error"`
	Of   string `json:"of"` // call or stream
}

// allowedDuration returns how long a call or a stream of the server may last, by the protocol
// or by the operator's word, and between which times it may be ended: a call
// about then, a stream before.
func (p serverTimeoutParams) allowedDuration(t *judge.T) (from, to time.Duration) {
	limits := operator.Timeouts{Call: t.Case.Dialect.Limits.Call, Stream: t.Case.Dialect.Limits.Stream}
	if own := t.Case.Transcript.Facts.Timeouts; own != nil {
		limits.Call, limits.Stream = cmp.Or(own.Call, limits.Call), cmp.Or(own.Stream, limits.Stream)
	}
	if p.Of == "stream" {
		return observe.Seconds(limits.Stream), observe.Seconds(max(limits.Stream*1.05, limits.Stream+2))
	}
	return observe.Seconds(limits.Call * 25 / 30), observe.Seconds(max(limits.Call*38/30, limits.Call+2))
}

// measureLongCall ends the check undecided if the work of the operator's message is too short.
func (p serverTimeoutParams) measureLongCall(t *judge.T, leastStimulus time.Duration, s judge.Step) time.Duration {
	if d := t.Case.Transcript.Facts.Stimuli["long"].Seconds; observe.Seconds(d) <= leastStimulus {
		t.StopInconclusive(fmt.Sprintf("stimuli: {long: {text: …, seconds: %.0f}}", leastStimulus.Seconds()+2), "the message stimuli.long takes %v s, but the test needs more than %v", d, leastStimulus)
	}
	return s.Exchange.End - s.Exchange.Start
}

func checkDefaultTimeout(t *judge.T, p serverTimeoutParams) {
	s := t.Step(p.Step)
	from, to := p.allowedDuration(t)
	took := p.measureLongCall(t, to, s)
	if s.Accepted() && took < from {
		t.TooQuick("long", "the agent answered after %.1f s: give a message that takes longer", took.Seconds())
	}
	t.Expect(s.Reply()).To(match.BeRPCError(t, p.Code))
	t.Expect(s.Head()).To(match.Head(fmt.Sprintf("the end of the call after %.1f to %.1f s", from.Seconds(), to.Seconds()),
		func(judge.Value) bool { return took >= from && took <= to },
		func(judge.Value) string { return fmt.Sprintf("ended it after %.1f s", took.Seconds()) }))
}

// checkStreamTimeout is undecided about a stream that the run closed, unless it had been open for
// too long by then.
func checkStreamTimeout(t *judge.T, p serverTimeoutParams) {
	s := t.Step(p.Step)
	from, to := p.allowedDuration(t)
	took := p.measureLongCall(t, to, s)
	observe.StopIfCallShowsNothing(t, s, !s.Exchange.IsStream(), "was not answered with a stream")
	if took < from && s.Exchange.Ended != record.EOF {
		t.StopUndecided("the run left the stream after %.1f s", took.Seconds())
	}
	t.Expect(s.Head()).To(match.Head(fmt.Sprintf("the end of a stream after %.1f s", from.Seconds()),
		func(judge.Value) bool { return took <= to },
		func(judge.Value) string { return fmt.Sprintf("kept it open for %.1f s", took.Seconds()) }))
}
