package card

import (
	"regexp"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// What a card may hold although something else is better.
var leftoverChecks = []judge.Check{
	judge.Define("card/filled", "the lists at some places of the card are not empty; an empty one is a finding", listsFilled),
	judge.Define("card/older-members", "a card without interfaces of an older version has no members of that version; a member of it is a finding", olderMembers),
	judge.Define("card/demands", "the card says in the current form which schemes a call needs; an additional older form is a finding", demandsForm),
}

type filledParams struct {
	onCards
	At []string `json:"at"`
}

func listsFilled(t *judge.T, p filledParams) {
	var of []judge.Value
	for _, card := range t.Cards() {
		for _, at := range p.At {
			of = append(of, slices.DeleteFunc(card.Expand(at), func(v judge.Value) bool { return !v.IsArray() })...)
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		if len(v.Elems()) == 0 {
			t.Finding(v, "the list at %s is empty", v.Pointer())
		}
		t.OK(v)
	})
}

type olderParams struct {
	onCards
	Members []string `json:"members"`
	Like    string   `json:"like"` // the versions of which they are members
}

func olderMembers(t *judge.T, p olderParams) {
	older := regexp.MustCompile(p.Like)
	var of []judge.Value
	for _, v := range t.Cards() {
		serves := func(i card.Interface) bool { return older.MatchString(i.Version()) }
		if !slices.ContainsFunc(t.Case.ReadCard(v).Entries(), serves) {
			of = append(of, v)
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		for _, name := range p.Members {
			if m := v.At(record.Pointer(name)); m.Exists() {
				t.Finding(m, "the card has %s, a member of an older version, but none of its interfaces has that version", name)
			}
		}
		t.OK(v)
	})
}

type demandsParams struct {
	onCards
	observe.OwnRules
	At      []string `json:"at"`      // the entries that demand schemes
	Schemes string   `json:"schemes"` // the member of an entry that names them
	Older   []string `json:"older"`   // where cards of older versions have such entries
}

func demandsForm(t *judge.T, p demandsParams) {
	p.FailIfBroken(t)
	var of, older []judge.Value
	for _, card := range t.Cards() {
		for _, at := range p.At {
			of = append(of, slices.DeleteFunc(card.Expand(at), func(v judge.Value) bool { return !v.IsObject() })...)
		}
		for _, at := range p.Older {
			older = append(older, card.Expand(at)...)
		}
	}
	for _, v := range older {
		t.Finding(v, "the card demands schemes at %s, in the form of an older version", v.Pointer())
	}
	judge.Each(t, append(of, older...), func(v judge.Value) {
		if v.IsObject() && !v.At(p.Schemes).Exists() && len(v.Members()) > 0 {
			t.Finding(v, "an entry names schemes outside of %s", p.Schemes)
		}
		t.OK(v)
	})
}
