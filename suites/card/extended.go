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

type extendedParams struct {
	observe.OnSteps
	observe.OwnRules
	Lacking []string `json:"lacking" names:"error"` // say that the server has no such card
}

// checkExtendedCardReturned does not judge if the call needs params, which is another requirement.
func checkExtendedCardReturned(t *judge.T, p extendedParams) {
	p.FailIfBroken(t)
	s := observe.FirstAcceptedOrLast(t, p.Steps)
	observe.StopVacuousIfRefusedWith(t, s.Reply(), p.Lacking)
	t.Expect(s.Reply()).To(match.BeAResult())
}

type extendedToldParams struct {
	observe.OnStep
	At []string `json:"at"`
}

// checkExtendedCardRequiredTexts requires a result first, since bindings that leave out empty members would
// make an empty card complete.
func checkExtendedCardRequiredTexts(t *judge.T, p extendedToldParams) {
	s := observe.FirstAcceptedOrLast(t, []string{p.Step})
	t.Expect(s.Reply()).To(match.BeAResult())
	for _, at := range p.At {
		t.Expect(s.Result().At(at)).To(match.Should("a text", func(v judge.Value) bool { return v.Text() != "" }, nil))
	}
}

// checkExtendedAnnounced does not judge which error the server returns, which is another
// requirement.
func checkExtendedAnnounced(t *judge.T, p cardStepParams) {
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

// checkMissingExtendedCardError makes the call in any case: the public card does not show if there is an
// extended card.
func checkMissingExtendedCardError(t *judge.T, p extendedRefusalParams) {
	s := observe.FirstAcceptedOrLast(t, p.Steps)
	observe.StopNotApplicableIf(t, s.Accepted(), "the server has an extended card")
	if s.Exchange.Status() == 403 {
		observe.RequireValidCredentials(t, s)
	}
	t.Expect(s.Reply()).To(match.BeRPCError(t, p.Codes...))
}

// requireExtendedCard returns the step that received the extended card. If none did, the
// requirement is not applicable.
func requireExtendedCard(t *judge.T, steps []string) judge.Step {
	s := observe.FirstAcceptedOrLast(t, steps)
	if !s.Accepted() {
		t.StopNotApplicable("there is no extended card: %s", s.Outcome())
	}
	return s
}

const cacheHeader = "Cache-Control"

// checkExtendedCardSharedCaching requires no header: caches keep responses to POST only if a header allows
// it.
func checkExtendedCardSharedCaching(t *judge.T, p observe.OnSteps) {
	s := requireExtendedCard(t, p.Steps)
	got := strings.Join(s.Exchange.Response.Header().Values(cacheHeader), ", ")
	observe.StopVacuousIf(t, got == "", "the server sent the extended card without the header %s", cacheHeader)
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

// userInURL matches a URL with a password.
var userInURL = regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^/\s:@]*:[^/\s@]+@`)

// noteSecretsInExtendedCard only has findings: the owner decides what a known caller may see.
func noteSecretsInExtendedCard(t *judge.T, p observe.OnSteps) {
	s := requireExtendedCard(t, p.Steps)
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
