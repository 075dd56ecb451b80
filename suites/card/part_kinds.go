package card

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// readPartKind returns the kind that a part names, in either of the members that protocols have
// for it.
func readPartKind(part judge.Value) judge.Value {
	if v := part.At("/type"); v.IsString() {
		return v
	}
	return part.At("/kind")
}

type partKindParams struct {
	observe.OnPlays
	Type      string   `json:"type"` // the definition of a part
	Kinds     []string `json:"kinds"`
	Tolerated []string `json:"tolerated"` // kinds of related protocols, which are a finding only
}

func checkSentPartKindAllowed(t *judge.T, p partKindParams) {
	kinds := judge.Filter(judge.Map(t.Instances(p.Type), readPartKind), judge.Value.IsString)
	judge.Each(t, kinds, func(kind judge.Value) {
		if slices.Contains(p.Tolerated, kind.Text()) {
			t.Tolerate(kind, "the server sends a part of kind %s, which is not in the union, but exists in a related protocol", kind.Shown())
			return
		}
		t.Expect(kind).To(match.BeOneOf(p.Kinds...))
	})
}

type partDefinedParams struct {
	observe.OnPlays
	Type       string `json:"type"` // the definition of a part
	Kind       string `json:"kind"`
	Definition string `json:"definition"` // of that kind, in the given schema
}

func checkPartsMatchOperatorSchema(t *judge.T, p partDefinedParams) {
	given := t.Case.Given()
	if given == nil || !given.Has(p.Definition) {
		t.StopInconclusive("--schema FILE", "your configuration gives no schema that defines %s", p.Definition)
	}
	of := judge.Filter(t.Instances(p.Type), func(part judge.Value) bool { return readPartKind(part).Is(p.Kind) })
	judge.Each(t, of, func(part judge.Value) {
		found, err := given.Validate(p.Definition, part.Node().Interface())
		if err != nil {
			panic(err)
		}
		if len(found) > 0 {
			v := found[0]
			t.Fail(part.At(v.Instance), "sent a "+p.Kind+" part whose "+strings.TrimPrefix(v.Instance, "/")+" "+v.Message, "what "+p.Definition+" is defined to be")
		}
		t.OK(part)
	})
}

// checkCardMemberNamesUnique fails on repeated members, since different readers take different ones of
// the values.
func checkCardMemberNamesUnique(t *judge.T, _ everyCard) {
	judge.Each(t, t.Cards(), func(card judge.Value) {
		for _, f := range card.Document().Faults {
			if f.Kind == record.FaultDuplicateMember {
				t.Fail(card.At(f.Pointer), "sent a card in which a member stands twice (byte "+strconv.FormatInt(int64(f.Offset), 10)+": "+shorten.Visible(f.Detail, 80)+")",
					"each member to stand there once")
			}
		}
		known := t.Case.Dialect.Shapes().Members(t.Case.Dialect.Types.Card)
		if !slices.ContainsFunc(card.Node().Members, func(m record.Member) bool { return !slices.Contains(known, m.Name) }) {
			t.StopUnused("the card has no member beyond those that are listed")
		}
		t.OK(card)
	})
}
