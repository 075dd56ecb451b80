package shape

import (
	"fmt"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Bounds of a schema. A validator judges a value anew for each way that leads to
// it, and a document of a few lines can have more ways than there is time.
const (
	maxSchemaValues = 100_000 // in the document
	maxDefinitions  = 1000
	maxWays         = 20_000  // in which one value is judged, at any depth
	maxUnfolded     = 200_000 // places of all definitions with what they refer to in passing
	maxSizing       = 5_000_000
	wayDepth        = 64 // levels of a value, from which on recursion shows
)

// pathCounter counts in how many ways definitions lead to one value.
type pathCounter struct {
	here  map[*jsonschema.Schema]int // schemas that judge the same value
	work  int
	depth map[*jsonschema.Schema]int // ways to one value so many levels below, at most
}

// tooManyWays describes which definition leads to one value in too many ways; "" if none
// does. That the document ends, the compiler has made sure.
func tooManyWays(names []string, defs map[string]*jsonschema.Schema) string {
	w := &pathCounter{here: map[*jsonschema.Schema]int{}, depth: map[*jsonschema.Schema]int{}}
	var all []*jsonschema.Schema
	for _, name := range names {
		if n := w.countSchemasForValue(defs[name]); n > maxWays {
			return fmt.Sprintf("%s validates one value in more than %d ways; put repeated rules into one definition", name, maxWays)
		}
		all = append(all, defs[name])
	}
	all = w.listReachableAtAnyDepth(all)
	for range wayDepth {
		next := map[*jsonschema.Schema]int{}
		for _, s := range all {
			next[s] = w.maxPathsBelow(s)
			if next[s] > maxWays || w.work > maxSizing {
				return fmt.Sprintf("%s leads to one nested value in more than %d ways; put repeated rules into one definition", s.Location[len(shapesURL):], maxWays)
			}
		}
		if maps.Equal(next, w.depth) {
			break
		}
		w.depth = next
	}
	return ""
}

// countSchemasForValue returns how many schemas judge a value that s judges, each as often as it does.
func (w *pathCounter) countSchemasForValue(s *jsonschema.Schema) int {
	if n, known := w.here[s]; known {
		return n
	}
	w.here[s] = 1 // what refers to itself in passing is refused by the compiler
	n := 1
	for _, sub := range samePlace(s) {
		n = min(n+w.countSchemasForValue(sub), maxWays+1)
	}
	w.here[s] = n
	return n
}

// maxPathsBelow returns in how many ways a value inside one that s judges is judged: the most
// for any member, item or name.
func (w *pathCounter) maxPathsBelow(s *jsonschema.Schema) int {
	named := map[string]int{} // by member, what others are judged by taken off
	placed := map[int]int{}   // the same by item
	members, items, names := 0, 0, 0
	var visit func(s *jsonschema.Schema)
	visit = func(s *jsonschema.Schema) {
		if w.work > maxSizing {
			return
		}
		w.work += 1 + len(s.Properties) + len(s.PatternProperties)
		others := w.pathsCountedSoFar(s.UnevaluatedProperties) + w.pathsCountedSoFar(s.AdditionalProperties)
		members += others
		for _, sub := range s.PatternProperties {
			members += w.pathsCountedSoFar(sub)
		}
		for name, sub := range s.Properties {
			named[name] += w.pathsCountedSoFar(sub) - others
		}
		rest := w.pathsCountedSoFar(s.UnevaluatedItems) + w.pathsCountedSoFar(s.AdditionalItems) + w.pathsCountedSoFar(s.Items) + w.pathsCountedSoFar(s.Items2020)
		prefix := s.PrefixItems
		if list, is := s.Items.([]*jsonschema.Schema); is {
			prefix = list
		}
		for i, sub := range prefix {
			placed[i] += w.pathsCountedSoFar(sub) - rest
		}
		items += rest + w.pathsCountedSoFar(s.Contains)
		names += w.pathsCountedSoFar(s.PropertyNames)
		for _, sub := range samePlace(s) {
			visit(sub)
		}
	}
	visit(s)
	most := max(members, items, names, 1)
	for _, n := range named {
		most = max(most, members+n)
	}
	for _, n := range placed {
		most = max(most, items+n)
	}
	return min(most, maxWays+1)
}

// pathsCountedSoFar returns the ways of a schema as far as they are counted; 0 if a member of a schema is none.
func (w *pathCounter) pathsCountedSoFar(member any) int {
	s, _ := member.(*jsonschema.Schema)
	if s == nil {
		return 0
	}
	if n, ok := w.depth[s]; ok {
		return n
	}
	return 1
}

// listReachableAtAnyDepth returns all schemas below some.
func (w *pathCounter) listReachableAtAnyDepth(from []*jsonschema.Schema) (all []*jsonschema.Schema) {
	seen := map[*jsonschema.Schema]bool{}
	for len(from) > 0 {
		s := from[len(from)-1]
		from = from[:len(from)-1]
		if s == nil || seen[s] {
			continue
		}
		seen[s] = true
		all = append(all, s)
		from = append(from, listSubschemas(s)...)
	}
	return all
}

// listSubschemas returns the schemas that judge a value that s judges, or what is directly in it.
func listSubschemas(s *jsonschema.Schema) []*jsonschema.Schema {
	return slices.AppendSeq(slices.Concat(samePlace(s), anyPlace(s)), maps.Values(s.Properties))
}

// samePlace returns the schemas that judge the value that s judges.
func samePlace(s *jsonschema.Schema) []*jsonschema.Schema {
	out := slices.Concat(s.AllOf, s.AnyOf, s.OneOf, []*jsonschema.Schema{s.Ref, s.RecursiveRef, s.DynamicRef, s.Not, s.If, s.Then, s.Else})
	out = slices.AppendSeq(out, maps.Values(s.DependentSchemas))
	for _, sub := range s.Dependencies {
		sub, _ := sub.(*jsonschema.Schema)
		out = append(out, sub)
	}
	return dropNilSchemas(out)
}

func dropNilSchemas(all []*jsonschema.Schema) []*jsonschema.Schema {
	return slices.DeleteFunc(all, func(s *jsonschema.Schema) bool { return s == nil })
}

// anyPlace returns the schemas that judge items, and members that are not named.
func anyPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	out := slices.Concat(s.PrefixItems, []*jsonschema.Schema{s.PropertyNames, s.UnevaluatedProperties, s.Items2020, s.Contains, s.UnevaluatedItems, s.ContentSchema})
	out = slices.AppendSeq(out, maps.Values(s.PatternProperties))
	for _, one := range []any{s.AdditionalProperties, s.Items, s.AdditionalItems} {
		switch sub := one.(type) {
		case *jsonschema.Schema:
			out = append(out, sub)
		case []*jsonschema.Schema:
			out = append(out, sub...)
		}
	}
	return dropNilSchemas(out)
}

// tooUnfolded reports whether the rules of the definitions are too many once what
// they refer to in passing is in its place.
func tooUnfolded(defs map[string]*jsonschema.Schema, named map[*jsonschema.Schema]string) bool {
	size := map[*jsonschema.Schema]int{}
	var measure func(s *jsonschema.Schema) int
	measure = func(s *jsonschema.Schema) int {
		if n, known := size[s]; known {
			return n
		}
		size[s] = 0 // on the way down it is not unfolded again
		n := 1
		for _, sub := range listSubschemas(s) {
			if _, is := named[sub]; !is {
				n = min(n+measure(sub), maxUnfolded+1)
			}
		}
		size[s] = n
		return n
	}
	for _, s := range defs {
		if measure(s) > maxUnfolded {
			return true
		}
	}
	return false
}
