package card

import (
	"regexp"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type filledParams struct {
	everyCard
	At []string `json:"at"`
}

func noteEmptyCardLists(t *judge.T, p filledParams) {
	judge.Each(t, judge.Filter(listCardValuesAt(t, p.At...), judge.Value.IsArray), func(v judge.Value) {
		if len(v.Elems()) == 0 {
			t.Finding(v, "the list at %s is empty", v.Pointer())
		}
		t.OK(v)
	})
}

type olderParams struct {
	everyCard
	Members []string `json:"members"`
	Like    string   `json:"like"` // the versions of which they are members
}

func noteMembersOfOlderVersions(t *judge.T, p olderParams) {
	older := regexp.MustCompile(p.Like)
	of := judge.Filter(t.Cards(), func(v judge.Value) bool {
		serves := func(i card.Interface) bool { return older.MatchString(i.Version()) }
		return !slices.ContainsFunc(t.Case.ReadCard(v).Entries(), serves)
	})
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
	everyCard
	observe.OwnRules
	At      []string `json:"at"`      // the entries that demand schemes
	Schemes string   `json:"schemes"` // the member of an entry that names them
	Older   []string `json:"older"`   // the places of such entries on cards of older versions
}

func checkSecurityTolerateOlderForm(t *judge.T, p demandsParams) {
	p.FailIfBroken(t)
	of, older := judge.Filter(listCardValuesAt(t, p.At...), judge.Value.IsObject), listCardValuesAt(t, p.Older...)
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
