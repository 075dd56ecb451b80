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

// checkStreamHTTPStatus counts no refusal as a subscription, whatever its status.
func checkStreamHTTPStatus(t *judge.T, p observe.OnSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		expectNoStreamRefusal(t, s)
		t.Expect(s.Head()).To(match.HaveStatus(200))
	})
}

// expectNoStreamRefusal fails a stream that begins with an error, since it was not opened either.
// If the harmless message was refused in the same way, the stream is not the reason.
func expectNoStreamRefusal(t *judge.T, s judge.Step) {
	if !s.Exchange.Answered() {
		return
	}
	var first judge.Value
	if !s.Exchange.IsStream() {
		first = s.Reply()
	} else if events := s.Events(); len(events) > 0 { // blocks without data are none
		first = observe.FirstResponse(events)
	}
	if first.Document() == nil || !match.IsError(first) {
		return
	}
	if plain, ok := t.Find("quick/send"); ok && observe.HaveSameError(plain, s) {
		t.StopUndecided("the harmless message (quick/send) was refused in the same way: %s", plain.Outcome())
	}
	t.Expect(first).NotTo(match.InsteadOf(match.BeRPCError(t), "a stream, and no error"))
}

// checkStreamMediaType leaves the events themselves to other requirements, whatever their media
// type.
func checkStreamMediaType(t *judge.T, p observe.OnSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		expectNoStreamRefusal(t, s)
		if s.Exchange.GRPC() != nil { // what is called a stream there is one by its messages
			t.Expect(s.Head()).To(match.Head("a stream", func(v judge.Value) bool { return v.Exchange().IsStream() }, func(judge.Value) string { return "answered without one" }))
			return
		}
		t.Expect(s.Head()).KeepDependentsJudged(s.Exchange.IsStream()).To(match.HaveMediaType("text/event-stream"))
	})
}

func checkStreamStatusAndMediaType(t *judge.T, p observe.OnSteps) {
	checkStreamHTTPStatus(t, p)
	checkStreamMediaType(t, p)
}

func checkEventsAreResponsesWithID(t *judge.T, p eventIDParams) {
	checkOneResponsePerEvent(t, p)
	p.OwnRules = observe.OwnRules{} // they were judged
	checkEventsEchoCallID(t, p)
}

// checkEventStreamFormat fails only if an event cannot be read, since the standard has readers
// skip unknown fields. JSON without a field name is such a fault.
func checkEventStreamFormat(t *judge.T, p observe.OnSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		observe.StopUndecidedIf(t, !s.Exchange.IsStream(), "no stream was opened by %s/%s", s.Play.Scenario, s.Name)
		wants := "a body in the event-stream format, each event ended by a blank line"
		if len(s.Events()) == 0 {
			t.Fail(s.Head(), fmt.Sprintf("sent an event stream without a single event in %d bytes", len(s.Exchange.Response.Body)), wants)
		}
		for i, e := range s.Exchange.Events() {
			for _, f := range e.Frame.Faults {
				if f.Kind == record.SSEIDWithNUL {
					continue // what an id holds is for the check on the fields
				}
				text := fmt.Sprintf("sent a stream with a fault in block %d (%s at byte %d: %s)", i+1, strings.ReplaceAll(string(f.Kind), "-", " "), f.Offset, shorten.Visible(f.Detail, 80))
				if f.Kind == record.SSEInvalidUTF8 || f.Kind == record.SSEUnknownField && strings.ContainsAny(f.Detail, "{[") {
					t.Fail(s.Head(), text, wants)
				}
				t.Finding(s.Head(), "the server %s", text)
			}
		}
		if rest := s.Exchange.Rest(); rest != nil && s.Exchange.Ended == record.EOF && rest.HasData {
			t.Fail(s.Head(), "ended its stream in the middle of an event, which clients then drop", wants)
		}
		t.OK(s.Head())
	})
}

func checkSSEIDsReadable(t *judge.T, p observe.OnSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		observe.RequireStream(t, s)
		used := false
		for i, e := range s.Exchange.Events() {
			used = used || e.Frame.HasID || e.Frame.Event != ""
			for _, f := range e.Frame.Faults {
				if f.Kind == record.SSEIDWithNUL {
					t.Fail(s.Head(), fmt.Sprintf("sent an id that clients must ignore in block %d (%s)", i+1, shorten.Visible(f.Detail, 80)), "ids that can be read")
				}
			}
		}
		if !used {
			t.StopUnused("no event of its streams has an id or a name")
		}
		t.OK(s.Head())
	})
}

func checkOneResponsePerEvent(t *judge.T, p eventIDParams) {
	p.FailIfBroken(t)
	streams := t.Steps(p.Steps)
	if p.Every != "" {
		streams = slices.DeleteFunc(observe.EveryStream(t, p.Steps), func(s judge.Step) bool {
			return s.Op != p.Every && !slices.Contains(p.Steps, s.Play.Scenario+"/"+s.Name)
		})
	}
	judge.EachOf(t, streams, func(s judge.Step) {
		events := observe.RequireStream(t, s)
		for _, e := range events {
			for _, f := range e.Document().Faults {
				text := fmt.Sprintf("sent an event whose data has a fault (%s: %s)", f.Kind, shorten.Visible(f.Detail, 80))
				if slices.Contains(observe.FatalFaults, f.Kind) {
					t.Fail(e, text, "one complete JSON-RPC response in each event")
				}
				t.Finding(e, "the server %s", text)
			}
			t.Expect(e).KeepDependentsJudged(isNonObjectOrEmpty(e) && slices.ContainsFunc(events, hasResult)).To(match.BeAReply(t))
		}
	})
}

// isNonObjectOrEmpty reports whether the data of an event has no content, such as that of a mark for
// the end of the stream.
func isNonObjectOrEmpty(eventData judge.Value) bool {
	return eventData.Exists() && (!eventData.IsObject() || len(eventData.Members()) == 0)
}

// hasResult reports whether an event can be read.
func hasResult(e judge.Value) bool { return match.Present(e.Result()) }

type eventTaskParams struct {
	observe.StepsRules
	Of string `json:"of"` // status or artifact; every update if empty
}

func checkUpdatesNameTask(t *judge.T, p eventTaskParams) {
	p.FailIfBroken(t)
	kinds := map[string]func(*judge.T, judge.Step) []judge.Value{"": observe.Updates, "status": observe.Statuses, "artifact": observe.ArtifactUpdates}
	judge.Each(t, collectFromStreams(t, p.Steps, kinds[p.Of]), func(u judge.Value) { expectUpdateNamesStreamTask(t, u) })
}

// expectUpdateNamesStreamTask expects an update to name the task that its stream is about.
func expectUpdateNamesStreamTask(t *judge.T, u judge.Value) {
	t.Expect(u.Read("task.id")).To(match.BeTheText("the id of the task of this stream, ", u.Document().Step.Task))
}

// collectFromStreams returns what read finds in each of the named streams.
func collectFromStreams(t *judge.T, steps []string, read func(*judge.T, judge.Step) []judge.Value) (out []judge.Value) {
	for _, s := range t.Steps(steps) {
		out = append(out, read(t, s)...)
	}
	return out
}

// checkUpdateKindAndTask expects an update to be of one kind, and of the task that was asked for.
func checkUpdateKindAndTask(t *judge.T, p observe.OnSteps) {
	judge.Each(t, collectFromStreams(t, p.Steps, observe.Updates), func(u judge.Value) {
		t.Expect(u).To(match.Should("either a status update or an artifact update", func(v judge.Value) bool {
			return match.Present(v.Read("task.status")) != match.Present(v.Read("event.artifact"))
		}, nil))
		expectUpdateNamesStreamTask(t, u)
	})
}

type twoStreamsParams struct {
	A string `json:"a" step:"{}"`
	B string `json:"b" step:"{}"`
}

func checkStreamsSeparate(t *judge.T, p twoStreamsParams) {
	a, b := t.Step(p.A), t.Step(p.B)
	observe.RequireStream(t, a)
	observe.RequireStream(t, b)
	judge.Each(t, [][2]judge.Step{{a, b}, {b, a}}, func(of [2]judge.Step) {
		own, other := of[0], of[1]
		for _, e := range own.Events() {
			if n, theirs := e.ID().Node(), other.Sent().ID; n != nil && theirs != nil && n.Equal(theirs) {
				t.Fail(e.ID(), "sent an event with the id of another stream's call", "the events of this stream only")
			}
			id := e.Result().Read("task.id")
			t.Expect(id).NotTo(match.InsteadOf(match.Should("", func(v judge.Value) bool { return v.Is(other.Task) }, nil), "no event of another stream's task"))
			for _, what := range []string{"event.context", "message.context"} {
				if c := e.Result().Read(what); c.IsString() && own.Context != other.Context {
					t.Expect(c).NotTo(match.InsteadOf(match.Should("", func(v judge.Value) bool { return v.Is(other.Context) }, nil), "no event of another stream's context"))
				}
			}
		}
	})
}

// Streams shorter than this cannot show whether events were held back, and
// events closer together than this may have been sent one by one or not.
const (
	leastStreamMs = 100
	burstMs       = 20
	longMs        = 1000 // a busy machine of ours does not rest for so long
)

// checkEventsSentAsTheyArise needs one stream whose events came one by one, since an agent may
// have been silent for long. One short stream whose events came all at once may be the doing of
// our machine, and so may any that came while even calls without work were slow. If there are
// messages that stand for themselves, and no tasks, there is nothing to send meanwhile.
func checkEventsSentAsTheyArise(t *judge.T, p observe.OnSteps) {
	var held []judge.Value
	var text string
	long, messages, tasks, busy := false, false, false, record.Instant(0)
	for _, s := range t.Steps(p.Steps) {
		events := observe.RequireStream(t, s)
		if of := events[0].Result(); observe.IsMessage(of) {
			messages = true
		} else if of.Sort() != "" {
			tasks = true
		}
		at := func(e judge.Value) record.Instant { return s.Exchange.Events()[e.Document().Event-1].At }
		first, last := at(events[0]), at(events[len(events)-1])
		if (last-s.Exchange.Start).Milliseconds() < leastStreamMs || len(events) < 2 {
			continue
		}
		if (last - first).Milliseconds() >= burstMs {
			t.OK(events[0])
			return
		}
		if took := observe.SlowestWithoutAgent(t, s.Exchange.Start, first); 4*took >= first-s.Exchange.Start {
			busy = max(busy, took)
			continue
		}
		held = append(held, events[0])
		long = long || (first-s.Exchange.Start).Milliseconds() >= longMs
		text = fmt.Sprintf("sent all %d events within %d ms, %d ms after the call", len(events), (last - first).Milliseconds(), (first - s.Exchange.Start).Milliseconds())
	}
	observe.StopNotApplicableIf(t, messages && !tasks, "%s", judge.NoTasks)
	if len(held) == 0 && busy > 0 {
		t.Lacks("slow", "streams came at once, but so busy was the server, or the machine of this run, that a call without work for the agent took %d ms meanwhile", busy.Milliseconds())
	}
	if len(held) == 0 {
		t.Lacks("slow", "no stream lasted long enough to show it")
	}
	if len(held) == 1 && !long {
		t.Lacks("slow", "only one stream could show it, and it was short: the machine of this run may have been too slow")
	}
	t.Fail(held[len(held)-1], text, "each event to be sent as it arises")
}
