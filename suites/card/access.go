package card

import (
	"regexp"
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type openCardParams struct {
	Step string `json:"step" step:"{}"` // the request for the card without credentials
	Card string `json:"card" step:"{}"` // by the operator's client
}

// checkCardNeedsNoCredential judges the request without credentials. If none are configured, every request is
// one. Other requirements judge a card that does not exist at all.
func checkCardNeedsNoCredential(t *judge.T, p openCardParams) {
	stopIfCardHostedElsewhere(t)
	step := p.Step
	if len(t.Case.Transcript.Facts.Secrets) == 0 {
		step = p.Card
		if s, named := cardStepOwedToConfig(t); named {
			step = "card/" + s.Name
		}
	}
	s := t.Step(step)
	if status := s.Exchange.Status(); status != 200 && status != 401 && status != 403 {
		t.StopUndecided("the server neither handed out nor refused the card: it answered HTTP %d", status)
	}
	t.Expect(s.Head()).To(match.HaveStatus(200))
}

type versionParams struct {
	_    cardPlay
	At   string `json:"at"`
	Is   string `json:"is"`
	Near string `json:"near"` // an expression for versions that are a finding only
}

func checkVersion(t *judge.T, p versionParams) {
	v := t.Card().At(p.At)
	if !v.Is(p.Is) && regexp.MustCompile(p.Near).MatchString(v.Text()) {
		t.Tolerate(v, "the card names the version %s, but should name %s", v.Shown(), p.Is)
		return
	}
	t.Expect(v).To(match.BeText(p.Is))
}

// aboutCredentials matches the words of a refusal that is about the identity of the caller.
var aboutCredentials = regexp.MustCompile(`(?i)auth|credential|token|api.?key|forbidden|permission|login`)

// checkCardCredentialAccepted leaves the requirement undecided if the call was refused for another reason
// than its credentials.
func checkCardCredentialAccepted(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	reply := s.Reply()
	status := s.Exchange.Status()
	about := status == 401 || status == 403 || status == 407
	for _, text := range reply.Failure().Strings() {
		about = about || aboutCredentials.MatchString(text.Text())
	}
	observe.StopIfCallShowsNothing(t, s, !s.Accepted() && !about, "was refused, but not because of its credentials")
	if !s.Accepted() {
		observe.RequireValidCredentials(t, s)
	}
	t.Expect(reply).Because("the call carried valid credentials").To(match.BeAResult())
}

// cardStepParams name a further request that has to do with the card.
type cardStepParams struct {
	_ cardPlay
	observe.OnStep
}

// checkCardMayNeedCredential judges the request without credentials, which the parameters name. If none are configured, every request
// is one.
func checkCardMayNeedCredential(t *judge.T, p cardStepParams) {
	stopIfCardHostedElsewhere(t)
	all := requireCardFetchSteps(t)
	with := all[max(0, slices.IndexFunc(all, func(s judge.Step) bool { return s.Exchange.Obtained() }))]
	if len(t.Case.Transcript.Facts.Secrets) > 0 {
		if !with.Exchange.Obtained() {
			t.StopUndecided("the server did not hand out the card with the configured credentials: %s", with.Outcome())
		}
		t.OK(with.Head())
		with = t.Step(p.Step)
	}
	switch status := with.Exchange.Status(); {
	case status == 200:
		t.StopNotApplicable("the server does not use this permission: it hands out its card without credentials")
	case status != 401 && status != 403:
		t.StopUndecided("the server neither handed out the card nor refused it because of missing credentials: %s", with.Outcome())
	case len(t.Case.Transcript.Facts.Secrets) == 0:
		t.StopInconclusive(judge.CredentialFlags, "the server refused the card (HTTP %d), and without a credential the run does not know whether it would hand it out", status)
	}
	t.OK(with.Head())
}

func checkMayServeOlderPath(t *judge.T, _ cardPlay) {
	stopIfCardConfiguredElsewhere(t)
	older, today := t.Step("card/older"), t.Step("card/well-known")
	switch {
	case !holdsCard(t, older):
		t.StopNotApplicable("the server does not use this permission: there is no card at the older path")
	case !holdsCard(t, today):
		t.StopNotApplicable("the server does not use this permission: it has a card at the older path only")
	}
	t.OK(older.Reply())
	t.OK(today.Reply())
}

func holdsCard(t *judge.T, s judge.Step) bool {
	return s.Exchange.Obtained() && t.Case.ReadCard(s.Reply()).MayBe()
}
