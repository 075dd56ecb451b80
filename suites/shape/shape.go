package shape

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// checkClaimedShapeRules fails on the violations that the requirement claims. All messages are validated once
// against the dialect's schema; if no claimed rule is broken, the instances that could have
// broken one are the evidence.
func checkClaimedShapeRules(t *judge.T, p observe.ShapeParams) {
	rules := p.All()
	claimed := func(v judge.Violation) bool { return observe.Claim(rules, v) }
	if broken := judge.Filter(t.Violations(), claimed); observe.FailOnViolations(t, broken) {
		p.MarkUnbrokenConforming(t, broken)
		return
	}
	var held []judge.Value
	for _, r := range rules {
		for _, v := range t.Instances(r.Type) {
			places := v.Expand(r.At)
			if slices.Contains(r.Rules, "required") && len(places) == 0 {
				places = []judge.Value{v}
			}
			held = append(held, places...)
		}
	}
	forms := findOtherForms(t, claimed)
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

// findOtherForms reports as findings the violations of the JSON Schema that every reader of the
// dialect's JSON accepts, because only the form differs. It returns whether there was any.
func findOtherForms(t *judge.T, claimed func(judge.Violation) bool) (found bool) {
	for _, v := range t.OtherForms() {
		if claimed(v) {
			found = true
			t.OK(v.Value(t))
			t.Finding(v.Value(t), "the server sends %s; readers of %s take it so", describeQuotedNumberOrNull(t, v), t.Case.Dialect.ProtoJSON)
		}
	}
	return found
}

// describeQuotedNumberOrNull returns in which form something is sent, and how the JSON Schema has it.
func describeQuotedNumberOrNull(t *judge.T, v judge.Violation) string {
	if v.Value(t).IsString() {
		return "a number as text, which is a number by the JSON Schema"
	}
	return "a member as null, which has to be left out by the JSON Schema"
}

// checkUnclaimedShapeRules judges all rules that no requirement names together. It validates the suite's
// own requests with them, too.
func checkUnclaimedShapeRules(t *judge.T, _ struct{}) {
	if err := t.OwnFaults(); err != nil {
		panic(err)
	}
	rules := ClaimedRules(t.Case.Dialect)
	open := func(v judge.Violation) bool { return !observe.Claim(rules, v) }
	if observe.FailOnViolations(t, judge.Filter(t.Violations(), open)) {
		return
	}
	findOtherForms(t, open)
	t.AllOK(t.All(judge.CardText, judge.CardElsewhere, judge.ReplyText, judge.EventText))
}

// checkDefinition judges one definition of the operator's schema, which has no requirements of
// its own.
func checkDefinition(t *judge.T, p observe.DefinitionParams) {
	broken := judge.Filter(t.Violations(), func(v judge.Violation) bool { return v.Definition == p.Definition })
	if observe.FailOnViolations(t, broken) {
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
