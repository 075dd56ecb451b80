package suites

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

var cardChecks = []judge.Check{
	judge.Define("card/absolute-url", "a member of the card is an absolute URL", cardURL),
	judge.Define("card/unique", "the values at a place of the card differ from each other", cardUnique),
	judge.Define("card/scheme-names", "authentication schemes have standard names", schemeNames),
	judge.Define("card/skills", "the card of an agent that performed a task lists a skill", hasSkills),
}

// onCards is for checks that look at every card of a server, those of its
// single agents included.
type onCards struct {
	_ onCard
	onPlays
}

type cardPlace struct {
	onCards
	ownRules
	At      string   `json:"at"`
	Schemes []string `json:"schemes"`
	Names   []string `json:"names"` // the standard ones if empty
}

// each is what stands at the place on every card; another type than a string
// is for the shape.
func (p cardPlace) each(t *judge.T) (out []judge.Value) {
	for _, card := range t.Cards() {
		out = append(out, texts(card.Expand(p.At))...)
	}
	return out
}

func cardURL(t *judge.T, p cardPlace) {
	p.broken(t)
	judge.Each(t, p.each(t), func(v judge.Value) { t.Expect(v).To(BeAbsoluteURL(p.Schemes...)) })
}

// texts keeps the values that are strings: another type is for the shape.
func texts(vs []judge.Value) []judge.Value {
	return slices.DeleteFunc(vs, func(v judge.Value) bool { return !v.IsString() })
}

func cardUnique(t *judge.T, p cardPlace) {
	first := map[string]judge.Value{}
	judge.Each(t, p.each(t), func(v judge.Value) {
		key := fmt.Sprint(v.Exchange().ID, " ", v.Text())
		if o, twice := first[key]; twice {
			t.Fail(v, fmt.Sprintf("uses %s twice, first at %s", v.Shown(), o.Pointer()), "values that are unique within the card", o)
		}
		first[key] = v
		t.OK(v)
	})
}

// standardSchemes are the names of OpenAPI and of the IANA registry of HTTP
// authentication schemes, in lower case.
var standardSchemes = strings.Fields("bearer basic digest oauth2 oauth apikey openidconnect hmac negotiate mutual mutualtls dpop gnap hoba privatetoken scram-sha-1 scram-sha-256 vapid concealed http")

func schemeNames(t *judge.T, p cardPlace) {
	names, wants := standardSchemes, "a standard scheme name such as Bearer, Basic, OAuth2 or ApiKey"
	if len(p.Names) > 0 {
		names, wants = p.Names, "one of the scheme names "+strings.Join(p.Names, ", ")
	}
	judge.Each(t, p.each(t), func(v judge.Value) {
		known := slices.Contains(names, strings.ToLower(v.Text()))
		t.Expect(v).To(matcher{wants, func(judge.Value) bool { return known }, nil})
	})
}

type skillsParams struct {
	_    onCard
	At   string `json:"at"`
	Step string `json:"step" step:"{}"`
}

func hasSkills(t *judge.T, p skillsParams) {
	t.Step(p.Step).Result()
	card := t.Card()
	t.Expect(card.At(p.At)).To(matcher{"at least one skill on the card of an agent that performs tasks",
		func(v judge.Value) bool { return len(v.Elems()) > 0 }, nil})
}
