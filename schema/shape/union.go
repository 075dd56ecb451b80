package shape

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// reportReader turns what the validator reports about one instance into violations.
type reportReader struct {
	shapes     *Shapes
	definition string
	root       *jsonschema.Schema
	instance   any
}

// listViolations lists the violations below a node of the validator's report.
//
// A failed anyOf or oneOf is read as one union, so that a fault in a member of
// one branch does not come with faults of all others:
//
//  1. Branches whose type cannot hold the value are out. If that leaves none,
//     the value is of the wrong type: one violation, type, at the union.
//  2. If the branches left for an object are distinguished by a member that is
//     constant in each, the value of this member names the branch. A missing
//     member is one violation, required; an unknown value is one, enum.
//  3. Otherwise the branch is meant that fits best: the one with the fewest
//     members of the value missing or of another constant, then the one with
//     the fewest faults in all, then the first.
//
// The listViolations of the branch are attributed like any others.
func (r *reportReader) listViolations(node *jsonschema.ValidationError) []Violation {
	if len(node.Causes) == 0 {
		return r.readLeaf(node)
	}
	if t := pointerTokens(node.KeywordLocation); len(t) > 0 && slices.Contains([]string{"anyOf", "oneOf", "minContains"}, t[len(t)-1]) {
		here := r.shapes.locateKeyword(r.definition, r.root, node.KeywordLocation)
		switch here.keyword {
		case "minContains":
			return r.readLeaf(node)
		case "anyOf":
			return r.readUnion(node, here, here.schema.AnyOf)
		case "oneOf":
			return r.readUnion(node, here, here.schema.OneOf)
		}
	}
	var out []Violation
	for _, cause := range node.Causes {
		out = append(out, r.listViolations(cause)...)
	}
	return out
}

// readUnion reads a failed anyOf or oneOf, in which every branch failed.
func (r *reportReader) readUnion(node *jsonschema.ValidationError, here keywordSite, branches []*jsonschema.Schema) []Violation {
	if len(branches) != len(node.Causes) {
		return r.readLeaf(node)
	}
	tokens := pointerTokens(node.InstanceLocation)
	value := valueAt(r.instance, tokens)
	found := make([][]Violation, len(branches))
	for i, cause := range node.Causes {
		found[i] = r.listViolations(cause)
	}
	c := chooseBranch(branches, value, func(i int) int { return weighFaults(found[i], len(tokens)) })
	switch {
	case c.wrongType:
		kinds := branchKinds(branches, 0)
		return []Violation{r.newViolation(here.places, "type", "", tokens, isOfType(value, kinds))}
	case c.branch >= 0:
		return found[c.branch]
	case c.missing:
		return []Violation{r.newViolation(here.places, "required", c.member, tokens, "is missing")}
	}
	member := value.(map[string]any)[c.member]
	return []Violation{r.newViolation(here.places, "enum", c.member, tokens, isNoneOf(member, c.values))}
}

// branchChoice is the branch of a union a value belongs to, or why there is none.
type branchChoice struct {
	branch    int // -1 for none
	wrongType bool
	member    string // the member that reports branches apart
	missing   bool   // the value does not have it
	values    []any  // what it may be
}

// chooseBranch applies the steps that listViolations documents. misfit returns how badly
// a branch fits.
func chooseBranch(branches []*jsonschema.Schema, value any, misfit func(int) int) branchChoice {
	var left []int
	for i, b := range branches {
		if admitsType(kindsOf(b, 0), value) {
			left = append(left, i)
		}
	}
	if len(left) == 0 {
		return branchChoice{branch: -1, wrongType: true}
	}
	if object, ok := value.(map[string]any); ok && len(left) > 1 {
		if member, values := findDiscriminator(branches, left); member != "" {
			got, there := object[member]
			var meant []int
			for i, v := range values {
				if there && sameScalar(got, v) {
					meant = append(meant, left[i])
				}
			}
			if len(meant) == 0 {
				return branchChoice{branch: -1, member: member, missing: !there, values: values}
			}
			left = meant
		}
	}
	return branchChoice{branch: slices.MinFunc(left, func(a, b int) int { return misfit(a) - misfit(b) })}
}

// weighFaults weighs the faults of a branch that judges a value at a depth of the
// instance. What states that the value is something else weighs more than any
// number of faults further down.
func weighFaults(found []Violation, depth int) int {
	const heavy = 1 << 20
	weight := len(found)
	for _, v := range found {
		own := strings.Count(v.Instance, "/") == depth+1
		if own && slices.Contains([]string{"required", "const", "enum"}, v.Keyword) {
			weight += heavy
		}
	}
	return weight
}

// findDiscriminator finds the member that is constant in every one of the branches
// left, and its values; of several the first by name that differs most.
func findDiscriminator(branches []*jsonschema.Schema, left []int) (string, []any) {
	var best string
	var values []any
	distinct := 0
	for _, member := range constantMembers(branches[left[0]]) {
		var here []any
		for _, i := range left {
			v, ok := constantMember(branches[i], member, 0)
			if !ok {
				break
			}
			here = append(here, v)
		}
		if len(here) != len(left) {
			continue
		}
		if n := countDistinct(here); n > distinct {
			best, values, distinct = member, here, n
		}
	}
	if distinct < 2 {
		return "", nil // the same everywhere reports nothing apart
	}
	return best, values
}

// constantMembers lists the members that a schema fixes to one value, sorted.
func constantMembers(s *jsonschema.Schema) []string {
	var out []string
	var visit func(*jsonschema.Schema, int)
	visit = func(s *jsonschema.Schema, depth int) {
		if s == nil || depth > maxInPlace {
			return
		}
		for name, sub := range s.Properties {
			if _, ok := constantOf(sub, 0); ok && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
		visit(s.Ref, depth+1)
		for _, sub := range s.AllOf {
			visit(sub, depth+1)
		}
	}
	visit(s, 0)
	slices.Sort(out)
	return out
}

// constantMember gives the value a schema fixes a member to.
func constantMember(s *jsonschema.Schema, member string, depth int) (any, bool) {
	if s == nil || depth > maxInPlace {
		return nil, false
	}
	if v, ok := constantOf(s.Properties[member], 0); ok {
		return v, true
	}
	for _, sub := range append([]*jsonschema.Schema{s.Ref}, s.AllOf...) {
		if v, ok := constantMember(sub, member, depth+1); ok {
			return v, true
		}
	}
	return nil, false
}

// constantOf gives the one scalar value a schema admits.
func constantOf(s *jsonschema.Schema, depth int) (any, bool) {
	if s == nil || depth > maxInPlace {
		return nil, false
	}
	for _, values := range [][]any{s.Constant, s.Enum} {
		if len(values) == 1 && kindOf(values[0]) != "object" && kindOf(values[0]) != "array" {
			return values[0], true
		}
	}
	return constantOf(s.Ref, depth+1)
}

func countDistinct(values []any) int {
	n := 0
	for i, v := range values {
		if !slices.ContainsFunc(values[:i], func(w any) bool { return sameScalar(v, w) }) {
			n++
		}
	}
	return n
}

// sameScalar compares two plain values; numbers are the same if written alike,
// which is enough for the constants that tell branches apart.
func sameScalar(a, b any) bool {
	switch kindOf(a) {
	case "object", "array":
		return false
	}
	return a == b
}
