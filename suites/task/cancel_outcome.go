package task

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type cancelAgainParams struct {
	First string   `json:"first" step:"{}"`
	Step  string   `json:"step" step:"{}"`
	Codes []string `json:"codes" names:"error"`
}

// checkRecancelRefusedOrCanceled also accepts the canceled task as an answer. Another requirement
// covers a task that is gone.
func checkRecancelRefusedOrCanceled(t *judge.T, p cancelAgainParams) {
	if first := t.Step(p.First); !first.Accepted() || !observe.IsCanceled(t, first.Result().Read("task.state")) {
		t.StopVacuous("the task was not canceled: %s", first.Outcome())
	}
	again := t.Step(p.Step)
	observe.StopIfTaskGone(t, again)
	reply := again.Reply()
	if r := reply.Result(); match.Present(r) && observe.IsCanceled(t, r.Read("task.state")) {
		t.OK(r)
		return
	}
	if observe.IsUnknownTaskError(t, reply) {
		t.Finding(reply.ErrorCode(), "the server does not know the task any more after it has canceled it")
		t.OK(reply)
		return
	}
	t.Expect(reply).To(match.BeRPCError(t, p.Codes...))
}

// acceptedCancelResult returns the result of a cancellation, which a server may refuse.
func acceptedCancelResult(t *judge.T, step string) judge.Value {
	s := t.Step(step)
	if reply := s.Reply(); match.IsError(reply) {
		t.Finding(reply.ErrorCode(), "the server refuses to cancel a running task with the code %s", reply.ErrorCode().Shown())
		t.StopVacuous("the cancellation was refused: %s", s.Outcome())
	}
	return s.Reply().Result()
}

type returnsTaskParams struct {
	observe.StepRules
	// Valid means that the call, which is valid, must not be refused as if it were malformed.
	Valid bool `json:"valid"`
}

func checkCancelReturnsTask(t *judge.T, p returnsTaskParams) {
	if p.Valid {
		observe.ExpectNotRefusedAsMalformed(t, t.Step(p.Step))
	}
	s, result := t.Step(p.Step), acceptedCancelResult(t, p.Step)
	t.Expect(result).To(match.BeAnObject())
	t.Expect(result.Read("task.id")).To(observe.BeIDOfAddressedTask(s))
	t.Expect(result.Read("task.status")).To(match.BeAnObject())
}

type cancelLooksParams struct {
	Step  string   `json:"step" step:"{}"`
	Looks []string `json:"looks" step:"{}"` // at the task, afterwards
}

// finalState returns the state in which the look-ups found the task, and canceled if one of them
// did. If the task is gone by then, the reply to the call shows its state.
func (p cancelLooksParams) finalState(t *judge.T) judge.Value {
	var last judge.Value
	for _, s := range t.Steps(p.Looks) {
		if observe.IsTaskUnknown(t, s) {
			continue
		}
		if last = s.Result().Read("task.state"); observe.IsCanceled(t, last) {
			break
		}
	}
	if last.Document() == nil {
		if last = t.Step(p.Step).Result().Read("task.state"); !observe.IsCanceled(t, last) {
			t.StopUndecided("the task was gone before it was seen in the state canceled")
		}
	}
	if t.Case.Dialect.State(last.Text()) == nil {
		t.StopUndecided("the task reached the state %s, which the protocol does not know", last.Shown())
	}
	return last
}

// stopIfEndedUncanceled ends the check as vacuous if a task had ended in another way before it could
// be canceled.
func stopIfEndedUncanceled(t *judge.T, state judge.Value) {
	if s := t.Case.Dialect.State(state.Text()); s != nil && s.Terminal && s.Outcome != "canceled" {
		t.StopVacuous("the task had ended in state %s before", s.Name)
	}
}

// checkCancelLeadsToCanceled is vacuous if the reply shows that the task had come to another end
// before.
func checkCancelLeadsToCanceled(t *judge.T, p cancelLooksParams) {
	result := acceptedCancelResult(t, p.Step)
	stopIfEndedUncanceled(t, result.Read("task.state"))
	t.Expect(p.finalState(t)).To(beCanceled(t, "a state that says that the task was canceled, as the reply to the call had it"))
}

func checkCancelReplyStateCanceled(t *judge.T, p cancelLooksParams) {
	result := acceptedCancelResult(t, p.Step)
	if !result.IsObject() || !observe.IsCanceled(t, p.finalState(t)) {
		t.StopUndecided("no canceled task was seen")
	}
	t.Expect(result.Read("task.state")).To(beCanceled(t, "the state canceled in the reply to the call"))
}

// checkNothingAfterCancel rests on look-ups, which may show what the reply to the call leaves
// out.
func checkNothingAfterCancel(t *judge.T, p observe.StaysParams) {
	checkStateStays(t, p)
	seen := observe.PairWithLatestEarlierSighting(observe.Sightings(t, p.Plays), func(a, b observe.Sighting) bool {
		return a.HasState(p.State) && a.Document().Step.Op == "get" && b.Document().Step.Op == "get" && a.IsSameTurn(b)
	})
	for _, s := range seen {
		had, has := s.Earlier.Read("task.artifacts"), s.Later.Read("task.artifacts")
		t.Expect(has).ComparedWith(had).To(match.Should("no artifact to come after the cancellation", func(judge.Value) bool { return len(has.Elems()) <= len(had.Elems()) },
			func(judge.Value) string {
				return fmt.Sprintf("shows %d artifacts, and %d before", len(has.Elems()), len(had.Elems()))
			}))
	}
}

type closesStreamParams struct {
	Stream string `json:"stream" step:"{}"`
	Cancel string `json:"cancel" step:"{}"`
}

// checkCancelClosesStream is vacuous if the stream showed that the task had ended in another
// state.
func checkCancelClosesStream(t *judge.T, p closesStreamParams) {
	acceptedCancelResult(t, p.Cancel)
	s := t.Step(p.Stream)
	events := observe.RequireStream(t, s)
	var last judge.Value
	for _, u := range observe.Updates(t, s) {
		if state := u.Read("task.state"); state.IsString() {
			last = state
		}
	}
	stopIfEndedUncanceled(t, last)
	if s.Exchange.Ended == record.Reset {
		t.StopUndecided("the stream of %s did not end%s", p.Stream, observe.DescribeBreak(s))
	}
	if !observe.EndedByError(events) && !observe.IsCanceled(t, last) {
		t.Fail(events[len(events)-1], fmt.Sprintf("sent %d events, none of which says that the task was canceled", len(events)), "an update with the state canceled")
	}
	if s.Exchange.Ended != record.EOF {
		t.Fail(s.Head(), "kept the stream open after the task had been canceled", "it to be ended")
	}
	t.OK(events[len(events)-1])
}
