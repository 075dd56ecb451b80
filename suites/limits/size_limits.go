package limits

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

var sizeChecks = []judge.Check{
	judge.Define("limits/too-much", "a message beyond a limit is refused in an orderly way", tooMuch),
	judge.Define("limits/enough", "a message just below a limit is accepted", justEnough),
	judge.Define("limits/blame", "a refusal for size or number is reported as a fault of the caller", blameCaller),
}

// justEnough: the first of the steps that was made decides. A server that is
// asked for all at once and refuses is asked for each by itself.
func justEnough(t *judge.T, p observe.OnSteps) {
	s := t.Steps(p.Steps)[0]
	t.Expect(s.Reply()).Because("the message stays below every limit").To(match.BeAResult())
}

// tooMuch: a JSON-RPC error and any HTTP status of refusal are both orderly. A
// connection that is closed without a word, or never answered, is not.
func tooMuch(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	observe.RequireControlAccepted(t, s)
	t.Expect(s.Head()).To(match.Head("a refusal: "+s.Reply().Words().Error+", or an HTTP status such as 413",
		func(judge.Value) bool { return inOrderRefused(s) },
		func(v judge.Value) string {
			if s.Exchange.IsStream() || match.Present(s.Reply().Result()) {
				return fmt.Sprintf("carried out a call of %d bytes", sizeOf(s))
			}
			return match.Outcome(s.Reply())
		}).On(report.StatusLine))
}

// inOrderRefused reports whether a call was refused in words or by a status.
func inOrderRefused(s judge.Step) bool {
	x := s.Exchange
	return x.Answered() && !x.IsStream() && x.Ended != record.Timeout && (match.IsError(s.Reply()) || x.Standing() >= 400)
}

func sizeOf(s judge.Step) int {
	if r := s.Exchange.Request.Recipe; r != nil {
		return r.Size
	}
	return len(s.Exchange.Request.Body)
}

type blameParams struct {
	observe.OnSteps
	Codes  []string `json:"codes" names:"error"` // errors that blame the caller, or name the resource
	Status []int    `json:"status"`              // HTTP statuses that do so without JSON-RPC
}

// blameCaller looks at those of the calls that were refused.
func blameCaller(t *judge.T, p blameParams) {
	of := slices.DeleteFunc(t.Steps(p.Steps), func(s judge.Step) bool { return !inOrderRefused(s) })
	judge.Each(t, of, func(s judge.Step) {
		observe.RequireControlAccepted(t, s)
		if match.IsError(s.Reply()) {
			t.Expect(s.Reply()).To(match.BeRPCError(t, p.Codes...))
			return
		}
		t.Expect(s.Head()).To(match.HaveStatus(p.Status...))
	})
}
