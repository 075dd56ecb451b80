package shape

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// maxPerRule bounds how many breaches of one rule Validate returns. A reply
// with a hundred thousand bad parts breaks one sentence, not a hundred thousand.
const maxPerRule = 20

// Shapes is a compiled JSON Schema whose definitions are the types of one
// protocol. It is safe for use by several goroutines.
type Shapes struct {
	name   string
	names  []string // sorted
	defs   map[string]*jsonschema.Schema
	byRoot map[*jsonschema.Schema]string // the inverse of defs
	scalar map[string]bool               // definitions of plain values, such as an enumeration
	rules  []Rule
}

// Definitions returns the names of the definitions, sorted.
func (s *Shapes) Definitions() []string { return slices.Clone(s.names) }

// Has reports whether there is a definition of that name.
func (s *Shapes) Has(definition string) bool { return s.defs[definition] != nil }

// Title returns what the protocol calls what a definition judges: the definition's title or,
// without one, its name.
func (s *Shapes) Title(definition string) string {
	if def := s.defs[definition]; def != nil && def.Title != "" {
		return def.Title
	}
	return definition
}

// Members returns the names of the members that a definition describes, sorted; none if
// there is no such definition.
func (s *Shapes) Members(definition string) []string {
	if def := s.defs[definition]; def != nil {
		return slices.Sorted(maps.Keys(def.Properties))
	}
	return nil
}

// Kinds returns the JSON types that a member of a definition may have; nil if nothing
// reports it.
func (s *Shapes) Kinds(definition, member string) []string {
	if def := s.defs[definition]; def != nil {
		return kindsOf(def.Properties[member], 0)
	}
	return nil
}

// Violation is one departure of an instance from a definition.
//
// A fault is attributed to the innermost named definition that states the broken rule, with two
// exceptions, both for the benefit of a reader who looks for the sentence that was broken. If a
// member refers to a definition, a value of the wrong type is a fault of the member: a
// capabilities that is a number is (AgentCard, /capabilities, type). And every fault of a plain
// value that has a definition of its own is a fault of the member that holds it: an unknown state
// is (TaskStatus, /state, enum). Such a definition is named itself only if it judges the whole
// instance.
type Violation struct {
	// Definition names the definition the broken rule belongs to.
	Definition string
	// At is the pointer inside the instance of that definition, with "*" for
	// array positions and for members without a name of their own: "/id",
	// "/parts/*", "" for the whole.
	At string
	// Keyword is the JSON Schema keyword: required, type, enum, const, ...
	Keyword string
	// Instance is the pointer of the offending place in the whole instance. For
	// required it is the pointer the missing member would have.
	Instance string
	// Message describes what is wrong, to be read after the name of the place.
	Message string
}

// Validate judges an instance, decoded JSON with json.Number for numbers, by a
// definition. The violations come sorted by Instance, Definition, Keyword and
// At; of each rule at most twenty are returned. The error describes faults of
// ours only: an unknown definition, a value that is not decoded JSON, or a
// failure inside the validator.
func (s *Shapes) Validate(definition string, instance any) (_ []Violation, err error) {
	root := s.defs[definition]
	if root == nil {
		return nil, s.unknownDefinition(definition)
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: validating a %s: the validator failed: %v", s.name, definition, r)
		}
	}()
	instance = plainNumbers(instance, 0)
	err = root.Validate(instance)
	if err == nil {
		return nil, nil
	}
	var broken *jsonschema.ValidationError
	if !errors.As(err, &broken) {
		return nil, fmt.Errorf("%s: validating a %s: %w", s.name, definition, err)
	}
	r := reportReader{shapes: s, definition: definition, root: root, instance: instance}
	return sortAndDropImplied(r.listViolations(broken)), nil
}

func (s *Shapes) unknownDefinition(definition string) error {
	return fmt.Errorf("%s: no definition %q; choose one of %s", s.name, definition, strings.Join(s.names, ", "))
}

// sortAndDropImplied sorts the violations, because the validator walks maps and reports in
// random order, and drops what states nothing new.
func sortAndDropImplied(all []Violation) []Violation {
	slices.SortFunc(all, compareViolations)
	all = slices.Compact(all)

	wrongType := map[string]bool{}
	for _, v := range all {
		if v.Keyword == "type" {
			wrongType[v.Instance] = true
		}
	}
	type rule struct{ definition, at, keyword string }
	seen := map[rule]int{}
	return slices.DeleteFunc(all, func(v Violation) bool {
		// What else is stated of a value of the wrong type follows from its type.
		if v.Keyword != "type" && wrongType[v.Instance] {
			return true
		}
		r := rule{v.Definition, v.At, v.Keyword}
		seen[r]++
		return seen[r] > maxPerRule
	})
}

func compareViolations(a, b Violation) int {
	return slices.CompareFunc(
		[]string{a.Instance, a.Definition, a.Keyword, a.At, a.Message},
		[]string{b.Instance, b.Definition, b.Keyword, b.At, b.Message},
		strings.Compare)
}
