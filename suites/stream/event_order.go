package stream

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// checkUnfinishedNotFinal looks at every status of a state that neither ends the work nor
// waits for the client.
func checkUnfinishedNotFinal(t *judge.T, p observe.OnSteps) {
	of := slices.DeleteFunc(collectFromStreams(t, p.Steps, observe.Statuses), func(u judge.Value) bool {
		return t.Case.Dialect.State(u.Read("task.state").Text()) == nil || observe.IsTerminalOrInterrupted(t, u.Read("task.state"))
	})
	judge.Each(t, of, func(u judge.Value) {
		t.OK(u.Read("task.state"))
		t.Expect(u.Read("event.final")).NotTo(match.InsteadOf(match.Should("true", judge.Value.True, nil), "no final true beside the state "+u.Read("task.state").Shown()))
	})
}

type answerParams struct {
	observe.OnSteps
	Answer string `json:"answer"` // the kind of an update that brings the answer
	Piece  string `json:"piece"`  // the kind of an update that brings a piece of it
}

// streamReportsFailure reports whether a stream showed that its task did not succeed.
func streamReportsFailure(t *judge.T, s judge.Step) bool {
	if observe.EndedByError(s.Events()) {
		return true
	}
	return slices.ContainsFunc(observe.Statuses(t, s), func(u judge.Value) bool {
		return observe.IsTerminal(t, u.Read("task.state")) && !observe.IsSuccess(t, u.Read("task.state"))
	})
}

func checkExactlyOneAnswer(t *judge.T, p answerParams) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		events := observe.RequireStream(t, s)
		answers := updatesOfKinds(t, s, p.Answer)
		switch {
		case len(answers) == 0 && streamReportsFailure(t, s):
			t.StopUndecided("the task of %s/%s did not succeed", s.Play.Scenario, s.Name)
		case len(answers) == 0 && s.Exchange.Ended != record.EOF && !s.Play.Has("final"):
			failIfStateSilentlyMissed(t, s, "an event with the answer")
			t.StopUndecided("the stream of %s/%s did not end regularly", s.Play.Scenario, s.Name)
		case len(answers) == 0:
			t.Fail(events[len(events)-1], fmt.Sprintf("ended the stream after %d events, none of them of the kind %s", len(events), p.Answer), "exactly one "+p.Answer+" at the end")
		case len(answers) > 1:
			t.Fail(answers[1], fmt.Sprintf("sent %d events of the kind %s", len(answers), p.Answer), "exactly one at the end")
		}
		t.OK(answers[0].SortAt())
	})
}

// checkPiecesShareMessageID has nothing to compare if an answer came in one piece.
func checkPiecesShareMessageID(t *judge.T, p answerParams) {
	var of []judge.Value
	first := map[*record.Exchange]judge.Value{}
	for _, s := range t.Steps(p.Steps) {
		for _, u := range updatesOfKinds(t, s, p.Answer, p.Piece) {
			for _, id := range observe.ExpandDialectPlace(t, u.Read("event.message"), "message", "id") {
				if _, seen := first[s.Exchange]; !seen {
					first[s.Exchange] = id
				} else {
					of = append(of, id)
				}
			}
		}
	}
	judge.Each(t, of, func(id judge.Value) {
		was := first[id.Exchange()]
		t.Expect(id).ComparedWith(was).To(match.Should("the messageId "+was.Shown()+" of the first piece", was.Equal, nil))
	})
}

// sseEventName returns the name of the event that contained a value; "" if it has none.
func sseEventName(v judge.Value) string {
	return v.Exchange().Events()[v.Document().Event-1].Frame.Event
}

// allowedEventNames returns the names that an event may have: its kind, or error if it is one.
func allowedEventNames(e judge.Value) []string {
	if match.Present(e.Failure()) {
		return []string{"error"}
	}
	if kind := e.Result().Sort(); kind != "" {
		return []string{kind}
	}
	return nil
}

// checkEventNameFitsKind ignores the default name, which has no meaning.
func checkEventNameFitsKind(t *judge.T, p observe.OnSteps) {
	of := slices.DeleteFunc(collectFromStreams(t, p.Steps, observe.RequireStream), func(e judge.Value) bool {
		return sseEventName(e) == "" || sseEventName(e) == "message" || allowedEventNames(e) == nil
	})
	judge.Each(t, of, func(e judge.Value) {
		n, kinds := sseEventName(e), allowedEventNames(e)
		e.Result().SortAt().Exists()
		t.Expect(e).To(match.Should("the name "+strings.Join(kinds, " or "), func(judge.Value) bool { return slices.Contains(kinds, n) },
			func(judge.Value) string { return "named an event " + shorten.Visible(n, 60) }))
	})
}

func checkEventHasName(t *judge.T, p observe.OnSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		for _, e := range observe.RequireStream(t, s) {
			n := sseEventName(e)
			t.Expect(e).To(match.Should("an SSE line \"event\" with the kind of the event", func(judge.Value) bool { return n != "" && n != "message" },
				func(judge.Value) string {
					if n != "" {
						return "sent an SSE line \"event: " + n + "\", which says nothing of the kind"
					}
					return "sent an event without an SSE line \"event\""
				}))
		}
	})
}

func checkWorkingStatusBeforeContent(t *judge.T, p answerParams) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		contents := updatesOfKinds(t, s, p.Answer, p.Piece)
		if len(contents) == 0 {
			t.StopUndecided("the stream of %s/%s brought no content", s.Play.Scenario, s.Name)
		}
		for _, u := range observe.Statuses(t, s) {
			if u.Document().Event < contents[0].Document().Event && !observe.IsTerminalOrInterrupted(t, u.Read("task.state")) {
				t.OK(u.Read("task.state"))
				return
			}
		}
		t.Fail(contents[0], "delivered content before it said that work had begun", "a status update of unfinished work to come first")
	})
}

type outcomeParams struct {
	observe.PairParams
	Answer string `json:"answer"`
}

func checkOutcomeStored(t *judge.T, p outcomeParams) {
	s := t.Step(p.Step)
	observe.RequireStream(t, s)
	outcome := ""
	for _, u := range observe.Updates(t, s) {
		if state := t.Case.Dialect.State(u.Read("task.state").Text()); state != nil && state.Terminal {
			outcome = state.Outcome
		} else if u.Sort() == p.Answer {
			outcome = "done"
		}
	}
	observe.StopUndecidedIf(t, outcome == "", "the stream of %s did not tell that the task ended", p.Step)
	then := t.Step(p.Then).Reply()
	t.Expect(then).To(match.BeAResult())
	t.Expect(then.Result().Read("task.state")).To(match.Should("the state that the stream ended with, "+stateOfOutcome(t, outcome), func(v judge.Value) bool { return observe.HasOutcome(t, v, outcome) }, nil))
}

// stateOfOutcome returns the state of an outcome.
func stateOfOutcome(t *judge.T, outcome string) string {
	for _, s := range t.Case.Dialect.States {
		if s.Outcome == outcome {
			return s.Name
		}
	}
	return outcome
}

// checkFailureStreamed accepts a JSON-RPC error, an update of the kind error, and a status with
// the state failed. An agent that did its work after all did not fail.
func checkFailureStreamed(t *judge.T, p answerParams) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		if !s.Exchange.IsStream() && match.IsError(s.Reply()) {
			t.OK(s.Reply())
			return
		}
		events := observe.RequireStream(t, s)
		if len(updatesOfKinds(t, s, p.Answer)) > 0 {
			t.StopUndecided("the agent answered in %s/%s instead of failing", s.Play.Scenario, s.Name)
		}
		for _, e := range events {
			if match.Present(e.Failure()) {
				observe.ExpectErrorForm(t, e)
				observe.ExpectCallID(t, e)
				return
			}
		}
		for _, u := range observe.Updates(t, s) {
			if observe.HasOutcome(t, u.Read("task.state"), "failed") || u.Sort() == "error" {
				t.OK(u)
				return
			}
		}
		t.Fail(events[len(events)-1], fmt.Sprintf("ended the stream after %d events without saying that the task failed", len(events)), "an update with the state failed, or "+events[0].Words().Error)
	})
}

func checkUpdatesNameSentContext(t *judge.T, p observe.OnSteps) {
	var of []judge.Value
	for _, u := range collectFromStreams(t, p.Steps, observe.Updates) {
		of = append(of, observe.KeepStrings([]judge.Value{u.Read("event.context"), u.Read("message.context")})...)
	}
	judge.Each(t, of, func(c judge.Value) {
		t.Expect(c).To(match.BeTheText("the id that the client sent with the message, ", c.Document().Step.Context))
	})
}

// checkServerSurvivesDrop lets the task have come to any end.
func checkServerSurvivesDrop(t *judge.T, p observe.OnPlays) {
	of := judge.Filter(t.Played(p.Plays...), func(s judge.Step) bool { return s.Op == "get" || s.Role == record.Alive })
	observe.StopUndecidedIf(t, len(of) == 0, "the run made no call after it had dropped the stream")
	judge.Each(t, of, func(s judge.Step) {
		due := match.BeAReply(t)
		if s.Role == record.Alive {
			due = match.BeAResult()
		}
		t.Expect(s.Reply()).Because("that a client dropped its stream must not stop the server").To(due)
	})
}

func checkStatusTimestampFormat(t *judge.T, p observe.OnSteps) {
	of := judge.Filter(collectFromStreams(t, p.Steps, observe.Statuses), func(u judge.Value) bool { return u.Read("task.status").IsObject() })
	judge.Each(t, of, func(u judge.Value) { t.Expect(u.Read("task.timestamp")).To(observe.BeTimestamp()) })
}
