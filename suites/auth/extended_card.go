package auth

import (
	"maps"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type extendedParams struct {
	Step   string   `json:"step" step:"{}"`       // the call without valid credentials
	Full   []string `json:"full" step:"{}"`       // the call with them, in several forms
	Unless []string `json:"unless" names:"error"` // errors that say that there is none
}

// fullCardOrNotApplicable returns the step in which a known caller got the extended card. If the server
// has none, the requirement does not apply.
func (p extendedParams) fullCardOrNotApplicable(t *judge.T) judge.Step {
	s := observe.FirstAcceptedOrLast(t, p.Full)
	if !s.Accepted() && s.Reply().Refuses(p.Unless...) {
		t.StopNotApplicable("the server has no extended card: it answered %s", match.CodeOf(s.Reply()))
	}
	return s
}

// checkExtendedCardGuarded has a finding at most if the public card declares no scheme, since no
// client could then get a credential.
func checkExtendedCardGuarded(t *judge.T, p extendedParams) {
	full := p.fullCardOrNotApplicable(t)
	open := len(t.Case.ReadCard(t.Card()).Defined()) == 0
	switch {
	case open && full.Accepted():
		t.Tolerate(full.Reply(), "the server hands out its extended card, but its card declares no scheme by which clients could authenticate")
		return
	case open:
		t.StopUndecided("the extended card was not handed out, and the card declares no scheme: %s", full.Outcome())
	case len(t.Case.Transcript.Facts.Secrets) == 0 && full.Accepted():
		t.Fail(full.Reply().Result(), "handed out its extended card without a credential", wantRefusal)
	case len(t.Case.Transcript.Facts.Secrets) == 0:
		t.StopInconclusive(judge.CredentialFlags, "the server refused the extended card, and without a credential the run does not know whether there is one")
	}
	s := t.Step(p.Step)
	expectNoResult(t, s, wantRefusal)
	observe.RequireControlAccepted(t, s)
	t.OK(s.Head())
}

type extendedRightsParams struct {
	extendedParams
	Denied string `json:"denied" step:"{}"` // what the client may not do
}

// checkFewRightsReduceCard fails only if the server is seen to know that the client has few
// rights: which part of a card needs a right is the agent's choice.
func checkFewRightsReduceCard(t *judge.T, p extendedRightsParams) {
	full := p.fullCardOrNotApplicable(t)
	observe.RequireAccepted(t, full, "the extended card was not handed out")
	s := t.Step(p.Step)
	at := t.Case.Dialect.Card.Signed.At
	bare := func(v judge.Value) map[string]judge.Value {
		out := v.Members()
		maps.DeleteFunc(out, func(name string, _ judge.Value) bool { return record.Pointer(name) == at })
		return out
	}
	same := func(a, b judge.Value) bool { return maps.EqualFunc(bare(a), bare(b), judge.Value.Equal) }
	all := full.Reply().Result()
	switch low := s.Reply().Result(); {
	case !s.Accepted():
	case same(all, t.Card()):
		t.StopNotApplicable("the extended card says nothing that the public card does not say")
	case same(all, low) && p.wasDeniedElsewhere(t):
		t.Fail(low, "gave a client with few rights all of the extended card", "what takes a right to be kept from a client without it", all)
	case same(all, low):
		t.Finding(low, "the client with few rights gets the whole extended card; only you know whether parts of it need a right")
	}
	t.OK(s.Head())
}

// wasDeniedElsewhere reports whether the server refused the client something for want of rights.
func (p extendedRightsParams) wasDeniedElsewhere(t *judge.T) bool {
	s, ok := t.Find(p.Denied)
	return ok && s.Exchange != nil && !s.Accepted() &&
		(slices.Contains([]int{401, 403, 404}, s.Exchange.Standing()) || match.IsError(s.Reply()))
}
