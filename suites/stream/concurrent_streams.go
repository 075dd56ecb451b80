package stream

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// noteRefusedSecondStream has a finding if the second stream is refused, which the server may do.
func noteRefusedSecondStream(t *judge.T, p observe.OnSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		t.OK(s.Head())
		if !s.Exchange.IsStream() || observe.BeginsWithError(s) {
			t.Finding(s.Head(), "the server serves no second stream about the task: %s", s.Outcome())
		}
	})
}

// requireAllStreamsOpened returns streams that were open at the same time. If one was not opened,
// there is nothing to compare: either the run did not ask for it, or the server left it out.
func requireAllStreamsOpened(t *judge.T, names []string) []judge.Step {
	of := t.Steps(names)
	for _, name := range names {
		if !slices.ContainsFunc(of, func(s judge.Step) bool { return name == s.Play.Scenario+"/"+s.Name }) {
			t.Step(name)
		}
	}
	observe.StopUndecidedIf(t, len(of) < len(names), "the server did not open all of the streams")
	for _, s := range of {
		if !s.Exchange.IsStream() || observe.BeginsWithError(s) {
			t.OK(s.Head())
			t.StopVacuous("the server serves no second stream about the task: %s", s.Outcome())
		}
		observe.RequireStream(t, s)
	}
	return of
}

// stopIfBrokenOff leaves the requirement undecided if our own side, or an error, ended a stream.
func stopIfBrokenOff(t *judge.T, s judge.Step) {
	if observe.EndedByError(s.Events()) || s.Exchange.Ended == record.Reset {
		t.StopUndecided("the stream of %s/%s broke off", s.Play.Scenario, s.Name)
	}
}

// expectTaskEndInStream expects an update of a stream to show that its task has ended. The text of a
// failure includes what else is known of the stream.
func expectTaskEndInStream(t *judge.T, s judge.Step, detail, want string, against ...judge.Value) {
	updates := observe.UpdatesOf(t, s)
	for _, u := range updates {
		if state := u.Read("task.state"); observe.IsTerminal(t, state) {
			t.OK(state)
			return
		}
	}
	events := s.Events()
	t.Fail(events[len(events)-1], "sent no event about the end of the task"+detail, want, against...)
}

// checkAllStreamsShowTaskEnd is undecided about a stream that the server ended when it opened another.
func checkAllStreamsShowTaskEnd(t *judge.T, p observe.OnSteps) {
	of := requireAllStreamsOpened(t, p.Steps)
	over := slices.MaxFunc(of, func(a, b judge.Step) int { return cmp.Compare(a.Exchange.End, b.Exchange.End) }).Exchange.End
	judge.Each(t, of, func(s judge.Step) {
		stopIfBrokenOff(t, s)
		if s.Exchange.Ended == record.EOF && over-s.Exchange.End > leastEarlyEnd && !observe.IsTerminal(t, lastStreamedState(t, s)) {
			t.StopUndecided("the stream of %s/%s was ended by the server while another stream went on", s.Play.Scenario, s.Name)
		}
		expectTaskEndInStream(t, s, " in this stream", "every open stream of the task to show its end")
	})
}

// eventComparisonKey returns what an event has in common with the same event for another client.
func eventComparisonKey(t *judge.T, e judge.Value) string {
	v := eventResultOrItself(e)
	parts := []string{v.Sort(), stateTimeMessageKey(t, v)}
	if a := v.Read("event.artifact"); a.Exists() {
		parts = append(parts, observe.ArtifactKey(t, a), observe.TextOf(t, a, "artifact"), fmt.Sprint(v.Read("chunk.append").True(), v.Read("chunk.last").True()))
	}
	return strings.Join(parts, "\x00")
}

// checkSameEvents compares from the end: what one stream brought before the other had
// begun, its first event shows.
func checkSameEvents(t *judge.T, p twoStreamsParams) {
	of := requireAllStreamsOpened(t, []string{p.A, p.B})
	expectSameEvents(t, of[0], of[1])
}

// checkSameEventsAtInterfaces compares streams each of which was opened while those before it
// were open.
func checkSameEventsAtInterfaces(t *judge.T, p observe.Crossing) {
	p.Each(t, func(one, other judge.Step) {
		for _, s := range []judge.Step{one, other} {
			observe.RequireStream(t, s)
			observe.StopIfCallShowsNothing(t, s, observe.BeginsWithError(s), "was refused")
		}
		expectSameEvents(t, one, other)
	})
}

func expectSameEvents(t *judge.T, a, b judge.Step) {
	stopIfBrokenOff(t, a)
	stopIfBrokenOff(t, b)
	if !observe.IsTerminal(t, lastStreamedState(t, a)) || !observe.IsTerminal(t, lastStreamedState(t, b)) {
		t.StopUndecided("at least one of the two streams stopped before the task ended")
	}
	if len(b.Events()) > len(a.Events()) {
		a, b = b, a
	}
	short := b.Events()[1:]
	long := a.Events()[len(a.Events())-len(short):]
	for i, e := range short {
		other := long[i]
		t.Expect(e).ComparedWith(other).To(match.Should("the event that the other stream brought in its place", func(judge.Value) bool { return eventComparisonKey(t, e) == eventComparisonKey(t, other) },
			func(judge.Value) string {
				return fmt.Sprintf("sent another event in the stream of %s/%s than in that of %s/%s", b.Play.Scenario, b.Name, a.Play.Scenario, a.Name)
			}))
	}
	expectNothingMissed(t, a, b)
	t.OK(b.Events()[0])
}

// stateTimeMessageKey returns what distinguishes the status of a task or an update from another.
func stateTimeMessageKey(t *judge.T, v judge.Value) string {
	return strings.Join([]string{v.Read("task.state").Text(), observe.NormalizeTime(v.Read("task.timestamp").Text()), observe.TextOf(t, v.Read("task.message"), "message")}, "\x00")
}

// expectNothingMissed compares two streams about a task, both of which came to its end. What the
// longer one brought in addition must have arisen before the other began, whose first event shows
// the task as it was then. Statuses are not compared if that event shows one which the longer
// stream did not bring.
func expectNothingMissed(t *judge.T, more, less judge.Step) {
	all, shown := more.Events(), eventResultOrItself(less.Events()[0])
	surplus := all[:max(1, len(all)-len(less.Events())+1)] // the first event is none that the other should have brought
	begun := -1
	for i, e := range surplus {
		if stateTimeMessageKey(t, eventResultOrItself(e)) == stateTimeMessageKey(t, shown) {
			begun = i
		}
	}
	for i, e := range surplus[1:] {
		v := eventResultOrItself(e)
		artifact, missed := v.Read("event.artifact"), false
		if artifact.Exists() {
			id := observe.ArtifactKey(t, artifact)
			missed = !slices.ContainsFunc(shown.Read("task.artifacts").Elems(), func(a judge.Value) bool { return observe.ArtifactKey(t, a) == id })
		} else {
			missed = begun >= 0 && i+1 > begun && v.Read("task.state").Exists()
		}
		if missed {
			t.Fail(e, fmt.Sprintf("sent this event in the stream of %s/%s and not in that of %s/%s", more.Play.Scenario, more.Name, less.Play.Scenario, less.Name),
				"the same events in each stream about the task", shown)
			return
		}
	}
}

// leastEarlyEnd is how much sooner than another about the same task a stream must end to count as
// not ended with the task.
const leastEarlyEnd = 100 * time.Millisecond

type outlivesParams struct {
	Closed string   `json:"closed" step:"{}"` // the stream that we closed
	Others []string `json:"others" step:"{}"`
}

func checkStreamOutlivesOther(t *judge.T, p outlivesParams) {
	closed := requireAllStreamsOpened(t, []string{p.Closed})[0]
	if closed.Exchange.Ended != record.OurClose {
		t.StopUndecided("the stream of %s was over before it could be closed", p.Closed)
	}
	judge.EachOf(t, t.Steps(p.Others), func(s judge.Step) {
		observe.RequireStream(t, s)
		if s.Exchange.End <= closed.Exchange.End {
			t.StopUndecided("the stream of %s/%s was over before the other was closed", s.Play.Scenario, s.Name)
		}
		shown := closed.Events()
		expectTaskEndInStream(t, s, describeWhenEventsStopped(s, closed), "a stream to go on to the end of the task, though the client opened and closed another", shown[max(0, len(shown)-1):]...)
	})
}

// describeWhenEventsStopped returns whether a stream continued after another was opened, and after it was
// closed. A stream is open as soon as the server has answered: an event from before may have been
// on its way.
func describeWhenEventsStopped(s, other judge.Step) string {
	opened := other.Exchange.Start
	if shown := other.Exchange.Events(); len(shown) > 0 {
		opened = shown[0].At
	}
	events := s.Exchange.Events()
	switch last := events[len(events)-1].At; {
	case last <= opened:
		return ", and none at all after another stream was opened"
	case last <= other.Exchange.End:
		return ", and none at all after another stream was closed"
	}
	return ", but others after another stream was closed"
}
