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

type cardPlace struct {
	onCard
	At      string   `json:"at"`
	Schemes []string `json:"schemes"`
}

func cardURL(t *judge.T, p cardPlace) {
	judge.Each(t, texts(t.Card().Expand(p.At)), func(v judge.Value) { t.Expect(v).To(BeAbsoluteURL(p.Schemes...)) })
}

// texts keeps the values that are strings: another type is for the shape.
func texts(vs []judge.Value) []judge.Value {
	return slices.DeleteFunc(vs, func(v judge.Value) bool { return !v.IsString() })
}

func cardUnique(t *judge.T, p cardPlace) {
	first := map[string]judge.Value{}
	judge.Each(t, texts(t.Card().Expand(p.At)), func(v judge.Value) {
		if o, twice := first[v.Text()]; twice {
			t.Fail(v, fmt.Sprintf("uses %s twice, first at %s", v.Shown(), o.Pointer()), "values that are unique within the card")
		}
		first[v.Text()] = v
		t.OK(v)
	})
}

// standardSchemes are the names of OpenAPI and of the IANA registry of HTTP
// authentication schemes, in lower case.
var standardSchemes = strings.Fields("bearer basic digest oauth2 oauth apikey openidconnect hmac negotiate mutual mutualtls dpop gnap hoba privatetoken scram-sha-1 scram-sha-256 vapid concealed http")

func schemeNames(t *judge.T, p cardPlace) {
	judge.Each(t, texts(t.Card().Expand(p.At)), func(v judge.Value) {
		known := slices.Contains(standardSchemes, strings.ToLower(v.Text()))
		t.Expect(v).To(matcher{"a standard scheme name such as Bearer, Basic, OAuth2 or ApiKey", func(judge.Value) bool { return known }, nil})
	})
}

type skillsParams struct {
	At   string `json:"at"`
	Step string `json:"step"`
}

func (p skillsParams) StepNames() []string { return []string{"card/well-known", p.Step} }

func hasSkills(t *judge.T, p skillsParams) {
	t.Step(p.Step).Result()
	card := t.Card()
	t.Expect(card.At(p.At)).To(matcher{"at least one skill on the card of an agent that performs tasks",
		func(v judge.Value) bool { return len(v.Elems()) > 0 }, nil})
}
