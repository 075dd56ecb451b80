package task

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// stopUnlessLaterLookAnswered returns the last look-up of a task in a play, if it came after the last
// sighting of the task and so shows nothing of it. If that look-up got no answer of the agent,
// the requirement is undecided, since the state that the task reached was not seen.
func stopUnlessLaterLookAnswered(t *judge.T, play string, seen []observe.Sighting) (look judge.Step, found bool) {
	p := t.Case.Transcript.Play(play)
	if p == nil {
		return judge.Step{}, false
	}
	for i := len(p.Steps) - 1; i >= 0; i-- {
		s := &p.Steps[i]
		if s.Op != "get" || s.Role == record.Alive || s.Exchange == nil {
			continue
		}
		if slices.ContainsFunc(seen, func(v observe.Sighting) bool { return v.Document().Play == p && v.Exchange().Start >= s.Exchange.Start }) {
			return judge.Step{}, false
		}
		look = t.Step(play + "/" + s.Name)
		if noResponseOrInternalError(t, look) {
			t.StopUndecided("the run did not see how the task went on: %s", look.Outcome())
		}
		return look, true
	}
	return judge.Step{}, false
}

// noResponseOrInternalError reports whether a call found no agent: it was not answered by a
// JSON-RPC response, or the server failed.
func noResponseOrInternalError(t *judge.T, s judge.Step) bool {
	reply := s.Reply()
	return !match.IsResponse(reply) || reply.Refuses("InternalError")
}
