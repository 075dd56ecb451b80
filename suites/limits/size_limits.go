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

// checkMessageBelowLimitServed judges the first of the steps that was made. If a server refuses all sizes at
// once, the run sends each of them by itself.
func checkMessageBelowLimitServed(t *judge.T, p observe.OnSteps) {
	s := t.Steps(p.Steps)[0]
	t.Expect(s.Reply()).Because("the message stays below every limit").To(match.BeAResult())
}

// checkOversizedCallRefused accepts a JSON-RPC error and any HTTP status of refusal, but not a connection that
// is closed without a response, or a call that is never answered.
func checkOversizedCallRefused(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	observe.RequireControlAccepted(t, s)
	t.Expect(s.Head()).To(match.Head("a refusal: "+s.Reply().Words().Error+", or an HTTP status such as 413",
		func(judge.Value) bool { return isExplicitRefusal(s) },
		func(v judge.Value) string {
			if s.Exchange.IsStream() || match.Present(s.Reply().Result()) {
				return fmt.Sprintf("carried out a call of %d bytes", measureRequest(s))
			}
			return match.Outcome(s.Reply())
		}).On(report.StatusLine))
}

// isExplicitRefusal reports whether a call was refused in words or by a status.
func isExplicitRefusal(s judge.Step) bool {
	x := s.Exchange
	return x.Answered() && !x.IsStream() && x.Ended != record.Timeout && (match.IsError(s.Reply()) || x.Standing() >= 400)
}

func measureRequest(s judge.Step) int {
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

// checkRefusalBlamesCaller looks at those of the calls that were refused.
func checkRefusalBlamesCaller(t *judge.T, p blameParams) {
	of := slices.DeleteFunc(t.Steps(p.Steps), func(s judge.Step) bool { return !isExplicitRefusal(s) })
	judge.Each(t, of, func(s judge.Step) {
		observe.RequireControlAccepted(t, s)
		if match.IsError(s.Reply()) {
			t.Expect(s.Reply()).To(match.BeRPCError(t, p.Codes...))
			return
		}
		t.Expect(s.Head()).To(match.HaveStatus(p.Status...))
	})
}

type heavyParams struct {
	Step  string `json:"step" step:"{}"`
	Alive string `json:"alive" step:"{}"`
}

// checkAliveAfterHeavyMessage accepts every outcome of the heavy message, including a closed connection. After
// an error or a result, any orderly response shows that the server is alive; after another
// outcome the agent has to answer.
func checkAliveAfterHeavyMessage(t *judge.T, p heavyParams) {
	s, alive := t.Step(p.Step), t.Step(p.Alive)
	t.OK(s.Head())
	about := alive.Reply()
	if alive.Op == "send" && alive.Role == record.Alive {
		t.Expect(about).To(match.BeAResult())
		return
	}
	t.Expect(about).To(match.BeAReply(t))
	observe.ExpectNoServerFault(t, alive)
}
