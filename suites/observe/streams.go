package observe

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
)

// RequireStream returns the stream of a step; without one the requirement is undecided. A stream whose
// first response is an error was refused.
func RequireStream(t *judge.T, s judge.Step) []judge.Value {
	if !s.Exchange.IsStream() {
		how := fmt.Sprintf("HTTP %d %s", s.Exchange.Status(), s.Exchange.Response.MediaType())
		if s.Exchange.GRPC() != nil {
			how = s.Exchange.StatusText()
		}
		t.StopUndecided("no stream was opened by %s/%s: the server answered %s", s.Play.Scenario, s.Name, how)
	}
	events := s.Events()
	if len(events) == 0 {
		t.StopUndecided("the stream of %s/%s had no event%s", s.Play.Scenario, s.Name, DescribeBreak(s))
	}
	if first := FirstResponse(events); match.IsError(first) {
		t.StopUndecided("no stream was opened by %s/%s: its first event refuses the call (%s)", s.Play.Scenario, s.Name, match.CodeOf(first))
	}
	return events
}

// FirstResponse returns the event that decides whether a stream was opened or refused: the first
// that is a response, else the first of all. What follows a refusal does not undo it.
func FirstResponse(events []judge.Value) judge.Value {
	if i := slices.IndexFunc(events, match.IsResponse); i >= 0 {
		return events[i]
	}
	return events[0]
}

// BeginsWithError reports whether the first event of a stream is an error.
func BeginsWithError(s judge.Step) bool {
	if !s.Exchange.IsStream() {
		return false
	}
	events := s.Events()
	return len(events) > 0 && match.IsError(events[0])
}

// ExpectObjectEvents expects each event of a stream to hold one JSON object.
func ExpectObjectEvents(t *judge.T, s judge.Step) {
	for _, e := range RequireStream(t, s) {
		for _, f := range e.Document().Faults {
			if slices.Contains(FatalFaults, f.Kind) {
				t.Fail(e, "sent an event whose data is no JSON: "+e.FaultText(f), "one JSON object in each event")
			}
		}
		t.Expect(e).To(match.BeAnObject())
	}
}

// DescribeBreak returns a remark if a stream ended because its connection did.
func DescribeBreak(s judge.Step) string {
	if s.Exchange.Ended == record.Reset {
		return ": the connection broke"
	}
	return ""
}

// EveryStream returns the named streams, which have to be asked for, and all others that the
// run opened with a valid call: a sentence about every stream holds in whichever
// conversation one comes.
func EveryStream(t *judge.T, names []string) []judge.Step {
	streams := func(o *record.Step) bool { return t.Case.Dialect.Operation(o.Op).Streams }
	return collectNamedAndOtherCalls(t, names, streams, func(s judge.Step) bool {
		if !s.Exchange.IsStream() || s.Exchange.Ended == record.Limit {
			return false
		}
		events := s.Events()
		return len(events) > 0 && !match.IsError(events[0])
	})
}

// UpdatesOf returns the results of a stream's events, without those that belong to
// another task of ours: that a stream receives none of those is judged by
// itself.
func UpdatesOf(t *judge.T, s judge.Step) []judge.Value {
	var out []judge.Value
	for _, e := range s.Events() {
		if r := e.Result(); r.IsObject() && !IsOtherKnownTaskID(t, s, r.Read("task.id")) {
			out = append(out, r)
		}
	}
	return out
}

// Updates returns the updates of a stream that was opened.
func Updates(t *judge.T, s judge.Step) []judge.Value {
	RequireStream(t, s)
	return UpdatesOf(t, s)
}

// IsOtherKnownTaskID reports whether an id is that of another task of the run.
func IsOtherKnownTaskID(t *judge.T, s judge.Step, id judge.Value) bool {
	if !id.IsString() || id.Is(s.Task) {
		return false
	}
	for _, o := range TranscriptSteps(t) {
		if o.Task == id.Text() && o.Exchange != nil {
			return true
		}
	}
	return false
}

// Statuses returns the updates that have a status.
func Statuses(t *judge.T, s judge.Step) []judge.Value {
	return slices.DeleteFunc(Updates(t, s), func(v judge.Value) bool { return !v.Read("task.status").Exists() })
}

// ArtifactUpdates returns the updates that bring an artifact or a piece of one.
func ArtifactUpdates(t *judge.T, s judge.Step) []judge.Value {
	return slices.DeleteFunc(Updates(t, s), func(v judge.Value) bool { return !v.Read("event.artifact").IsObject() })
}

// IsFinal reports whether an update is marked as the last. The mark of an update with an artifact
// does not count, since a status is the end.
func IsFinal(v judge.Value) bool { return IsStatusWithFinalMember(v) && v.Read("event.final").True() }

// IsStatusWithFinalMember reports whether an update has the member that marks the last one.
func IsStatusWithFinalMember(v judge.Value) bool {
	return v.Read("event.final").Exists() && !v.Read("event.artifact").Exists()
}

// EndedByError reports whether a stream ended by an error event, which excuses it
// from saying that it is final.
func EndedByError(events []judge.Value) bool {
	return len(events) > 0 && match.Present(events[len(events)-1].Failure())
}

// IsTerminalOrInterrupted reports whether a task in that state has come to its end, or waits
// for the client: either ends the interaction.
func IsTerminalOrInterrupted(t *judge.T, state judge.Value) bool {
	return IsTerminal(t, state) || IsInterrupted(t, state)
}
