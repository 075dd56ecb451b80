package interfaces

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// checkEachInterfaceAnswers looks at a call as it was made at each interface on the card. It skips interfaces
// whose listed address was not called, because the configuration names another or the host may
// belong to others, and calls without an answer in time, which show nothing about the address.
func checkEachInterfaceAnswers(t *judge.T, p observe.OnStep) {
	observe.SeveralInterfaces(t)
	all := t.Case.ReadCard(t.Card()).Interfaces()
	scenario, name, _ := strings.Cut(p.Step, "/")
	called := slices.DeleteFunc(t.StepAtAllInterfaces(scenario, name), func(s judge.Step) bool {
		by := observe.BindingName(t, s)
		listed := slices.ContainsFunc(all, func(i card.Interface) bool { return i.Transport() == by && i.Serves(s.Exchange.URL) })
		return !listed || !s.Exchange.Answered() && !s.Exchange.Refused()
	})
	if len(called) == 0 {
		t.StopIfRefused()
		t.StopUndecided("none of the interfaces on the card was called")
	}
	judge.Each(t, called, func(s judge.Step) {
		t.Expect(s.Reply()).To(match.Should("an answer of the protocol by "+observe.BindingName(t, s), match.IsResponse, match.Outcome))
	})
}
