package shape

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

var shapeChecks = []judge.Check{
	judge.Define("shape", "a member of a type obeys the named rules, wherever the server sends it", shape),
	judge.Define(schema.GivenCheck, "whatever is of a definition is as the given schema defines it", definition),
	judge.Define("shape/unclaimed", "no shape rule that no other requirement claims is broken", unclaimed),
}

// shape: every message is validated once against the dialect's schema; the
// requirement fails on the violations it claims and passes on the evidence of
// the instances it could have been broken on.
func shape(t *judge.T, p observe.ShapeParams) {
	var broken []judge.Violation
	for _, v := range t.Violations() {
		if slices.ContainsFunc(p.All(), func(r observe.ShapeRule) bool { return r.Claims(v.Violation) }) {
			broken = append(broken, v)
		}
	}
	if len(broken) > 0 {
		judge.Each(t, broken, func(v judge.Violation) {
			observe.FailOnViolation(t, v)
		})
		p.MarkUnbroken(t, broken)
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
	forms := findOtherForms(t, func(v judge.Violation) bool {
		return slices.ContainsFunc(p.All(), func(r observe.ShapeRule) bool { return r.Claims(v.Violation) })
	})
	if p.Form == "" && forms && len(held) == 0 {
		return
	}
	if p.Form == "" {
		t.AllOK(held)
		return
	}
	judge.Each(t, held, func(v judge.Value) {
		if observe.IsOtherBase64(t, p.Form, v) {
			t.Finding(v, "the server sends base64 with the letters of base64url; readers of %s take it so", t.Case.Dialect.ProtoJSON)
		} else if v.IsString() {
			t.Expect(v).To(observe.FormRule(p.Form))
		}
		t.OK(v)
	})
}

// findOtherForms reports as findings what departs from the JSON Schema by its form alone, if
// every reader of the dialect's JSON takes it. It says whether there was any.
func findOtherForms(t *judge.T, claimed func(judge.Violation) bool) (found bool) {
	for _, v := range t.OtherForms() {
		if claimed(v) {
			found = true
			t.OK(v.Value(t))
			t.Finding(v.Value(t), "the server sends %s; readers of %s take it so", formOf(t, v), t.Case.Dialect.ProtoJSON)
		}
	}
	return found
}

// formOf returns in which form something is sent, and how the JSON Schema has it.
func formOf(t *judge.T, v judge.Violation) string {
	if v.Value(t).IsString() {
		return "a number as text, which is a number by the JSON Schema"
	}
	return "a member as null, which has to be left out by the JSON Schema"
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
		if !slices.ContainsFunc(claimed, func(r observe.ShapeRule) bool { return r.Claims(v.Violation) }) {
			open = append(open, v)
		}
	}
	if len(open) > 0 {
		judge.Each(t, open, func(v judge.Violation) {
			observe.FailOnViolation(t, v)
		})
		return
	}
	findOtherForms(t, func(v judge.Violation) bool {
		return !slices.ContainsFunc(claimed, func(r observe.ShapeRule) bool { return r.Claims(v.Violation) })
	})
	t.AllOK(t.All(judge.CardText, judge.CardElsewhere, judge.ReplyText, judge.EventText))
}

// definition: the operator's schema has no requirements of its own, so each of
// its definitions is one.
func definition(t *judge.T, p observe.DefinitionParams) {
	var broken []judge.Violation
	for _, v := range t.Violations() {
		if v.Definition == p.Definition {
			broken = append(broken, v)
		}
	}
	if len(broken) > 0 { // none is no sign of anything yet
		judge.Each(t, broken, func(v judge.Violation) {
			observe.FailOnViolation(t, v)
		})
		return
	}
	t.AllOK(t.Instances(p.Definition))
}

type claimedRules struct{}

// ClaimedRules lists the shape rules that requirements of a dialect claim.
func ClaimedRules(d *schema.Dialect) []observe.ShapeRule {
	return d.Once(claimedRules{}, func() any {
		var out []observe.ShapeRule
		for i := range d.Requirements {
			out = append(out, observe.RulesOf(&d.Requirements[i])...)
		}
		return out
	}).([]observe.ShapeRule)
}
