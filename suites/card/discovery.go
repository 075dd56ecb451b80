package card

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// cardPlay is embedded by the parameters of checks that look at the play in which the card was
// fetched.
type cardPlay struct {
	_ struct{} `step:"card/well-known"`
}

// cardStepOwedToConfig returns the step that fetched the card from the place in the configuration,
// if the card would not have been found without it. The run also finds a card at an older place
// by itself, if there is none at the current one.
func cardStepOwedToConfig(t *judge.T) (judge.Step, bool) {
	s, ok := t.Find("card/configured")
	if !ok {
		return s, false
	}
	today, _ := t.Find("card/well-known")
	if today.Step != nil && today.Exchange == s.Exchange {
		return s, false
	}
	older, _ := t.Find("card/older")
	return s, older.Step == nil || older.Exchange != s.Exchange || today.Step != nil && today.Exchange.Obtained()
}

// stopIfCardConfiguredElsewhere makes a requirement about the well-known place not applicable if the
// configuration names another place.
func stopIfCardConfiguredElsewhere(t *judge.T) {
	if s, ok := cardStepOwedToConfig(t); ok {
		t.StopNotApplicable("your configuration says that the card is elsewhere: %s", shorten.Visible(s.Exchange.URL, 160))
	}
}

// stopIfCardHostedElsewhere makes a requirement about the way in which the server hands out its card not
// applicable if the configured card is not served by it.
func stopIfCardHostedElsewhere(t *judge.T) {
	if s, ok := t.Find("card/configured"); ok && s.Elsewhere {
		t.StopNotApplicable("your configuration names a card that the server does not serve: %s", shorten.Visible(s.Exchange.URL, 160))
	}
}

// requireStepReceivingCard returns the first step that received something as the card.
func requireStepReceivingCard(t *judge.T) judge.Step {
	places := requireCardFetchSteps(t)
	for _, s := range places {
		if s.Exchange.Obtained() {
			return s
		}
	}
	t.StopUndecided("the server served no card: %s", places[0].Outcome())
	return judge.Step{}
}

// requireServerHostedCard returns the step that fetched the card, if it is for the server to serve it.
func requireServerHostedCard(t *judge.T) judge.Step {
	stopIfCardHostedElsewhere(t)
	return requireStepReceivingCard(t)
}

// requireCardFetchSteps returns the steps that requested the card. The step at an older place counts if
// there is no card at the current place.
func requireCardFetchSteps(t *judge.T) []judge.Step {
	places := slices.DeleteFunc(t.Steps([]string{"card/configured", "card/target", "card/well-known", "card/older"}), func(s judge.Step) bool { return s.Op != "card" })
	if len(places) == 0 {
		t.Step("card/well-known") // which may say why
		t.StopUndecided("the run did not ask for the card")
	}
	return places
}

// checkCardAvailable judges the card at the configured place, if there is one, and no other.
func checkCardAvailable(t *judge.T, p objectParams) {
	p.FailIfBroken(t)
	places := requireCardFetchSteps(t)
	s := places[0]
	if s.Exchange.Dir == record.Given {
		t.StopNotApplicable("your configuration gives the card in a file, so the run fetched none: %s", shorten.Visible(s.Exchange.URL, 160))
	}
	for _, o := range places {
		if s.Name != "configured" && s.Name != "target" && s.Exchange.Status() != 200 {
			s = o
		}
	}
	observe.StopIfDocumentGuarded(t, s)
	if s.Elsewhere && !s.Exchange.Obtained() {
		t.StopUndecided("the other host that your configuration names sent no card: %s", s.Outcome())
	}
	t.Expect(s.Head()).To(match.HaveStatus(200))
	t.Expect(s.Reply()).To(match.BeAnObject())
}

type objectParams struct {
	_ cardPlay
	observe.OwnRules
}

type foundParams struct {
	objectParams
	Object bool `json:"object"` // what is found has to be a JSON object
	Below  bool `json:"below"`  // the source does not require the root of the host: a place below the agent's address is enough
}

func checkCardWellKnown(t *judge.T, p foundParams) {
	stopIfCardConfiguredElsewhere(t)
	s := t.Step("card/well-known")
	if near, ok := t.Find("card/target"); ok && near.Exchange.Obtained() {
		if p.Below && strings.HasSuffix(parseRequestPath(near), parseRequestPath(s)) {
			s = near
		} else if isOtherAgentsCard(t, near.Reply(), s) {
			t.Fail(s.Reply(), "handed out the card of another agent there; the agent's own is at "+shorten.Visible(near.Exchange.URL, 120), "the agent's card at the well-known place of its host", near.Reply())
		}
	}
	observe.StopIfDocumentGuarded(t, s)
	t.Expect(s.Head()).To(match.HaveStatus(200))
	if p.Object {
		t.Expect(s.Reply()).To(match.BeAnObject())
	}
}

// parseRequestPath returns the path that a step requested.
func parseRequestPath(s judge.Step) string {
	u, err := url.Parse(s.Exchange.URL)
	if err != nil {
		return ""
	}
	return u.EscapedPath()
}

// isOtherAgentsCard reports whether a step brought the card of another agent than a card is about: one
// of another name, at another address.
func isOtherAgentsCard(t *judge.T, ownCard judge.Value, s judge.Step) bool {
	if !holdsCard(t, s) {
		return false
	}
	own, other := t.Case.ReadCard(ownCard), t.Case.ReadCard(s.Reply())
	return own.Name() != other.Name() && own.Preferred().URL() != other.Preferred().URL()
}

type cardObjectParams struct {
	objectParams
	WellKnown bool `json:"wellKnown"` // the sentence is about the well-known place
}

func checkCardIsJSONObject(t *judge.T, p cardObjectParams) {
	if p.WellKnown {
		stopIfCardConfiguredElsewhere(t)
	}
	t.Expect(requireStepReceivingCard(t).Reply()).To(match.BeAnObject())
}

type mediaSuffixParams struct {
	_         cardPlay
	Suffix    bool `json:"suffix"`    // another type of JSON will do
	WellKnown bool `json:"wellKnown"` // the sentence is about the well-known place
}

func checkCardMediaType(t *judge.T, p mediaSuffixParams) {
	if p.WellKnown {
		stopIfCardConfiguredElsewhere(t)
	}
	s := requireServerHostedCard(t)
	if p.Suffix && strings.HasSuffix(s.Exchange.Response.MediaType(), "+json") {
		t.OK(s.Head())
		return
	}
	t.Expect(s.Head()).To(match.HaveMediaType("application/json"))
}

func checkCardFetchedOverHTTPS(t *judge.T, _ cardPlay) {
	s := requireServerHostedCard(t)
	t.Expect(s.Head()).To(match.Head("a card that is fetched by https", func(judge.Value) bool { return strings.HasPrefix(s.Exchange.URL, "https:") },
		func(judge.Value) string { return "handed out its card at " + shorten.Visible(s.Exchange.URL, 120) }))
}

// checkCardLacksKnownCredentials looks for the marks that replace configured secrets in the record: a mark in the
// card is a secret that the server published.
func checkCardLacksKnownCredentials(t *judge.T, _ cardPlay) {
	card := t.Card()
	body := string(card.Exchange().Response.Body)
	if i := strings.Index(body, record.SecretMark); i >= 0 {
		name, _, _ := strings.Cut(body[i:], "⟧")
		t.Fail(card, "published in its card the "+strings.TrimPrefix(name, record.SecretMark)+" credential that clients log in with", "a card without plaintext secrets")
	}
	t.OK(card)
}

type healthParams struct {
	observe.OnStep
	Document bool `json:"document"` // and with a JSON document, if with anything
}

func checkHealthSuccessAndJSON(t *judge.T, p healthParams) {
	s := t.Step(p.Step)
	t.Expect(s.Head()).To(match.HaveStatusThat("an HTTP status of success", func(status int) bool { return status/100 == 2 }))
	switch {
	case !p.Document:
	case len(s.Exchange.Response.Body) == 0: // nothing that would have to be JSON
		t.OK(s.Head())
	default:
		t.Expect(s.Head()).To(match.HaveMediaType("application/json"))
		t.Expect(s.Reply()).To(match.Should("a JSON document", judge.Value.Exists, nil))
	}
}

// secretForms matches secrets that have a form of their own, or that follow a word such as
// "password".
var secretForms = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----|` +
	`\b(sk|pk|rk|xox[abprs]|ghp|gho|github_pat|glpat)[-_][A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]{3,}\b|\bAKIA[0-9A-Z]{16}\b|` +
	`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}|` +
	`(?i:\b(bearer|token|api[-_ ]?key|secret|password|passwd)\s*[:=]\s*\S*[0-9]\S{5,})`)

// checkCardLacksSecretLikeTexts also fails on strings that only look like secrets; the operator decides what
// they are.
func checkCardLacksSecretLikeTexts(t *judge.T, p cardPlay) {
	checkCardLacksKnownCredentials(t, p)
	card := t.Card()
	for _, f := range card.Strings() {
		if m := secretForms.FindString(f.Text()); m != "" {
			t.Fail(f, "publishes what looks like a secret: "+shorten.Visible(m, 12), "a card without static secrets")
		}
	}
	t.OK(card)
}
