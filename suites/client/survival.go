package client

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// survivalParams name scenarios in which the client has to do what it does in the plain one.
type survivalParams struct {
	Plays []string `json:"plays"` // the scenarios, or patterns for them
	Uses  []string `json:"uses"`  // an operation of these has to be used, or there is nothing to survive
	Sends bool     `json:"sends"` // it is enough that the message arrives
	// Seconds is the time in which the client has to end; 0 for its patience.
	Seconds float64 `json:"seconds"`
	Asks    string  `json:"asks"` // calls have this header field, or there is nothing to survive
}

// checkSurvival judges whether each start of a scenario ends as the plain scenario did.
func checkSurvival(t *judge.T, p survivalParams) {
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		demandPlainSuccess(t, s)
		last := s.Last()
		demandUseAndEnd(t, s, p.Uses)
		if p.Asks != "" && !slices.ContainsFunc(s.Calls(), func(r judge.Request) bool { return r.Header().Get(p.Asks) != "" }) {
			t.StopInconclusive("", "no call of the client in the scenario '%s' has the field %s", s.Play.Scenario, p.Asks)
		}
		if p.Sends {
			if len(messagesOf(t, s)) == 0 {
				t.Calls() // it may have another binding than those of the card
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
		if took := (s.Run.Ended - s.Run.Started).Seconds(); p.Seconds > 0 && took > p.Seconds {
			if s.Run.Disturbed != "" {
				t.StopUndecided("%s", s.Run.Disturbed)
			}
			t.Fail(last, fmt.Sprintf("ended after %.0f s", took), fmt.Sprintf("an end within %v s", p.Seconds))
		}
		t.OK(last)
	})
}

// demandUseAndEnd leaves a scenario undecided unless the client used one of some operations, if there are any, and
// ended.
func demandUseAndEnd(t *judge.T, s judge.Start, uses []string) {
	if len(uses) > 0 && len(s.Calls(uses...)) == 0 {
		t.Calls(uses...) // it may use them nowhere
		t.StopInconclusive("", "the client did not use what the scenario '%s' is about", s.Play.Scenario)
	}
	if !s.Ended() {
		stopBeforeEnd(t, s)
	}
}

// stopBeforeEnd leaves a scenario undecided that ended before the client did: what did not come might have come yet.
func stopBeforeEnd(t *judge.T, s judge.Start) {
	t.StopUndecided("the scenario '%s' ended before the client did", s.Play.Scenario)
}

func twinOf(s judge.Start) string { return cmp.Or(s.Run.Twin, "hello") }

// demandPlainSuccess leaves a scenario undecided unless the client succeeded in all plays of its plain twin:
// what fails there as well is no fault of the scenario.
func demandPlainSuccess(t *judge.T, s judge.Start) { demandPlainSuccessOf(t, twinOf(s)) }

// demandPlainSuccessOf leaves a requirement undecided unless the client succeeded in all plays of a plain scenario.
func demandPlainSuccessOf(t *judge.T, scenario string) {
	for _, plain := range t.Starts(scenario) {
		switch shown := plain.Shows(); {
		case !shown.Known:
			t.StopUndecided("the client %s", shown.How)
		case !shown.Success:
			t.StopUndecided("the client failed in the plain scenario '%s' already: it %s", scenario, shown.How)
		}
	}
}

// messagesOf returns the calls by which the client sent a message in a start.
func messagesOf(t *judge.T, s judge.Start) []judge.Request {
	return s.Requests(func(r judge.Request) bool { return r.IsCall() && t.Case.Dialect.Operation(r.Op).Agent })
}

// errorParams name scenarios in which the client cannot succeed, and has to show that.
type errorParams struct {
	Plays  []string `json:"plays"`
	Follow []string `json:"follow"` // or it makes one of these calls, by which it finds out more
	NoCall bool     `json:"noCall"` // it makes no call at all
	OrNone bool     `json:"orNone"` // it may leave the call, and has to show that it failed all the same
	Crash  bool     `json:"crash"`  // only a crash and an end that does not come are judged
	Uses   []string `json:"uses"`   // an operation of these has to be used, or nothing goes wrong
	States bool     `json:"states"` // a report of the state of the task shows it as well
	Prints string   `json:"prints"` // what carried the marker of a text that the program prints as well, if it prints texts
}

// checkShownErrors judges whether the client shows that it did not succeed.
func checkShownErrors(t *judge.T, p errorParams) {
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		last := s.Last()
		calls := s.Calls()
		strays := s.Requests(func(r judge.Request) bool { return isStrayCall(t, r) })
		switch {
		case p.NoCall && len(strays) > 0:
			t.Fail(strays[0].Call, "made a call", "none, since there is no card that it could be made by")
		case p.NoCall && len(calls) > 0:
			t.Fail(calls[0].Call, "made a call", "none, since there is no card that it could be made by")
		case !p.NoCall && !p.OrNone && len(calls) == 0:
			t.StopInconclusive("", "the client made no call in the scenario '%s'", s.Play.Scenario)
		}
		demandUseAndEnd(t, s, p.Uses)
		if len(p.Follow) > 0 && len(s.Calls(p.Follow...)) > 0 {
			t.OK(last)
			return
		}
		judgeEnd(t, p, s, last)
	})
}

// judgeEnd judges how the program of the client ended in a scenario in which it cannot succeed.
func judgeEnd(t *judge.T, p errorParams, s judge.Start, last judge.Value) {
	known := t.Case.Transcript.Facts.Calibration
	switch {
	case len(s.Run.Command) == 0 || s.Run.Trouble != "" || known == nil:
		t.StopUndecided("the client was not started by a command")
	case s.Run.Signal != "", s.Run.Patience && p.Crash:
		t.Fail(last, s.Shows().How, "an orderly end")
	case p.Prints != "" && known.Prints && lacksMarker(s, p.Prints):
		t.Fail(last, "did not print the "+p.Prints+" of the error", "the "+p.Prints+", since it prints the texts of the agent")
	case p.Crash || printedError(s) || p.States && reportedState(s):
	case !known.Exits:
		t.StopUndecided("the client's exit code does not tell success from failure")
	case s.Run.Exit == 0 && !s.Run.Patience:
		t.Fail(last, "ended with exit code 0, as if it had succeeded", "a sign that it failed: an exit code that is not 0, or the text of the error")
	}
	t.OK(last)
}

// printedError reports whether the client printed the text of an error.
func printedError(s judge.Start) bool {
	for _, m := range s.Run.Markers {
		if m.In == "error" && m.Sent && m.Printed {
			return true
		}
	}
	return false
}

// lacksMarker reports whether the client did not print a marker that it was sent.
func lacksMarker(s judge.Start, in string) bool {
	return slices.ContainsFunc(s.Run.Markers, func(m record.Marker) bool { return m.In == in && m.Sent && !m.Printed })
}

// reportedState reports whether the program reported the last state of a task that it was given.
func reportedState(s judge.Start) bool {
	given := s.Delivered()
	return len(given) > 0 && slices.ContainsFunc(s.Reported("task", "status"), func(r judge.Reported) bool { return r.HasState(given[len(given)-1].State) })
}

// worksParams name scenarios of which the client has to manage one.
type worksParams struct {
	Plays []string `json:"plays"`
	Uses  []string `json:"uses"` // an operation of these has to be used in a scenario, or it is left out
	Each  bool     `json:"each"` // that it does not succeed in each of them is a finding
}

// checkWorks judges whether the client succeeds in one of several scenarios at least.
func checkWorks(t *judge.T, p worksParams) {
	all := t.Starts(p.Plays...)
	if len(p.Uses) > 0 {
		t.Calls(p.Uses...) // it may use them nowhere
		all = slices.DeleteFunc(all, func(s judge.Start) bool { return len(s.Calls(p.Uses...)) == 0 })
		if len(all) == 0 {
			t.StopInconclusive("", "the client did not use what the scenarios %s are about", strings.Join(p.Plays, ", "))
		}
		demandPlainSuccessOf(t, "hello")
	}
	works := func(s judge.Start) bool {
		shown := s.Shows()
		return shown.Known && shown.Success && len(messagesOf(t, s)) > 0
	}
	if i := slices.IndexFunc(all, works); i >= 0 {
		for _, s := range all {
			if p.Each && s.Ended() && !works(s) && s.Shows().Known {
				t.Tolerate(s.Last(), "the client succeeds in the scenario '%s', and not in '%s'", all[i].Play.Scenario, s.Play.Scenario)
			}
		}
		t.OK(all[i].Last())
		return
	}
	for _, s := range all {
		if shown := s.Shows(); !shown.Known {
			t.StopUndecided("the client %s", shown.How)
		}
		if !s.Ended() {
			stopBeforeEnd(t, s)
		}
	}
	t.Fail(all[0].Last(), "succeeded in none of the scenarios "+strings.Join(p.Plays, ", "), "success in one of them at least")
}
