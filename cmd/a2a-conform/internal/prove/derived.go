package prove

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/schema/shape"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// A derived mutant is an edit of the recorded healthy transcript that breaks
// one rule of the schema at one place. All of them are judged, every time.

// maxTries is how many places are tried in search of a sharp derived mutant.
const maxTries = 12

// ruleEdit breaks a rule at a place.
type ruleEdit struct {
	rule shape.Rule
	said *judge.Document
	at   string // pointer of the broken place in the text
	text []byte // the text afterwards
	// became is the exchange afterwards, if it cannot be had by putting the text into it.
	became *record.Exchange
}

// describeRule returns what was broken: type, pointer and rule.
func (e ruleEdit) describeRule() string {
	return fmt.Sprintf("%s%s %s", e.rule.Definition, e.rule.At, e.rule.Keyword)
}

// judgeDerivedMutants judges one mutant for every rule that can be broken on what the
// healthy variants answered.
func (p *proof) judgeDerivedMutants() []*derivedResult {
	rules, owners := p.listRulesWithOwners()
	results := make([][]*derivedResult, len(rules))
	onAllCores(len(rules), func(i int) {
		if p.only == nil || slices.ContainsFunc(owners[i], p.isSelected) {
			results[i] = p.breakRule(rules[i], owners[i])
		}
	})
	return slices.Concat(results...)
}

// listRulesWithOwners lists the rules that can be broken and, for each, the requirements
// that claim it; what none claims belongs to the requirement that gathers the
// rest.
func (m *Inputs) listRulesWithOwners() ([]shape.Rule, [][]string) {
	m.once.Do(func() {
		m.rules = slices.DeleteFunc(m.Dialect.Shapes().Rules(), func(r shape.Rule) bool { return r.Shadowed })
		m.owners = make([][]string, len(m.rules))
		var rest []string
		for i := range m.Dialect.Requirements {
			req := &m.Dialect.Requirements[i]
			if req.Check == "shape/unclaimed" {
				rest = append(rest, req.ID)
			}
			claimed := observe.RulesOf(req)
			for j, r := range m.rules {
				v := shape.Violation{Definition: r.Definition, At: r.At, Keyword: r.Keyword}
				if slices.ContainsFunc(claimed, func(s observe.ShapeRule) bool { return s.Claims(v) }) {
					m.owners[j] = append(m.owners[j], req.ID)
				}
			}
		}
		for j := range m.owners {
			if len(m.owners[j]) == 0 {
				m.owners[j] = rest
			}
		}
	})
	return m.rules, m.owners
}

// derivedResult is the sharpest of the edits that were tried for a rule.
type derivedResult struct {
	mutant   Mutant
	owners   []string
	problems []Problem

	reencoded      bool // it is another one over again, in a message of gRPC
	notExpressible bool // which protobuf has no bytes for
}

func (p *proof) addDerivedResult(r *derivedResult) {
	switch {
	case r.notExpressible:
		p.out.Unsayable++
		return
	case r.reencoded:
		p.out.Reencoded++
		p.out.Problems = append(p.out.Problems, r.problems...)
		return
	}
	for _, id := range r.owners {
		if row := p.rows[id]; row != nil && slices.Contains(r.mutant.Fails, id) {
			row.Bites = append(row.Bites, r.mutant.Name)
		}
	}
	p.addMutantToOutcome(r.mutant)
	p.out.Problems = append(p.out.Problems, r.problems...)
}

// maxWaysPerRule is how many ways to break one rule are judged.
const maxWaysPerRule = 3

// breakRule breaks a rule in some ways. For each it judges edits until one is
// sharp, and keeps the sharpest. Every edit that is judged must be fair.
func (p *proof) breakRule(rule shape.Rule, owners []string) (out []*derivedResult) {
	most := cmp.Or(p.ways, maxWaysPerRule)
	for _, w := range listRuleBreaks(p.sampleMembersForNotRule(rule), rule, p.Dialect.ProtoJSON != "") {
		if len(out) == most {
			break
		}
		if r := p.breakIn(w, rule, owners); r != nil {
			out = append(out, r)
			if again := p.breakOverGRPC(w, rule, owners); again != nil {
				again.reencoded = true
				defer func() { out = append(out, again) }()
			}
		}
	}
	return out
}

// breakOverGRPC breaks a rule in the same way in a message of gRPC, which is encoded
// again. What protobuf has no bytes for is none that a server could send.
func (p *proof) breakOverGRPC(w ruleBreak, rule shape.Rule, owners []string) *derivedResult {
	owners = slices.DeleteFunc(slices.Clone(owners), func(id string) bool { return !p.Dialect.Requirement(id).For(schema.KindGRPC) })
	if len(owners) == 0 {
		return nil
	}
	var unsaid *derivedResult
	left := maxGRPCTries
	for _, v := range p.Variants {
		base := p.healthy[v.Variant]
		for _, s := range base.Texts() {
			if s.Exchange.GRPC() == nil || s.Written != nil {
				continue
			}
			for _, at := range base.Places(s, rule.Definition) {
				switch e, is := p.editAt(s, at, rule, w); is {
				case broken:
					return p.judgeEdit(v, base, e, owners)
				case unsayable:
					unsaid = &derivedResult{notExpressible: true}
				case missed:
				default:
					continue
				}
				if left--; left == 0 {
					return unsaid
				}
			}
		}
	}
	return unsaid
}

// maxGRPCTries is at how many places of messages a way is tried.
const maxGRPCTries = 4

func (p *proof) breakIn(w ruleBreak, rule shape.Rule, owners []string) *derivedResult {
	var best *derivedResult
	left := maxTries
	for _, v := range p.Variants {
		base := p.healthy[v.Variant]
		for e := range p.findEdits(base, rule, w) {
			r := p.judgeEdit(v, base, e, owners)
			if best == nil || len(r.mutant.Fails) < len(best.mutant.Fails) || len(r.problems) > len(best.problems) {
				best = r
			}
			if left--; left == 0 || len(best.mutant.Fails) <= MaxSpecificFailures {
				return best
			}
		}
	}
	return best
}

func (p *proof) judgeEdit(v *Recording, base *verdict.Decider, e ruleEdit, owners []string) *derivedResult {
	x := e.said.Exchange
	y := e.became
	switch {
	case y != nil:
	case e.said.Event > 0:
		f := x.Events()[e.said.Event-1]
		y = x.Splice(f.DataStart, f.DataEnd, e.text)
	default:
		y = x.Splice(0, len(x.Response.Body), e.text)
	}
	c := verdict.NewDecider(p.Dialect, v.Transcript.Clone(x, y), p.checks, base.Cache())
	c.Track = true
	out := &derivedResult{mutant: Mutant{Name: e.describeRule(), Variant: v.Variant, Derived: true, Fails: []string{}}, owners: owners}
	bad := func(kind, id, format string, args ...any) {
		out.problems = append(out.problems, Problem{Kind: kind, Requirement: id, Mutant: e.describeRule(), Text: fmt.Sprintf(format, args...)})
	}
	sub := &proof{out: &Outcome{}}
	touched := p.affectedRequirements(base, x.ID, owners)
	for _, id := range p.selectedIDs() {
		if !touched[id] {
			c.SetResult(base.Result(id))
		}
	}
	for _, id := range p.selectedIDs() {
		was, is := base.Result(id), c.Result(id)
		if is.Verdict == report.Fail {
			out.mutant.Fails = append(out.mutant.Fails, id)
		}
		for _, fault := range checkReasons(c.Transcript, is) {
			bad("reasons", id, "%s", fault)
		}
		if slices.Contains(owners, id) {
			if p.Dialect.Requirement(id).Tolerant() {
				if is.Verdict != report.Pass || len(newFindings(was, is)) == 0 {
					bad("bite", id, "claims the rule, but has no finding where %s is broken at %s of exchange %d: %s %s", e.describeRule(), e.at, x.ID, is.Verdict, is.Reason)
				}
				continue
			}
			if is.Verdict != report.Fail {
				bad("bite", id, "claims the rule, but does not fail where %s is broken at %s of exchange %d: %s %s", e.describeRule(), e.at, x.ID, is.Verdict, is.Reason)
			}
			continue
		}
		sub.checkMutantSideEffects(id, e.describeRule(), was, is, allowedEffects{
			mayChange: func(string) bool { return looksAt(was.Reads(), e) || looksAt(is.Reads(), e) },
			mayDisappear: func(was *verdict.Result) bool {
				return slices.ContainsFunc(was.Reads(), func(r judge.Read) bool { return r.Exchange == x.ID })
			},
		})
	}
	sub.Inputs, sub.only = p.Inputs, p.only
	sub.recordCausesAndCheckSingle(&out.mutant, c, e.describeRule())
	out.problems = append(out.problems, sub.out.Problems...)
	return out
}

// affectedRequirements returns the requirements whose verdict may change with an exchange: those
// that looked at it, and those that rest on them.
func (p *proof) affectedRequirements(base *verdict.Decider, exchange int, owners []string) map[string]bool {
	out := map[string]bool{}
	var visit func(id string) bool
	visit = func(id string) bool {
		if is, known := out[id]; known {
			return is
		}
		is := slices.Contains(owners, id) ||
			slices.ContainsFunc(base.Result(id).Reads(), func(r judge.Read) bool { return r.Exchange == exchange }) ||
			slices.ContainsFunc(p.Dialect.Requirement(id).After, visit)
		out[id] = is
		return is
	}
	for _, id := range p.selectedIDs() {
		visit(id)
	}
	return out
}

// looksAt reports whether a check looked at the place of an edit: at it, below
// it, or at something that holds it and was compared as a whole.
func looksAt(reads []judge.Read, e ruleEdit) bool {
	return slices.ContainsFunc(reads, func(r judge.Read) bool {
		if r.Exchange != e.said.Exchange.ID || r.Event != e.said.Event {
			return false
		}
		return isWithin(r.Pointer, e.at) || r.Deep && isWithin(e.at, r.Pointer)
	})
}

func isWithin(pointer, holder string) bool {
	return pointer == holder || strings.HasPrefix(pointer, holder+"/")
}

// maxMisses is at how many places a way may break something else, or nothing,
// until it is taken for one that does not break the rule.
const maxMisses = 25

// findEdits breaks a rule in a way at every place that can hold the broken value.
func (p *proof) findEdits(c *verdict.Decider, rule shape.Rule, w ruleBreak) iter.Seq[ruleEdit] {
	return func(yield func(ruleEdit) bool) {
		left := maxMisses
		for _, s := range c.Texts() {
			for _, v := range c.Places(s, rule.Definition) {
				switch e, is := p.editAt(s, v, rule, w); {
				case is == missed:
					if left--; left == 0 {
						return
					}
				case is == broken && !yield(e):
					return
				}
			}
		}
	}
}

// What came of an edit: there is nothing to edit at the place, it does not
// break the rule and that alone, or it does.
type editResult int

const (
	impossible editResult = iota
	missed
	broken
	unsayable // it would, and protobuf has no bytes for it
)

// editAt breaks the rule on the instance at a pointer, if it can be broken
// there: the schema itself decides whether the edit did what it should.
func (p *proof) editAt(s *judge.Document, place judge.Place, rule shape.Rule, w ruleBreak) (ruleEdit, editResult) {
	if s.Written != nil { // the text has other names
		return ruleEdit{}, impossible
	}
	const alone = "instance"
	var holder any = map[string]any{alone: place.Node.Interface()}
	if _, ok := w.treeEdit(&holder, "/"+alone); !ok {
		return ruleEdit{}, impossible
	}
	instance, ok := childOf(holder, alone)
	if !ok {
		return ruleEdit{}, impossible
	}
	found, err := p.Dialect.Shapes().Validate(rule.Definition, instance)
	if err != nil || len(found) != 1 || found[0].Definition != rule.Definition || found[0].At != rule.At || found[0].Keyword != rule.Keyword {
		return ruleEdit{}, missed
	}
	root := s.Root.Interface()
	at, ok := w.treeEdit(&root, place.Pointer)
	if !ok {
		return ruleEdit{}, impossible
	}
	text, err := json.Marshal(root)
	if err != nil {
		return ruleEdit{}, impossible
	}
	out := ruleEdit{rule: rule, said: s, at: at, text: text}
	if s.Exchange.GRPC() != nil { // protobuf cannot express everything that JSON can
		by := binding.ByNameOrDefault(p.Dialect, s.Play.By(s.Step))
		if out.became, err = binding.Rewritten(by, s.Exchange, s.Event, text); err != nil {
			return ruleEdit{}, unsayable
		}
	}
	return out, broken
}

// sampleMembersForNotRule returns the members that instances of a definition have, for rules that
// forbid members to stand together.
func (p *proof) sampleMembersForNotRule(rule shape.Rule) map[string]any {
	if rule.Keyword != "not" {
		return nil
	}
	out := map[string]any{}
	for _, rec := range p.Variants {
		c := p.healthy[rec.Variant]
		for _, s := range c.Texts() {
			for _, v := range c.Places(s, rule.Definition) {
				if m, ok := v.Node.Interface().(map[string]any); ok {
					maps.Copy(out, m)
				}
			}
		}
	}
	return out
}
