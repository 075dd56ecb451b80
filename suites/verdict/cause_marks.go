package verdict

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

func (g *grouping) addCall(v judge.Breach) {
	if v.Document.Play != nil && v.Document.Step != nil && (v.IsAboutWholeAnswer() || v.IsInErrorDetails()) {
		name := nameCall(v.Document)
		g.calls[name] = append(g.calls[name], v)
	}
}

// findCallElsewhere finds a failure about the answer to the same call in a binding that the
// agent prefers to the one of a violation: the code behind both bindings answered so.
func (g *grouping) findCallElsewhere(v judge.Breach) (other judge.Breach, found bool) {
	if v.Document.Play == nil || v.Document.Step == nil || !v.IsAboutWholeAnswer() && !v.IsInErrorDetails() && v.Header != report.StatusLine {
		return judge.Breach{}, false
	}
	for _, o := range g.calls[nameCall(v.Document)] {
		if g.bindingOf(o) < g.bindingOf(v) && o.IsInErrorDetails() == v.IsInErrorDetails() && g.outcomeOf(o) == g.outcomeOf(v) {
			return o, true
		}
	}
	return judge.Breach{}, false
}

// outcomeOf reports whether the call of a violation was taken, refused, or neither.
func (g *grouping) outcomeOf(v judge.Breach) string {
	answer := decodeAnswer(g.c.BindingOf(v.Document.Play, v.Document.Step), v.Operation(), v.Document.Exchange)
	switch {
	case answer.Failure.Present():
		return refused
	case answer.Result.Present():
		return accepted
	}
	return ""
}

// bindingOf returns the number of the binding in which a violation was seen.
func (g *grouping) bindingOf(v judge.Breach) int {
	if v.Document.Play == nil {
		return 0
	}
	return max(0, slices.Index(g.c.Transcript.Facts.Bindings, v.Document.Play.By(v.Document.Step)))
}

// isUnavailable reports whether the service answers nothing at all for the time being, in the
// words of HTTP (RFC 9110, section 15.6.4) or of gRPC, whose clients read one as the other.
func isUnavailable(v judge.Breach) bool {
	if g := v.Document.Exchange.GRPC(); g != nil {
		return g.Status() == "UNAVAILABLE" && len(g.Details) == 0
	}
	return v.Document.Exchange.Status() == http.StatusServiceUnavailable && !v.Document.Answer.IsResponse()
}

// isUnauthorizedResult reports whether a violation is that somebody got a result who shows no valid
// credential, or those of another client: whoever mends the guard for one call mends it
// for all that are let in so.
func isUnauthorizedResult(v judge.Breach) bool {
	s := v.Document.Step
	return s != nil && slices.Contains([]record.Caller{record.Nobody, record.Stranger, record.Second, record.Low}, s.As) &&
		v.Node != nil && v.Document.Answer.Result.Present() && v.Pointer == v.Document.Answer.Result.At
}

// findOuter finds what a violation is inside of and that is broken as a whole: an
// object, an event, a response that should not have come, or a result in place of a
// refusal.
func (g *grouping) findOuter(v judge.Breach) (outer judge.Breach, found bool) {
	for _, o := range g.rejected[exchangeEventKey(v.Document)] {
		whole := o.Pointer != "" || o.Document.Event > 0 || g.c.answersNotification(o.Document) || wronglyTaken(o)
		if rest, below := strings.CutPrefix(v.Pointer, o.Pointer); whole && below && strings.HasPrefix(rest, "/") && (!found || len(o.Pointer) < len(outer.Pointer)) {
			outer, found = o, true
		}
	}
	return outer, found
}

// wronglyTaken reports whether a violation is that a call has a result that had to be
// refused.
func wronglyTaken(v judge.Breach) bool {
	return v.Due != nil && v.Pointer == "" && v.Document.Answer.Result.Present() && !v.Document.Answer.Failure.Present()
}

// answerTo finds a failure about the whole answer to a call that had to be refused: its
// status is that of the wrong answer.
func (g *grouping) answerTo(v judge.Breach) (answer judge.Breach, found bool) {
	for event := range 1 + len(v.Document.Exchange.Events()) {
		for _, o := range g.rejected[textName{v.Document.Exchange, event}] {
			if (o.IsAboutWholeAnswer() || o.Pointer == o.Document.Answer.Result.At) && (o.Due != nil || g.isMalformed(o.Document.Play, o.Document.Step)) {
				return o, true
			}
		}
	}
	return judge.Breach{}, false
}

// findTakenCall finds a call that had to be refused and was taken instead, earlier in the
// same conversation and about the same task: what is wrong with that task afterwards comes
// of it.
func (g *grouping) findTakenCall(v judge.Breach) (call judge.Breach, found bool) {
	s, p := v.Document.Step, v.Document.Play
	if s == nil || p == nil || s.Task == "" || v.IsAboutWholeAnswer() || !v.Document.Answer.Result.Present() {
		return judge.Breach{}, false
	}
	for i := range p.Steps {
		o := &p.Steps[i]
		if o.Task != s.Task || o.Exchange == nil || o.Exchange == v.Document.Exchange || o.Exchange.End > v.Document.Exchange.Start || o.Invalid {
			continue
		}
		for _, other := range g.rejected[textName{o.Exchange, 0}] {
			if wronglyTaken(other) {
				return other, true
			}
		}
	}
	return judge.Breach{}, false
}

// lacksNewMember reports whether a violation is that a card lacks something, and the card
// is one of another version, which may not have it.
func (g *grouping) lacksNewMember(v judge.Breach) bool {
	at := g.c.Dialect.Detect.Version
	if v.Document.Kind != judge.CardText && v.Document.Kind != judge.CardElsewhere || at == "" || v.Node != nil && v.Pointer != at {
		return false
	}
	return slices.ContainsFunc(g.rejected[exchangeEventKey(v.Document)], func(o judge.Breach) bool {
		return o.Pointer == at && o.Node != nil
	})
}

// findContradicted finds a failure at the place that a violation contradicts: two
// places clash if one of them is broken already.
func (g *grouping) findContradicted(v judge.Breach) (other judge.Breach, found bool) {
	for _, a := range v.Against {
		if a.Document == nil {
			continue
		}
		for _, o := range g.rejected[exchangeEventKey(a.Document)] {
			if !slices.ContainsFunc(o.Against, v.Covers) && (o.Pointer == a.Pointer || strings.HasPrefix(o.Pointer, a.Pointer+"/") || o.Pointer != "" && strings.HasPrefix(a.Pointer, o.Pointer+"/")) {
				return o, true
			}
		}
	}
	return judge.Breach{}, false
}

// answersNotification reports whether a text answers a notification.
func (c *Decider) answersNotification(s *judge.Document) bool {
	sent := c.BindingOf(s.Play, s.Step).Sent(s.Exchange)
	return sent.Framed && sent.Call != nil && sent.Call.Kind == record.Object && sent.ID == nil
}
