package card

import (
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Freedoms that a server has with its card. One that it makes no use of is not
// applicable; what else may be wrong with the answer is for other requirements.
var freedomChecks = []judge.Check{
	judge.Define("discovery/guarded-card", "the card is refused without credentials, and handed out with them", guardedCard),
	judge.Define("discovery/older-place", "the card is served at an older place, next to today's", olderPlace),
}

type guardedCardParams struct {
	_    onCard
	Step string `json:"step" step:"{}"` // the card, asked for by nobody
}

// guardedCard: without credentials configured, every call is one without any.
func guardedCard(t *judge.T, p guardedCardParams) {
	handedOut(t)
	with := cardPlaces(t)[0]
	for _, s := range cardPlaces(t) {
		if s.Exchange.Obtained() {
			with = s
			break
		}
	}
	if len(t.Case.Transcript.Facts.Secrets) > 0 {
		if !with.Exchange.Obtained() {
			t.Undecided("the server did not hand out the card with the configured credentials: %s", with.Outcome())
		}
		t.OK(with.Head())
		with = t.Step(p.Step)
	}
	switch status := with.Exchange.Status(); {
	case status == 200:
		t.NotApplicable("the server does not use this permission: it hands out its card without credentials")
	case status != 401 && status != 403:
		t.Undecided("the server neither handed out the card nor refused it because of missing credentials: %s", with.Outcome())
	case len(t.Case.Transcript.Facts.Secrets) == 0:
		t.Inconclusive(judge.CredentialFlags, "the server refused the card (HTTP %d), and without a credential the run does not know whether it would hand it out", status)
	}
	t.OK(with.Head())
}

func olderPlace(t *judge.T, _ onCard) {
	wellKnown(t)
	older, today := t.Step("card/older"), t.Step("card/well-known")
	switch {
	case !holdsCard(t, older):
		t.NotApplicable("the server does not use this permission: there is no card at the older path")
	case !holdsCard(t, today):
		t.NotApplicable("the server does not use this permission: it has a card at the older path only")
	}
	t.OK(older.Reply())
	t.OK(today.Reply())
}

func holdsCard(t *judge.T, s judge.Step) bool {
	return s.Exchange.Obtained() && t.Case.ReadCard(s.Reply()).MayBe()
}
