package suites

import (
	"fmt"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

var deadlineChecks = []judge.Check{
	judge.Define("limits/timeout", "a call that runs longer than it allows itself is ended with the named error", ownTimeout),
	judge.Define("limits/default-timeout", "a call that allows itself no time is ended after the usual one", defaultTimeout),
	judge.Define("limits/stream-timeout", "a stream does not stay open longer than it may", streamTimeout),
}

type timeoutParams struct {
	onStep
	At   string `json:"at"` // in the call, in milliseconds
	Code string `json:"code"`
}

// early is what the clocks of server and suite may differ by.
const early = 20 * time.Millisecond

// ownTimeout: an agent that ended before its time was over shows nothing.
func ownTimeout(t *judge.T, p timeoutParams) {
	s := t.Step(p.Step)
	allowed := float64(0)
	if n := member(s.Exchange.Call().Root, p.At); n != nil {
		fmt.Sscan(n.Number, &allowed)
	}
	took, may := s.Exchange.End-s.Exchange.Start, time.Duration(allowed*float64(time.Millisecond))
	if s.Accepted() && took < may {
		t.Stopped("the agent answered after %.2f s, before the %.2f s that the call allowed were over: give a longer slow", took.Seconds(), may.Seconds())
	}
	t.Expect(s.Reply()).Because("the call allowed %.2f s and was answered after %.2f s", may.Seconds(), took.Seconds()).To(BeRPCError(t.Case.Dialect, p.Code))
	t.Expect(s.Head()).To(head(fmt.Sprintf("the end of the call no earlier than after the %.2f s that it allowed", may.Seconds()),
		func(judge.Value) bool { return took >= may-early },
		func(judge.Value) string { return fmt.Sprintf("ended it after %.2f s", took.Seconds()) }))
}

type boundParams struct {
	onStep
	Code  string  `json:"code"`
	From  float64 `json:"from"`  // seconds
	To    float64 `json:"to"`    // seconds
	Needs float64 `json:"needs"` // seconds that the message must last at least
}

// lasting ends the check undecided where the operator's message is too short.
func (p boundParams) lasting(t *judge.T, s judge.Step) time.Duration {
	if d := t.Case.Transcript.Facts.Stimuli["long"].Seconds; d < p.Needs {
		t.Inconclusive(fmt.Sprintf("stimuli: {long: {text: …, seconds: %.0f}}", p.Needs), "the message long lasts %v s, and %.0f s are needed", d, p.Needs)
	}
	return s.Exchange.End - s.Exchange.Start
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func defaultTimeout(t *judge.T, p boundParams) {
	s := t.Step(p.Step)
	took := p.lasting(t, s)
	if s.Accepted() && took < seconds(p.From) {
		t.Stopped("the agent answered after %.1f s: give a message that lasts longer", took.Seconds())
	}
	t.Expect(s.Reply()).To(BeRPCError(t.Case.Dialect, p.Code))
	t.Expect(s.Head()).To(head(fmt.Sprintf("the end of the call after %.0f to %.0f s", p.From, p.To),
		func(judge.Value) bool { return took >= seconds(p.From) && took <= seconds(p.To) },
		func(judge.Value) string { return fmt.Sprintf("ended it after %.1f s", took.Seconds()) }))
}

// streamTimeout: a stream that we gave up, for whatever reason, tells nothing
// unless it was open for too long by then.
func streamTimeout(t *judge.T, p boundParams) {
	s := t.Step(p.Step)
	took := p.lasting(t, s)
	if !s.Exchange.IsStream() {
		t.Stopped("%s was not answered with a stream: %s", p.Step, s.Outcome())
	}
	if took < seconds(p.From) && s.Exchange.Ended != wire.EOF {
		t.Stopped("the stream was left after %.1f s", took.Seconds())
	}
	t.Expect(s.Head()).To(head(fmt.Sprintf("the end of a stream after %.0f s", p.To),
		func(judge.Value) bool { return took <= seconds(p.To) },
		func(judge.Value) string { return fmt.Sprintf("kept it open for %.1f s", took.Seconds()) }))
}
