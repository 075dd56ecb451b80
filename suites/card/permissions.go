package card

import (
	"path"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type repeatedParams struct {
	_      cardPlay
	At     string `json:"at"`     // the list
	Same   string `json:"same"`   // in an entry
	Differ string `json:"differ"` // in an entry
	// The card itself may be an entry, under other names.
	OwnSame   string `json:"ownSame"`
	OwnDiffer string `json:"ownDiffer"`
}

func checkUseOfRepeatedEntries(t *judge.T, p repeatedParams) {
	type entry struct{ same, differ judge.Value }
	lists := listCardArraysAt(t, p.At)
	judge.EachOf(t, lists, func(list judge.Value) {
		var of []entry
		for _, e := range list.Elems() {
			of = append(of, entry{e.At(p.Same), e.At(p.Differ)})
		}
		if p.OwnSame != "" {
			card := t.Card()
			of = append(of, entry{card.At(p.OwnSame), card.At(p.OwnDiffer)})
		}
		if a, b, ok := findRepeated(of, func(e entry) string { return e.same.Text() }, func(e entry) string { return e.differ.Text() }); ok {
			t.OK(a.same)
			t.OK(b.same)
			return
		}
		t.StopUnused("no two entries of the list at %s have the same %s and another %s", p.At, lastSegment(p.Same), lastSegment(p.Differ))
	})
}

// findRepeated finds the first entry that has the same text as an earlier one, and differs from it. It
// looks at each entry once: a card may have tens of thousands.
func findRepeated[E any](of []E, same, differ func(E) string) (a, b E, ok bool) {
	type earlier struct {
		entry  E
		differ string
	}
	first := map[string]earlier{}
	for _, e := range of {
		text := same(e)
		if text == "" {
			continue
		}
		is := differ(e)
		before, known := first[text]
		if !known {
			first[text] = earlier{e, is}
		} else if before.differ != is {
			return e, before.entry, true
		}
	}
	return a, b, false
}

// lastSegment returns the name of the member that a pointer leads to.
func lastSegment(pointer string) string { return path.Base(pointer) }

type listParams struct {
	_  cardPlay
	At string `json:"at"`
}

// checkUseOfFilledList is for sentences that allow a list to hold any values. An empty list makes no
// use of that.
func checkUseOfFilledList(t *judge.T, p listParams) {
	judge.EachOf(t, listCardArraysAt(t, p.At), func(v judge.Value) {
		if len(v.Elems()) == 0 {
			t.StopUnused("the list at %s is empty", p.At)
		}
		t.OK(v)
	})
}

// listCardArraysAt returns the lists at a place of the cards.
func listCardArraysAt(t *judge.T, at string) []judge.Value {
	all := judge.Map(t.Cards(), func(card judge.Value) judge.Value { return card.At(at) })
	return judge.Filter(all, judge.Value.IsArray)
}

type differsParams struct {
	observe.OnSteps
	Lacking []string `json:"lacking" names:"error"` // say that the server has no such card
	Low     []string `json:"low" step:"{}"`         // the card for another known caller; the public one if empty
}

// checkExtendedCardDifferenceUsed compares what the cards say, without the signatures over it.
func checkExtendedCardDifferenceUsed(t *judge.T, p differsParams) {
	s := observe.FirstAcceptedOrLast(t, p.Steps)
	observe.StopVacuousIfRefusedWith(t, s.Reply(), p.Lacking)
	requireExtendedCard(t, p.Steps)
	other := t.Card()
	for _, name := range p.Low {
		low, ok := t.Find(name)
		observe.StopNotApplicableIf(t, !ok || !low.Accepted(), "no other caller was given an extended card")
		other = low.Result()
	}
	t.OK(s.Result())
	t.OK(other)
	if copyWithoutSignatures(t, s.Result()).Equal(copyWithoutSignatures(t, other)) {
		t.StopUnused("it says the same to both")
	}
}

// copyWithoutSignatures returns a copy of a card without its signatures.
func copyWithoutSignatures(t *judge.T, card judge.Value) *record.Node {
	signed := lastSegment(t.Case.Dialect.Card.Signed.At)
	out := *card.Node()
	out.Members = slices.DeleteFunc(slices.Clone(out.Members), func(m record.Member) bool { return m.Name == signed })
	return &out
}
