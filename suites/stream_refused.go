package suites

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

var streamRefusedChecks = []judge.Check{
	judge.Define("stream/refused", "a subscription that must fail is refused before any result is streamed", streamRefused),
	judge.Define("stream/refused-status", "a failed subscription is answered with an HTTP error status", streamRefusedStatus),
	judge.Define("stream/refused-body", "a JSON body of a failed subscription is a JSON-RPC error", streamRefusedBody),
	judge.Define("stream/refused-code", "the error of a failed subscription has one of the named codes", streamRefusedCode),
}

// streamRefused: the refusal may be an HTTP error with any body or none, a
// JSON-RPC error, or a stream of one event with such an error.
func streamRefused(t *judge.T, p onSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		wants := "an HTTP error or a JSON-RPC error"
		if s.Exchange.Status() >= 400 {
			t.OK(s.Head())
			return
		}
		if !s.Exchange.IsStream() {
			t.Expect(s.Reply()).To(BeRPCError(t))
			return
		}
		events := s.Events()
		if len(events) == 0 {
			t.Fail(s.Head(), fmt.Sprintf("opened a stream without any event for %.1f s", (s.Exchange.End-s.Exchange.Start).Seconds()), wants)
		}
		// What follows the refusal, such as an event that says that the stream is
		// over, does not undo it.
		first := events[0]
		if i := slices.IndexFunc(events, isResponse); i >= 0 {
			first = events[i]
		}
		t.Expect(first).To(BeRPCError(t))
		t.Finding(first, "the server refuses the subscription by an event of a stream")
	})
}

// streamRefusedStatus: JSON-RPC as it is used elsewhere answers with 200.
func streamRefusedStatus(t *judge.T, p onSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		if s.Exchange.Answered() && s.Exchange.Status() < 400 && isError(s.Reply()) {
			t.Finding(s.Head(), "the server refuses the subscription with HTTP status %d and a JSON-RPC error", s.Exchange.Status())
			t.OK(s.Head())
			return
		}
		t.Expect(s.Head()).To(head("an HTTP error status", func(v judge.Value) bool { return v.Exchange().Status() >= 400 },
			func(v judge.Value) string { return fmt.Sprintf("answered HTTP status %d", v.Exchange().Status()) }).on(judge.StatusLine))
	})
}

func streamRefusedBody(t *judge.T, p onSteps) {
	var of []judge.Step
	for _, s := range t.Steps(p.Steps) {
		if s.Exchange.Response.MediaType() == "application/json" && len(s.Exchange.Response.Body) > 0 {
			of = append(of, s)
		}
	}
	judge.Each(t, of, func(s judge.Step) {
		reply := s.Reply()
		t.Expect(reply).To(BeRPCError(t))
		if s.Sent().Framed {
			t.Expect(reply.Version()).To(BeText("2.0"))
		}
		enveloped(t, reply)
	})
}

func streamRefusedCode(t *judge.T, p refusalParams) {
	var of []judge.Value
	for _, s := range t.Steps(p.Steps) {
		if s.Exchange.Answered() && (isError(s.Reply()) || isHollow(s.Reply())) {
			of = append(of, s.Reply())
		}
	}
	judge.Each(t, of, func(reply judge.Value) { t.Expect(reply).To(BeRPCError(t, p.Codes...)) })
}
