package shape

import (
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Rule is one rule that a definition states, named as the Violation of a breach
// names it.
type Rule struct {
	Definition, At, Keyword string

	Types  []string // of type: the types allowed
	Values []any    // of enum and const: the values allowed, numbers as json.Number
	Limit  string   // of minItems, maximum, ...: the bound, in decimal

	// Shadowed marks a rule whose breach another rule reports wherever the
	// definition is referred to: the type of the whole is a fault of the member
	// that holds it, and a wrong or missing discriminator is a fault of the
	// union. Only if the definition judges a whole instance is the breach
	// reported under this name.
	Shadowed bool
}

// Rules lists the rules of all definitions, sorted by Definition, At and
// Keyword. It is what mutants of valid instances are derived from.
func (s *Shapes) Rules() []Rule { return slices.Clone(s.rules) }

func (s *Shapes) listRules() []Rule {
	l := &ruleList{
		shapes:   s,
		referred: map[string]bool{},
		shadowed: map[shadowedRule]bool{},
	}
	for _, name := range s.names {
		l.definition = name
		l.walked = map[*jsonschema.Schema]bool{}
		l.addRulesOf(s.defs[name], "")
	}
	out := make([]Rule, 0, len(l.rules))
	for _, r := range l.rules {
		whole := r.At == "" && (r.Keyword == "type" || s.scalar[r.Definition])
		p := place{r.Definition, r.At}
		r.Shadowed = whole && l.referred[r.Definition] || l.shadowed[shadowedRule{p, ""}] || l.shadowed[shadowedRule{p, r.Keyword}]
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b Rule) int {
		return slices.CompareFunc(
			[]string{a.Definition, a.At, a.Keyword}, []string{b.Definition, b.At, b.Keyword}, strings.Compare)
	})
	// A rule that several branches state is one rule; the first supports it.
	return slices.CompactFunc(out, func(a, b Rule) bool {
		return a.Definition == b.Definition && a.At == b.At && a.Keyword == b.Keyword
	})
}

type ruleList struct {
	shapes     *Shapes
	definition string
	walked     map[*jsonschema.Schema]bool // on the way down
	rules      []Rule
	referred   map[string]bool
	shadowed   map[shadowedRule]bool
}

// shadowedRule is a rule, or all rules of a place, that the union in front of a
// definition leaves no chance to be broken.
type shadowedRule struct {
	place
	keyword string // "" for all
}

func (l *ruleList) addRule(at, keyword string, r Rule) {
	r.Definition, r.At, r.Keyword = l.definition, at, keyword
	l.rules = append(l.rules, r)
}

// addRulesOf adds the rules of a schema that is at a place of the definition.
func (l *ruleList) addRulesOf(s *jsonschema.Schema, at string) {
	if s == nil || l.walked[s] {
		return
	}
	l.walked[s] = true
	defer delete(l.walked, s)

	l.addValueRules(s, at)
	if s.Ref != nil {
		l.addTypeOrScalarRules(s.Ref, at)
	}
	for _, branches := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if len(branches) > 0 {
			l.addUnionRules(branches, at)
		}
	}
	for _, sub := range s.AllOf {
		l.addRulesOf(sub, at)
	}
	if s.If != nil {
		l.addConditionalRules(s, at)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		l.addRulesOf(s.Properties[name], at+"/"+escapeToken(name))
	}
	for _, pattern := range slices.SortedFunc(maps.Keys(s.PatternProperties), func(a, b *regexp.Regexp) int {
		return strings.Compare(a.String(), b.String())
	}) {
		l.addRulesOf(s.PatternProperties[pattern], at+"/*")
	}
	if sub, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		l.addRulesOf(sub, at+"/*")
	}
	for _, name := range slices.Sorted(maps.Keys(s.DependentSchemas)) {
		l.addRulesOf(s.DependentSchemas[name], at)
	}
	for _, sub := range s.PrefixItems {
		l.addRulesOf(sub, at+"/*")
	}
	l.addRulesOf(s.Items2020, at+"/*")
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		l.addRulesOf(items, at+"/*")
	case []*jsonschema.Schema:
		for _, sub := range items {
			l.addRulesOf(sub, at+"/*")
		}
	}
}

// addValueRules adds the rules that a schema states about the value itself.
func (l *ruleList) addValueRules(s *jsonschema.Schema, at string) {
	if len(s.Types) > 0 {
		l.addRule(at, "type", Rule{Types: slices.Clone(s.Types)})
	}
	if len(s.Enum) > 0 {
		l.addRule(at, "enum", Rule{Values: slices.Clone(s.Enum)})
	}
	if len(s.Constant) > 0 {
		l.addRule(at, "const", Rule{Values: slices.Clone(s.Constant)})
	}
	for _, name := range s.Required {
		l.addRule(at+"/"+escapeToken(name), "required", Rule{})
	}
	if s.Pattern != nil {
		l.addRule(at, "pattern", Rule{})
	}
	if s.Format != "" && s.Draft.String() == jsonschema.Draft7.String() {
		l.addRule(at, "format", Rule{}) // later drafts only annotate
	}
	for keyword, bound := range lengthLimits(s) {
		if bound >= 0 {
			l.addRule(at, keyword, Rule{Limit: ratText(big.NewRat(int64(bound), 1))})
		}
	}
	for keyword, bound := range numberLimits(s) {
		if bound != nil {
			l.addRule(at, keyword, Rule{Limit: ratText(bound)})
		}
	}
	if allowed, ok := s.AdditionalProperties.(bool); ok && !allowed {
		l.addRule(at, "additionalProperties", Rule{})
	}
	for keyword, there := range map[string]bool{
		"uniqueItems": s.UniqueItems, "not": s.Not != nil, "contains": s.Contains != nil, "propertyNames": s.PropertyNames != nil,
	} {
		if there {
			l.addRule(at, keyword, Rule{})
		}
	}
}

// lengthLimits are the bounds on how many characters, items or members a value has; below 0 if a schema sets none.
func lengthLimits(s *jsonschema.Schema) map[string]int {
	return map[string]int{
		"minItems": s.MinItems, "maxItems": s.MaxItems, "minLength": s.MinLength, "maxLength": s.MaxLength,
		"minProperties": s.MinProperties, "maxProperties": s.MaxProperties,
	}
}

// numberLimits are the bounds on numbers; nil if a schema sets none.
func numberLimits(s *jsonschema.Schema) map[string]*big.Rat {
	return map[string]*big.Rat{
		"minimum": s.Minimum, "maximum": s.Maximum, "exclusiveMinimum": s.ExclusiveMinimum,
		"exclusiveMaximum": s.ExclusiveMaximum, "multipleOf": s.MultipleOf,
	}
}

// addTypeOrScalarRules adds what a reference means for the place that refers: its type,
// and everything if the definition is one of plain values.
func (l *ruleList) addTypeOrScalarRules(target *jsonschema.Schema, at string) {
	name, named := l.shapes.byRoot[target]
	if !named {
		l.addRulesOf(target, at)
		return
	}
	l.referred[name] = true
	switch {
	case at == "":
		// The whole is one value with two definitions; the outer one has no rule
		// of its own here.
	case l.shapes.scalar[name]:
		l.addRulesOf(target, at)
	default:
		if kinds := kindsOf(target, 0); kinds != nil {
			l.addRule(at, "type", Rule{Types: slices.Clone(kinds)})
		}
	}
}

// addUnionRules adds the rules of an anyOf or oneOf as Validate reports it.
func (l *ruleList) addUnionRules(branches []*jsonschema.Schema, at string) {
	if kinds := branchKinds(branches, 0); kinds != nil {
		l.addRule(at, "type", Rule{Types: kinds})
	}
	var objects []int
	for i, b := range branches {
		if admitsType(kindsOf(b, 0), map[string]any(nil)) {
			objects = append(objects, i)
		}
	}
	if len(objects) > 1 {
		if member, values := findDiscriminator(branches, objects); member != "" {
			l.addRule(at+"/"+escapeToken(member), "required", Rule{})
			l.addRule(at+"/"+escapeToken(member), "enum", Rule{Values: values})
			for _, i := range objects {
				l.markRuleShadowed(branches[i], member, "")
			}
		}
	}
	for _, b := range branches {
		if b.Ref == nil {
			// The type of one branch is no rule; that of all was added above.
			l.addRulesExceptType(b, at)
			continue
		}
		l.addTypeOrScalarRules(b.Ref, at)
	}
}

func (l *ruleList) addRulesExceptType(s *jsonschema.Schema, at string) {
	before := len(l.rules)
	l.addRulesOf(s, at)
	added := l.rules[before:]
	kept := slices.DeleteFunc(slices.Clone(added), func(r Rule) bool { return r.At == at && r.Keyword == "type" })
	l.rules = append(l.rules[:before], kept...)
}

// addConditionalRules adds the rules of then and else. A condition that leads to a
// definition makes the definition a branch of a union: what it is chosen by
// holds there.
func (l *ruleList) addConditionalRules(s *jsonschema.Schema, at string) {
	for _, member := range slices.Sorted(maps.Keys(s.If.Properties)) {
		if _, ok := constantOf(s.If.Properties[member], 0); ok {
			l.markRuleShadowed(s.Then, member, "")
		}
	}
	for _, member := range s.If.Required {
		l.markRuleShadowed(s.Then, member, "required")
	}
	l.addRulesOf(s.Then, at)
	l.addRulesOf(s.Else, at)
}

func (l *ruleList) markRuleShadowed(branch *jsonschema.Schema, member, keyword string) {
	if branch == nil || branch.Ref == nil {
		return
	}
	if name, ok := l.shapes.byRoot[branch.Ref]; ok {
		l.shadowed[shadowedRule{place{name, "/" + escapeToken(member)}, keyword}] = true
	}
}
