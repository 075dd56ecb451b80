package suites

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

var streamChecks = []judge.Check{
	judge.Define("stream/status", "a subscription is answered with HTTP 200", streamStatus),
	judge.Define("stream/media-type", "a subscription is answered as an event stream", streamMediaType),
	judge.Define("stream/format", "the stream obeys the event-stream format", streamFormat),
	judge.Define("stream/fields", "the fields id and event can be read", streamFields),
	judge.Define("stream/one-response", "the data of each event is one JSON-RPC response", oneResponse),
	judge.Define("stream/echoes-id", "each event bears the id of the call", eventID),
	judge.Define("stream/task-id", "each update names the task of the call", eventTask),
	judge.Define("stream/updates", "each event is an update of the call's task", streamUpdates),
	judge.Define("stream/separate", "a stream receives no event of another", separate),
	judge.Define("stream/incremental", "updates are sent as they arise", incremental),
}

// streamStatus: a refusal is no subscription, whatever status it travels with.
func streamStatus(t *judge.T, p onSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		streamGranted(t, s)
		t.Expect(s.Head()).To(HaveStatus(200))
	})
}

// streamGranted: a stream that begins with an error was not opened either. Where the
// harmless message was refused in the same way, the stream is not the reason.
func streamGranted(t *judge.T, s judge.Step) {
	if !s.Exchange.Answered() {
		return
	}
	var first judge.Value
	if !s.Exchange.IsStream() {
		first = s.Reply()
	} else if len(s.Exchange.Events()) > 0 {
		events := s.Events()
		if i := slices.IndexFunc(events, isResponse); i >= 0 {
			first = events[i]
		}
	}
	if first.Said() == nil || !isError(first) {
		return
	}
	if plain, ok := t.Find("quick/send"); ok && refusedAlike(plain, s) {
		t.Stopped("the harmless message (quick/send) was refused in the same way: %s", plain.Outcome())
	}
	t.Expect(first).NotTo(insteadOf(BeRPCError(t), "a stream, and no error"))
}

// streamMediaType: events that can be read are judged, whatever they travel as.
func streamMediaType(t *judge.T, p onSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		streamGranted(t, s)
		t.Expect(s.Head()).Apart(s.Exchange.IsStream()).To(HaveMediaType("text/event-stream"))
	})
}

// opened is the stream of a step; without one the requirement is undecided.
func opened(t *judge.T, s judge.Step) []judge.Value {
	if !s.Exchange.IsStream() {
		t.Stopped("no stream was opened by %s/%s: the server answered HTTP %d %s", s.Play.Scenario, s.Name,
			s.Exchange.Status(), s.Exchange.Response.MediaType())
	}
	events := s.Events()
	if len(events) == 0 {
		t.Stopped("the stream of %s/%s had no event%s", s.Play.Scenario, s.Name, broke(s))
	}
	return events
}

// broke says so where a stream ended because its connection did.
func broke(s judge.Step) string {
	if s.Exchange.Ended == wire.Reset {
		return ": the connection broke"
	}
	return ""
}

// streamFormat: the standard has readers skip what they do not know, so that
// only what makes an event unreadable is a breach. JSON without a field name
// is such a thing.
func streamFormat(t *judge.T, p onSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		if !s.Exchange.IsStream() {
			t.Stopped("no stream was opened by %s/%s", s.Play.Scenario, s.Name)
		}
		wants := "a body in the event-stream format, each event ended by a blank line"
		if len(s.Events()) == 0 {
			t.Fail(s.Head(), fmt.Sprintf("sent an event stream without a single event in %d bytes", len(s.Exchange.Response.Body)), wants)
		}
		for i, e := range s.Exchange.Events() {
			for _, f := range e.Frame.Faults {
				if f.Kind == wire.SSEIDWithNUL {
					continue // what an id holds is for the check on the fields
				}
				text := fmt.Sprintf("sent a stream with a fault in block %d (%s at byte %d: %s)", i+1, strings.ReplaceAll(string(f.Kind), "-", " "), f.Offset, judge.Shorten(f.Detail, 80))
				if f.Kind == wire.SSEInvalidUTF8 || f.Kind == wire.SSEUnknownField && strings.ContainsAny(f.Detail, "{[") {
					t.Fail(s.Head(), text, wants)
				}
				t.Finding(s.Head(), "the server %s", text)
			}
		}
		if rest := s.Exchange.Rest(); rest != nil && s.Exchange.Ended == wire.EOF && rest.HasData {
			t.Fail(s.Head(), "ended its stream in the middle of an event, which clients then drop", wants)
		}
		t.OK(s.Head())
	})
}

func streamFields(t *judge.T, p onSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		opened(t, s)
		for i, e := range s.Exchange.Events() {
			for _, f := range e.Frame.Faults {
				if f.Kind == wire.SSEIDWithNUL {
					t.Fail(s.Head(), fmt.Sprintf("sent an id that clients must ignore in block %d (%s)", i+1, judge.Shorten(f.Detail, 80)), "ids that can be read")
				}
			}
		}
		t.OK(s.Head())
	})
}

type streamRules struct {
	onSteps
	ownRules
}

func oneResponse(t *judge.T, p streamRules) {
	p.broken(t)
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		for _, e := range opened(t, s) {
			for _, f := range e.Said().Faults {
				text := fmt.Sprintf("sent an event whose data has a fault (%s: %s)", f.Kind, judge.Shorten(f.Detail, 80))
				if slices.Contains(fatalFaults, f.Kind) {
					t.Fail(e, text, "one complete JSON-RPC response in each event")
				}
				t.Finding(e, "the server %s", text)
			}
			t.Expect(e).To(BeAReply())
		}
	})
}

// updatesOf are the results of a stream's events, without those that belong to
// another task of ours: that a stream receives none of those is judged by
// itself.
func updatesOf(t *judge.T, s judge.Step) []judge.Value {
	var out []judge.Value
	for _, e := range s.Events() {
		if r := e.Result(); r.IsObject() && !foreign(t, s, r.Read("task.id")) {
			out = append(out, r)
		}
	}
	return out
}

// updates are the updates of a stream that was opened.
func updates(t *judge.T, s judge.Step) []judge.Value {
	opened(t, s)
	return updatesOf(t, s)
}

// foreign reports whether an id is that of another task of the run.
func foreign(t *judge.T, s judge.Step, id judge.Value) bool {
	if !id.IsString() || id.Is(s.Task) {
		return false
	}
	for _, p := range t.Case.Transcript.Plays {
		for _, o := range p.Steps {
			if o.Task == id.Text() && o.Exchange != nil {
				return true
			}
		}
	}
	return false
}

// statuses are the updates that tell of a state.
func statuses(t *judge.T, s judge.Step) []judge.Value {
	return slices.DeleteFunc(updates(t, s), func(v judge.Value) bool { return !v.Read("task.status").Exists() })
}

// artifactUpdates are the updates that bring an artifact or a piece of one.
func artifactUpdates(t *judge.T, s judge.Step) []judge.Value {
	return slices.DeleteFunc(updates(t, s), func(v judge.Value) bool { return !v.Read("event.artifact").IsObject() })
}

type eventTaskParams struct {
	onSteps
	ownRules
	Of string `json:"of"` // status or artifact; every update if empty
}

func eventTask(t *judge.T, p eventTaskParams) {
	p.broken(t)
	kinds := map[string]func(*judge.T, judge.Step) []judge.Value{"": updates, "status": statuses, "artifact": artifactUpdates}
	var of []judge.Value
	for _, s := range t.Steps(p.Steps) {
		of = append(of, kinds[p.Of](t, s)...)
	}
	judge.Each(t, of, func(u judge.Value) {
		t.Expect(u.Read("task.id")).To(BeTheText("the id of the task of this stream, ", u.Said().Step.Task))
	})
}

// streamUpdates: an update is of one kind and of the task that was asked for.
func streamUpdates(t *judge.T, p onSteps) {
	var of []judge.Value
	for _, s := range t.Steps(p.Steps) {
		of = append(of, updates(t, s)...)
	}
	judge.Each(t, of, func(u judge.Value) {
		t.Expect(u).To(matcher{"either a status update or an artifact update", func(v judge.Value) bool {
			return present(v.Read("task.status")) != present(v.Read("event.artifact"))
		}, nil})
		t.Expect(u.Read("task.id")).To(BeTheText("the id of the task of this stream, ", u.Said().Step.Task))
	})
}

type separateParams struct {
	A string `json:"a" step:"{}"`
	B string `json:"b" step:"{}"`
}

func separate(t *judge.T, p separateParams) {
	a, b := t.Step(p.A), t.Step(p.B)
	opened(t, a)
	opened(t, b)
	judge.Each(t, [][2]judge.Step{{a, b}, {b, a}}, func(of [2]judge.Step) {
		own, other := of[0], of[1]
		for _, e := range own.Events() {
			if n, theirs := e.ID().Node(), other.Sent().ID; n != nil && theirs != nil && n.Equal(theirs) {
				t.Fail(e.ID(), "sent an event with the id of another stream's call", "the events of this stream only")
			}
			id := e.Result().Read("task.id")
			t.Expect(id).NotTo(insteadOf(matcher{"", func(v judge.Value) bool { return v.Is(other.Task) }, nil}, "no event of another stream's task"))
			for _, what := range []string{"event.context", "message.context"} {
				if c := e.Result().Read(what); c.IsString() && own.Context != other.Context {
					t.Expect(c).NotTo(insteadOf(matcher{"", func(v judge.Value) bool { return v.Is(other.Context) }, nil}, "no event of another stream's context"))
				}
			}
		}
	})
}

// Streams shorter than this cannot show whether events were held back, and
// events closer together than this may have been sent one by one or not.
const (
	tellingMs = 100
	burstMs   = 20
	longMs    = 1000 // a busy machine of ours does not rest for so long
)

// incremental: one stream that was sent as it arose is enough, since an agent
// may have had nothing to say for long. That one short stream came at once may be
// our own machine's doing.
func incremental(t *judge.T, p onSteps) {
	var held []judge.Value
	var text string
	long := false
	for _, s := range t.Steps(p.Steps) {
		events := opened(t, s)
		at := func(e judge.Value) wire.Instant { return s.Exchange.Events()[e.Said().Event-1].At }
		first, last := at(events[0]), at(events[len(events)-1])
		if (last-s.Exchange.Start).Milliseconds() < tellingMs || len(events) < 2 {
			continue
		}
		if (last - first).Milliseconds() >= burstMs {
			t.OK(events[0])
			return
		}
		held = append(held, events[0])
		long = long || (first-s.Exchange.Start).Milliseconds() >= longMs
		text = fmt.Sprintf("sent all %d events within %d ms, %d ms after the call", len(events), (last - first).Milliseconds(), (first - s.Exchange.Start).Milliseconds())
	}
	if len(held) == 0 {
		t.Inconclusive("stimuli: {slow: {text: …, seconds: …}}", "no stream lasted long enough to tell")
	}
	if len(held) == 1 && !long {
		t.Inconclusive("stimuli: {slow: {text: …, seconds: …}}", "only one stream could tell, and it was short: our own machine may have been late")
	}
	t.Fail(held[len(held)-1], text, "each event to be sent as it arises")
}
