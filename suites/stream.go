package suites

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

var streamChecks = []judge.Check{
	judge.Define("stream/status", "a subscription is answered with HTTP 200", streamStatus),
	judge.Define("stream/media-type", "a subscription is answered as an event stream", streamMediaType),
	judge.Define("stream/format", "the stream obeys the event-stream format", streamFormat),
	judge.Define("stream/one-response", "the data of each event is one JSON-RPC response", oneResponse),
	judge.Define("stream/echoes-id", "each event bears the id of the call", eventID),
	judge.Define("stream/task-id", "each update names the task of the call", eventTask),
	judge.Define("stream/final-last", "a stream that ended regularly has final true on its last status update", finalLast),
	judge.Define("stream/final-state", "an update with final true reports a state that ends the interaction", finalState),
	judge.Define("stream/nothing-after-final", "no event follows the one with final true", nothingAfterFinal),
	judge.Define("stream/closes", "the server closes the stream after the final event", closes),
	judge.Define("stream/stored-state", "after the stream a look-up reports the last streamed state", storedState),
}

func streamStatus(t *judge.T, p onSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) { t.Expect(s.Head()).To(HaveStatus(200)) })
}

func streamMediaType(t *judge.T, p onSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) { t.Expect(s.Head()).To(HaveMediaType("text/event-stream")) })
}

// opened is the stream of a step; without one the requirement is undecided.
func opened(t *judge.T, s judge.Step) []judge.Value {
	if !s.Exchange.IsStream() {
		t.Stopped("no stream was opened by %s/%s: the server answered HTTP %d %s", s.Play.Scenario, s.Name,
			s.Exchange.Status(), s.Exchange.Response.MediaType())
	}
	events := s.Events()
	if len(events) == 0 {
		t.Stopped("the stream of %s/%s had no event", s.Play.Scenario, s.Name)
	}
	return events
}

func streamFormat(t *judge.T, p onSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		if !s.Exchange.IsStream() {
			t.Stopped("no stream was opened by %s/%s", s.Play.Scenario, s.Name)
		}
		wants := "a body in the event-stream format, each event ended by a blank line"
		if len(s.Events()) == 0 {
			t.Fail(s.Head(), fmt.Sprintf("sent an event stream without a single event in %d bytes", len(s.Exchange.Response.Body)), wants)
		}
		for i, e := range s.Exchange.Events() {
			for _, f := range e.Frame.Faults {
				t.Fail(s.Head(), fmt.Sprintf("sent a stream with a fault in block %d (%s at byte %d: %s)", i+1, f.Kind, f.Offset, judge.Shorten(f.Detail, 80)), wants)
			}
		}
		if rest := s.Exchange.Rest(); rest != nil && s.Exchange.Ended == wire.EOF && rest.HasData {
			t.Fail(s.Head(), "ended its stream in the middle of an event, which clients then drop", wants)
		}
		t.OK(s.Head())
	})
}

func oneResponse(t *judge.T, p onSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		for _, e := range opened(t, s) {
			for _, f := range e.Said().Faults {
				t.Fail(e, fmt.Sprintf("sent an event whose data has a fault (%s: %s)", f.Kind, judge.Shorten(f.Detail, 80)), "one complete JSON-RPC response in each event")
			}
			t.Expect(e).To(BeAReply())
		}
	})
}

func eventID(t *judge.T, p onSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		id := member(call(s), "/id")
		for _, e := range opened(t, s) {
			t.Expect(e.At("/id")).To(beNode(id))
		}
	})
}

// updates are the results of a stream's events.
func updates(t *judge.T, s judge.Step) []judge.Value {
	var out []judge.Value
	for _, e := range opened(t, s) {
		if r := e.At("/result"); r.IsObject() {
			out = append(out, r)
		}
	}
	return out
}

// statuses are the updates that tell of a state.
func statuses(t *judge.T, s judge.Step) []judge.Value {
	return slices.DeleteFunc(updates(t, s), func(v judge.Value) bool { return !v.Read("task.status").Exists() })
}

func eventTask(t *judge.T, p onSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		for _, u := range updates(t, s) {
			t.Expect(u.Read("task.id")).To(BeText(s.Task))
		}
	})
}

func isFinal(v judge.Value) bool { return v.Read("event.final").True() }

// broken reports whether a stream ended by an error event, which excuses it
// from saying that it is final.
func brokenOff(events []judge.Value) bool {
	return len(events) > 0 && present(events[len(events)-1].At("/error"))
}

// finalLast: the last event that can say final must say it. In dialects where
// other updates than statuses carry the member, those count too.
func finalLast(t *judge.T, p onSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		events := opened(t, s)
		if brokenOff(events) || s.Exchange.Ended != wire.EOF && s.Exchange.Ended != wire.OurClose {
			t.Stopped("the stream of %s/%s did not end regularly", s.Play.Scenario, s.Name)
		}
		last := judge.Value{}
		for _, u := range updates(t, s) {
			if u.Read("task.status").Exists() || u.Read("event.final").Exists() {
				last = u
			}
		}
		if last.Said() == nil {
			t.Fail(events[len(events)-1], "ended the stream without a status update", "final true on the last status update")
		}
		t.Expect(last.Read("event.final")).To(matcher{"final true on the last status update", judge.Value.True, nil})
	})
}

// finalState: a pause for the client ends the interaction as an end does.
func finalState(t *judge.T, p onSteps) {
	var of []judge.Value
	for _, s := range t.Steps(p.Steps) {
		for _, u := range statuses(t, s) {
			if isFinal(u) {
				of = append(of, u)
			}
		}
	}
	judge.Each(t, of, func(u judge.Value) {
		t.Expect(u.Read("task.state")).To(matcher{"a state that ends the interaction beside final true", func(v judge.Value) bool {
			s := t.Case.Dialect.State(v.Text())
			return s != nil && (s.Terminal || s.Interrupted)
		}, func(v judge.Value) string { return "sent final true with state " + v.Shown() }})
	})
}

func nothingAfterFinal(t *judge.T, p onSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		ended := false
		for _, e := range opened(t, s) {
			if ended {
				t.Fail(e, "sent another event after the one with final true", "nothing to follow it")
			}
			if r := e.At("/result"); r.IsObject() && isFinal(r) {
				ended = true
				t.OK(r.Read("event.final"))
			}
		}
		if !ended {
			t.Stopped("the stream of %s/%s had no event with final true", s.Play.Scenario, s.Name)
		}
	})
}

func closes(t *judge.T, p onStep) {
	s := t.Step(p.Step)
	events := opened(t, s)
	if !s.Play.Has("final") {
		t.Stopped("the stream of %s had no event with final true", p.Step)
	}
	if s.Exchange.Ended == wire.OurClose {
		t.Fail(s.Head(), fmt.Sprintf("kept the stream open for %.1f s after its final event", t.Case.Dialect.Patience["must-close"].Seconds), "it to be closed")
	}
	t.OK(events[len(events)-1])
}

func storedState(t *judge.T, p pairParams) {
	all := statuses(t, t.Step(p.Step))
	if len(all) == 0 {
		t.Stopped("the stream told no state")
	}
	last := all[len(all)-1].Read("task.state")
	state := t.Case.Dialect.State(last.Text())
	if state == nil || !state.Terminal && !state.Interrupted {
		t.Stopped("the stream ended in state %s, from which the task may have moved on", last.Shown())
	}
	t.Expect(t.Step(p.Then).Result().Read("task.state")).To(matcher{"the state that was streamed last, " + last.Shown(), last.Equal, nil})
}
