package task

import (
	"fmt"
	"time"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

var keptChecks = []judge.Check{
	judge.Define("task/kept", "a task that the server said has ended can still be looked up", checkEndedTaskFound),
}

// retention is for how long a task that has ended is expected to be known. How
// long it stays is left open; it cannot be fetched at all where it goes at once.
const retention = time.Minute

// endReport is the text by which a server said that a task has ended.
type endReport struct {
	judge.Value
	task string
}

// findEndReports lists where the plays say that a task has ended: by a state, by a word
// that confirms a cancellation, or by an answer that is the last.
func findEndReports(t *judge.T, plays []string) (out []endReport) {
	for _, s := range observe.Sightings(t, plays) {
		if state := t.Case.Dialect.State(s.State().Text()); state != nil && state.Terminal && state.Outcome != "unknown" {
			out = append(out, endReport{s.State(), s.Task})
		}
	}
	for _, s := range observe.Moves(t, plays...) {
		if s.Task == "" || s.Exchange.IsStream() || !s.Accepted() {
			continue
		}
		for _, word := range []string{"task.canceled", "event.final"} {
			if v := s.Reply().Result().Read(word); v.True() {
				out = append(out, endReport{v, s.Task})
			}
		}
	}
	return out
}

type findableParams struct {
	observe.OnPlays
	Never string `json:"never" step:"{},optional"` // a look-up of a task that never was, where the protocol has no error for it
}

// lookUpAfterEnd is a look-up of a task that the server had said was over.
type lookUpAfterEnd struct {
	judge.Step
	endReport
}

// findLookUpsAfterEnd are the look-ups of tasks that were over, each with the first word
// that said so.
func findLookUpsAfterEnd(t *judge.T, plays []string) (of []lookUpAfterEnd) {
	first := map[string]endReport{}
	for _, o := range findEndReports(t, plays) {
		if known, ok := first[o.task]; !ok || o.Exchange().End < known.Exchange().End {
			first[o.task] = o
		}
	}
	for _, s := range observe.Moves(t, plays...) {
		if o, ok := first[s.Task]; ok && s.Op == "get" && o.Exchange().Before(s.Exchange) {
			of = append(of, lookUpAfterEnd{s, o})
		}
	}
	return of
}

// checkEndedTaskFound: what is refused for another reason is another fault.
func checkEndedTaskFound(t *judge.T, p findableParams) {
	judge.Each(t, findLookUpsAfterEnd(t, p.Plays), func(l lookUpAfterEnd) {
		reply, since := l.Reply(), l.Step.Exchange.Start-l.endReport.Exchange().End
		switch {
		case !observe.Vanished(t, l.Step):
			l.Result()
			t.OK(reply)
		case since > retention:
			t.Finding(reply, "the server forgets a task %.0f s after it has ended", since.Seconds())
			t.OK(reply)
		default:
			t.Fail(reply, fmt.Sprintf("%s to a look-up of the task %s, %.1f s after it had said that it has ended (exchange %d)",
				match.Outcome(reply), shorten.Visible(l.task, 60), since.Seconds(), l.endReport.Exchange().ID), "the task")
		}
	})
}
