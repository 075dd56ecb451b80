package extension

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type hintParams struct {
	Scenario string `json:"scenario" step:"{}/all"`
	Wish     string `json:"wish"`  // the type that was hinted at
	Part     string `json:"part"`  // the definition of a part of that type
	Modes    string `json:"modes"` // the card's output modes
}

// checkOutputHintHarmless fails if the hint makes the call fail. An agent that could follow the hint and did
// not is a finding, since hints are a convention.
func checkOutputHintHarmless(t *judge.T, p hintParams) {
	hinted := t.Step(p.Scenario + "/all")
	if !hinted.Accepted() {
		observe.RequirePlainAccepted(t, p.Scenario)
	}
	t.Expect(hinted.Reply()).To(match.BeAResult())
	card, _ := t.Case.Card()
	gives := slices.Contains(t.Case.ReadCard(card).OutputModes(), p.Wish)
	got := slices.ContainsFunc(t.Instances(p.Part), func(v judge.Value) bool { return v.Exchange() == hinted.Exchange })
	if gives && !got {
		t.Finding(hinted.Reply(), "the server does not follow the hint: the card lists %s, but the result contains no %s", p.Wish, p.Part)
	}
	if !got {
		t.StopUnused("the result contains no %s, which the hint asked for", p.Part)
	}
}

type headerParams struct {
	Header string `json:"header"`
	Value  string `json:"value"`
}

// checkPresentResponseHeaderValue reads the heads of all answers, once for each.
func checkPresentResponseHeaderValue(t *judge.T, p headerParams) {
	of := judge.Filter(observe.Responses(t), func(v judge.Value) bool { return v.Exchange().Response.Header().Get(p.Header) != "" })
	judge.Each(t, of, func(v judge.Value) {
		t.Expect(v).To(match.HaveHeader(p.Header+": "+p.Value, p.Header, func(value string) bool { return value == p.Value },
			func(value string) string { return "sent " + p.Header + ": " + shorten.Visible(value, 60) }))
	})
}

type traceParams struct {
	observe.OnSteps
	Header string `json:"header"` // of the call
	At     string `json:"at"`     // in the error
}

// checkErrorTraceIDNotForeign accepts the id of the call and an id of the server's own, but not the id of another
// client's call.
func checkErrorTraceIDNotForeign(t *judge.T, p traceParams) {
	steps := t.Steps(p.Steps)
	sent := func(s judge.Step) string { return s.Exchange.Request.Header().Get(p.Header) }
	of := slices.DeleteFunc(slices.Clone(steps), func(s judge.Step) bool { return !s.Reply().Failure().At(p.At).IsString() })
	judge.Each(t, of, func(s judge.Step) {
		got := s.Reply().Failure().At(p.At)
		for _, o := range steps {
			if o.Name != s.Name && got.Is(sent(o)) && sent(o) != sent(s) {
				t.Fail(got, "answered with the trace id of another call, "+got.Shown(), "its own id or the call's, "+sent(s))
			}
		}
		if !got.Is(sent(s)) {
			t.Finding(got, "the server does not repeat the %s of the call", p.Header)
		}
		t.OK(got)
	})
}

type obstacleParams struct {
	Step  string `json:"step" step:"{}"`
	Other string `json:"other" step:"{}"` // the same call with other extensions
}

// checkExtensionNoObstacle fails if the refusal mentions an extension, or if the same call is accepted
// with other extensions. Any other refusal has other reasons.
func checkExtensionNoObstacle(t *judge.T, p obstacleParams) {
	s := t.Step(p.Step)
	if s.Accepted() || s.Exchange.IsStream() {
		t.OK(s.Reply())
		return
	}
	speaks := false
	for _, text := range s.Reply().Failure().Strings() {
		speaks = speaks || strings.Contains(strings.ToLower(text.Text()), "extension")
	}
	if !speaks && !t.Step(p.Other).Accepted() {
		t.StopUndecided("the call %s was refused, but not because of an extension: %s", p.Step, s.Outcome())
	}
	why := "the same call is served with other extensions (" + p.Other + ")"
	if speaks {
		why = "the refusal speaks of an extension"
	}
	t.Expect(s.Reply()).Because("%s", why).To(match.BeAResult())
}
