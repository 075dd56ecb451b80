package schema

import (
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Nearly all that servers say is what it should be, and most of the validator's work is
// to be able to say where a value departs. So a value is first asked whether it fits, which
// takes no memory. Where the answer is not a plain yes, the validator has the word; and
// what is not looked at here (keywords that no schema of ours has, numbers that are no plain
// integers) is never a plain answer.
type fit int8

const (
	unsure fit = iota
	fits
	differs
)

// maxFitDepth bounds how deep values are asked, against definitions that refer to
// themselves. What is deeper is for the validator.
const maxFitDepth = 200

// precheck is a schema as it is asked whether a value fits.
type precheck struct {
	beyond   bool // it has keywords that are not looked at here
	never    bool // nothing fits
	kinds    kinds
	constant []any // at most one
	enum     []any
	ref, not *precheck
	when     *precheck // if
	then     *precheck
	other    *precheck // else
	all      []*precheck
	anyOf    []*precheck
	oneOf    []*precheck

	required []string
	members  map[string]*precheck
	rest     *precheck // further members
	names    *precheck

	items     *precheck
	minItems  int
	minLength int
	pattern   *regexp.Regexp
	minimum   *big.Rat

	// leads says that a value which it judges may be, or hold, one that a definition
	// judges; onward are those of the members that do, sorted.
	leads  bool
	onward []string
}

// kinds are JSON types; 0 where any will do.
type kinds uint8

const (
	kindNull kinds = 1 << iota
	kindBoolean
	kindInteger
	kindNumber
	kindString
	kindArray
	kindObject
)

var kindNames = map[string]kinds{"null": kindNull, "boolean": kindBoolean, "integer": kindInteger, "number": kindNumber,
	"string": kindString, "array": kindArray, "object": kindObject}

// prechecks are those of all schemas that can be reached from some.
func prechecks(roots map[string]*jsonschema.Schema) map[*jsonschema.Schema]*precheck {
	known := map[*jsonschema.Schema]*precheck{}
	for _, root := range roots {
		precheckOf(root, known)
	}
	return known
}

func precheckOf(s *jsonschema.Schema, known map[*jsonschema.Schema]*precheck) *precheck {
	if s == nil {
		return nil
	}
	if f := known[s]; f != nil {
		return f
	}
	f := &precheck{}
	known[s] = f
	of := func(s *jsonschema.Schema) *precheck { return precheckOf(s, known) }
	each := func(all []*jsonschema.Schema) (out []*precheck) {
		for _, s := range all {
			out = append(out, of(s))
		}
		return out
	}
	f.beyond = goesBeyond(s)
	f.never = s.Always != nil && !*s.Always
	for _, t := range s.Types {
		k, known := kindNames[t]
		f.kinds |= k
		f.beyond = f.beyond || !known
	}
	f.constant, f.enum = s.Constant, s.Enum
	f.ref, f.not, f.when, f.then, f.other = of(s.Ref), of(s.Not), of(s.If), of(s.Then), of(s.Else)
	f.all, f.anyOf, f.oneOf = each(s.AllOf), each(s.AnyOf), each(s.OneOf)
	f.required = s.Required
	if len(s.Properties) > 0 {
		f.members = make(map[string]*precheck, len(s.Properties))
		for name, member := range s.Properties {
			f.members[name] = of(member)
		}
	}
	switch rest := s.AdditionalProperties.(type) {
	case nil:
	case bool:
		if !rest {
			f.rest = &precheck{never: true}
		}
	case *jsonschema.Schema:
		f.rest = of(rest)
	default:
		f.beyond = true
	}
	f.names = of(s.PropertyNames)
	f.items = of(s.Items2020)
	switch items := s.Items.(type) {
	case nil:
	case *jsonschema.Schema:
		f.items = of(items)
	default:
		f.beyond = true
	}
	f.minItems, f.minLength, f.pattern, f.minimum = s.MinItems, s.MinLength, s.Pattern, s.Minimum
	for name, member := range f.members {
		if member.leads {
			f.onward = append(f.onward, name)
		}
	}
	slices.Sort(f.onward)
	leads := func(f *precheck) bool { return f != nil && f.leads }
	f.leads = f.beyond || f.ref != nil || len(f.onward) > 0 || leads(f.then) || leads(f.other) || leads(f.rest) || leads(f.items) ||
		slices.ContainsFunc(slices.Concat(f.all, f.anyOf, f.oneOf), leads)
	return f
}

// goesBeyond reports whether a schema has keywords that only the validator knows.
func goesBeyond(s *jsonschema.Schema) bool {
	return s.Format != "" || s.RecursiveAnchor || s.RecursiveRef != nil || s.DynamicAnchor != "" || s.DynamicRef != nil ||
		s.MinProperties >= 0 || s.MaxProperties >= 0 || s.RegexProperties || len(s.PatternProperties) > 0 ||
		len(s.Dependencies) > 0 || len(s.DependentRequired) > 0 || len(s.DependentSchemas) > 0 || s.UnevaluatedProperties != nil ||
		s.MaxItems >= 0 || s.UniqueItems || s.AdditionalItems != nil || len(s.PrefixItems) > 0 || s.Contains != nil || s.UnevaluatedItems != nil ||
		s.MaxLength >= 0 || s.ContentEncoding != "" || s.ContentMediaType != "" || s.ContentSchema != nil ||
		s.ExclusiveMinimum != nil || s.Maximum != nil || s.ExclusiveMaximum != nil || s.MultipleOf != nil || len(s.Extensions) > 0
}

// asked tells whether a value fits a schema of the document.
func (s *Shapes) asked(in *jsonschema.Schema, v any) fit {
	if f := s.prechecks[in]; f != nil {
		return f.ask(v, 0)
	}
	return unsure
}

// ask tells whether a value, decoded JSON, fits.
func (f *precheck) ask(v any, depth int) fit {
	switch {
	case f == nil:
		return fits
	case f.never:
		return differs
	case f.beyond || depth > maxFitDepth:
		return unsure
	}
	depth++
	answer := f.kind(v)
	if len(f.constant) > 0 {
		answer = both(answer, same(v, f.constant[0]))
	}
	if len(f.enum) > 0 {
		answer = both(answer, among(len(f.enum), func(i int) fit { return same(v, f.enum[i]) }))
	}
	if answer == differs {
		return differs
	}
	answer = both(answer, f.ref.ask(v, depth))
	for _, g := range f.all {
		answer = both(answer, g.ask(v, depth))
	}
	if f.not != nil {
		answer = both(answer, opposite(f.not.ask(v, depth)))
	}
	if len(f.anyOf) > 0 {
		answer = both(answer, among(len(f.anyOf), func(i int) fit { return f.anyOf[i].ask(v, depth) }))
	}
	if len(f.oneOf) > 0 {
		answer = both(answer, f.one(v, depth))
	}
	if f.when != nil {
		switch f.when.ask(v, depth) {
		case fits:
			answer = both(answer, f.then.ask(v, depth))
		case differs:
			answer = both(answer, f.other.ask(v, depth))
		default:
			answer = both(answer, unsure)
		}
	}
	if answer == differs {
		return differs
	}
	return both(answer, f.within(v, depth))
}

// within asks what a value holds.
func (f *precheck) within(v any, depth int) fit {
	answer := fits
	switch v := v.(type) {
	case map[string]any:
		for _, name := range f.required {
			if _, ok := v[name]; !ok {
				return differs
			}
		}
		for name, member := range f.members {
			if value, ok := v[name]; ok {
				if answer = both(answer, member.ask(value, depth)); answer == differs {
					return differs
				}
			}
		}
		if f.rest == nil && f.names == nil {
			return answer
		}
		for name, value := range v {
			answer = both(answer, f.names.ask(name, depth))
			if _, described := f.members[name]; !described {
				answer = both(answer, f.rest.ask(value, depth))
			}
		}
	case []any:
		if len(v) < f.minItems {
			return differs
		}
		if f.items != nil {
			for _, item := range v {
				if answer = both(answer, f.items.ask(item, depth)); answer == differs {
					return differs
				}
			}
		}
	case string:
		if f.minLength > 0 && utf8.RuneCountInString(v) < f.minLength || f.pattern != nil && !f.pattern.MatchString(v) {
			return differs
		}
	case json.Number:
		if f.minimum != nil {
			n, ok := integer(v)
			switch {
			case !ok:
				return unsure
			case n.Cmp(f.minimum) < 0:
				return differs
			}
		}
	}
	return answer
}

// kind tells whether a value has one of the types.
func (f *precheck) kind(v any) fit {
	var is kinds
	switch v := v.(type) {
	case nil:
		is = kindNull
	case bool:
		is = kindBoolean
	case string:
		is = kindString
	case []any:
		is = kindArray
	case map[string]any:
		is = kindObject
	case json.Number:
		if is = kindNumber; f.kinds&(kindInteger|kindNumber) == kindInteger {
			if is = kindInteger; !plainInteger(v) {
				return unsure
			}
		}
	default:
		return unsure // no decoded JSON
	}
	if f.kinds == 0 || f.kinds&is != 0 {
		return fits
	}
	return differs
}

// one tells whether a value fits exactly one.
func (f *precheck) one(v any, depth int) fit {
	n := 0
	for _, g := range f.oneOf {
		switch g.ask(v, depth) {
		case unsure:
			return unsure
		case fits:
			n++
		}
	}
	if n == 1 {
		return fits
	}
	return differs
}

// same tells whether a value is a given one. Numbers, and what holds other values,
// are for the validator.
func same(v, given any) fit {
	switch given := given.(type) {
	case string:
		if s, ok := v.(string); ok && s == given {
			return fits
		}
	case bool:
		if b, ok := v.(bool); ok && b == given {
			return fits
		}
	case nil:
		if v == nil {
			return fits
		}
	default:
		switch v.(type) {
		case string, bool, nil:
		default:
			return unsure
		}
	}
	return differs
}

// among is whether one of several fits.
func among(n int, ask func(i int) fit) fit {
	answer := differs
	for i := range n {
		switch ask(i) {
		case fits:
			return fits
		case unsure:
			answer = unsure
		}
	}
	return answer
}

// both is whether two rules are kept.
func both(a, b fit) fit {
	switch {
	case a == differs || b == differs:
		return differs
	case a == unsure || b == unsure:
		return unsure
	}
	return fits
}

func opposite(a fit) fit {
	switch a {
	case fits:
		return differs
	case differs:
		return fits
	}
	return unsure
}

// plainInteger reports whether a number is written as a few digits, so that it is an
// integer without any computing.
func plainInteger(n json.Number) bool {
	digits := strings.TrimPrefix(string(n), "-")
	if digits == "" || len(digits) > 18 {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}

func integer(n json.Number) (*big.Rat, bool) {
	if !plainInteger(n) {
		return nil, false
	}
	return new(big.Rat).SetString(string(n))
}
