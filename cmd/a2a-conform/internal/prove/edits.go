package prove

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema/shape"
)

// treeEdit edits a decoded JSON text: it breaks a rule of the instance at a
// pointer and returns the pointer of what it changed.
type treeEdit func(root *any, instance string) (at string, ok bool)

// ruleBreak is one way in which a rule may be broken.
type ruleBreak struct {
	name string // "" if there is but one
	treeEdit
}

// listRuleBreaks returns the ways in which a rule may be broken, most natural first. If null may count
// as left out, it breaks none.
func listRuleBreaks(others map[string]any, rule shape.Rule, nullable bool) []ruleBreak {
	var out []ruleBreak
	add := func(name string, c treeEdit) { out = append(out, ruleBreak{name, c}) }
	switch rule.Keyword {
	case "required":
		add("", removeFirstMatchingMember(rule.At))
	case "not":
		for _, name := range slices.Sorted(maps.Keys(others)) {
			add("with "+name, newSetFirstMatchEdit(record.Pointer(name), others[name]))
			add("without "+name, removeFirstMatchingMember(record.Pointer(name)))
		}
	case "minItems":
		add("", newSetFirstMatchEdit(rule.At, []any{}))
	case "minLength":
		add("", newSetFirstMatchEdit(rule.At, ""))
	case "minimum", "exclusiveMinimum":
		add("", newSetFirstMatchEdit(rule.At, json.Number("-1")))
	default:
		for _, v := range []struct {
			name  string
			value any
		}{
			{"object", map[string]any{}}, {"word", "a2a-conform-unknown"}, {"number", json.Number("7")}, {"array", []any{}},
			{"boolean", true}, {"null", nil}, {"empty", ""}, {"fraction", json.Number("1.5")},
		} {
			if nullable && v.value == nil {
				continue
			}
			add(v.name, newSetFirstMatchEdit(rule.At, v.value))
		}
	}
	return out
}

// newSetFirstMatchEdit sets the first place that a pointer with "*" names; a member that is not
// there is added.
func newSetFirstMatchEdit(pattern string, value any) treeEdit {
	return func(root *any, instance string) (string, bool) {
		return editAtPath(root, instance, pattern, func(holder any, token string) (any, bool) {
			switch h := holder.(type) {
			case map[string]any:
				h[token] = value
				return h, true
			case []any:
				if i, err := strconv.Atoi(token); err == nil && i < len(h) {
					h[i] = value
					return h, true
				}
			}
			return nil, false
		})
	}
}

// removeFirstMatchingMember deletes the first member that a pointer with "*" names.
func removeFirstMatchingMember(pattern string) treeEdit {
	return func(root *any, instance string) (string, bool) {
		return editAtPath(root, instance, pattern, func(holder any, token string) (any, bool) {
			h, ok := holder.(map[string]any)
			if _, there := h[token]; !ok || !there {
				return nil, false
			}
			delete(h, token)
			return h, true
		})
	}
}

// editAtPath resolves instance and pattern to a holder and a token, and lets edit
// change the holder in place.
func editAtPath(root *any, instance, pattern string, edit func(holder any, token string) (any, bool)) (string, bool) {
	path := splitPointer(instance + pattern)
	if len(path) == 0 {
		return "", false
	}
	holder := *root
	at := ""
	for _, t := range path[:len(path)-1] {
		if t == "*" {
			t = "0"
		}
		next, ok := childOf(holder, t)
		if !ok {
			return "", false
		}
		holder, at = next, at+record.Pointer(t)
	}
	last := path[len(path)-1]
	if last == "*" {
		last = "0"
	}
	_, ok := edit(holder, last)
	return at + record.Pointer(last), ok
}

func childOf(v any, token string) (any, bool) {
	switch h := v.(type) {
	case map[string]any:
		c, ok := h[token]
		return c, ok
	case []any:
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(h) {
			return h[i], true
		}
	}
	return nil, false
}

func splitPointer(pointer string) []string {
	if pointer == "" {
		return nil
	}
	out := strings.Split(pointer[1:], "/")
	for i, t := range out {
		out[i] = unescape.Replace(t)
	}
	return out
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")
