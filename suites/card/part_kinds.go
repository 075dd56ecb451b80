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

var structureChecks = []judge.Check{
	judge.Define("part/kind", "a part that names its kind names one of the known ones", partKind),
	judge.Define("part/defined", "a part that names a kind is as the given schema defines that kind", partDefined),
	judge.Define("card/distinct-members", "no member of the card stands in it twice", distinctMembers),
}

// kindOfPart is the kind that a part names, in either of the members that
// protocols have for it.
func kindOfPart(part judge.Value) judge.Value {
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

func partKind(t *judge.T, p partKindParams) {
	var of []judge.Value
	for _, part := range t.Instances(p.Type) {
		if kind := kindOfPart(part); kind.IsString() {
			of = append(of, kind)
		}
	}
	judge.Each(t, of, func(kind judge.Value) {
		if slices.Contains(p.Tolerated, kind.Text()) {
			t.Finding(kind, "the server sends a part of kind %s, which is not in the union, but exists in a related protocol", kind.Shown())
			t.OK(kind)
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

func partDefined(t *judge.T, p partDefinedParams) {
	given := t.Case.Given()
	if given == nil || !given.Has(p.Definition) {
		t.Inconclusive("--schema FILE", "your configuration gives no schema that defines %s", p.Definition)
	}
	var of []judge.Value
	for _, part := range t.Instances(p.Type) {
		if kindOfPart(part).Is(p.Kind) {
			of = append(of, part)
		}
	}
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

// distinctMembers: of a member that stands twice, readers see different values.
func distinctMembers(t *judge.T, _ onCards) {
	judge.Each(t, t.Cards(), func(card judge.Value) {
		for _, f := range card.Document().Faults {
			if f.Kind == record.FaultDuplicateMember {
				t.Fail(card.At(f.Pointer), "sent a card in which a member stands twice (byte "+strconv.FormatInt(int64(f.Offset), 10)+": "+shorten.Visible(f.Detail, 80)+")",
					"each member to stand there once")
			}
		}
		known := t.Case.Dialect.Shapes().Members(t.Case.Dialect.Types.Card)
		if !slices.ContainsFunc(card.Node().Members, func(m record.Member) bool { return !slices.Contains(known, m.Name) }) {
			t.Unused("the card has no member beyond those that are listed")
		}
		t.OK(card)
	})
}
