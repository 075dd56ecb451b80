package message

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type structuredParams struct {
	observe.OnPlays
	Type   string   `json:"type"`
	Except []string `json:"except"` // members that every part may have
}

func checkContentObjectOrArray(t *judge.T, p structuredParams) {
	judge.Each(t, t.Instances(p.Type), func(v judge.Value) {
		v.Node() // whichever member it is
		t.Expect(v).To(match.Should("an object or array as the content of the part", func(v judge.Value) bool {
			for name, member := range v.Members() {
				if !slices.Contains(p.Except, name) && (member.IsObject() || member.IsArray()) {
					return true
				}
			}
			return false
		}, nil))
	})
}

type partTypeParams struct {
	observe.OnPlays
	Type string   `json:"type"`
	At   []string `json:"at"`
}

func checkPartMIMEType(t *judge.T, p partTypeParams) {
	judge.Each(t, t.Instances(p.Type), func(v judge.Value) {
		v.Node()
		t.Expect(v).To(match.Should("a MIME type of the form type/subtype", func(v judge.Value) bool {
			return slices.ContainsFunc(p.At, func(at string) bool { return observe.MimeSyntax.MatchString(v.At(at).Text()) })
		}, nil))
	})
}

type soundParams struct {
	observe.OnPlays
	observe.OwnRules
	Type   string              `json:"type"`   // what holds the messages
	At     string              `json:"at"`     // their place
	Kind   string              `json:"kind"`   // of those that count; all if empty
	Except []observe.ShapeRule `json:"except"` // rules of less weight
}

// checkMessagesValid counts a fault anywhere in a message as a fault of its holder.
func checkMessagesValid(t *judge.T, p soundParams) {
	if p.FailIfBroken(t) {
		return
	}
	var of []judge.Value
	for _, v := range t.Instances(p.Type) {
		if m := v.At(p.At); m.IsObject() && (p.Kind == "" || v.Sort() == p.Kind) {
			of = append(of, m)
		}
	}
	observe.ExpectValidBelow(t, of, p.Except)
}
