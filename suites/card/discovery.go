package card

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

var discoveryChecks = []judge.Check{
	judge.Define("discovery/card-available", "an agent card can be fetched from the configured or the well-known place", available),
	judge.Define("discovery/card-well-known", "the agent card is found at the well-known place", cardWellKnown),
	judge.Define("discovery/card-object", "what is served as the card is a JSON object", cardObject),
	judge.Define("discovery/card-media-type", "the card is delivered as application/json", cardMediaType),
	judge.Define("discovery/secure", "the card is fetched by https", cardSecure),
	judge.Define("discovery/health", "the health check answers successfully", health),
	judge.Define("discovery/no-secret-words", "no string of the card looks like a secret", noSecretWords),
	judge.Define("discovery/no-secrets", "the card holds none of the secrets the suite was configured with", noSecrets),
}

// onCard is for checks that look at the play in which the card was fetched.
type onCard struct {
	_ struct{} `step:"card/well-known"`
}

// namedElsewhere is the step at the place where the operator says that the card
// lies, if it would not have been found without that word. An older place is
// where it is found anyway, if there is none at today's.
func namedElsewhere(t *judge.T) (judge.Step, bool) {
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

// wellKnown leaves sentences about the well-known place without a subject where
// the operator named another.
func wellKnown(t *judge.T) {
	if s, ok := namedElsewhere(t); ok {
		t.NotApplicable("your configuration says that the card is elsewhere: %s", shorten.Visible(s.Exchange.URL, 160))
	}
}

// handedOut leaves sentences about how the server hands out its card without a
// subject where the operator's is none of the server's own to hand out.
func handedOut(t *judge.T) {
	if s, ok := t.Find("card/configured"); ok && s.Elsewhere {
		t.NotApplicable("your configuration names a card that the server does not serve: %s", shorten.Visible(s.Exchange.URL, 160))
	}
}

// fetched is the first place that held something as the card.
func fetched(t *judge.T) judge.Step {
	places := cardPlaces(t)
	for _, s := range places {
		if s.Exchange.Obtained() {
			return s
		}
	}
	t.Undecided("the server served no card: %s", places[0].Outcome())
	return judge.Step{}
}

// cardPlaces are the steps that asked for the card: one at an older place
// counts where today's has none.
func cardPlaces(t *judge.T) []judge.Step {
	places := slices.DeleteFunc(t.Steps([]string{"card/configured", "card/target", "card/well-known", "card/older"}), func(s judge.Step) bool { return s.Op != "card" })
	if len(places) == 0 {
		t.Step("card/well-known") // which may say why
		t.Undecided("the run did not ask for the card")
	}
	return places
}

// cardAvailable: a card that the operator names is the card, or there is none.
func available(t *judge.T, p objectParams) {
	p.FailIfBroken(t)
	places := cardPlaces(t)
	s := places[0]
	if s.Exchange.Dir == record.Given {
		t.NotApplicable("your configuration gives the card in a file, so the run fetched none: %s", shorten.Visible(s.Exchange.URL, 160))
	}
	for _, o := range places {
		if s.Name != "configured" && s.Name != "target" && s.Exchange.Status() != 200 {
			s = o
		}
	}
	observe.UndecidedIfGuarded(t, s)
	if s.Elsewhere && !s.Exchange.Obtained() {
		t.Undecided("the other host that your configuration names sent no card: %s", s.Outcome())
	}
	t.Expect(s.Head()).To(match.HaveStatus(200))
	t.Expect(s.Reply()).To(match.BeAnObject())
}

type objectParams struct {
	_ onCard
	observe.OwnRules
}

type foundParams struct {
	objectParams
	Object bool `json:"object"` // what is found has to be a JSON object
	Below  bool `json:"below"`  // the place is not said to be on the host: below the agent's address will do
}

func cardWellKnown(t *judge.T, p foundParams) {
	wellKnown(t)
	s := t.Step("card/well-known")
	if near, ok := t.Find("card/target"); ok && near.Exchange.Obtained() {
		if p.Below && strings.HasSuffix(pathOf(near), pathOf(s)) {
			s = near
		} else if ofAnother(t, near.Reply(), s) {
			t.Fail(s.Reply(), "handed out the card of another agent there; the agent's own is at "+shorten.Visible(near.Exchange.URL, 120), "the agent's card at the well-known place of its host", near.Reply())
		}
	}
	observe.UndecidedIfGuarded(t, s)
	t.Expect(s.Head()).To(match.HaveStatus(200))
	if p.Object {
		t.Expect(s.Reply()).To(match.BeAnObject())
	}
}

// pathOf is the path that a step asked for.
func pathOf(s judge.Step) string {
	u, err := url.Parse(s.Exchange.URL)
	if err != nil {
		return ""
	}
	return u.EscapedPath()
}

// ofAnother reports whether a step brought the card of another agent than a card is about: one
// of another name, at another address.
func ofAnother(t *judge.T, card judge.Value, s judge.Step) bool {
	if !holdsCard(t, s) {
		return false
	}
	own, other := t.Case.ReadCard(card), t.Case.ReadCard(s.Reply())
	return own.Name() != other.Name() && own.Preferred().URL() != other.Preferred().URL()
}

type cardObjectParams struct {
	objectParams
	WellKnown bool `json:"wellKnown"` // the sentence is about the well-known place
}

func cardObject(t *judge.T, p cardObjectParams) {
	if p.WellKnown {
		wellKnown(t)
	}
	t.Expect(fetched(t).Reply()).To(match.BeAnObject())
}

type mediaSuffixParams struct {
	_         onCard
	Suffix    bool `json:"suffix"`    // another type of JSON will do
	WellKnown bool `json:"wellKnown"` // the sentence is about the well-known place
}

func cardMediaType(t *judge.T, p mediaSuffixParams) {
	if p.WellKnown {
		wellKnown(t)
	}
	handedOut(t)
	s := fetched(t)
	if p.Suffix && strings.HasSuffix(s.Exchange.Response.MediaType(), "+json") {
		t.OK(s.Head())
		return
	}
	t.Expect(s.Head()).To(match.HaveMediaType("application/json"))
}

func cardSecure(t *judge.T, _ onCard) {
	handedOut(t)
	s := fetched(t)
	t.Expect(s.Head()).To(match.Head("a card that is fetched by https", func(judge.Value) bool { return strings.HasPrefix(s.Exchange.URL, "https:") },
		func(judge.Value) string { return "handed out its card at " + shorten.Visible(s.Exchange.URL, 120) }))
}

// noSecrets: what was recorded already bears the marks of the secrets that were
// taken out of it, so a mark in the card is a secret the server published.
func noSecrets(t *judge.T, _ onCard) {
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

func health(t *judge.T, p healthParams) {
	s := t.Step(p.Step)
	t.Expect(s.Head()).To(success())
	switch {
	case !p.Document:
	case len(s.Exchange.Response.Body) == 0: // nothing that would have to be JSON
		t.OK(s.Head())
	default:
		t.Expect(s.Head()).To(match.HaveMediaType("application/json"))
		t.Expect(s.Reply()).To(match.Should("a JSON document", judge.Value.Exists, nil))
	}
}

func success() match.HeadMatcher {
	return match.Head("an HTTP status of success", func(v judge.Value) bool { return v.Exchange().Status()/100 == 2 },
		func(v judge.Value) string { return fmt.Sprintf("answered HTTP status %d", v.Exchange().Status()) }).On(report.StatusLine)
}

// secretForms are what secrets look like that have a form of their own, or a
// word in front that says what follows.
var secretForms = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----|` +
	`\b(sk|pk|rk|xox[abprs]|ghp|gho|github_pat|glpat)[-_][A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]{3,}\b|\bAKIA[0-9A-Z]{16}\b|` +
	`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}|` +
	`(?i:\b(bearer|token|api[-_ ]?key|secret|password|passwd)\s*[:=]\s*\S*[0-9]\S{5,})`)

// noSecretWords: what only looks like a secret is for the operator to tell.
func noSecretWords(t *judge.T, p onCard) {
	noSecrets(t, p)
	card := t.Card()
	for _, f := range card.Strings() {
		if m := secretForms.FindString(f.Text()); m != "" {
			t.Fail(f, "publishes what looks like a secret: "+shorten.Visible(m, 12), "a card without static secrets")
		}
	}
	t.OK(card)
}
