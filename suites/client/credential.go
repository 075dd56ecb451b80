package client

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// credentialParams name calls that are made with a credential of a scheme on the card.
type credentialParams struct {
	Ops []string `json:"ops"`
}

// checkCredential judges whether calls have something in the place in which a scheme of the card has its credential.
// Whether it is a valid one is for the server to judge. Of a client that was given none nothing is expected.
func checkCredential(t *judge.T, p credentialParams) {
	t.Calls(p.Ops...) // it may use them nowhere
	seen, kept := 0, 0
	judge.EachOf(t, t.AllStarts(), func(s judge.Start) {
		cards := s.Cards()
		if len(cards) == 0 || len(cards[0].DefinedSchemes()) == 0 {
			return
		}
		given := len(t.Case.Transcript.Facts.Secrets)+len(s.Run.Granted) > 0
		eachOf(t, s.Calls(p.Ops...), func(r judge.Request) {
			seen++
			var due []string
			hidden := false
			if showsSomeCredential(r, cards[0]) {
				t.OK(r.Call)
				return
			}
			if !isSecure(r) && len(s.Requests(isSecure)) > 0 { // it rightly keeps its credential there
				kept++
				return
			}
			for _, scheme := range cards[0].DefinedSchemes() {
				in, name := scheme.Place()
				hidden = hidden || in == ""
				due = append(due, fmt.Sprintf("the %s %s", in, shorten.Visible(shorten.Clip(name, 40), 40)))
			}
			switch {
			case hidden:
				t.StopUndecided("the card has a scheme whose credential does not show in a request")
			case !given:
				t.StopInconclusive(remedyForCredentials, "the client was given no credential, and called %s without one", r.By.Title(r.Op))
			}
			demandUseOfCredentials(t, s)
			if slices.ContainsFunc(s.Calls(r.Op), func(later judge.Request) bool {
				return later.Exchange.Start >= r.Exchange.End && showsSomeCredential(later, cards[0])
			}) {
				t.Tolerate(r.Head(report.StatusLine), "the client called %s without a credential first, and then with one", r.By.Title(r.Op))
				return
			}
			t.Fail(r.Head(report.StatusLine), "called "+r.By.Title(r.Op)+" without a credential", "a credential of a scheme on the card: "+strings.Join(due[:min(4, len(due))], ", or "))
		})
	})
	if seen == 0 {
		t.StopNotApplicable("no card that the client was given declares a scheme")
	}
	if kept == seen {
		t.StopVacuous("the client made calls by plain HTTP alone, after cards by https, and rightly kept its credential from them")
	}
}

// showsSomeCredential reports whether a request has a value in the place of one of a card's schemes.
func showsSomeCredential(r judge.Request, c card.Card) bool {
	return slices.ContainsFunc(c.DefinedSchemes(), func(scheme card.Scheme) bool {
		in, name := scheme.Place()
		return in != "" && hasCredential(r, in, name)
	})
}

// hasCredential reports whether a request has a value in the place of a credential.
func hasCredential(r judge.Request, in, name string) bool {
	switch in {
	case card.InHeader:
		return r.Header().Get(name) != ""
	case card.InQuery:
		u, err := url.Parse(r.Exchange.URL)
		return err == nil && u.Query().Get(name) != ""
	}
	c, err := (&http.Request{Header: r.Header()}).Cookie(name)
	return err == nil && c.Value != ""
}

// checkSchemeWord judges whether what calls have in the field Authorization begins with the name of a scheme on the card,
// after which the credential follows. The credential itself is not on record.
func checkSchemeWord(t *judge.T, _ struct{}) {
	seen := 0
	judge.EachOf(t, t.AllStarts(), func(s judge.Start) {
		words := listSchemeWords(s.Cards())
		if len(words) == 0 {
			return
		}
		eachOf(t, s.Calls(), func(r judge.Request) {
			sent := strings.TrimSpace(r.Header().Get("Authorization"))
			if sent == "" {
				return
			}
			seen++
			word, credential, two := strings.Cut(sent, " ")
			at, due := r.Head("Authorization"), "the credential after one of these names: "+strings.Join(words, ", ")
			switch {
			case !two || strings.TrimSpace(credential) == "":
				t.Fail(at, "sent a field Authorization of one word", due)
			case !slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, word) }):
				t.Fail(at, "sent a credential after the name "+shorten.Visible(shorten.Clip(word, 40), 40), due)
			}
			t.OK(at)
		})
	})
	if seen == 0 {
		t.StopVacuous("the client showed no credential in Authorization after a card with a scheme of HTTP")
	}
}

// listSchemeWords returns the names of the schemes of HTTP that cards define; none if a key of the agent's own may be
// in the field Authorization as well.
func listSchemeWords(cards []card.Card) (words []string) {
	for _, c := range cards {
		for _, scheme := range c.DefinedSchemes() {
			in, name := scheme.Place()
			word := scheme.Word()
			switch {
			case in != card.InHeader || !strings.EqualFold(name, "Authorization"):
				continue
			case scheme.Kind() == "apikey":
				return nil
			case scheme.Kind() == "oauth2" || scheme.Kind() == "openidconnect":
				word = "Bearer"
			}
			if word = shorten.Visible(shorten.Clip(word, 40), 40); word != "" && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}
