package client

import (
	"cmp"
	"fmt"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// survivalParams name scenarios in which the client has to do what it does in the plain one.
type survivalParams struct {
	Plays []string `json:"plays"` // the scenarios, or patterns for them
	Uses  []string `json:"uses"`  // an operation of these has to be used, or there is nothing to survive
	Sends bool     `json:"sends"` // it is enough that the message arrives
}

// checkSurvival judges whether each start of a scenario ends as the plain scenario did.
func checkSurvival(t *judge.T, p survivalParams) {
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		demandPlainSuccess(t, s)
		last := s.Last()
		if len(p.Uses) > 0 && len(s.Calls(p.Uses...)) == 0 {
			t.Calls(p.Uses...) // it may use them nowhere
			t.StopInconclusive("", "the client did not use what the scenario '%s' is about", s.Play.Scenario)
		}
		if !s.Ended() {
			t.StopUndecided("the scenario '%s' ended before the client did", s.Play.Scenario)
		}
		if p.Sends {
			if len(messagesOf(t, s)) == 0 {
				t.Fail(last, "sent no message", "a message, as in the plain scenario")
			}
			t.OK(last)
			return
		}
		shown := s.Shows()
		if !shown.Known {
			t.StopUndecided("the client %s", shown.How)
		}
		if !shown.Success {
			t.Fail(last, shown.How, fmt.Sprintf("what it does in the plain scenario '%s', in which it succeeded", twinOf(s)))
		}
		t.OK(last)
	})
}

func twinOf(s judge.Start) string { return cmp.Or(s.Run.Twin, "hello") }

// demandPlainSuccess leaves a scenario undecided unless the client succeeded in all plays of its plain twin:
// what fails there as well is no fault of the scenario.
func demandPlainSuccess(t *judge.T, s judge.Start) {
	for _, plain := range t.Starts(twinOf(s)) {
		switch shown := plain.Shows(); {
		case !shown.Known:
			t.StopUndecided("the client %s", shown.How)
		case !shown.Success:
			t.StopUndecided("the client failed in the plain scenario '%s' already: it %s", twinOf(s), shown.How)
		}
	}
}

// messagesOf returns the calls by which the client sent a message in a start.
func messagesOf(t *judge.T, s judge.Start) []judge.Request {
	return s.Requests(func(r judge.Request) bool { return r.IsCall() && t.Case.Dialect.Operation(r.Op).Agent })
}
