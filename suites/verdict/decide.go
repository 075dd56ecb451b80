package verdict

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// How the verdict on a requirement comes about. There are five lists of rules, and each list is
// asked in its order:
//
//  1. before the check, the first rule that holds decides, and the check is not run;
//  2. at the end of the check, the first rule that holds decides;
//  3. after that, each rule may change the verdict;
//  4. if several interfaces or agents were judged, each rule may join or extend the verdicts;
//  5. once all requirements are judged, each rule may change the verdicts.
//
// docs/verdicts.md has the same lists, and a test compares them.

// Rule names a rule of the lists, and the verdicts to which it may lead.
type Rule struct {
	Stage    string
	Name     string
	Verdicts string
}

// The stages in which a verdict comes about.
const (
	beforeCheck   = "before the check"
	endOfCheck    = "end of the check"
	afterCheck    = "after the check"
	forInterfaces = "for several interfaces"
	forRun        = "for the whole run"
)

// Rules lists all rules in the order in which they are asked.
func Rules() []Rule {
	return slices.Concat(describeRules(beforeCheck, rulesBefore()), describeRules(endOfCheck, rulesAtEnd()), describeRules(afterCheck, rulesAfter()),
		describeRules(forInterfaces, rulesForInterfaces()), describeRules(forRun, rulesForRun()))
}

func describeRules[F any](stage string, rules []rule[F]) (out []Rule) {
	for _, r := range rules {
		out = append(out, Rule{stage, r.name, r.verdicts})
	}
	return out
}

// rule is an entry of a list: its name as in docs/verdicts.md, the verdicts to which it may lead,
// and what it does.
type rule[F any] struct {
	name, verdicts string
	apply          F
}

const (
	pass         = string(report.Pass)
	fail         = string(report.Fail)
	inapplicable = string(report.NotApplicable)
	undecided    = string(report.Inconclusive)
	waived       = string(report.Waived)
	ourFault     = string(report.SuiteError)
	vacuously    = inapplicable + ", vacuous"
)

// rulesBefore returns asked before the check. Each reports whether it has decided.
func rulesBefore() []rule[func(*decision) bool] {
	return []rule[func(*decision) bool]{
		{"it cannot be observed from outside", inapplicable, (*decision).isUnobservable},
		{"the only interface that it is about was not called", undecided, (*decision).lacksInterface},
		{"it is about another binding", inapplicable, (*decision).isOfOtherBinding},
		{"the operator's configuration leaves it out", inapplicable, (*decision).isLeftOut},
		{"it needs a behaviour that is declared never", inapplicable + "; " + undecided + " if the agent shows it", (*decision).isDeclaredNever},
		{"the card does not claim what it is about", inapplicable + "; " + undecided + " if the card cannot tell; " + ourFault + " if the claim is none that we know", (*decision).isNotClaimed},
		{"the card accepts credentials that are not configured", undecided, (*decision).lacksOtherCredentials},
		{"a2a-conform failed on a requirement that it depends on", undecided, (*decision).dependsOnOurFault},
		{"something that it needs is missing", undecided + "; " + inapplicable + " if the agent has no such thing", (*decision).lacksNeeds},
		{"it needs calls that the operator did not allow", undecided, (*decision).isNotAllowed},
	}
}

// rulesAtEnd returns asked at the end of the check. Each reports whether it has decided.
func rulesAtEnd() []rule[func(*ending) bool] {
	return []rule[func(*ending) bool]{
		{"the check failed by a mistake of ours", ourFault, (*ending).hasMistake},
		{"a violation was seen", fail, (*ending).hasViolation},
		{"it needs a call that cannot be made in this binding", inapplicable, (*ending).isUnsayable},
		{"it needs a behaviour that turned out to be declared never", inapplicable, (*ending).isNeverShown},
		{"the check was stopped without a verdict", undecided, (*ending).wasStopped},
		{"the check found that the requirement is not about this server", inapplicable, (*ending).isInapplicable},
		{"all that it looks at was refused for want of credentials", undecided, (*ending).wasRefused},
		{"a requirement that it depends on fails on all that it looks at", undecided, (*ending).isSpoiled},
		{"it is about every thing of a kind, and none was seen", vacuously, (*ending).sawNothing},
		{"there was nothing to look at", undecided, (*ending).hadNothingToSee},
		{"the server does not use the permission", inapplicable, (*ending).isUnused},
		{"the check ended without an expectation", ourFault, (*ending).lacksExpectation},
		{"the check passed without evidence", ourFault, (*ending).lacksEvidence},
		{"the server could not be asked whether it still serves", undecided, (*ending).isUnheard},
		{"all expectations hold", pass + "; " + inapplicable + " if no call makes use of a permission", (*ending).hasPassed},
	}
}

// rulesAfter returns asked after the check, each in turn.
func rulesAfter() []rule[func(*Decider, *Result)] {
	return []rule[func(*Decider, *Result)]{
		{"a requirement that it depends on holds nowhere", undecided, (*Decider).undecideIfPrerequisiteFails},
		{"nothing was found at the only address that is known", undecided, (*Decider).undecideIfWrongAddress},
		{"a client did not show the fault again, when the scenario was played alone", undecided, (*Decider).undecideIfNotConfirmed},
		{"a waiver covers the failure", waived, (*Decider).applyWaiver},
	}
}

// rulesForInterfaces returns asked if the case is divided into several interfaces or agents, or if
// some were not called, each in turn. The result is nil until one has judged.
func rulesForInterfaces() []rule[func(*Decider, *schema.Requirement, *Result) *Result] {
	return []rule[func(*Decider, *schema.Requirement, *Result) *Result]{
		{"each interface is judged, and the worst verdict counts", "any", func(c *Decider, req *schema.Requirement, _ *Result) *Result { return c.judgeInPartsOrNil(req) }},
		{"one interface is judged by the rules above", "any", func(c *Decider, req *schema.Requirement, r *Result) *Result {
			if r != nil {
				return r
			}
			return c.judgeOneInterface(req)
		}},
		{"interfaces that were not called are listed", "as before", (*Decider).addUncalledSubjectResults},
	}
}

// rulesForRun returns asked once all requirements are judged, each in turn.
func rulesForRun() []rule[func(*Decider, []Result)] {
	return []rule[func(*Decider, []Result)]{
		{"nothing answered in the whole run, or nothing where calls go", undecided, (*Decider).withoutAnswers},
	}
}

// decideRequirement judges a requirement, in each of the interfaces that it concerns.
func (c *Decider) decideRequirement(req *schema.Requirement) (r *Result) {
	for _, rule := range rulesForInterfaces() {
		r = rule.apply(c, req, r)
	}
	return r
}

// judgeOneInterface judges a requirement in the one interface of the case.
func (c *Decider) judgeOneInterface(req *schema.Requirement) *Result {
	r := &Result{root: req.Root, CheckResult: judge.CheckResult{Result: report.Result{ID: req.ID, Level: req.Level, Area: req.Area, Section: req.Section, Statement: req.Statement, Readings: req.Readings, Applied: req.Applied, Own: schema.IsOwn(req.ID), FindingOnly: req.FindingOnly,
		Evidence: []report.Evidence{}, Findings: []report.Finding{}}}}
	if d := (&decision{Decider: c, req: req, r: r}); !d.decideBefore() {
		c.runCheckAndDecide(req, r)
		r.unseen = len(r.Broken)+len(r.Rest) < len(r.Why)+r.More
	}
	for _, rule := range rulesAfter() {
		rule.apply(c, r)
	}
	return r
}

// decideBefore reports whether a rule has decided, so that the check is not run.
func (d *decision) decideBefore() bool {
	for _, rule := range rulesBefore() {
		if rule.apply(d) {
			return true
		}
	}
	return false
}

// DecideForRun applies the rules that need the results of all requirements.
func (c *Decider) DecideForRun(results []Result) {
	for _, rule := range rulesForRun() {
		rule.apply(c, results)
	}
}

// runCheckAndDecide calls the check and decides by the way in which it ended.
func (c *Decider) runCheckAndDecide(req *schema.Requirement, r *Result) {
	whole := cmp.Or(c.top, c)
	e := &ending{d: c, req: req, r: r}
	e.Outcome = c.RunCheck(req, &r.CheckResult, func() *report.Result { return &whole.Result(c.UndeclaredAuthRequirementID()).Result })
	for _, rule := range rulesAtEnd() {
		if rule.apply(e) {
			break
		}
	}
}

// Result judges one requirement; the verdict is kept.
func (c *Decider) Result(id string) *Result {
	c.mu.Lock()
	r := c.memo[id]
	c.mu.Unlock()
	if r != nil {
		return r
	}
	req := c.Dialect.Requirement(id)
	if req == nil {
		return &Result{CheckResult: judge.CheckResult{Result: report.Result{ID: id, Level: schema.Must, Area: "unknown", Verdict: report.SuiteError, Reason: "the catalogue has no such requirement", Evidence: []report.Evidence{}, Findings: []report.Finding{}}}}
	}
	if crossed := req.Crossed(); crossed != nil && c.whole != nil {
		req = crossed
	}
	r = c.decideRequirement(req)
	c.mu.Lock()
	defer c.mu.Unlock()
	if first := c.memo[id]; first != nil { // judged at the same time
		return first
	}
	c.memo[id] = r
	return r
}

// JudgeInBackground judges requirements from the last one on, in parallel with a caller that asks for one after the
// other from the first one on: each finds the verdicts of the other. The function that is
// returned waits for the end of it.
func (c *Decider) JudgeInBackground(ids []string) (wait func()) {
	var workers sync.WaitGroup
	var taken atomic.Int64
	for range runtime.GOMAXPROCS(0) - 1 {
		workers.Go(func() {
			for i := len(ids) - int(taken.Add(1)); i >= 0; i = len(ids) - int(taken.Add(1)) {
				c.Result(ids[i])
			}
		})
	}
	return workers.Wait
}

// Judge judges the given requirements, in order.
func (c *Decider) Judge(ids []string) []Result {
	defer c.JudgeInBackground(ids)()
	out := make([]Result, len(ids))
	for i, id := range ids {
		out[i] = *c.Result(id)
	}
	return out
}

// JudgeCommon judges the requirements that every dialect shares on all that was recorded. What
// has nothing to say is left out.
func (c *Decider) JudgeCommon(all []schema.Common, recorded *record.Transcript) (out []Result) {
	c.Recorded = recorded
	for i := range all {
		req := &all[i].Requirement
		if req.Check == "" { // it is judged before a dialect is known
			continue
		}
		if r := c.judgeOneInterface(req); r.Verdict != report.NotApplicable {
			out = append(out, *r)
		}
	}
	return out
}
