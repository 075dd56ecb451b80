package card

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// everyCard is embedded by the parameters of checks that look at every card of a server,
// including the cards of its single agents.
type everyCard struct {
	_ cardPlay
	observe.OnPlays
}

type cardPlaceParams struct {
	everyCard
	observe.OwnRules
	At      string   `json:"at"`
	Schemes []string `json:"schemes"`
	Names   []string `json:"names"` // the standard ones if empty
}

// listCardStringsAt returns the strings at a place on every card. Requirements on the shape judge other
// types.
func listCardStringsAt(t *judge.T, at string) []judge.Value {
	return observe.KeepStrings(listCardValuesAt(t, at))
}

// listCardValuesAt returns what all cards have at the places.
func listCardValuesAt(t *judge.T, places ...string) (found []judge.Value) {
	for _, card := range t.Cards() {
		for _, at := range places {
			found = append(found, card.Expand(at)...)
		}
	}
	return found
}

// checkCardAddressSchemaRules is for sources that require no form of an address.
func checkCardAddressSchemaRules(t *judge.T, p cardPlaceParams) {
	p.FailIfBroken(t)
	addUncallableAddressFindings(t)
	judge.Each(t, listCardStringsAt(t, p.At), t.OK)
}

func checkCardURLAbsolute(t *judge.T, p cardPlaceParams) {
	p.FailIfBroken(t)
	if at := t.Case.Dialect; p.At == at.Card.Endpoint || p.At == at.Agents.URL {
		addUncallableAddressFindings(t)
	}
	judge.Each(t, listCardStringsAt(t, p.At), func(v judge.Value) { t.Expect(v).To(match.BeAbsoluteURL(p.Schemes...)) })
}

func checkCardTextsUnique(t *judge.T, p cardPlaceParams) {
	first := map[string]judge.Value{}
	judge.Each(t, listCardStringsAt(t, p.At), func(v judge.Value) {
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

func checkSecuritySchemeNamesStandard(t *judge.T, p cardPlaceParams) {
	names, wants := standardSchemes, "a standard scheme name such as Bearer, Basic, OAuth2 or ApiKey"
	if len(p.Names) > 0 {
		names, wants = p.Names, "one of the scheme names "+strings.Join(p.Names, ", ")
	}
	judge.Each(t, listCardStringsAt(t, p.At), func(v judge.Value) {
		known := slices.Contains(names, strings.ToLower(v.Text()))
		t.Expect(v).To(match.Should(wants, func(judge.Value) bool { return known }, nil))
	})
}

type skillsParams struct {
	_    cardPlay
	At   string `json:"at"`
	Step string `json:"step" step:"{}"`
}

func checkCardListsSkill(t *judge.T, p skillsParams) {
	t.Step(p.Step).Result()
	card := t.Card()
	t.Expect(card.At(p.At)).To(match.Should("at least one skill on the card of an agent that performs tasks",
		func(v judge.Value) bool { return len(v.Elems()) > 0 }, nil))
}

type nullsParams struct {
	_     cardPlay
	Types []string `json:"types"` // those that a card is made of
}

// checkOptionalMembersNotNull looks at the members that the types know: what a vendor adds may hold
// whatever it likes.
func checkOptionalMembersNotNull(t *judge.T, p nullsParams) {
	known, needed := map[string]bool{}, map[string]bool{}
	for _, r := range t.Case.Dialect.Shapes().Rules() {
		known[r.Definition+r.At] = true
		needed[r.Definition+r.At] = needed[r.Definition+r.At] || r.Keyword == "required"
	}
	type member struct {
		name string
		judge.Value
	}
	var of []member
	for _, kind := range p.Types {
		for _, v := range t.Instances(kind) {
			members := v.Members()
			for _, name := range slices.Sorted(maps.Keys(members)) {
				if at := kind + record.Pointer(name); known[at] && !needed[at] {
					of = append(of, member{name, members[name]})
				}
			}
		}
	}
	judge.Each(t, of, func(m member) {
		if m.IsNull() {
			t.Fail(m.Value, "sent null as "+m.name, "an optional member without a value to be left out")
		}
		t.OK(m.Value)
	})
}

type demandParams struct {
	_       cardPlay
	Demands []string `json:"demands"` // the places that name schemes
}

func checkDemandedSchemesDefined(t *judge.T, p demandParams) {
	type demand struct {
		judge.Value
		defined []string
	}
	var of []demand
	for _, card := range t.Cards() {
		defined := t.Case.ReadCard(card).Defined() // sorted, and read once for all demands
		for _, at := range p.Demands {
			for _, v := range judge.Filter(card.Expand(at), judge.Value.IsObject) {
				of = append(of, demand{v, defined})
			}
		}
	}
	judge.Each(t, of, func(d demand) {
		d.Node() // with all that is below it
		for _, name := range slices.Sorted(maps.Keys(d.Members())) {
			if _, found := slices.BinarySearch(d.defined, name); !found {
				t.Fail(d.Value, "demands the scheme "+shorten.Visible(name, 60)+", which its card does not define", "schemes that are defined at "+t.Case.Dialect.Card.Definitions)
			}
		}
		t.OK(d.Value)
	})
}

type endpointParams struct {
	_         cardPlay
	Authority string `json:"authority"` // a transport whose endpoint may be host:port
}

func checkInterfacesIncludePreferred(t *judge.T, _ cardPlay) {
	list := t.Case.Dialect.Card.Interfaces.At
	of := judge.Filter(t.Cards(), func(v judge.Value) bool { return v.At(list).IsArray() })
	judge.Each(t, of, func(v judge.Value) {
		read := t.Case.ReadCard(v)
		url, transport := v.At(read.Preferred().URLAt()), read.Preferred().Transport()
		t.Expect(v.At(list)).To(match.Should("an entry with the card's url and the transport "+transport, func(judge.Value) bool {
			return slices.ContainsFunc(read.Listed(), func(i card.Interface) bool {
				return v.At(i.URLAt()).Equal(url) && i.Transport() == transport
			})
		}, nil))
	})
}

func checkPreferredURLAbsolute(t *judge.T, p endpointParams) {
	addUncallableAddressFindings(t)
	judge.Each(t, t.Cards(), func(v judge.Value) {
		preferred := t.Case.ReadCard(v).Preferred()
		address := v.At(preferred.URLAt())
		if p.Authority != "" && preferred.Transport() == p.Authority {
			t.Expect(address).To(match.Should("an absolute http or https URL, or host:port", func(v judge.Value) bool {
				return match.BeAbsoluteURL("http", "https").Holds(v) || isHostWithOptionalPort(v.Text())
			}, nil))
			return
		}
		t.Expect(address).To(match.BeAbsoluteURL("http", "https"))
	})
}
