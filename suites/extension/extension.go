package extension

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

var extensionChecks = []judge.Check{
	judge.Define("extension/hint", "a hint about the wished output does not make a call fail", hint),
	judge.Define("extension/header-value", "a header that is sent has the one value it may have", headerValue),
	judge.Define("extension/trace", "an error bears no trace id of another call", trace),
}

type hintParams struct {
	Scenario string `json:"scenario" step:"{}/all"`
	Wish     string `json:"wish"`  // the type that was hinted at
	Part     string `json:"part"`  // the definition of a part of that type
	Modes    string `json:"modes"` // the card's output modes
}

// hint: taking a hint into account is a convention; that it was ignored by an
// agent that gives such output is worth knowing, that it makes the call fail is
// the fault.
func hint(t *judge.T, p hintParams) {
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
		t.Unused("the result contains no %s, which the hint asked for", p.Part)
	}
}

type headerParams struct {
	Header string `json:"header"`
	Value  string `json:"value"`
}

// headerValue reads the heads of all answers, once for each.
func headerValue(t *judge.T, p headerParams) {
	var of []judge.Value
	seen := map[*record.Exchange]bool{}
	for _, v := range t.All(judge.CardText, judge.ReplyText, judge.EventText, judge.OtherText) {
		if x := v.Exchange(); !seen[x] && x.Response.Header().Get(p.Header) != "" {
			seen[x] = true
			of = append(of, v)
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		got := v.Exchange().Response.Header().Get(p.Header)
		t.Expect(v).To(match.Head(p.Header+": "+p.Value, func(judge.Value) bool { return got == p.Value },
			func(judge.Value) string { return "sent " + p.Header + ": " + shorten.Visible(got, 60) }).On(p.Header))
	})
}

type traceParams struct {
	observe.OnSteps
	Header string `json:"header"` // of the call
	At     string `json:"at"`     // in the error
}

// trace: repeating the id of the call is one liberty, an id of the server's own
// another. The id of another client's call is neither.
func trace(t *judge.T, p traceParams) {
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
