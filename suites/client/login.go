package client

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// plainCredentialParams name scenarios whose card is at an address of https, and its interfaces at addresses of http.
type plainCredentialParams struct {
	Plays []string `json:"plays"`
	// Production is the word by which the operator states that a credential there is a failure; "" if it is only shown.
	Production string `json:"production"`
}

// checkPlainCredentials judges whether the client keeps its credentials from addresses of plain HTTP.
func checkPlainCredentials(t *judge.T, p plainCredentialParams) {
	production := p.Production != "" && slices.Contains(t.Case.Transcript.Facts.Operator, p.Production)
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		last := s.Last()
		if len(s.Run.Granted) == 0 {
			t.StopInconclusive(remedyForCredentials, "the client was given no credential in the scenario '%s'", s.Play.Scenario)
		}
		if len(s.Cards()) == 0 {
			t.StopInconclusive(trustRemedy, "the client read no card in the scenario '%s'", s.Play.Scenario)
		}
		if shown := s.Requests(func(r judge.Request) bool { return !isSecure(r) && showsSecret(r) }); len(shown) > 0 {
			at, to := shown[0].Head(report.StatusLine), describeOrigin(shown[0].Exchange.URL)
			if production {
				t.Fail(at, "sent its credential to "+to, "credentials over https alone")
			}
			t.Tolerate(at, "the client sent its credential to %s, which is on this machine; in production that would be a failure", to)
			return
		}
		if !s.Ended() {
			stopBeforeEnd(t, s)
		}
		demandUseOfCredentials(t, s)
		t.OK(last)
	})
}

// showsSecret reports whether a request has a credential of its own start that is a secret.
func showsSecret(r judge.Request) bool {
	return slices.ContainsFunc(r.Exchange.Canaries, func(c record.Sighting) bool { return c.Kind != record.ClientIDCanary })
}

// checkProductionCalls judges whether calls travel over TLS. Those to this machine by an address of http that the card names are left
// out: nothing of them leaves the machine.
func checkProductionCalls(t *judge.T, _ struct{}) {
	seen := 0
	listPlain := func(s judge.Start) []judge.Request {
		cards := s.Cards()
		return s.Requests(func(r judge.Request) bool { return isPlainCallOfSecureAddress(t, r, cards) })
	}
	starts := t.AllStarts()
	if !slices.ContainsFunc(starts, func(s judge.Start) bool { return len(listPlain(s)) > 0 }) {
		t.Calls() // it may use the binding nowhere
	}
	judge.EachOf(t, starts, func(s judge.Start) {
		plain := listPlain(s)
		isPlain := func(r judge.Request) bool {
			return slices.ContainsFunc(plain, func(one judge.Request) bool { return one.Exchange == r.Exchange })
		}
		calls := s.Requests(func(r judge.Request) bool {
			return r.IsCall() && t.Requirement.For(r.By.Kind()) || isPlain(r)
		})
		eachOf(t, calls, func(r judge.Request) {
			u, err := url.Parse(r.Exchange.URL)
			switch {
			case isSecure(r):
				seen++
				t.OK(r.Head(report.StatusLine))
			case err != nil:
			case isPlain(r):
				t.Fail(r.Head(report.StatusLine), "called "+describeOrigin(r.Exchange.URL), "a call by https, as the card has the address")
			case !card.Loopback(u.Hostname()):
				t.Fail(r.Head(report.StatusLine), "called "+describeOrigin(r.Exchange.URL), "a call by https")
			}
		})
	})
	if seen == 0 {
		t.StopInconclusive("--with tls", "no call of the client came by TLS: the cards that it was given name addresses of http on this machine")
	}
}

// isPlainCallOfSecureAddress reports whether a request came by plain HTTP to an address that a card has for calls by https, in a
// binding that the requirement is about.
func isPlainCallOfSecureAddress(t *judge.T, r judge.Request, cards []card.Card) bool {
	rest, plain := strings.CutPrefix(r.Exchange.URL, "http://")
	return plain && slices.ContainsFunc(cards, func(c card.Card) bool {
		return slices.ContainsFunc(slices.Concat(c.Interfaces(), c.Entries(), []card.Interface{c.Preferred()}), func(i card.Interface) bool {
			of, known := t.Case.Dialect.Bindings[i.Transport()]
			return strings.HasPrefix(i.URL(), "https://") && (!known || t.Requirement.For(of.Kind)) && i.Covers("https://"+rest)
		})
	})
}

// checkProofKeys judges whether a client with the authorization code flow uses PKCE (RFC 7636).
func checkProofKeys(t *judge.T, p struct {
	Plays []string `json:"plays"`
}) {
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		last := s.Last()
		asked := s.Requests(func(r judge.Request) bool { return strings.HasPrefix(r.Name, "authorize") })
		switch {
		case len(asked) > 0:
		case !s.Ended():
			stopBeforeEnd(t, s)
		case s.Run.Patience:
			t.StopUndecided("the client did not ask the authorization endpoint, and did not end, in the scenario '%s': it may wait for a browser; have it call the address itself, which redirects at once", s.Play.Scenario)
		default:
			t.StopNotApplicable("the client did not ask the authorization endpoint: it may not have this flow (%s has its id)", credentialWays[record.ClientIDCanary])
		}
		var challenges []url.Values
		for _, r := range asked {
			form := readForm(r)
			if form.Get("code_challenge") == "" {
				t.Fail(r.Head(report.StatusLine), "asked for an authorization without `code_challenge`", "a `code_challenge`, since the card has `pkceRequired`")
			}
			challenges = append(challenges, form)
		}
		traded := s.Requests(func(r judge.Request) bool { return asksForToken(r) && readForm(r).Get("code") != "" })
		if len(traded) == 0 {
			t.StopUndecided("the client did not ask for a token by the code that it got in the scenario '%s'", s.Play.Scenario)
		}
		for _, r := range traded {
			verifier := readForm(r).Get("code_verifier")
			switch {
			case verifier == "":
				t.Fail(r.Head(report.StatusLine), "asked for a token without `code_verifier`", "the `code_verifier` of its `code_challenge`")
			case !slices.ContainsFunc(challenges, func(asked url.Values) bool { return fitsChallenge(verifier, asked) }):
				t.Fail(r.Head(report.StatusLine), "asked for a token by a `code_verifier` of another `code_challenge`", "the `code_verifier` of its `code_challenge`")
			}
		}
		t.OK(last)
	})
}

// readForm returns the parameters of a request, in its address or in a form.
func readForm(r judge.Request) url.Values {
	all := url.Values{}
	if u, err := url.Parse(r.Exchange.URL); err == nil {
		all = u.Query()
	}
	if body, err := url.ParseQuery(string(r.Exchange.Request.Body)); err == nil && r.Method() == "POST" {
		for name, values := range body {
			all[name] = append(all[name], values...)
		}
	}
	return all
}

// fitsChallenge reports whether a verifier belongs to a challenge.
func fitsChallenge(verifier string, asked url.Values) bool {
	due := verifier
	if asked.Get("code_challenge_method") == "S256" {
		sum := sha256.Sum256([]byte(verifier))
		due = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	return due == asked.Get("code_challenge")
}

// checkLoginSchemes shows whether the client makes use of the schemes of OpenID Connect and of mutual TLS.
func checkLoginSchemes(t *judge.T, p struct {
	Plays []string `json:"plays"`
}) {
	used := false
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		for _, r := range s.Requests(func(judge.Request) bool { return true }) {
			if strings.HasPrefix(r.Name, "discovery") || showsCertificate(r) {
				used = true
				t.OK(r.Call)
				return
			}
		}
		if !s.Ended() {
			stopBeforeEnd(t, s)
		}
	})
	if !used {
		t.StopNotApplicable("the client makes no use of the permission: it asked for no discovery document, and showed no certificate of its own")
	}
}

// showsCertificate reports whether the client showed a certificate of its own in the handshake of a request.
func showsCertificate(r judge.Request) bool {
	return isSecure(r) && r.Exchange.TLS.Subject != ""
}
