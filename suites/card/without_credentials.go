package card

import (
	"regexp"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

var openChecks = []judge.Check{
	judge.Define("discovery/open-card", "the card is handed out without credentials", openCard),
	judge.Define("card/version", "the card names the version of the protocol", version),
	judge.Define("auth/fits", "a credential that fits a scheme of the card is not refused", credentialFits),
}

type openCardParams struct {
	Step string `json:"step" step:"{}"` // the card, asked for by nobody
	Card string `json:"card" step:"{}"` // by the operator's client
}

// openCard: without credentials configured, every call is one without any. A card that is not
// there at all is for other requirements.
func openCard(t *judge.T, p openCardParams) {
	handedOut(t)
	step := p.Step
	if len(t.Case.Transcript.Facts.Secrets) == 0 {
		step = p.Card
		if s, named := namedElsewhere(t); named {
			step = "card/" + s.Name
		}
	}
	s := t.Step(step)
	if status := s.Exchange.Status(); status != 200 && status != 401 && status != 403 {
		t.Undecided("the server neither handed out nor refused the card: it answered HTTP %d", status)
	}
	t.Expect(s.Head()).To(match.HaveStatus(200))
}

type versionParams struct {
	_    onCard
	At   string `json:"at"`
	Is   string `json:"is"`
	Near string `json:"near"` // an expression for versions that are a finding only
}

func version(t *judge.T, p versionParams) {
	v := t.Card().At(p.At)
	if !v.Is(p.Is) && regexp.MustCompile(p.Near).MatchString(v.Text()) {
		t.Finding(v, "the card names the version %s, but should name %s", v.Shown(), p.Is)
		t.OK(v)
		return
	}
	t.Expect(v).To(match.BeText(p.Is))
}

// aboutCredentials is how a refusal sounds that is about who calls.
var aboutCredentials = regexp.MustCompile(`(?i)auth|credential|token|api.?key|forbidden|permission|login`)

// credentialFits: a refusal for another reason says nothing about credentials.
func credentialFits(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	reply := s.Reply()
	status := s.Exchange.Status()
	about := status == 401 || status == 403 || status == 407
	for _, text := range reply.Failure().Strings() {
		about = about || aboutCredentials.MatchString(text.Text())
	}
	if !s.Accepted() && !about {
		t.Undecided("the call %s was refused, but not because of its credentials: %s", p.Step, s.Outcome())
	}
	if !s.Accepted() {
		observe.RequireValidCredentials(t, s)
	}
	t.Expect(reply).Because("the call carried valid credentials").To(match.BeAResult())
}
