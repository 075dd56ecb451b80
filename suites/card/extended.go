package card

import (
	"regexp"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// The card that only known callers see.
var extendedChecks = []judge.Check{
	judge.Define("card/extended", "the card for known callers is whole", extendedCard),
	judge.Define("card/extended-told", "the card for known callers says something at each of the places", extendedTold),
	judge.Define("card/extended-announced", "a server that gives an extended card says so on its card", extendedAnnounced),
	judge.Define("card/extended-refusal", "a known caller who gets no extended card is told that there is none", extendedRefusal),
	judge.Define("card/extended-caching", "no cache is allowed to keep the extended card for everybody", extendedCaching),
	judge.Define("card/extended-secrets", "no string of the extended card looks like a secret", extendedSecrets),
}

type extendedParams struct {
	observe.OnSteps
	observe.OwnRules
	Lacking []string `json:"lacking" names:"error"` // say that the server has no such card
}

// extendedCard: whether the call needs params is another requirement.
func extendedCard(t *judge.T, p extendedParams) {
	p.FailIfBroken(t)
	s := observe.FirstAccepted(t, p.Steps)
	observe.StopIfLacking(t, s.Reply(), p.Lacking)
	t.Expect(s.Reply()).To(match.BeAResult())
}

type extendedToldParams struct {
	observe.OnStep
	At []string `json:"at"`
}

// extendedTold: where a binding leaves out what is empty, an empty card has all members.
func extendedTold(t *judge.T, p extendedToldParams) {
	s := observe.FirstAccepted(t, []string{p.Step})
	t.Expect(s.Reply()).To(match.BeAResult())
	for _, at := range p.At {
		t.Expect(s.Result().At(at)).To(match.Should("a text", func(v judge.Value) bool { return v.Text() != "" }, nil))
	}
}

type announcedParams struct {
	_ onCard
	observe.OnStep
}

// extendedAnnounced: by which error there is none is another requirement.
func extendedAnnounced(t *judge.T, p announcedParams) {
	s := t.Step(p.Step)
	claim := t.Card().At(t.Case.Dialect.Card.Claims["extended-card"])
	if s.Accepted() {
		t.Fail(claim, "says nothing on its card of the extended card that it gives", "a card that says so", s.Reply())
	}
	t.OK(claim)
	t.OK(s.Head())
}

type extendedRefusalParams struct {
	observe.OnSteps
	Codes []string `json:"codes" names:"error"`
}

// extendedRefusal: whether there is one cannot be seen on the public card.
func extendedRefusal(t *judge.T, p extendedRefusalParams) {
	s := observe.FirstAccepted(t, p.Steps)
	if s.Accepted() {
		t.NotApplicable("the server has an extended card")
	}
	if s.Exchange.Status() == 403 {
		observe.RequireValidCredentials(t, s)
	}
	t.Expect(s.Reply()).To(match.BeRPCError(t, p.Codes...))
}

const cacheHeader = "Cache-Control"

// extendedCaching: an answer to a POST is kept by no cache that was not told to, so
// that nothing has to be said.
func extendedCaching(t *judge.T, p observe.OnSteps) {
	s := observe.FirstAccepted(t, p.Steps)
	if !s.Accepted() {
		t.NotApplicable("there is no extended card: %s", s.Outcome())
	}
	got := strings.Join(s.Exchange.Response.Header().Values(cacheHeader), ", ")
	if got == "" {
		t.Vacuous("the server sent the extended card without the header %s", cacheHeader)
	}
	t.Expect(s.Head()).To(match.Head("an extended card that no shared cache may keep", func(judge.Value) bool {
		for word := range strings.SplitSeq(strings.ToLower(got), ",") {
			name, _, _ := strings.Cut(strings.TrimSpace(word), "=")
			if name == "public" || name == "s-maxage" {
				return false
			}
		}
		return true
	}, func(judge.Value) string {
		return "sent the extended card with " + cacheHeader + ": " + shorten.Visible(got, 80)
	}).On(cacheHeader))
}

// userInURL is a URL that carries a password.
var userInURL = regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^/\s:@]*:[^/\s@]+@`)

// extendedSecrets: what a known caller may see is the owner's to say, so that it is
// never more than a finding.
func extendedSecrets(t *judge.T, p observe.OnSteps) {
	s := observe.FirstAccepted(t, p.Steps)
	if !s.Accepted() {
		t.NotApplicable("there is no extended card: %s", s.Outcome())
	}
	card := s.Reply().Result()
	for _, v := range card.Strings() {
		switch text := v.Text(); {
		case strings.Contains(text, record.SecretMark):
			t.Finding(v, "the extended card contains a credential that clients log in with")
		case userInURL.MatchString(text):
			t.Finding(v, "the extended card contains a URL with a password")
		case secretForms.MatchString(text):
			t.Finding(v, "the extended card contains what looks like a secret: %s", shorten.Visible(secretForms.FindString(text), 12))
		}
	}
	t.OK(card)
}
