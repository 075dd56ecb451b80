package task

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// streamUpdatesMinusWholeTasks returns all updates of a stream, and of a resumed one, too. A whole task is
// no update: it shows the state of affairs when it is sent.
func streamUpdatesMinusWholeTasks(t *judge.T, s judge.Step) []judge.Value {
	if !s.Exchange.IsStream() {
		return nil
	}
	return observe.CapUpdatesKeepingLast(slices.DeleteFunc(observe.UpdatesOf(t, s), func(v judge.Value) bool { return s.Op == "resubscribe" && v.Sort() == "task" }))
}

// checkStateStays does not count the state of an unknown task as a change: a server may forget an
// ended task.
func checkStateStays(t *judge.T, p observe.StaysParams) {
	seen := observe.PairWithLatestEarlierSighting(observe.Sightings(t, p.Plays), func(a, b observe.Sighting) bool {
		s := t.Case.Dialect.State(a.State().Text())
		return (a.HasState(p.State) || p.State == "" && s != nil && s.Terminal) && a.IsSameTurn(b)
	})
	if len(seen) == 0 {
		for _, l := range findLookUpsAfterEnd(t, p.Plays) {
			if (p.State == "" || l.endReport.Is(p.State)) && observe.IsTaskUnknown(t, l.Step) {
				t.Tolerate(l.Reply(), "the server forgets a task that had ended")
			}
		}
	}
	judge.Each(t, seen, func(s observe.SightingPair) {
		was := s.Earlier.State().Text()
		if observe.IsUnknownState(t, s.Later.State()) {
			t.Tolerate(s.Later.State(), "the server forgets a task that was %s", was)
			return
		}
		t.Expect(s.Later.State()).ComparedWith(s.Earlier.State()).To(match.BeTheText("the state to stay ", was))
	})
}

type stepBackParams struct {
	observe.OnPlays
	Stream   bool `json:"stream"`   // compare within one stream only
	Observer bool `json:"observer"` // compare looks with looks, and events with events of one stream
}

// checkStateNeverStepsBack lets a resumed stream repeat missed updates from the beginning, but in their
// order. The task as it is now may come first.
func checkStateNeverStepsBack(t *judge.T, p stepBackParams) {
	not := func(s observe.Sighting) []string { return t.Case.Dialect.State(s.State().Text()).Not }
	shown := observe.TaskResultsOrUpdates
	if p.Stream {
		shown = streamUpdatesMinusWholeTasks
	}
	seen := observe.PairWithLatestEarlierSighting(observe.SightingsIn(t, p.Plays, shown), func(a, b observe.Sighting) bool {
		known := t.Case.Dialect.State(a.State().Text())
		return known != nil && len(known.Not) > 0 && a.IsSameTurn(b) && (!p.Stream || a.Exchange() == b.Exchange()) &&
			(!p.Observer || a.Document().Event == 0 && b.Document().Event == 0 || a.Exchange() == b.Exchange())
	})
	judge.Each(t, seen, func(s observe.SightingPair) {
		for _, n := range not(s.Earlier) {
			t.Expect(s.Later.State()).ComparedWith(s.Earlier.State()).NotTo(match.InsteadOf(match.BeText(n), "no step back from "+s.Earlier.State().Shown()+" to "+s.Later.State().Shown()))
		}
	})
}

type endsParams struct {
	observe.OnPlays
	Outcome string `json:"outcome"`                  // the only one that counts as its normal end
	Like    string `json:"like" step:"{}/,optional"` // or the state that the same message led to in this play
}

// checkTaskRestsWithOutcome accepts a reply that shows the end at once, and a task that is gone after it was
// seen to have ended.
func checkTaskRestsWithOutcome(t *judge.T, p endsParams) {
	for _, play := range p.Plays {
		steps := observe.PlayedStepsExceptLiveness(t, play)
		observe.StopUndecidedIf(t, len(steps) == 0, "the conversation %s asked nothing about the task", play)
		observe.StopIfFailedInside(t, steps[0])
		all := observe.Sightings(t, []string{play})
		if look, unseen := stopUnlessLaterLookAnswered(t, play, all); unseen && !(len(all) > 0 && observe.IsTerminalOrInterrupted(t, all[len(all)-1].State()) && observe.IsTaskUnknown(t, look)) {
			t.Expect(look.Reply()).To(match.BeAResult())
			t.StopUndecided("the call %s/%s shows no state of the task", play, look.Name)
		}
		observe.StopUndecidedIf(t, len(all) == 0, "no state of the task was seen in the conversation %s", play)
		last := all[len(all)-1].State()
		if !observe.IsTerminalOrInterrupted(t, last) && wasPlayCutWithRun(t, play) {
			t.StopUndecided("the conversation %s was over before its task ended", play)
		}
		t.Expect(last).To(match.Should(describeExpectedEnd(p.Outcome), func(v judge.Value) bool {
			s := t.Case.Dialect.State(v.Text())
			return s != nil && (s.Terminal || s.Interrupted) && (p.Outcome == "" || s.Outcome == p.Outcome || endedInState(t, p.Like, v))
		}, func(v judge.Value) string {
			return fmt.Sprintf("has the task in state %s %.1f s after it was begun", v.Shown(), (v.Exchange().End - steps[0].Exchange.Start).Seconds())
		}))
	}
}

// describeExpectedEnd returns the end that a task should come to.
func describeExpectedEnd(outcome string) string {
	if outcome == "done" {
		return "the work to go on to its end, and succeed"
	}
	return "the task to come to its end"
}

// wasPlayCutWithRun reports whether a play was over before its time, with the run: it was
// stopped, or one of its calls was not waited for.
func wasPlayCutWithRun(t *judge.T, play string) bool {
	p := t.Case.Transcript.Play(play)
	return t.Case.Transcript.Facts.Cut != "" && (p.Stop != "" ||
		slices.ContainsFunc(p.Steps, func(s record.Step) bool { return s.Exchange != nil && s.Exchange.Ended == record.Aborted }))
}

// endedInState reports whether a play saw its task end in the same state.
func endedInState(t *judge.T, play string, v judge.Value) bool {
	if play == "" || t.Case.Transcript.Play(play) == nil {
		return false
	}
	all := observe.Sightings(t, []string{play})
	return len(all) > 0 && all[len(all)-1].State().Is(v.Text())
}

func checkStateReached(t *judge.T, p observe.StaysParams) {
	all := observe.Sightings(t, p.Plays)
	observe.StopUndecidedIf(t, len(all) == 0, "no state of the task was seen")
	if i := slices.IndexFunc(all, p.IsOfCountedState); i >= 0 {
		t.OK(all[i].State())
		return
	}
	for _, name := range p.Plays {
		play := t.Case.Transcript.Play(name)
		for i := 0; play != nil && i < len(play.Steps); i++ {
			if s := &play.Steps[i]; s.Late != "" {
				t.TooQuick("slow", "the call %s/%s may have been too late: %s", name, s.Name, s.Late)
			}
		}
	}
	for _, play := range p.Plays {
		stopUnlessLaterLookAnswered(t, play, all)
	}
	t.Expect(all[len(all)-1].State()).To(match.BeTheState(append([]string{p.State}, p.Or...)...))
}

func checkStateNotUnknown(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		t.Expect(s.Result().Read("task.state")).To(match.Should("a state that is known", func(v judge.Value) bool { return !observe.IsUnknownState(t, v) }, nil))
	})
}

type continuesParams struct {
	observe.OnPlays
	Step string `json:"step" step:"{}"`
}

// checkWaitingTaskContinues accepts another question if the status is a new one.
func checkWaitingTaskContinues(t *judge.T, p continuesParams) {
	s := t.Step(p.Step)
	observe.StopIfFailedInside(t, s)
	t.Expect(s.Reply()).To(match.BeAResult())
	t.Expect(s.Result().Read("task.id")).To(observe.BeIDOfAddressedTask(s))
	all := observe.Sightings(t, p.Plays)
	observe.StopUndecidedIf(t, len(all) == 0, "no state of the task was seen")
	asked := all[0]
	for _, o := range all {
		if o.Turn == 1 {
			asked = o
		}
	}
	for _, o := range all {
		if o.Turn > asked.Turn && !o.Read("task.status").Equal(asked.Read("task.status")) {
			t.OK(o.Read("task.status"))
			return
		}
	}
	for _, play := range p.Plays {
		if look, unseen := stopUnlessLaterLookAnswered(t, play, all); unseen {
			t.StopUndecided("the run did not see how the task went on: %s", look.Outcome())
		}
	}
	t.Fail(all[len(all)-1].State(), "left the task waiting with the status it had before the answer", "the task to go on")
}

type reportedCancelParams struct {
	Cancel string `json:"cancel" step:"{}"`
	Get    string `json:"get" step:"{}"`
	Now    string `json:"now" step:"{},optional"` // a look right after, which must find the task
}

// checkReportedCancelIsTrue accepts every answer without a contradiction, since a cancellation is
// best effort.
func checkReportedCancelIsTrue(t *judge.T, p reportedCancelParams) {
	s := t.Step(p.Cancel)
	reply := s.Reply()
	t.Expect(reply).To(match.BeAReply(t))
	if match.IsError(reply) {
		if n := reply.ErrorName(); n != "TaskNotCancelable" && n != "OperationNotSupported" {
			t.Finding(reply.ErrorCode(), "the server refuses to cancel a running task with the code %s", reply.ErrorCode().Shown())
		}
		return
	}
	state := reply.Result().Read("task.state")
	if observe.IsCanceled(t, state) {
		if p.Now != "" && observe.IsTaskUnknown(t, t.Step(p.Now)) {
			now := t.Step(p.Now).Reply()
			t.Fail(now, match.Outcome(now)+", having reported the task as canceled just before", "the task in the state "+state.Shown())
		}
		t.Expect(t.Step(p.Get).Result().Read("task.state")).ComparedWith(state).To(match.Should("the state "+state.Shown()+" that the cancellation reported", state.Equal, nil))
	}
}

// noteWhetherTaskRejected finds the permission unused if no task was rejected, since that is the
// agent's choice.
func noteWhetherTaskRejected(t *judge.T, p observe.OnPlays) {
	all := observe.Sightings(t, p.Plays)
	rejected := func(s observe.Sighting) bool { return observe.HasOutcome(t, s.State(), "rejected") }
	if i := slices.IndexFunc(all, rejected); i >= 0 {
		t.OK(all[i].State())
		return
	}
	observe.StopUndecidedIf(t, len(all) == 0, "no state of a task was seen")
	t.OK(all[0].State())
	t.StopUnused("it rejected no task of the run")
}
