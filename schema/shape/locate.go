package shape

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// place is a position in a schema as the protocol sees it: a definition and a
// pointer inside its instance.
type place struct {
	definition, at string
}

// keywordSite is the place of a keyword in a schema.
type keywordSite struct {
	// places leads from the definition that judges the whole instance to the
	// innermost one, each with the position the next was referred to from.
	places  []place
	schema  *jsonschema.Schema
	keyword string
}

// locateKeyword follows the path of a keyword, as the validator reports it, from a
// definition. The path names every reference that was followed, which the
// absolute location of the keyword does not.
func (s *Shapes) locateKeyword(definition string, root *jsonschema.Schema, path string) keywordSite {
	tokens := pointerTokens(path)
	here := keywordSite{places: []place{{definition, ""}}, schema: root}
	for len(tokens) > 0 {
		next, step, used := followOneStep(here.schema, tokens)
		if next == nil {
			if here.keyword == "" {
				here.keyword = tokens[0]
			}
			return here
		}
		switch tokens[0] {
		case "propertyNames":
			// A bad name has no place of its own: it is a fault of the object.
			here.keyword = "propertyNames"
		case "unevaluatedProperties", "unevaluatedItems":
			if next.Always != nil {
				here.keyword = tokens[0]
				return here
			}
		}
		here.schema = next
		if name, ok := s.byRoot[next]; ok { // only a reference leads to a definition
			here.places = append(here.places, place{name, ""})
		} else {
			here.places[len(here.places)-1].at += step
		}
		tokens = tokens[used:]
	}
	if here.keyword == "" {
		here.keyword = "false" // the schema that admits nothing
	}
	return here
}

// followOneStep takes the step that the first tokens of a path name, and returns the
// schema it leads to, what it adds to the pointer and the tokens it used; nil
// if the first token is a keyword that holds no schema.
func followOneStep(s *jsonschema.Schema, tokens []string) (next *jsonschema.Schema, step string, used int) {
	first, second := tokens[0], ""
	if len(tokens) > 1 {
		second = tokens[1]
	}
	switch list, listed := s.Items.([]*jsonschema.Schema); first {
	case "$ref", "$dynamicRef", "$recursiveRef", "if", "then", "else", "propertyNames":
		return map[string]*jsonschema.Schema{
			"$ref": s.Ref, "$dynamicRef": s.DynamicRef, "$recursiveRef": s.RecursiveRef, "if": s.If, "then": s.Then, "else": s.Else,
			"propertyNames": s.PropertyNames,
		}[first], "", 1
	case "not":
		// Nothing inside a negation is a fault by itself.
	case "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "additionalItems":
		next, _ = map[string]any{
			"additionalProperties": s.AdditionalProperties, "unevaluatedProperties": s.UnevaluatedProperties,
			"unevaluatedItems": s.UnevaluatedItems, "additionalItems": s.AdditionalItems,
		}[first].(*jsonschema.Schema)
		return next, "/*", 1
	case "items":
		if listed {
			return schemaAt(list, second), "/*", 2
		}
		if next, _ = s.Items.(*jsonschema.Schema); next == nil {
			next = s.Items2020
		}
		return next, "/*", 1
	case "prefixItems":
		return schemaAt(s.PrefixItems, second), "/*", 2
	case "properties":
		return s.Properties[second], "/" + escapeToken(second), 2
	case "patternProperties":
		for pattern, sub := range s.PatternProperties {
			if pattern.String() == second {
				return sub, "/*", 2
			}
		}
	case "dependentSchemas":
		return s.DependentSchemas[second], "", 2
	case "dependencies":
		next, _ = s.Dependencies[second].(*jsonschema.Schema)
		return next, "", 2
	case "allOf", "anyOf", "oneOf":
		return schemaAt(map[string][]*jsonschema.Schema{"allOf": s.AllOf, "anyOf": s.AnyOf, "oneOf": s.OneOf}[first], second), "", 2
	}
	return nil, "", 1
}

func schemaAt(list []*jsonschema.Schema, index string) *jsonschema.Schema {
	if i, err := strconv.Atoi(index); err == nil && i >= 0 && i < len(list) {
		return list[i]
	}
	return nil
}

// attributedPlace picks the place a fault is attributed to; see Violation for the rule.
func (s *Shapes) attributedPlace(places []place, keyword string) place {
	i := len(places) - 1
	for i > 0 && places[i].at == "" && (keyword == "type" || s.scalar[places[i].definition]) {
		i--
	}
	return places[i]
}

// pointerTokens splits a pointer as the validator writes it, which escapes
// names for a pointer and then for a URL.
func pointerTokens(pointer string) []string {
	if pointer == "" || pointer == "/" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, t := range tokens {
		if plain, err := url.PathUnescape(t); err == nil {
			t = plain
		}
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
	}
	return tokens
}

// joinTokens writes a JSON pointer.
func joinTokens(tokens []string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(escapeToken(t))
	}
	return b.String()
}

func escapeToken(t string) string {
	return strings.ReplaceAll(strings.ReplaceAll(t, "~", "~0"), "/", "~1")
}

// valueAt reads the value at a place in an instance, nil if there is none.
func valueAt(instance any, tokens []string) any {
	for _, t := range tokens {
		switch v := instance.(type) {
		case map[string]any:
			instance = v[t]
		case []any:
			i, err := strconv.Atoi(t)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			instance = v[i]
		default:
			return nil
		}
	}
	return instance
}

// kindsOf lists the JSON types a schema admits as far as it reports it, nil for
// any. Types are looked for in the schema, in what it refers to and in all of
// its branches.
func kindsOf(s *jsonschema.Schema, depth int) []string {
	if s == nil || depth > maxInPlace {
		return nil
	}
	if len(s.Types) > 0 {
		return s.Types
	}
	if kinds := kindsOf(s.Ref, depth+1); kinds != nil {
		return kinds
	}
	for _, values := range [][]any{s.Constant, s.Enum} {
		if len(values) > 0 {
			return uniqueKinds(values)
		}
	}
	for _, sub := range s.AllOf {
		if kinds := kindsOf(sub, depth+1); kinds != nil {
			return kinds
		}
	}
	for _, branches := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if kinds := branchKinds(branches, depth+1); kinds != nil {
			return kinds
		}
	}
	return nil
}

// branchKinds lists the types that some branch admits, nil if one admits any.
func branchKinds(branches []*jsonschema.Schema, depth int) []string {
	var out []string
	for _, b := range branches {
		kinds := kindsOf(b, depth)
		if kinds == nil {
			return nil
		}
		for _, k := range kinds {
			if !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
	}
	return out
}

func uniqueKinds(values []any) []string {
	var out []string
	for _, v := range values {
		if k := kindOf(v); !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// admitsType reports whether a value is of one of the types; nil represents any.
func admitsType(kinds []string, v any) bool {
	kind := kindOf(v)
	return kinds == nil || slices.Contains(kinds, kind) ||
		kind == "number" && slices.Contains(kinds, "integer")
}

// isScalar reports whether a definition is one of plain values only.
func isScalar(s *jsonschema.Schema) bool {
	kinds := kindsOf(s, 0)
	return kinds != nil && !slices.Contains(kinds, "object") && !slices.Contains(kinds, "array")
}
