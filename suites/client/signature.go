package client

import (
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// keyRemedy is what an operator adds so that a client verifies the cards of the run.
const keyRemedy = "{jwks} in the command, or have the client read A2A_CONFORM_JWKS: the file of the keys by which the cards are signed"

// forgeryParams name scenarios with a card that is not to be trusted.
type forgeryParams struct {
	Plays []string `json:"plays"`
	Plain string   `json:"plain"` // the scenario with a card that is to be trusted
	Wrong string   `json:"wrong"` // what is wrong with the others, in words that follow "a card"
	// Fetched is set if only a client is judged that fetches the keys in the plain scenario.
	Fetched bool `json:"fetched"`
	// Forged are scenarios with forged cards: a call counts only if the client makes none there, since it then verifies signatures.
	Forged []string `json:"forged"`
	// Shown are scenarios in which a call is a finding.
	Shown []string `json:"shown"`
	// Permission is set if a client may trust such a card as well.
	Permission bool `json:"permission"`
}

// checkForgery judges whether the client makes no call by a card whose signature is not valid. That it makes none shows
// something only of a client that makes one by a card whose signature is.
func checkForgery(t *judge.T, p forgeryParams) {
	fetched := func(s judge.Start) bool { return len(keyRequests(s)) > 0 }
	if p.Fetched && !slices.ContainsFunc(t.Starts(p.Plain), fetched) {
		t.StopNotApplicable("the client does not fetch the keys that a signature names")
	}
	called := false
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		last := s.Last()
		calls := s.Requests(judge.Request.IsCall)
		switch {
		case len(s.Cards()) == 0:
			t.StopInconclusive("", "the client read no card in the scenario '%s'", s.Play.Scenario)
		case p.Fetched && !fetched(s):
			t.StopInconclusive("", "the client fetched no keys in the scenario '%s'", s.Play.Scenario)
		case len(calls) > 0 && p.Permission:
			called = true
			return
		case len(calls) > 0 && s.IsOf(p.Shown...):
			t.Tolerate(calls[0].Call, "the client made a call in the scenario '%s' (%s), which is only shown", s.Play.Scenario, shorten.Visible(shorten.Clip(s.Run.Fault, 100), 100))
			return
		case len(calls) > 0:
			demandVerification(t, p.Forged)
			t.Fail(calls[0].Head(report.StatusLine), "made a call by a card "+p.Wrong, "no call")
		case !s.Ended():
			stopBeforeEnd(t, s)
		}
		demandTrust(t, p.Plain)
		t.OK(last)
	})
	if called {
		t.StopNotApplicable("the client makes no use of the permission: it made a call by a card %s", p.Wrong)
	}
}

// demandVerification leaves a requirement out unless the client made no call in some scenarios with forged cards.
func demandVerification(t *judge.T, forged []string) {
	if len(forged) == 0 {
		return
	}
	for _, s := range t.Starts(forged...) {
		demandNoCall(t, s)
	}
}

// demandNoCall leaves a requirement out if the client made a call in a scenario with a forged card: it verifies no signatures.
func demandNoCall(t *judge.T, s judge.Start) {
	if len(s.Requests(judge.Request.IsCall)) > 0 {
		t.StopNotApplicable("the client does not verify signatures: it made a call in the scenario '%s'", s.Play.Scenario)
	}
}

// demandTrust leaves a requirement undecided unless the client sent its message in the plain scenario with a signed card.
func demandTrust(t *judge.T, plain string) {
	for _, s := range t.Starts(plain) {
		if len(messagesOf(t, s)) == 0 {
			t.StopInconclusive(keyRemedy, "the client sent no message in the plain scenario '%s' either", plain)
		}
	}
}

// keyRequests returns the requests for the keys that a signature names.
func keyRequests(s judge.Start) []judge.Request {
	return s.Requests(func(r judge.Request) bool { return strings.HasPrefix(r.Name, "keys") })
}

// signedParams name scenarios with signed cards.
type signedParams struct {
	Plays []string `json:"plays"`
	Plain string   `json:"plain"` // the one whose card is served in the form that is signed
	// Forged are those of them with a card that is not to be trusted: only a client that makes no call there is judged.
	Forged []string `json:"forged"`
	// Disputed are those about which readings differ: it is a finding if no message comes.
	Disputed []string `json:"disputed"`
	// Permission is set if a client may refuse such a card.
	Permission bool `json:"permission"`
}

// checkSignedCards judges whether a client that verifies signatures takes the cards whose signatures are valid.
func checkSignedCards(t *judge.T, p signedParams) {
	for _, s := range t.Starts(p.Forged...) {
		s.Last()
		if !s.Ended() {
			stopBeforeEnd(t, s)
		}
		demandNoCall(t, s)
	}
	demandTrust(t, p.Plain)
	refused := ""
	valid := slices.DeleteFunc(t.Starts(p.Plays...), func(s judge.Start) bool { return s.IsOf(p.Forged...) })
	judge.EachOf(t, valid, func(s judge.Start) {
		last := s.Last()
		switch {
		case len(messagesOf(t, s)) > 0:
			t.OK(last)
		case !s.Ended():
			stopBeforeEnd(t, s)
		case p.Permission:
			refused = s.Play.Scenario
		case s.IsOf(p.Disputed...):
			t.Tolerate(last, "the client sent no message in the scenario '%s'; what is signed of such a card is disputed", s.Play.Scenario)
		default:
			t.Fail(last, "sent no message", "a message, since the signature is valid for the canonical form of the card, as in the plain scenario '"+p.Plain+"'")
		}
	})
	if refused != "" {
		t.StopNotApplicable("the client makes no use of the permission: it sent no message in the scenario '%s'", refused)
	}
}

// keyFetchParams name scenarios in which a signature names the address of its key.
type keyFetchParams struct {
	Plays []string `json:"plays"` // one of http
	// Secure are those with an address of https: they show whether the client fetches keys at all.
	Secure     []string `json:"secure"`
	Production string   `json:"production"` // by which the operator declares that a fetch is a failure
}

// checkKeyFetches judges whether the client fetches keys by https alone.
func checkKeyFetches(t *judge.T, p keyFetchParams) {
	production := slices.Contains(t.Case.Transcript.Facts.Operator, p.Production)
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		last := s.Last()
		for _, r := range keyRequests(s) {
			u, err := url.Parse(r.Exchange.URL)
			switch {
			case err != nil || u.Scheme != "http":
				continue
			case production:
				t.Fail(r.Head(report.StatusLine), "fetched keys from "+shorten.Visible(shorten.Clip(r.Exchange.URL, 80), 80), "keys from an address of https alone")
			}
			t.Tolerate(r.Head(report.StatusLine), "the client fetched keys from an address of http on this machine; in production that would be a failure")
			return
		}
		if !s.Ended() {
			stopBeforeEnd(t, s)
		}
		if !slices.ContainsFunc(t.AllStarts(), func(s judge.Start) bool { return s.IsOf(p.Secure...) && len(keyRequests(s)) > 0 }) {
			t.StopInconclusive("--with keys,tls", "the client fetched no keys at all, so that it fetches none by http shows nothing")
		}
		t.OK(last)
	})
}
