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

var agentChecks = []judge.Check{
	judge.Define("agents/listed", "the server lists its agents as JSON", agentsListed),
	judge.Define("agents/documents", "a document is served about each listed agent", agentDocuments),
	judge.Define("agents/own-card", "the card of an agent describes that agent", ownCard),
	judge.Define("agents/own-info", "the information about an agent names it", ownInfo),
	judge.Define("agents/answer", "each listed agent answers at its own endpoint", agentsAnswer),
	judge.Define("agents/card-url", "the url of a card takes calls for its agent", URLAnswers),
	judge.Define("agents/unknown-info", "no information is given about an agent that does not exist", unknownInfo),
	judge.Define("agents/unknown-card", "no card is given of an agent that does not exist", unknownCard),
	judge.Define("agents/unknown-named", "the error about an unknown agent names it", unknownNamed),
	judge.Define("agents/known-listed", "the error about an unknown agent lists the agents there are", knownListed),
}

// onAgents is for checks that look at the play in which the agents were met.
type onAgents struct {
	_ struct{} `step:"agents/"`
}

const agentsPlay = "agents"

// met are the steps of that play that were made about each agent, such as info-1,
// info-2.
func met(t *judge.T, what string) []judge.Step {
	out := slices.DeleteFunc(t.Played(agentsPlay), func(s judge.Step) bool {
		return s.Role != record.Main || !strings.HasPrefix(s.Name, what+"-") || !isThere(t, s.Agent)
	})
	if len(out) == 0 {
		t.Undecided("the server lists no agents that the run could ask for")
	}
	return out
}

// isThere reports whether the server has an agent: it lists it or, if it lists none, it shows
// or serves an agent of the name.
func isThere(t *judge.T, agent string) bool {
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

// namesOf are the names that the list has for an agent, the one it was asked
// for by included.
func namesOf(t *judge.T, agent string) []string {
	for _, l := range card.ListedAgents(t.Step(agentsPlay + "/list").Reply().Node()) {
		if slices.Contains(l, agent) {
			return l
		}
	}
	return []string{agent}
}

// plain is a name without regard to case and separators.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

func sameName(a, b string) bool { return plain(a) == plain(b) }

func agentsListed(t *judge.T, _ onAgents) {
	s := t.Step(agentsPlay + "/list")
	t.Expect(s.Head()).To(match.HaveStatus(200))
	t.Expect(s.Head()).To(match.HaveMediaType("application/json"))
	t.Expect(s.Reply()).To(match.Should("a list from which at least one agent's name can be read: strings, objects with a name or id, either under agents or data, or an object keyed by name",
		func(v judge.Value) bool { return len(card.ListedAgents(v.Node())) > 0 }, nil))
}

type documentParams struct {
	_  onAgents
	Of string `json:"of"` // info or card
}

func agentDocuments(t *judge.T, p documentParams) {
	judge.Each(t, met(t, p.Of), func(s judge.Step) {
		t.Expect(s.Head()).To(match.HaveStatus(200))
		t.Expect(s.Reply()).To(match.BeAnObject())
	})
}

// ownCard: a card whose name is none of the list's is a finding only, since the
// list may know the agent by another name than its card.
func ownCard(t *judge.T, _ onAgents) {
	var of []judge.Step
	for _, s := range met(t, "card") {
		if name := cardName(t, s); name.IsString() && s.Exchange.Status() == 200 {
			of = append(of, s)
		}
	}
	if len(of) < 2 {
		of = nil // of one alone nothing can be told
	}
	judge.Each(t, of, func(s judge.Step) {
		name := cardName(t, s)
		own := slices.ContainsFunc(namesOf(t, s.Agent), func(n string) bool { return sameName(n, name.Text()) })
		for _, o := range of {
			if o.Agent != s.Agent && !own && sameName(cardName(t, o).Text(), name.Text()) {
				t.Fail(name, fmt.Sprintf("gave the cards of %s and %s the same name, %s", shortName(s.Agent), shortName(o.Agent), name.Shown()), "the card of the agent in the path")
			}
			if o.Agent != s.Agent && !own && slices.ContainsFunc(namesOf(t, o.Agent), func(n string) bool { return sameName(n, name.Text()) }) {
				t.Fail(name, fmt.Sprintf("served the card of %s for %s", shortName(o.Agent), shortName(s.Agent)), "the card of the agent in the path")
			}
		}
		if !own {
			t.Finding(name, "the card of %s calls the agent %s", shortName(s.Agent), name.Shown())
		}
		t.OK(name)
	})
}

func cardName(t *judge.T, s judge.Step) judge.Value { return s.Reply().At(t.Case.Dialect.Card.Name) }

func shortName(name string) string { return shorten.Visible(fmt.Sprintf("%q", name), 60) }

// ownInfo looks for the name at the top level and one level below.
func ownInfo(t *judge.T, _ onAgents) {
	judge.Each(t, met(t, "info"), func(s judge.Step) {
		t.Expect(s.Reply()).To(match.Should("a string equal to the agent's name "+shortName(s.Agent)+" in it", func(v judge.Value) bool {
			return mentionsName(v.Node(), namesOf(t, s.Agent), 2)
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

// agentsAnswer: an agent whose work fails inside has answered all the same.
func agentsAnswer(t *judge.T, _ onAgents) {
	judge.Each(t, met(t, "send"), func(s judge.Step) {
		if observe.IsInternalError(t, s) {
			t.OK(s.Reply())
			return
		}
		t.Expect(s.Reply()).To(match.BeAResult())
	})
}

type URLParams struct {
	_  struct{} `step:"quick/send"`
	_  onAgents
	_  onCard
	At string `json:"at"`
}

// cardURLAnswers: what was sent to the same address for another purpose counts.
// An address of another origin is not called.
func URLAnswers(t *judge.T, p URLParams) {
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
	if len(cards) == 0 {
		t.Undecided("no card has a url that could be called")
	}
	judge.Each(t, cards, func(card judge.Value) {
		u := card.At(p.At)
		t.OK(u)
		if !observe.IsInternalError(t, of[u.Text()]) {
			t.Expect(of[u.Text()].Reply()).Because("a card gives this address as its url").To(match.BeAResult())
		}
	})
}

func unknownInfo(t *judge.T, _ onAgents) {
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

func unknownCard(t *judge.T, _ onAgents) {
	s := t.Step(agentsPlay + "/unknown-card")
	if name := cardName(t, s); s.Exchange.Status()/100 == 2 && name.IsString() {
		t.Fail(name, "served the card of "+shortName(name.Text())+" for a name it does not have", "no card of an agent that does not exist")
	}
	t.OK(s.Head())
}

type errorDataParams struct {
	Step  string   `json:"step" step:"{}"`
	At    string   `json:"at"` // in the error
	Codes []string `json:"codes" names:"error"`
}

// about is the error that the sentence is about; whether it came is for another
// requirement.
func (p errorDataParams) about(t *judge.T) (judge.Step, judge.Value) {
	s := t.Step(p.Step)
	if reply := s.Reply(); !match.IsError(reply) || !observe.IsRefusal(t, reply, p.Codes) {
		t.Undecided("the call %s was not refused with %s: %s", p.Step, strings.Join(p.Codes, " or "), s.Outcome())
	}
	return s, s.Reply().Failure().At(p.At)
}

func unknownNamed(t *judge.T, p errorDataParams) {
	s, name := p.about(t)
	t.Expect(name).To(match.BeTheText("the agent's name in the path of the call, ", s.Agent))
}

func knownListed(t *judge.T, p errorDataParams) {
	_, list := p.about(t)
	listed := card.ListedAgents(t.Step(agentsPlay + "/list").Reply().Node())
	if len(listed) == 0 {
		t.Undecided("the server lists no agents that the error could be compared with")
	}
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
