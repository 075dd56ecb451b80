package stream

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type streamRefusedParams struct {
	observe.OnSteps
	// Either means that the source does not decide whether the refusal is an event. Other
	// requirements then ask for the refusal as such.
	Either bool `json:"either"`
}

// checkStreamRefused accepts an HTTP error with any body or none, a JSON-RPC error, or a stream
// of one event with such an error.
func checkStreamRefused(t *judge.T, p streamRefusedParams) {
	steps := t.Steps(p.Steps)
	if p.Either {
		if steps = slices.DeleteFunc(steps, wasStreamCallServed); len(steps) == 0 {
			t.StopUndecided("the server served each of the calls")
		}
	}
	judge.EachOf(t, steps, func(s judge.Step) {
		observe.StopIfTaskGone(t, s)
		wants := "an HTTP error or " + s.Reply().Words().Error
		if s.Exchange.Status() >= 400 {
			t.OK(s.Head())
			return
		}
		if !s.Exchange.IsStream() {
			t.Expect(s.Reply()).To(match.BeRPCError(t))
			return
		}
		events := s.Events()
		if len(events) == 0 {
			t.Fail(s.Head(), fmt.Sprintf("opened a stream without any event for %.1f s", (s.Exchange.End-s.Exchange.Start).Seconds()), wants)
		}
		// A mark for the end of the stream may follow the refusal, and no result.
		first := observe.FirstResponse(events)
		t.Expect(first).To(match.BeRPCError(t))
		if i := slices.IndexFunc(events, func(e judge.Value) bool { return match.Present(e.Result()) }); i >= 0 {
			t.Fail(events[i], "sent a result after the event that refuses the call", "no result in a stream that is refused", first)
		}
		if !p.Either {
			t.Finding(first, "the server refuses the subscription with an event in a stream")
		}
	})
}

// wasStreamCallServed reports whether a call was answered with a result, or with events of which the
// first is one.
func wasStreamCallServed(s judge.Step) bool {
	if !s.Exchange.IsStream() {
		return s.Accepted()
	}
	events := s.Events()
	return len(events) > 0 && match.Present(events[0].Result())
}

// checkRefusalHTTPStatus has a finding only if a JSON-RPC error comes with HTTP 200, as is usual
// elsewhere. Another requirement covers a subscription that was served.
func checkRefusalHTTPStatus(t *judge.T, p observe.OnSteps) {
	of := slices.DeleteFunc(t.Steps(p.Steps), wasStreamCallServed)
	observe.StopUndecidedIf(t, len(of) == 0, "the server served each of the calls")
	judge.EachOf(t, of, func(s judge.Step) {
		if s.Exchange.Answered() && s.Exchange.Status() < 400 && match.IsError(s.Reply()) {
			t.Tolerate(s.Head(), "the server refuses the subscription with HTTP status %d and %s", s.Exchange.Status(), s.Reply().Words().Error)
			return
		}
		t.Expect(s.Head()).To(match.HaveStatusThat("an HTTP error status", func(status int) bool { return status >= 400 }))
	})
}

func checkRefusalBodyIsRPCError(t *judge.T, p observe.OnSteps) {
	of := judge.Filter(t.Steps(p.Steps), func(s judge.Step) bool {
		return s.Exchange.Response.MediaType() == "application/json" && len(s.Exchange.Response.Body) > 0
	})
	judge.Each(t, of, func(s judge.Step) {
		reply := s.Reply()
		t.Expect(reply).To(match.BeRPCError(t))
		if s.Sent().Framed {
			t.Expect(reply.Version()).To(match.BeText("2.0"))
		}
		observe.ExpectCallID(t, reply)
	})
}

func checkRefusalCode(t *judge.T, p observe.RefusalParams) {
	of := judge.Filter(t.Steps(p.Steps), func(s judge.Step) bool {
		return s.Exchange.Answered() && (match.IsError(s.Reply()) || match.IsHollow(s.Reply()))
	})
	judge.Each(t, of, func(s judge.Step) {
		observe.StopIfTaskGone(t, s)
		t.Expect(s.Reply()).To(match.BeRPCError(t, p.Codes...))
	})
}
