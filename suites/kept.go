package suites

import (
	"fmt"
	"time"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

var keptChecks = []judge.Check{
	judge.Define("task/kept", "a task that the server said has ended can still be looked up", taskKept),
}

// remembered is for how long a task that has ended is expected to be known. How
// long it stays is left open; it cannot be fetched at all where it goes at once.
const remembered = time.Minute

// over is the text by which a server said that a task has ended.
type over struct {
	judge.Value
	task string
}

// saidOver lists where the plays say that a task has ended: by a state, by a word
// that confirms a cancellation, or by an answer that is the last.
func saidOver(t *judge.T, plays []string) (out []over) {
	for _, s := range sightings(t, plays) {
		if state := t.Case.Dialect.State(s.state().Text()); state != nil && state.Terminal && state.Outcome != "unknown" {
			out = append(out, over{s.state(), s.task})
		}
	}
	for _, s := range moves(t, plays...) {
		if s.Task == "" || s.Exchange.IsStream() || !s.Accepted() {
			continue
		}
		for _, word := range []string{"task.canceled", "event.final"} {
			if v := s.Reply().Result().Read(word); v.True() {
				out = append(out, over{v, s.Task})
			}
		}
	}
	return out
}

// vanished reports whether a look-up is answered as for a task that never was:
// by the error of the protocol or, where it names none, as such a look-up was.
func vanished(t *judge.T, look judge.Step) bool {
	if unknownTaskError(t, look.Reply()) {
		return true
	}
	never, asked := t.Find("unknown/get")
	return asked && isError(look.Reply()) && !isRefusal(t, look.Reply(), []string{"InternalError"}) && refusedAlike(never, look)
}

type keptParams struct {
	onPlays
	Never string `json:"never" step:"{},optional"` // a look-up of a task that never was, where the protocol has no error for it
}

// lookAfter is a look-up of a task that the server had said was over.
type lookAfter struct {
	judge.Step
	over
}

// looksAfter are the look-ups of tasks that were over, each with the first word
// that said so.
func looksAfter(t *judge.T, plays []string) (of []lookAfter) {
	first := map[string]over{}
	for _, o := range saidOver(t, plays) {
		if known, ok := first[o.task]; !ok || o.Exchange().End < known.Exchange().End {
			first[o.task] = o
		}
	}
	for _, s := range moves(t, plays...) {
		if o, ok := first[s.Task]; ok && s.Op == "get" && o.Exchange().Before(s.Exchange) {
			of = append(of, lookAfter{s, o})
		}
	}
	return of
}

// taskKept: what is refused for another reason is another fault.
func taskKept(t *judge.T, p keptParams) {
	judge.Each(t, looksAfter(t, p.Plays), func(l lookAfter) {
		reply, since := l.Reply(), l.Step.Exchange.Start-l.over.Exchange().End
		switch {
		case !vanished(t, l.Step):
			l.Result()
			t.OK(reply)
		case since > remembered:
			t.Finding(reply, "the server forgets a task %.0f s after it has ended", since.Seconds())
			t.OK(reply)
		default:
			t.Fail(reply, fmt.Sprintf("%s to a look-up of the task %s, %.1f s after it had said that it has ended (exchange %d)",
				outcome(reply), judge.Shorten(l.task, 60), since.Seconds(), l.over.Exchange().ID), "the task")
		}
	})
}
