package prove

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// judgeLiveMutants judges the servers with a hand-written defect.
func (p *proof) judgeLiveMutants() {
	for _, rec := range p.Live {
		base := p.healthy[rec.Variant]
		if base == nil {
			p.addProblem("catalogue", "", rec.Mutant, "the mutant belongs to the variant %q, which does not exist", rec.Variant)
			continue
		}
		named := rec.Named
		if !slices.ContainsFunc(p.selectedIDs(), rec.isCovered) {
			continue
		}
		mutant := p.mutants[rec]
		if mutant == nil {
			mutant = rec.newDecider(p.Dialect, p.checks)
		}
		seen := defectSteps(mutant, slices.DeleteFunc(rec.requirementIDs(), func(id string) bool { return !p.isSelected(id) }))
		asked := playedStepNames(mutant) // a mutant is asked only for what it may show
		m := Mutant{Name: rec.Mutant, Variant: rec.Variant, Fails: []string{}}
		for _, id := range p.selectedIDs() {
			if !rec.isCovered(id) {
				continue
			}
			was, is := base.Result(id), mutant.Result(id)
			p.addVerdictVector(rec, is)
			if is.Verdict == report.Fail {
				m.Fails = append(m.Fails, id)
			}
			for _, fault := range checkReasons(rec.Transcript, is) {
				p.addProblem("reasons", id, rec.Mutant, "%s", fault)
			}
			if slices.Contains(named, id) {
				if is.Verdict != report.Fail {
					p.addProblem("bite", id, rec.Mutant, "does not fail on it: %s", describeMissedFailure(was, is))
					continue
				}
				p.rows[id].Bites = append(p.rows[id].Bites, rec.Mutant)
				continue
			}
			if p.passesByUse(id, rec.Mutant, is); slices.Contains(rec.Used, id) {
				p.checkUse(id, rec.Mutant, is)
				continue
			}
			if slices.Contains(rec.Noted, id) {
				p.checkNotes(id, rec.Mutant, was, is)
				continue
			}
			p.checkMutantSideEffects(id, rec.Mutant, was, is, allowedEffects{
				mayChange: func(id string) bool { return slices.Contains(named, id) },
				mayDisappear: func(was *verdict.Result) bool {
					return seen.anyOf(base, was.Reads(), stepName) || !asked.anyOf(base, was.Reads(), stepNameWithSource)
				},
			})
		}
		p.recordCausesAndCheckSingle(&m, mutant, rec.Mutant)
		p.checkNotTakenForSDK(mutant, m.Fails, rec.Mutant)
		p.addMutantToOutcome(m)
	}
}

// passesByUse books a permission that a mutant makes use of, and no healthy variant may.
func (p *proof) passesByUse(id, mutant string, is *verdict.Result) {
	if row := p.rows[id]; p.Dialect.Requirement(id).Level == schema.May && is.Verdict == report.Pass && len(row.Passes) == 0 {
		row.Passes = append(row.Passes, "the mutant "+mutant)
	}
}

// checkUse demands that a permission passes on a mutant that makes use of it.
func (p *proof) checkUse(id, mutant string, is *verdict.Result) {
	if is.Verdict != report.Pass {
		p.addProblem("bite", id, mutant, "does not pass on it, though it makes use of the permission: %s %s", is.Verdict, is.Reason)
	}
}

// checkNotes demands that a requirement passes on a mutant and describes what it tolerated. A
// permission that the mutant makes no use of is not applicable.
func (p *proof) checkNotes(id, mutant string, was, is *verdict.Result) {
	switch unused := p.Dialect.Requirement(id).Permission && is.Verdict == report.NotApplicable; {
	case is.Verdict != report.Pass && !unused:
		p.addProblem("bite", id, mutant, "does not pass with a finding on it: %s %s", is.Verdict, is.Reason)
	case len(newFindings(was, is)) == 0:
		p.addProblem("bite", id, mutant, "passes on it without a finding")
	default:
		p.rows[id].Notes = append(p.rows[id].Notes, mutant)
	}
}

// describeMissedFailure describes what a requirement came to that was to fail.
func describeMissedFailure(was, is *verdict.Result) string {
	text := string(is.Verdict)
	if is.Reason != "" {
		text += " " + is.Reason
	}
	if new := newFindings(was, is); is.Verdict == report.Pass && len(new) > 0 {
		text += fmt.Sprintf(" with a finding (%s): name the mutant under finding instead of mutants, or give it another defect", new[0].Text)
	}
	return text
}

// newFindings returns those that the healthy server does not give rise to.
func newFindings(was, is *verdict.Result) (out []report.Finding) {
	for _, f := range is.Findings {
		if !slices.ContainsFunc(was.Findings, func(o report.Finding) bool { return o.Text == f.Text }) {
			out = append(out, f)
		}
	}
	return out
}
