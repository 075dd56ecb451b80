package shape

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type namesParams struct {
	observe.OnPlays
	Types  []string `json:"types"`  // those that are looked at; all if empty
	Except []string `json:"except"` // those that are not
}

// checkNoSnakeCaseMembers looks at the members that the types define. Below a member that may hold
// anything, such as metadata, the sender chooses the names.
func checkNoSnakeCaseMembers(t *judge.T, p namesParams) {
	d := t.Case.Dialect
	right := map[string]map[string]string{} // by type, of the name in snake case
	for _, r := range d.Shapes().Rules() {
		if slices.Contains(p.Except, r.Definition) || len(p.Types) > 0 && !slices.Contains(p.Types, r.Definition) {
			continue
		}
		name := strings.TrimPrefix(r.At, "/")
		if other := toSnakeCase(name); other != name && !strings.Contains(name, "/") {
			if right[r.Definition] == nil {
				right[r.Definition] = map[string]string{}
			}
			right[r.Definition][other] = name
		}
	}
	type object struct {
		judge.Value
		names map[string]string
	}
	var of []object
	for _, kind := range slices.Sorted(maps.Keys(right)) {
		for _, v := range t.Instances(kind) {
			of = append(of, object{v, right[kind]})
		}
	}
	judge.Each(t, of, func(o object) {
		for _, other := range slices.Sorted(maps.Keys(o.names)) {
			if m := o.At("/" + other); m.Exists() {
				t.Fail(m, "sent a member "+other, fmt.Sprintf("the name %s", o.names[other]))
			}
		}
		t.OK(o.Value)
	})
}

func toSnakeCase(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
