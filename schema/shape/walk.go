package shape

import (
	"maps"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

const (
	// maxInPlace bounds how many schemas in a row judge one and the same value,
	// against definitions that refer to themselves.
	maxInPlace   = 32
	maxWalkDepth = 500
)

// Walk visits the instance and every value inside it that a definition judges,
// outermost first and members by name, with the pointer of the value. Unions
// are resolved to the branch: a part is visited as Part and then as TextPart.
// A value of a type that its definition cannot hold is not visited, because
// that fault belongs to the place that refers to it; the instance itself always
// is.
func (s *Shapes) Walk(definition string, instance any, visit func(definition, pointer string, value any)) {
	root := s.defs[definition]
	if root == nil {
		return
	}
	w := instanceWalk{shapes: s, visit: visit, seen: map[visited]bool{{definition, ""}: true}}
	visit(definition, "", instance)
	w.walkSchema(root, instance, plainNumbers(instance, 0), "", 0, 0)
}

type instanceWalk struct {
	shapes *Shapes
	visit  func(definition, pointer string, value any)
	seen   map[visited]bool
}

type visited struct{ definition, pointer string }

// walkSchema walks through the schemas that judge a value: the value as it came, for
// the visitor, and with plain numbers, for the validator.
func (w *instanceWalk) walkSchema(s *jsonschema.Schema, value, plain any, pointer string, inPlace, depth int) {
	if s == nil || inPlace > maxInPlace || depth > maxWalkDepth || !admitsType(s.Types, value) {
		return
	}
	if s.Ref != nil {
		name, named := w.shapes.byRoot[s.Ref]
		key := visited{name, pointer}
		again := named && w.seen[key]
		if named && !again && admitsType(kindsOf(s.Ref, 0), value) {
			w.seen[key] = true
			w.visit(name, pointer, value)
		}
		if !again {
			w.walkSchema(s.Ref, value, plain, pointer, inPlace+1, depth)
		}
	}
	for _, sub := range s.AllOf {
		w.walkSchema(sub, value, plain, pointer, inPlace+1, depth)
	}
	for _, branches := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if i := w.resolveUnion(branches, plain); i >= 0 {
			w.walkSchema(branches[i], value, plain, pointer, inPlace+1, depth)
		}
	}
	if s.If != nil {
		next := s.Else
		if isValid(s.If, plain) {
			next = s.Then
		}
		w.walkSchema(next, value, plain, pointer, inPlace+1, depth)
	}
	switch v := value.(type) {
	case map[string]any:
		w.walkMembers(s, v, plain.(map[string]any), pointer, inPlace, depth)
	case []any:
		w.walkItems(s, v, plain.([]any), pointer, depth)
	}
}

func (w *instanceWalk) walkMembers(s *jsonschema.Schema, value, plain map[string]any, pointer string, inPlace, depth int) {
	for _, trigger := range slices.Sorted(maps.Keys(s.DependentSchemas)) {
		if _, ok := value[trigger]; ok {
			w.walkSchema(s.DependentSchemas[trigger], value, plain, pointer, inPlace+1, depth)
		}
	}
	if s.Properties == nil && s.PatternProperties == nil && s.AdditionalProperties == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(value)) {
		below := pointer + "/" + escapeToken(name)
		sub, evaluated := s.Properties[name]
		if evaluated {
			w.walkSchema(sub, value[name], plain[name], below, 0, depth+1)
		}
		for pattern, sub := range s.PatternProperties {
			if pattern.MatchString(name) {
				evaluated = true
				w.walkSchema(sub, value[name], plain[name], below, 0, depth+1)
			}
		}
		if rest, ok := s.AdditionalProperties.(*jsonschema.Schema); ok && !evaluated {
			w.walkSchema(rest, value[name], plain[name], below, 0, depth+1)
		}
	}
}

func (w *instanceWalk) walkItems(s *jsonschema.Schema, value, plain []any, pointer string, depth int) {
	for i := range value {
		if sub := itemSchema(s, i); sub != nil {
			w.walkSchema(sub, value[i], plain[i], pointer+"/"+strconv.Itoa(i), 0, depth+1)
		}
	}
}

// itemSchema gives the schema of an array position in either draft.
func itemSchema(s *jsonschema.Schema, i int) *jsonschema.Schema {
	if i < len(s.PrefixItems) {
		return s.PrefixItems[i]
	}
	if s.Items2020 != nil {
		return s.Items2020
	}
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		return items
	case []*jsonschema.Schema:
		if i < len(items) {
			return items[i]
		}
		rest, _ := s.AdditionalItems.(*jsonschema.Schema)
		return rest
	}
	return nil
}

// resolveUnion resolves a union: the branch the value fits, or else the one it is
// judged by, or -1.
func (w *instanceWalk) resolveUnion(branches []*jsonschema.Schema, plain any) int {
	if len(branches) == 0 {
		return -1
	}
	for i, b := range branches {
		if isValid(b, plain) {
			return i
		}
	}
	return chooseBranch(branches, plain, func(i int) int { return w.weighBranch(branches[i], plain) }).branch
}

// isValid reports whether a value fits a schema; a failure of the validator is a no.
func isValid(in *jsonschema.Schema, plain any) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return in.Validate(plain) == nil
}

// weighBranch weighs what Validate would report of a branch, so that both resolve a
// union alike.
func (w *instanceWalk) weighBranch(branch *jsonschema.Schema, plain any) (weight int) {
	defer func() { _ = recover() }()
	broken, ok := branch.Validate(plain).(*jsonschema.ValidationError)
	if !ok {
		return 0
	}
	r := reportReader{shapes: w.shapes, root: branch, instance: plain}
	return weighFaults(r.listViolations(broken), 0)
}
