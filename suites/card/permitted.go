package card

import (
	"path"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// What a card may hold. A card that makes no use of such a permission breaks nothing, and
// shows nothing either.
var permittedChecks = []judge.Check{
	judge.Define("card/repeats", "two entries of a list on the card have the same value at one place, and differ at another", repeatedEntries),
	judge.Define("card/lists", "the card has a list with entries, whatever they are", filledList),
	judge.Define("card/extended-differs", "the card for known callers says something else than another one", extendedDiffers),
}

type repeatedParams struct {
	_      onCard
	At     string `json:"at"`     // the list
	Same   string `json:"same"`   // in an entry
	Differ string `json:"differ"` // in an entry
	// The card itself may be an entry, under other names.
	OwnSame   string `json:"ownSame"`
	OwnDiffer string `json:"ownDiffer"`
}

func repeatedEntries(t *judge.T, p repeatedParams) {
	type entry struct{ same, differ judge.Value }
	lists := listsAt(t, p.At)
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
		t.Unused("no two entries of the list at %s have the same %s and another %s", p.At, lastName(p.Same), lastName(p.Differ))
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

// lastName is the name of the member that a pointer leads to.
func lastName(pointer string) string { return path.Base(pointer) }

type listParams struct {
	_  onCard
	At string `json:"at"`
}

// filledList is for sentences that allow a list to hold whatever it likes: an empty one
// holds nothing.
func filledList(t *judge.T, p listParams) {
	judge.EachOf(t, listsAt(t, p.At), func(v judge.Value) {
		if len(v.Elems()) == 0 {
			t.Unused("the list at %s is empty", p.At)
		}
		t.OK(v)
	})
}

// listsAt are the lists at a place of the cards.
func listsAt(t *judge.T, at string) (of []judge.Value) {
	for _, card := range t.Cards() {
		if card.At(at).IsArray() {
			of = append(of, card.At(at))
		}
	}
	return of
}

type differsParams struct {
	observe.OnSteps
	Lacking []string `json:"lacking" names:"error"` // say that the server has no such card
	Low     []string `json:"low" step:"{}"`         // the card for another known caller; the public one if empty
}

// extendedDiffers compares what the cards say, without the signatures over it.
func extendedDiffers(t *judge.T, p differsParams) {
	s := observe.FirstAccepted(t, p.Steps)
	observe.StopIfLacking(t, s.Reply(), p.Lacking)
	if !s.Accepted() {
		t.NotApplicable("there is no extended card: %s", s.Outcome())
	}
	other := t.Card()
	for _, name := range p.Low {
		low, ok := t.Find(name)
		if !ok || !low.Accepted() {
			t.NotApplicable("no other caller was given an extended card")
		}
		other = low.Result()
	}
	t.OK(s.Result())
	t.OK(other)
	if withoutSignatures(t, s.Result()).Equal(withoutSignatures(t, other)) {
		t.Unused("it says the same to both")
	}
}

// withoutSignatures is a card without the signatures over what it says.
func withoutSignatures(t *judge.T, card judge.Value) *record.Node {
	signed := lastName(t.Case.Dialect.Card.Signed.At)
	out := *card.Node()
	out.Members = slices.DeleteFunc(slices.Clone(out.Members), func(m record.Member) bool { return m.Name == signed })
	return &out
}
