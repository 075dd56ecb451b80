package stream

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// streamsAboutTasks returns the named streams without those that consist of one message. In some
// protocols messages come between the updates of a task.
func streamsAboutTasks(t *judge.T, steps []string) []judge.Step {
	return dropMessageStreams(t, t.Steps(steps))
}

func dropMessageStreams(t *judge.T, streams []judge.Step) []judge.Step {
	return slices.DeleteFunc(streams, func(s judge.Step) bool {
		if t.Case.Dialect.Stream.Messages && s.Exchange.IsStream() && len(s.Events()) > 0 && len(observe.Statuses(t, s)) > 0 {
			return false
		}
		return s.Exchange.IsStream() && slices.ContainsFunc(s.Events(), func(e judge.Value) bool { return observe.IsMessage(e.Result()) })
	})
}

type kindsParams struct {
	observe.OnSteps
	Kinds []string `json:"kinds"`
}

// eventResultOrItself returns the content of an event: its result or, if the event has no envelope,
// which another requirement covers, the event itself.
func eventResultOrItself(e judge.Value) judge.Value {
	if !match.IsResponse(e) && e.Sort() != "" {
		return e
	}
	return e.Result()
}

func checkFirstEventKind(t *judge.T, p kindsParams) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		first := observe.RequireStream(t, s)[0]
		if observe.EndedByError([]judge.Value{first}) {
			t.StopUndecided("the stream of %s/%s began with an error", s.Play.Scenario, s.Name)
		}
		one := match.BeOneOf(p.Kinds...)
		begins := eventResultOrItself(first)
		t.Expect(begins.SortAt()).To(match.Should("a stream that begins with "+one.Wants(), func(judge.Value) bool { return slices.Contains(p.Kinds, begins.Sort()) },
			func(v judge.Value) string { return "began the stream with " + v.Named() }))
	})
}

func checkMessageStandsAlone(t *judge.T, p ofKindParams) {
	of := slices.DeleteFunc(t.Steps(p.Steps), func(s judge.Step) bool {
		events := observe.RequireStream(t, s)
		return events[0].Result().Sort() != p.Kind
	})
	judge.Each(t, of, func(s judge.Step) {
		events := s.Events()
		if len(events) > 1 {
			t.Fail(events[1], fmt.Sprintf("sent %d events", len(events)), "the one message, and the end of the stream")
		}
		t.OK(events[0])
	})
}

// checkEventsShareTaskAndContext compares with the first event that names a task or context. Messages
// that stand for themselves need not name any.
func checkEventsShareTaskAndContext(t *judge.T, p observe.OnSteps) {
	named := false
	judge.EachOf(t, observe.EveryStream(t, p.Steps), func(s judge.Step) {
		for _, what := range []string{"task", "context"} {
			at := map[string]string{"task": "task.id", "context": "task.context"}[what]
			var first judge.Value
			for _, e := range observe.RequireStream(t, s) {
				v := e.Result().Read(at)
				switch {
				case !v.IsString():
				case first.Document() == nil:
					first, named = v, true
					t.OK(v)
				default:
					t.Expect(v).ComparedWith(first).To(match.Should("the "+what+" of the events before, "+first.Shown(), first.Equal, nil))
				}
			}
		}
	})
	switch {
	case named:
	case len(streamsAboutTasks(t, p.Steps)) == 0:
		t.StopVacuous("no event names a task or a context")
	default:
		t.StopUndecided("no event names a task or a context")
	}
}

// isResultlessEventAnError reports whether an event without a result is about an error: it
// holds one, is named so, is a response with nothing in it, or is no object. What
// merely lacks its envelope is none, nor is a mark that the stream is over.
func isResultlessEventAnError(withoutResult judge.Value) bool {
	return !withoutResult.IsObject() || match.IsResponse(withoutResult) || sseEventName(withoutResult) == "error" || withoutResult.At("/code").IsNumber() && withoutResult.At("/message").Exists()
}

func checkErrorEventForm(t *judge.T, p observe.StepsRules) {
	p.FailIfBroken(t)
	of := judge.Filter(t.All(judge.EventText), func(v judge.Value) bool { return !match.Present(v.Result()) && isResultlessEventAnError(v) })
	judge.Each(t, of, func(v judge.Value) {
		t.Expect(v.Failure()).To(match.BeAnObject())
		observe.ExpectErrorForm(t, v)
	})
}
