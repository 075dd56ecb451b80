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

// oneOfStreamsParams name streams about one task, of which a server need not serve more than
// one.
type oneOfStreamsParams struct {
	observe.OnSteps
	One bool `json:"one"` // only the first of them that was opened, else the first
}

func (p oneOfStreamsParams) allOrFirstOpenedStream(t *judge.T) []judge.Step {
	all := t.Steps(p.Steps)
	if !p.One {
		return all
	}
	i := slices.IndexFunc(all, func(s judge.Step) bool { return s.Exchange.IsStream() && !observe.BeginsWithError(s) })
	return all[max(i, 0):][:1]
}

// failOrStopOpenStream fails a stream that the server did not close after an event. The check is undecided
// if the run left the stream too early to count that as a fault. The event is named as a part of
// the stream for the one text, and for the other.
func failOrStopOpenStream(t *judge.T, s judge.Step, e judge.Value, ownEvent, event, want string) {
	open := (s.Exchange.End - s.Exchange.Events()[e.Document().Event-1].At).Seconds()
	if open < t.Case.Dialect.Patience["must-close"].Seconds*0.95 { // recorded times are rounded
		t.StopUndecided("the stream of %s/%s was closed by the run %.2f s after %s", s.Play.Scenario, s.Name, open, ownEvent)
	}
	t.Fail(s.Head(), fmt.Sprintf("kept the stream open for %.1f s after %s", open, event), want)
}

func checkClosedAfterTaskEnd(t *judge.T, p oneOfStreamsParams) {
	of := slices.DeleteFunc(p.allOrFirstOpenedStream(t), func(s judge.Step) bool {
		return s.Exchange.IsStream() && len(s.Events()) > 0 && observe.IsMessage(s.Events()[0].Result())
	})
	judge.EachOf(t, of, func(s judge.Step) {
		observe.RequireStream(t, s)
		all := observe.UpdatesOf(t, s)
		i := slices.IndexFunc(all, func(u judge.Value) bool { return observe.IsTerminal(t, u.Read("task.state")) })
		switch {
		case i < 0:
			failIfStateSilentlyMissed(t, s, "it to tell how the task ended, and to be closed")
			t.StopUndecided("the stream of %s/%s did not tell that its task ended", s.Play.Scenario, s.Name)
		case s.Exchange.Ended == record.OurClose:
			failOrStopOpenStream(t, s, all[i], "its task had ended", "the task had ended", "it to be closed")
		}
		t.OK(all[i].Read("task.state"))
	})
}

func checkClosedAfterMessage(t *judge.T, p observe.OnSteps) {
	of := slices.DeleteFunc(t.Steps(p.Steps), func(s judge.Step) bool {
		return !observe.IsMessage(observe.RequireStream(t, s)[0].Result())
	})
	judge.Each(t, of, func(s judge.Step) {
		first := s.Events()[0]
		if s.Exchange.Ended == record.OurClose || s.Exchange.Ended == record.Timeout {
			failOrStopOpenStream(t, s, first, "its message", "the message", "it to be closed at once")
		}
		t.OK(first)
	})
}

type pairsParams struct {
	Pairs []observe.PairParams `json:"pairs"` // streams, and a look at the task of each afterwards
}

// checkNotCutBeforeTaskEnd rests on a look-up if the stream did not show the end.
func checkNotCutBeforeTaskEnd(t *judge.T, p pairsParams) {
	of := observe.KeepPairsWithFirstStep(t, p.Pairs)
	if len(of) == 0 {
		t.Step(p.Pairs[0].Step)
	}
	judge.EachOf(t, of, func(pair observe.PairParams) {
		s := t.Step(pair.Step)
		events := observe.RequireStream(t, s)
		if observe.EndedByError(events) || observe.IsMessage(events[0].Result()) || s.Exchange.Ended != record.EOF {
			t.StopUndecided("the server did not end the stream of %s after an update of a task%s", pair.Step, observe.DescribeBreak(s))
		}
		last := lastStreamedState(t, s)
		if last.Document() != nil && observe.IsTerminalOrInterrupted(t, last) {
			t.OK(last)
			return
		}
		now := t.Step(pair.Then).Result().Read("task.state")
		t.Expect(now).To(match.Should("a task that has ended or waits for the client, since its stream was ended", func(v judge.Value) bool { return observe.IsTerminalOrInterrupted(t, v) },
			func(v judge.Value) string {
				return "ended the stream of a task that is in state " + v.Shown() + " afterwards"
			}))
	})
}

func passIfLastStateWaiting(t *judge.T, p observe.OnSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		observe.RequireStream(t, s)
		state := lastStreamedState(t, s)
		if !observe.IsInterrupted(t, state) {
			t.StopVacuous("the task of %s/%s did not wait for the client", s.Play.Scenario, s.Name)
		}
		t.OK(state)
	})
}

// checkLastStateTerminal also judges a stream that the run closed, since it does so only when no
// more events came.
func checkLastStateTerminal(t *judge.T, p oneOfStreamsParams) {
	judge.EachOf(t, p.allOrFirstOpenedStream(t), func(s judge.Step) {
		events := observe.RequireStream(t, s)
		stopIfBrokenOff(t, s)
		state := lastStreamedState(t, s)
		if state.Document() == nil {
			t.Fail(events[len(events)-1], fmt.Sprintf("ended the stream after %d events without a state", len(events)), "the state in which the task ended")
		}
		if observe.IsInterrupted(t, state) {
			t.StopUndecided("the task of %s/%s waits for the client", s.Play.Scenario, s.Name)
		}
		t.Expect(state).To(match.Should("the last state in the stream to be one in which the task has ended", func(v judge.Value) bool { return observe.IsTerminal(t, v) }, nil))
	})
}

type updatedParams struct {
	oneOfStreamsParams
	Beside string `json:"beside" step:"{},optional"` // another stream about the same task, which came to its end
}

// checkSubscriptionBringsUpdates is undecided if the task had ended with the first event.
func checkSubscriptionBringsUpdates(t *judge.T, p updatedParams) {
	judge.EachOf(t, p.allOrFirstOpenedStream(t), func(s judge.Step) {
		events := observe.RequireStream(t, s)
		if observe.IsTerminalOrInterrupted(t, events[0].Result().Read("task.state")) {
			t.StopUndecided("the stream of %s/%s shows a task that had ended before the subscription", s.Play.Scenario, s.Name)
		}
		if observe.EndedByError(events) {
			t.StopUndecided("the stream of %s/%s broke off", s.Play.Scenario, s.Name)
		}
		if len(events) == 1 {
			t.Fail(events[0], "sent nothing after the first event of the subscription", "the later updates of the task")
		}
		if p.Beside != "" {
			other, ok := t.Find(p.Beside)
			if ok && other.Play == s.Play && other.Exchange.IsStream() && observe.IsTerminal(t, lastStreamedState(t, other)) && observe.IsTerminal(t, lastStreamedState(t, s)) {
				expectNothingMissed(t, other, s)
			}
		}
		t.OK(events[1])
	})
}

type currentParams struct {
	observe.OnSteps
	Looks string `json:"looks" step:"{}/"` // the play whose looks at the task came before
}

func checkFirstEventShowsCurrentState(t *judge.T, p currentParams) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		first := eventResultOrItself(observe.RequireStream(t, s)[0])
		var known judge.Value
		for _, look := range t.Played(p.Looks) {
			if look.Op == "get" && look.Task == s.Task && look.Exchange.Before(s.Exchange) && look.Accepted() {
				known = look.Result().Read("task.state")
			}
		}
		d := t.Case.Dialect.State(known.Text())
		if known.Document() == nil || d == nil {
			t.StopUndecided("no look-up before the subscription showed the state of the task")
		}
		state := first.Read("task.state")
		observe.StopUndecidedIf(t, !state.Exists(), "the first event contains no state")
		t.Expect(state).ComparedWith(known).To(match.Should("the task as it is, which was in state "+known.Shown()+" before", func(v judge.Value) bool {
			return !slices.Contains(d.Not, v.Text()) && (!d.Terminal || v.Equal(known))
		}, nil))
	})
}

type updatesParams struct {
	observe.OnSteps
	Task  string   `json:"task"`  // the sort with which a stream about a task begins; one may end it too
	Kinds []string `json:"kinds"` // the sorts of the updates that may follow
}

func checkOnlyUpdatesFollowTask(t *judge.T, p updatesParams) {
	judge.EachOf(t, observe.EveryStream(t, p.Steps), func(s judge.Step) {
		events := observe.RequireStream(t, s)
		if eventResultOrItself(events[0]).Sort() != p.Task {
			t.StopUndecided("the stream of %s/%s did not begin with a task", s.Play.Scenario, s.Name)
		}
		one := match.BeOneOf(p.Kinds...)
		for i, e := range events[1:] {
			v := eventResultOrItself(e)
			if match.Present(e.Failure()) || v.Sort() == "" || v.Sort() == p.Task && i == len(events)-2 {
				continue // what is no result, or of no sort, is for other requirements
			}
			t.Expect(v.SortAt()).To(match.Should("only updates after the task: "+one.Wants(), func(judge.Value) bool { return slices.Contains(p.Kinds, v.Sort()) },
				func(w judge.Value) string { return "sent " + w.Named() }))
		}
		t.OK(events[0])
	})
}

type orderParams struct {
	observe.OnSteps
	Stored []observe.PairParams `json:"stored"` // streams in pieces, and a look at the task of each afterwards
}

// checkEventOrder expects nothing new of a task that has ended. It compares the order of pieces
// only if the stored artifact contains all of them.
func checkEventOrder(t *judge.T, p orderParams) {
	judge.EachOf(t, dropMessageStreams(t, observe.EveryStream(t, p.Steps)), func(s judge.Step) {
		var ended, last judge.Value
		var at observe.Timestamp
		updates := observe.Updates(t, s)
		if s.Op == "resubscribe" && len(updates) > 1 {
			updates = updates[1:] // the first shows the task as it is, and may be ahead of what follows
		}
		if len(updates) == 0 {
			t.StopUndecided("no event of %s/%s contains a result with an order", s.Play.Scenario, s.Name)
		}
		for _, u := range updates {
			t.OK(u)
			state := u.Read("task.state")
			artifact := u.Read("event.artifact")
			if ended.Document() != nil {
				if artifact.Exists() {
					t.Fail(artifact, "sent an artifact after the task was in state "+ended.Shown(), "everything that arose before the end to come before it", ended)
				}
				if state.IsString() {
					t.Expect(state).ComparedWith(ended).To(match.Should("nothing after the state "+ended.Shown()+" but the same", ended.Equal, nil))
				}
			}
			if ended.Document() == nil && observe.IsTerminal(t, state) {
				ended = state
			}
			stamp := u.Read("task.timestamp")
			if now, ok := observe.ParseTimestamp(stamp.Text()); ok {
				if last.Document() != nil && now.IsBefore(at) {
					t.Fail(stamp, "sent a status of "+stamp.Shown()+" after one of "+last.Shown(), "the statuses in the order of their times", last)
				}
				last, at = stamp, now
			}
		}
		for _, pair := range p.Stored {
			if pair.Step == s.Play.Scenario+"/"+s.Name {
				expectPiecesInStoredOrder(t, s, pair.Then)
			}
		}
	})
}

// expectPiecesInStoredOrder compares the pieces of which each artifact of a stream consists in the end
// with the text that is stored: if all of them are in it, they are to be there in their
// order. A piece that an update replaced is no part of the artifact any more.
func expectPiecesInStoredOrder(t *judge.T, s judge.Step, lookUp string) {
	look, ok := t.Find(lookUp)
	if !ok || !look.Accepted() {
		return
	}
	stored := observe.StoredTexts(t, look.Result())
	for _, folded := range observe.FoldedArtifacts(t, s) {
		whole, at := stored[folded.Key], 0
		apart := slices.ContainsFunc(folded.Pieces, func(p observe.ArtifactPiece) bool {
			return !strings.Contains(whole, observe.TextOf(t, p.Value, "artifact"))
		})
		if apart {
			continue
		}
		for _, p := range folded.Pieces {
			text := observe.TextOf(t, p.Value, "artifact")
			i := strings.Index(whole[at:], text)
			if i < 0 {
				t.Fail(p.Value, fmt.Sprintf("sent the piece %q after one that comes behind it in the stored artifact", shorten.Clip(text, 60)), "the pieces in the order in which they arose")
				return
			}
			at += i + len(text)
		}
	}
}
