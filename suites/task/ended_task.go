package task

import (
	"fmt"
	"time"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// retention is for how long an ended task is expected to be found. The protocols do not say how
// long a server keeps it; one that drops it at once cannot be asked for it at all.
const retention = time.Minute

// endReport is the text by which a server reported that a task has ended.
type endReport struct {
	judge.Value
	task string
}

// findEndReports returns the places in which the plays report that a task has ended: a state, a
// member that confirms a cancellation, or a last answer.
func findEndReports(t *judge.T, plays []string) (out []endReport) {
	for _, s := range observe.Sightings(t, plays) {
		if state := t.Case.Dialect.State(s.State().Text()); state != nil && state.Terminal && state.Outcome != "unknown" {
			out = append(out, endReport{s.State(), s.Task})
		}
	}
	for _, s := range observe.PlayedStepsExceptLiveness(t, plays...) {
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
	Never string `json:"never" step:"{},optional"` // a look-up of a task that never existed, for protocols that define no error for it
}

// lookUpAfterEnd is a look-up of a task that the server had reported as ended.
type lookUpAfterEnd struct {
	judge.Step
	endReport
}

// findLookUpsAfterEnd returns the look-ups of ended tasks, each with the first report of the end.
func findLookUpsAfterEnd(t *judge.T, plays []string) (of []lookUpAfterEnd) {
	first := map[string]endReport{}
	for _, o := range findEndReports(t, plays) {
		if known, ok := first[o.task]; !ok || o.Exchange().End < known.Exchange().End {
			first[o.task] = o
		}
	}
	for _, s := range observe.PlayedStepsExceptLiveness(t, plays...) {
		if o, ok := first[s.Task]; ok && s.Op == "get" && o.Exchange().Before(s.Exchange) {
			of = append(of, lookUpAfterEnd{s, o})
		}
	}
	return of
}

// checkEndedTaskFound leaves a refusal for another reason to other requirements.
func checkEndedTaskFound(t *judge.T, p findableParams) {
	judge.Each(t, findLookUpsAfterEnd(t, p.Plays), func(l lookUpAfterEnd) {
		reply, since := l.Reply(), l.Step.Exchange.Start-l.endReport.Exchange().End
		switch {
		case !observe.IsTaskUnknown(t, l.Step):
			l.Result()
			t.OK(reply)
		case since > retention:
			t.Tolerate(reply, "the server forgets a task %.0f s after it has ended", since.Seconds())
		default:
			t.Fail(reply, fmt.Sprintf("%s to a look-up of the task %s, %.1f s after it had said that it has ended (exchange %d)",
				match.Outcome(reply), shorten.Visible(l.task, 60), since.Seconds(), l.endReport.Exchange().ID), "the task")
		}
	})
}
