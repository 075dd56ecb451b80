package suites

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

var shapeChecks = []judge.Check{
	judge.Define("shape", "a member of a type obeys the named rules, wherever the server sends it", shape),
	judge.Define(schema.GivenCheck, "whatever is of a definition is as the given schema defines it", definition),
	judge.Define("shape/unclaimed", "no shape rule that no other requirement claims is broken", unclaimed),
}

// ShapeRule names rules of the dialect's JSON Schema: of a type, at a pointer
// inside it with "*" for array positions, the keywords.
type ShapeRule struct {
	Type  string   `json:"type"`
	At    string   `json:"at"`
	Rules []string `json:"rules"`
}

// Claims reports whether a violation is of this rule.
func (r ShapeRule) Claims(v schema.Violation) bool {
	return v.Definition == r.Type && v.At == r.At && slices.Contains(r.Rules, v.Keyword)
}

// ShapeParams are the rules that a requirement claims: one, or several.
type ShapeParams struct {
	ShapeRule
	onPlays             // those without which what the rules are about may never be said
	Also    []ShapeRule `json:"also"`
	Form    string      `json:"form"` // a rule of form that strings at the place obey besides
}

// All lists every rule.
func (p ShapeParams) All() []ShapeRule {
	if p.Type == "" {
		return p.Also
	}
	return append([]ShapeRule{p.ShapeRule}, p.Also...)
}

// shape: every message is validated once against the dialect's schema; the
// requirement fails on the violations it claims and passes on the evidence of
// the instances it could have been broken on.
func shape(t *judge.T, p ShapeParams) {
	var broken []judge.Violation
	for _, v := range t.Violations() {
		if slices.ContainsFunc(p.All(), func(r ShapeRule) bool { return r.Claims(v.Violation) }) {
			broken = append(broken, v)
		}
	}
	if len(broken) > 0 {
		judge.Each(t, broken, func(v judge.Violation) {
			blame(t, v)
		})
		p.sound(t, broken)
		return
	}
	var held []judge.Value
	for _, r := range p.All() {
		for _, v := range t.Instances(r.Type) {
			places := v.Expand(r.At)
			if slices.Contains(r.Rules, "required") && len(places) == 0 {
				places = []judge.Value{v}
			}
			held = append(held, places...)
		}
	}
	if p.Form == "" {
		t.AllOK(held)
		return
	}
	judge.Each(t, held, func(v judge.Value) {
		if v.IsString() {
			t.Expect(v).To(formRule(p.Form))
		}
		t.OK(v)
	})
}

// sound books the exchanges in which none of the rules is broken.
func (p ShapeParams) sound(t *judge.T, broken []judge.Violation) {
	in := map[*wire.Exchange]bool{}
	for _, v := range broken {
		in[v.Said.Exchange] = true
	}
	for _, r := range p.All() {
		for _, v := range t.Instances(r.Type) {
			if !in[v.Exchange()] {
				t.Held(v)
			}
		}
	}
}

// blame fails the requirement on a violation.
func blame(t *judge.T, v judge.Violation) {
	place := v.Definition + strings.ReplaceAll(v.Violation.At, "/", ".")
	if list, ok := strings.CutSuffix(place, ".*"); ok {
		place = "an element of " + list
	}
	if v.Keyword == "required" {
		t.Fail(v.Value(t), "left out "+place, "this member")
	}
	is, wants := brokenRule(v.Keyword, v.Message)
	t.Fail(v.Value(t), "sent "+place+", which "+is, wants)
}

// brokenRule takes apart what the schema says of a breach: how it is, and how it
// should be.
func brokenRule(keyword, message string) (is, wants string) {
	if is, form, ok := strings.Cut(message, ", which is not of the form "); ok {
		if strings.Contains(form, "]+/[") {
			return is, "a media type of the form type/subtype"
		}
		return is, "the form " + judge.Clip(form, 80)
	}
	if is, kind, ok := strings.Cut(message, ", which is not a "); ok {
		return is, "the format " + kind
	}
	if is, values, ok := strings.Cut(message, ", not one of "); ok {
		return is, "one of " + values
	}
	is, due, ok := strings.Cut(message, "; ")
	if !ok {
		return message, "it to be as the definition has it"
	}
	unit := ""
	switch {
	case strings.HasSuffix(keyword, "Length"):
		unit = " characters"
	case strings.HasSuffix(keyword, "Items"):
		unit = " items"
	case strings.HasSuffix(keyword, "Properties"):
		unit = " members"
	}
	if due == "at least 1 asked for" && unit != "" {
		return strings.Replace(is, "is 0 characters long", "is empty", 1), "it not to be empty"
	}
	for _, end := range []string{" asked for", " allowed"} {
		if bound, cut := strings.CutSuffix(due, end); cut {
			return is, bound + unit
		}
	}
	if few, cut := strings.CutSuffix(due, " may be there"); cut {
		return is, few
	}
	if rest, expected := strings.CutPrefix(due, "expected "); expected {
		due = rest
	}
	return is, due
}

// unclaimed: the rules that no requirement names are judged together.
// Our own requests are validated with it.
func unclaimed(t *judge.T, _ struct{}) {
	if err := t.OwnFaults(); err != nil {
		panic(err)
	}
	claimed := ClaimedRules(t.Case.Dialect)
	var open []judge.Violation
	for _, v := range t.Violations() {
		if !slices.ContainsFunc(claimed, func(r ShapeRule) bool { return r.Claims(v.Violation) }) {
			open = append(open, v)
		}
	}
	if len(open) > 0 {
		judge.Each(t, open, func(v judge.Violation) {
			blame(t, v)
		})
		return
	}
	t.AllOK(t.All(judge.CardText, judge.CardElsewhere, judge.ReplyText, judge.EventText))
}

type definitionParams struct {
	Definition string `json:"definition"`
}

// definition: the operator's schema has no requirements of its own, so each of
// its definitions is one.
func definition(t *judge.T, p definitionParams) {
	var broken []judge.Violation
	for _, v := range t.Violations() {
		if v.Definition == p.Definition {
			broken = append(broken, v)
		}
	}
	if len(broken) > 0 { // none is no sign of anything yet
		judge.Each(t, broken, func(v judge.Violation) {
			blame(t, v)
		})
		return
	}
	t.AllOK(t.Instances(p.Definition))
}

type claimedRules struct{}

// ClaimedRules lists the shape rules that requirements of a dialect claim.
func ClaimedRules(d *schema.Dialect) []ShapeRule {
	return d.Once(claimedRules{}, func() any {
		var out []ShapeRule
		for i := range d.Requirements {
			out = append(out, RulesOf(&d.Requirements[i])...)
		}
		return out
	}).([]ShapeRule)
}

// broken fails the requirement on every breach of the rules that its check
// owns, wherever the server committed it, and reports whether there is one.
func (p ownRules) broken(t *judge.T) bool {
	of := breaches(t, p.Owns)
	if len(of) > 0 { // none is no sign of anything yet
		judge.Each(t, of, func(v judge.Violation) {
			blame(t, v)
		})
	}
	return len(of) > 0
}

// breaches lists the violations of some rules.
func breaches(t *judge.T, rules []ShapeRule) []judge.Violation {
	var out []judge.Violation
	for _, v := range t.Violations() {
		if slices.ContainsFunc(rules, func(r ShapeRule) bool { return r.Claims(v.Violation) }) {
			out = append(out, v)
		}
	}
	return out
}

// RulesOf lists the shape rules that a requirement claims: those it judges as
// shape, and those that a check of its own judges better.
func RulesOf(r *schema.Requirement) []ShapeRule {
	if r.Check == "shape" {
		if p, err := judge.Params[ShapeParams](r.With); err == nil {
			return p.All()
		}
	}
	if p, err := judge.Params[ownRules](map[string]any{"owns": r.With["owns"]}); err == nil {
		return p.Owns
	}
	return nil
}
