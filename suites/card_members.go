package suites

import (
	"cmp"
	"maps"
	"net/url"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

var cardMemberChecks = []judge.Check{
	judge.Define("card/no-nulls", "no optional member of the card is given as null", noNulls),
	judge.Define("card/schemes-defined", "each scheme that the card demands is defined on it", schemesDefined),
	judge.Define("card/endpoint-url", "the preferred endpoint is an absolute URL that fits its transport", endpointURL),
	judge.Define("card/lists", "the card has a list, whatever it holds", hasList),
	judge.Define("card/extended", "the card for known callers is whole", extendedCard),
	judge.Define("card/repeats-endpoint", "the list of interfaces names the preferred endpoint too", repeatsEndpoint),
}

type nullsParams struct {
	onCard
	Types []string `json:"types"` // those that a card is made of
}

// noNulls looks at the members that the types know: what a vendor adds may hold
// whatever it likes.
func noNulls(t *judge.T, p nullsParams) {
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
				if at := kind + wire.Pointer(name); known[at] && !needed[at] {
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
	onCard
	Demands []string `json:"demands"` // the places that name schemes
	Schemes string   `json:"schemes"` // the place that defines them
}

func schemesDefined(t *judge.T, p demandParams) {
	type demand struct {
		judge.Value
		card judge.Value
	}
	var of []demand
	for _, card := range t.Cards() {
		for _, at := range p.Demands {
			for _, v := range card.Expand(at) {
				if v.IsObject() {
					of = append(of, demand{v, card})
				}
			}
		}
	}
	judge.Each(t, of, func(d demand) {
		d.Node() // with all that is below it
		defined := slices.Sorted(maps.Keys(d.card.At(p.Schemes).Members()))
		for _, name := range slices.Sorted(maps.Keys(d.Members())) {
			if !slices.Contains(defined, name) {
				t.Fail(d.Value, "demands the scheme "+judge.Shorten(name, 60)+", which its card does not define", "schemes that are defined at "+p.Schemes)
			}
		}
		t.OK(d.Value)
	})
}

type extendedParams struct {
	onSteps
	ownRules
}

// extendedCard: whether the call needs params is another requirement.
func extendedCard(t *judge.T, p extendedParams) {
	p.broken(t)
	t.Expect(taken(t, p.Steps).Reply()).To(BeAResult())
}

type endpointParams struct {
	onCard
	Interfaces string `json:"interfaces"`
	URL        string `json:"url"`       // on the card and, likewise, in an entry
	Transport  string `json:"transport"` // on the card
	In         string `json:"in"`        // in an entry
	Otherwise  string `json:"otherwise"` // the transport where the card names none
	Authority  string `json:"authority"` // a transport whose endpoint may be host:port
}

func (p endpointParams) transport(card judge.Value) string {
	return cmp.Or(card.At(p.Transport).Text(), p.Otherwise)
}

func repeatsEndpoint(t *judge.T, p endpointParams) {
	var of []judge.Value
	for _, card := range t.Cards() {
		if card.At(p.Interfaces).IsArray() {
			of = append(of, card)
		}
	}
	judge.Each(t, of, func(card judge.Value) {
		url, transport := card.At(p.URL), p.transport(card)
		t.Expect(card.At(p.Interfaces)).To(matcher{"an entry with the card's url and the transport " + transport, func(v judge.Value) bool {
			return slices.ContainsFunc(v.Elems(), func(e judge.Value) bool {
				return e.At(p.URL).Equal(url) && e.At(p.In).Is(transport)
			})
		}, nil})
	})
}

func endpointURL(t *judge.T, p endpointParams) {
	judge.Each(t, t.Cards(), func(card judge.Value) {
		if address := card.At(p.URL); p.Authority != "" && p.transport(card) == p.Authority {
			t.Expect(address).To(matcher{"an absolute http or https URL, or host:port", func(v judge.Value) bool {
				u, err := url.Parse("//" + v.Text())
				return BeAbsoluteURL("http", "https").ok(v) || err == nil && u.Host == v.Text() && u.Host != ""
			}, nil})
			return
		}
		t.Expect(card.At(p.URL)).To(BeAbsoluteURL("http", "https"))
	})
}

type listParams struct {
	onCard
	At string `json:"at"`
}

// hasList is for sentences that allow a list to hold whatever it likes.
func hasList(t *judge.T, p listParams) {
	var of []judge.Value
	for _, card := range t.Cards() {
		if card.At(p.At).IsArray() {
			of = append(of, card.At(p.At))
		}
	}
	judge.Each(t, of, func(v judge.Value) { t.OK(v) })
}
