package card

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// agentPlay is embedded by the parameters of checks that look at the play with the server's
// agents.
type agentPlay struct {
	_ struct{} `step:"agents/"`
}

const agentsPlay = "agents"

// findAgentSteps returns the steps of that play that were made for each agent, such as info-1 and
// info-2.
func findAgentSteps(t *judge.T, what string) []judge.Step {
	out := slices.DeleteFunc(t.Played(agentsPlay), func(s judge.Step) bool {
		return s.Role != record.Main || !strings.HasPrefix(s.Name, what+"-") || !isAgentListedOrServed(t, s.Agent)
	})
	observe.StopUndecidedIf(t, len(out) == 0, "the server lists no agents that the run could ask for")
	return out
}

// isAgentListedOrServed reports whether the server has an agent: it lists it or, if it lists none, it shows
// or serves an agent of the name.
func isAgentListedOrServed(t *judge.T, agent string) bool {
	listed := card.ListedAgents(t.Step(agentsPlay + "/list").Reply().Node())
	if len(listed) > 0 {
		return true
	}
	return slices.ContainsFunc(t.Played(agentsPlay), func(s judge.Step) bool {
		if s.Agent != agent || s.Role != record.Main {
			return false
		}
		if s.Op == "send" {
			return s.Accepted()
		}
		return s.Exchange.Status() == 200 && s.Reply().IsObject()
	})
}

// findListedNamesOfAgent returns the names that the list has for an agent, including the name by which it
// was requested.
func findListedNamesOfAgent(t *judge.T, agent string) []string {
	for _, l := range card.ListedAgents(t.Step(agentsPlay + "/list").Reply().Node()) {
		if slices.Contains(l, agent) {
			return l
		}
	}
	return []string{agent}
}

// normalizeName returns a name in lower case with its letters and digits only.
func normalizeName(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

func hasSameLettersAndDigits(a, b string) bool { return normalizeName(a) == normalizeName(b) }

func checkAgentListNamesAnAgent(t *judge.T, _ agentPlay) {
	s := t.Step(agentsPlay + "/list")
	t.Expect(s.Head()).To(match.HaveStatus(200))
	t.Expect(s.Head()).To(match.HaveMediaType("application/json"))
	t.Expect(s.Reply()).To(match.Should("a list from which at least one agent's name can be read: strings, objects with a name or id, either under agents or data, or an object keyed by name",
		func(v judge.Value) bool { return len(card.ListedAgents(v.Node())) > 0 }, nil))
}

type documentParams struct {
	_  agentPlay
	Of string `json:"of"` // info or card
}

func checkAgentDocumentsServed(t *judge.T, p documentParams) {
	judge.Each(t, findAgentSteps(t, p.Of), func(s judge.Step) {
		t.Expect(s.Head()).To(match.HaveStatus(200))
		t.Expect(s.Reply()).To(match.BeAnObject())
	})
}

// checkAgentCardsNotSwapped only has a finding if the name on a card is not in the list, since the list may
// use another name for the agent than its card.
func checkAgentCardsNotSwapped(t *judge.T, _ agentPlay) {
	of := judge.Filter(findAgentSteps(t, "card"), func(s judge.Step) bool {
		name := cardNameIfAny(t, s)
		return name.IsString() && s.Exchange.Status() == 200
	})
	if len(of) < 2 {
		of = nil // a single card cannot be compared with another
	}
	judge.Each(t, of, func(s judge.Step) {
		name := cardNameIfAny(t, s)
		own := slices.ContainsFunc(findListedNamesOfAgent(t, s.Agent), func(n string) bool { return hasSameLettersAndDigits(n, name.Text()) })
		for _, o := range of {
			if o.Agent != s.Agent && !own && hasSameLettersAndDigits(cardNameIfAny(t, o).Text(), name.Text()) {
				t.Fail(name, fmt.Sprintf("gave the cards of %s and %s the same name, %s", quoteName(s.Agent), quoteName(o.Agent), name.Shown()), "the card of the agent in the path")
			}
			if o.Agent != s.Agent && !own && slices.ContainsFunc(findListedNamesOfAgent(t, o.Agent), func(n string) bool { return hasSameLettersAndDigits(n, name.Text()) }) {
				t.Fail(name, fmt.Sprintf("served the card of %s for %s", quoteName(o.Agent), quoteName(s.Agent)), "the card of the agent in the path")
			}
		}
		if !own {
			t.Finding(name, "the card of %s calls the agent %s", quoteName(s.Agent), name.Shown())
		}
		t.OK(name)
	})
}

func cardNameIfAny(t *judge.T, s judge.Step) judge.Value {
	return s.Reply().At(t.Case.Dialect.Card.Name)
}

func quoteName(name string) string { return shorten.Visible(fmt.Sprintf("%q", name), 60) }

// checkAgentInfoNamesAgent looks for the name at the top level and one level below.
func checkAgentInfoNamesAgent(t *judge.T, _ agentPlay) {
	judge.Each(t, findAgentSteps(t, "info"), func(s judge.Step) {
		t.Expect(s.Reply()).To(match.Should("a string equal to the agent's name "+quoteName(s.Agent)+" in it", func(v judge.Value) bool {
			return mentionsName(v.Node(), findListedNamesOfAgent(t, s.Agent), 2)
		}, nil))
	})
}

func mentionsName(n *record.Node, names []string, depth int) bool {
	if n == nil {
		return false
	}
	if n.Kind == record.String {
		return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, n.String) })
	}
	if depth == 0 {
		return false
	}
	for _, m := range n.Members {
		if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, m.Name) }) || mentionsName(m.Value, names, depth-1) {
			return true
		}
	}
	return slices.ContainsFunc(n.Elems, func(e *record.Node) bool { return mentionsName(e, names, depth-1) })
}

// checkEachAgentAnswersMessage accepts internal errors too: an agent that fails has answered.
func checkEachAgentAnswersMessage(t *judge.T, _ agentPlay) {
	judge.Each(t, findAgentSteps(t, "send"), func(s judge.Step) {
		if observe.IsInternalError(t, s) {
			t.OK(s.Reply())
			return
		}
		t.Expect(s.Reply()).To(match.BeAResult())
	})
}

type cardURLParams struct {
	_  struct{} `step:"quick/send"`
	_  agentPlay
	_  cardPlay
	At string `json:"at"`
}

// checkCardURLAnswers also counts calls that were made to the same address for another purpose.
// The run does not call addresses of other origins.
func checkCardURLAnswers(t *judge.T, p cardURLParams) {
	sends := slices.DeleteFunc(t.Played(agentsPlay, "quick"), func(s judge.Step) bool { return s.Op != "send" || s.Role != record.Main })
	of := map[string]judge.Step{}
	var cards []judge.Value
	for _, s := range sends {
		of[s.Exchange.URL] = s
	}
	for _, card := range t.Cards() {
		if u := card.At(p.At); of[u.Text()].Step != nil {
			cards = append(cards, card)
		}
	}
	observe.StopUndecidedIf(t, len(cards) == 0, "no card has a url that could be called")
	judge.Each(t, cards, func(card judge.Value) {
		u := card.At(p.At)
		t.OK(u)
		if !observe.IsInternalError(t, of[u.Text()]) {
			t.Expect(of[u.Text()].Reply()).Because("a card gives this address as its url").To(match.BeAResult())
		}
	})
}

func checkUnknownAgentInfoRefused(t *judge.T, _ agentPlay) {
	s := t.Step(agentsPlay + "/unknown-info")
	if s.Exchange.Answered() && match.IsError(s.Reply()) {
		t.OK(s.Reply())
		return
	}
	t.Expect(s.Head()).NotTo(match.InsteadOf(match.Head("HTTP success",
		func(v judge.Value) bool { return v.Exchange().Status()/100 == 2 },
		func(v judge.Value) string {
			return fmt.Sprintf("answered HTTP status %d without an error", v.Exchange().Status())
		}).On(report.StatusLine),
		"an error, since there is no agent of that name"))
}

func checkNoCardForUnknownAgent(t *judge.T, _ agentPlay) {
	s := t.Step(agentsPlay + "/unknown-card")
	if name := cardNameIfAny(t, s); s.Exchange.Status()/100 == 2 && name.IsString() {
		t.Fail(name, "served the card of "+quoteName(name.Text())+" for a name it does not have", "no card of an agent that does not exist")
	}
	t.OK(s.Head())
}

type errorDataParams struct {
	Step  string   `json:"step" step:"{}"`
	At    string   `json:"at"` // in the error
	Codes []string `json:"codes" names:"error"`
}

// requireRefusalReturningData returns the error that the requirement is about. If the call was not refused with it,
// which other requirements judge, the result is undecided.
func (p errorDataParams) requireRefusalReturningData(t *judge.T) (judge.Step, judge.Value) {
	s := t.Step(p.Step)
	if reply := s.Reply(); !match.IsError(reply) || !reply.Refuses(p.Codes...) {
		t.StopUndecided("the call %s was not refused with %s: %s", p.Step, strings.Join(p.Codes, " or "), s.Outcome())
	}
	return s, s.Reply().Failure().At(p.At)
}

func checkErrorNamesUnknownAgent(t *judge.T, p errorDataParams) {
	s, name := p.requireRefusalReturningData(t)
	t.Expect(name).To(match.BeTheText("the agent's name in the path of the call, ", s.Agent))
}

func checkErrorListsKnownAgents(t *judge.T, p errorDataParams) {
	_, list := p.requireRefusalReturningData(t)
	listed := card.ListedAgents(t.Step(agentsPlay + "/list").Reply().Node())
	observe.StopUndecidedIf(t, len(listed) == 0, "the server lists no agents that the error could be compared with")
	t.Expect(list).To(match.Should("an array with the names of the agents that are listed, and no others", func(v judge.Value) bool {
		if !v.IsArray() {
			return false
		}
		of := make([]bool, len(listed))
		for _, e := range v.Elems() {
			i := slices.IndexFunc(listed, func(l card.Names) bool { return e.IsString() && slices.Contains(l, e.Text()) })
			if i < 0 {
				return false
			}
			of[i] = true
		}
		return !slices.Contains(of, false)
	}, nil))
}
