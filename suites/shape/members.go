package shape

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type withoutParams struct {
	observe.OnPlays
	Types     []string `json:"types"`
	Members   []string `json:"members"`
	Tolerated bool     `json:"tolerated"` // such a member is a finding only
}

func checkMembersAbsent(t *judge.T, p withoutParams) {
	var of []judge.Value
	for _, kind := range p.Types {
		of = append(of, t.Instances(kind)...)
	}
	judge.Each(t, of, func(v judge.Value) {
		for _, name := range p.Members {
			switch m := v.At(record.Pointer(name)); {
			case m.Exists() && p.Tolerated:
				t.Finding(m, "the server sent a member %s, which the protocol does not use any more", name)
			case m.Exists():
				t.Fail(m, "sent a member "+name, "an object without it")
			}
		}
		t.OK(v)
	})
}

type oneMemberParams struct {
	observe.OnPlays
	observe.OwnRules
	Type    string   `json:"type"`
	Members []string `json:"members"`
}

func checkHasOneOfMembers(t *judge.T, p oneMemberParams) {
	p.FailIfBroken(t)
	judge.Each(t, t.Instances(p.Type), func(v judge.Value) {
		there := judge.Filter(p.Members, func(name string) bool { return v.At(record.Pointer(name)).Exists() })
		if len(there) > 1 {
			t.Tolerate(v, "one %s has %s, and one of them is enough", p.Type, strings.Join(there, " and "))
			return
		}
		t.Expect(v).To(match.Should("one of "+strings.Join(p.Members, ", "), func(judge.Value) bool { return len(there) == 1 }, nil))
	})
}

type byNameParams struct {
	observe.OnPlays
	Of []observe.TypePlace `json:"of"`
}

// checkEnumsNotNumbers only looks for numbers; checks of the shape judge the names.
func checkEnumsNotNumbers(t *judge.T, p byNameParams) {
	var of []judge.Value
	for _, place := range p.Of {
		for _, v := range t.Instances(place.Type) {
			of = append(of, v.Expand(place.At)...)
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		if v.IsNumber() {
			t.Fail(v, v.Spot()+" is the number "+v.Number(), "the name that the number stands for")
		}
		t.OK(v)
	})
}
