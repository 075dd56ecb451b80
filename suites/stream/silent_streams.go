package stream

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// failIfStateSilentlyMissed fails a stream that did not show a state which a look-up showed of its task,
// and that was neither closed nor had another event.
func failIfStateSilentlyMissed(t *judge.T, s judge.Step, want string) {
	state, open, ok := observe.FindStateStreamMissed(t, s)
	if !ok {
		return
	}
	at := s.Head()
	if events := s.Events(); len(events) > 0 {
		at = events[len(events)-1]
		if last := lastStreamedState(t, s); last.Document() != nil {
			at = last
		}
	}
	t.Fail(at, fmt.Sprintf("kept the stream of %s/%s open and silent for %.1f s after a look showed its task in state %s", s.Play.Scenario, s.Name, open, state.Shown()), want, state)
}

// failIfAnyStateSilentlyMissed is failIfStateSilentlyMissed for each stream of the run that was asked for in order.
func failIfAnyStateSilentlyMissed(t *judge.T, want string) {
	for _, s := range observe.ValidNonProbeSteps(t, func(s *record.Step) bool { return t.Case.Dialect.Operation(s.Op).Streams }) {
		failIfStateSilentlyMissed(t, s, want)
	}
}
