// Package prove shows that the suite bites, and bites fairly: every requirement
// fails on a server with the defect it is about, and nothing else changes. It
// compares whole verdict vectors, a mutant against the healthy server of the
// same variant.
package prove

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/schema/shape"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// MaxSpecificFailures is the largest number of failing requirements that a sharp mutant has.
const MaxSpecificFailures = 3

// Inputs is what the proof judges: the recorded transcripts of the healthy
// variants and of every live mutant. It is recorded once and may be judged with
// any checks.
type Inputs struct {
	Dialect  *schema.Dialect
	Variants []*Recording
	Live     []*Recording
	Samples  []*Recording // derived mutants that ran live
	Pairs    []*Recording // two mutants at once

	ways   int // as Share has it
	talks  *recordingPool
	once   sync.Once
	rules  []shape.Rule
	owners [][]string
}

// Outcome is what a proof found.
type Outcome struct {
	Dialect string   `json:"dialect"`
	Rows    []Row    `json:"requirements"`
	Mutants []Mutant `json:"mutants"`
	Blunt   int      `json:"blunt"`
	Derived int      `json:"derived"`
	Live    int      `json:"live"`
	Sampled int      `json:"sampled"` // derived mutants that ran live too
	// Reencoded are derived mutants that were judged in messages of gRPC too, and Unsayable
	// those that protobuf has no bytes for.
	Reencoded int       `json:"reencoded,omitempty"`
	Unsayable int       `json:"unsayable,omitempty"`
	Pairs     int       `json:"pairs"` // servers with two defects that show both
	Problems  []Problem `json:"problems"`

	vectors []verdictVector
}

// OK reports whether the proof holds.
func (o *Outcome) OK() bool { return len(o.Problems) == 0 }

// Row is what the proof found about one requirement.
type Row struct {
	ID       string   `json:"id"`
	Check    string   `json:"check"`
	Passes   []string `json:"passes"`             // variants of the bundled server in which it passes; of a MAY also the mutants that make use of it
	Bites    []string `json:"bites"`              // mutants on which it fails, as it should
	Notes    []string `json:"notes,omitempty"`    // mutants on which it passes with a finding, as it should
	Sharpest int      `json:"sharpest,omitempty"` // failing requirements under its sharpest mutant
}

// Mutant is what the suite made of one defect.
type Mutant struct {
	Name    string   `json:"name"`
	Variant string   `json:"variant"`
	Derived bool     `json:"derived"`
	Fails   []string `json:"fails"`
	Causes  []string `json:"causes,omitempty"` // those of the failures that follow from no other
}

// Problem is something that keeps the proof from holding.
type Problem struct {
	Kind        string `json:"kind"` // bite, fairness, sharpness, passes, reasons, healthy, catalogue
	Requirement string `json:"requirement"`
	Mutant      string `json:"mutant,omitempty"`
	Variant     string `json:"variant,omitempty"` // that should be healthy
	Text        string `json:"text"`
}

// Prove judges the material. On a machine that is busy with other things a
// conversation may come too late to show a defect, or to show that there is
// none: if that is so of a few servers, they are talked to once more, one by
// one, and what does not rest on them is not judged again.
func (m *Inputs) Prove(ctx context.Context, checks judge.Checks, only []string) (*Outcome, error) {
	p := m.newProof(checks, only)
	for range 2 {
		if err := p.judgeAll(); err != nil {
			return nil, err
		}
		doubtful := m.recordingsWithProblems(p.out)
		if len(doubtful) == 0 || len(doubtful) > smallRun {
			return p.out, nil
		}
		next := m.newProof(checks, only)
		next.mutants, next.edited = p.mutants, p.edited
		for _, rec := range doubtful {
			if err := rec.recordTranscript(ctx, m.Dialect); err != nil {
				return nil, err
			}
			rec.cache = nil
			delete(next.mutants, rec)
			if rec.Mutant == "" { // of which the derived mutants are edits
				next.edited = nil
			}
		}
		p = next
	}
	return p.out, p.judgeAll()
}

// smallRun is how many conversations may have come too late. If more do not show
// what they should, the fault is not the machine's.
const smallRun = 12

// recordingsWithProblems returns the recordings that did not show what they should.
func (m *Inputs) recordingsWithProblems(o *Outcome) (out []*Recording) {
	for _, rec := range slices.Concat(m.Variants, m.Live, m.Pairs) {
		if slices.ContainsFunc(o.Problems, func(p Problem) bool {
			return rec.Mutant == "" && p.Variant == rec.Variant || rec.Mutant != "" && p.Mutant == rec.Mutant
		}) {
			out = append(out, rec)
		}
	}
	return out
}

// proof is one judging of the material.
type proof struct {
	*Inputs
	checks  judge.Checks
	only    []string // requirements judged; all if nil
	out     *Outcome
	rows    map[string]*Row
	healthy map[string]*verdict.Decider
	mutants map[*Recording]*verdict.Decider // that were judged ahead
	edited  []*derivedResult                // the derived mutants; nil until they were judged
}

func (m *Inputs) newProof(checks judge.Checks, only []string) *proof {
	p := &proof{Inputs: m, checks: checks, only: only, rows: map[string]*Row{}, healthy: map[string]*verdict.Decider{}, mutants: map[*Recording]*verdict.Decider{},
		out: &Outcome{Dialect: m.Dialect.Name, Problems: []Problem{}}}
	for _, r := range m.Dialect.Requirements {
		if p.isSelected(r.ID) {
			p.rows[r.ID] = &Row{ID: r.ID, Check: r.Check, Passes: []string{}, Bites: []string{}}
		}
	}
	return p
}

// Judge judges the material with the given checks. only limits the proof to
// some requirements; what concerns others is then not looked at.
func (m *Inputs) Judge(checks judge.Checks, only []string) (*Outcome, error) {
	p := m.newProof(checks, only)
	return p.out, p.judgeAll()
}

func (p *proof) judgeAll() error {
	// What was recorded already is judged while the last servers keep us waiting.
	p.judgeHealthyVariants()
	if p.talks != nil {
		p.talks.awaitIdle()
	}
	if p.edited == nil {
		p.edited = p.judgeDerivedMutants()
	}
	p.judgeFinishedRecordings()
	if err := p.Wait(); err != nil {
		return err
	}
	p.judgeLiveMutants()
	p.checkSampledMutantRecordingsFail()
	p.checkDefectPairCauses()
	for _, r := range p.edited {
		p.addDerivedResult(r)
	}
	p.checkRequirements()
	return nil
}

func (p *proof) isSelected(id string) bool { return p.only == nil || slices.Contains(p.only, id) }

func (p *proof) selectedIDs() []string {
	var out []string
	for _, r := range p.Dialect.Requirements {
		if p.isSelected(r.ID) {
			out = append(out, r.ID)
		}
	}
	return out
}

func (p *proof) addProblem(kind, requirement, mutant, format string, args ...any) {
	p.out.Problems = append(p.out.Problems, Problem{Kind: kind, Requirement: requirement, Mutant: mutant, Text: fmt.Sprintf(format, args...)})
}

// judgeHealthyVariants judges the healthy servers: none may fail, and the full one leaves
// nothing undecided.
func (p *proof) judgeHealthyVariants() {
	for _, v := range p.Variants {
		c := v.newDecider(p.Dialect, p.checks)
		p.healthy[v.Variant] = c
		for _, id := range p.selectedIDs() {
			r, seen := c.Result(id), len(p.out.Problems)
			p.addVerdictVector(v, r)
			switch {
			case r.Verdict == report.Pass:
				p.rows[id].Passes = append(p.rows[id].Passes, v.Variant)
			case r.Verdict == report.Fail && r.Level != schema.Must && p.departsFromRecord(id, v.Variant):
			case r.Verdict == report.Fail, r.Verdict == report.SuiteError:
				p.addProblem("healthy", id, "", "%s on the healthy variant %s: %s", r.Verdict, v.Variant, r.Reason)
			case r.Verdict == report.Inconclusive && (v.Variant == "full" || v.Variant == controlVariant):
				p.addProblem("healthy", id, "", "undecided on the healthy variant %s: %s", v.Variant, r.Reason)
			}
			p.checkFindingsSharedWithFirst(id, v.Variant, r)
			if p.departsFromRecord(id, v.Variant) && r.Verdict != report.Fail && len(newFindings(p.healthy[p.Variants[0].Variant].Result(id), r)) == 0 {
				p.addProblem("healthy", id, "", "neither fails nor has a finding on the variant that is declared to depart from it")
			}
			for i := seen; i < len(p.out.Problems); i++ {
				p.out.Problems[i].Variant = v.Variant
			}
		}
	}
}

// departsFromRecord reports whether the catalogue states that a healthy variant makes use of a freedom
// that a requirement advises against.
func (p *proof) departsFromRecord(id, variant string) bool {
	return p.Dialect.Requirement(id).Departs[variant] != ""
}

// checkFindingsSharedWithFirst demands that what is remarked of a healthy variant is remarked of
// the first one too.
func (p *proof) checkFindingsSharedWithFirst(id, variant string, r *verdict.Result) {
	if p.departsFromRecord(id, variant) {
		return
	}
	for _, f := range newFindings(p.healthy[p.Variants[0].Variant].Result(id), r) {
		p.addProblem("healthy", id, "", "has a finding on the healthy variant %s alone: %s", variant, f.Text)
	}
}

// judgeFinishedRecordings judges the mutants that were talked to, on all cores, so that booking
// their verdicts takes no time.
func (p *proof) judgeFinishedRecordings() {
	var recs []*Recording
	for _, rec := range slices.Concat(p.Live, p.Samples, p.Pairs) {
		select {
		case <-rec.done:
			if p.mutants[rec] == nil {
				recs = append(recs, rec)
			}
		default:
		}
	}
	cases := make([]*verdict.Decider, len(recs))
	onAllCores(len(recs), func(i int) {
		rec := recs[i]
		if rec.Transcript == nil {
			return
		}
		cases[i] = rec.newDecider(p.Dialect, p.checks)
		for _, id := range p.selectedIDs() {
			if rec.brokenRule == nil && rec.isCovered(id) || rec.brokenRule != nil && slices.Contains(rec.Named, id) {
				cases[i].Result(id)
			}
		}
	})
	for i, rec := range recs {
		p.mutants[rec] = cases[i]
	}
}

// onAllCores does something n times.
func onAllCores(n int, do func(i int)) {
	var group sync.WaitGroup
	work := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range work {
				do(i)
			}
		})
	}
	for i := range n {
		work <- i
	}
	close(work)
	group.Wait()
}

// checkSampledMutantRecordingsFail judges the derived mutants that ran live. Their defect shows
// everywhere at once, so only what they are about is asked for.
func (p *proof) checkSampledMutantRecordingsFail() {
	for _, rec := range p.Samples {
		owners := slices.DeleteFunc(slices.Clone(rec.Named), func(id string) bool { return !p.isSelected(id) })
		if len(owners) == 0 {
			continue
		}
		p.out.Sampled++
		c := p.mutants[rec]
		if c == nil {
			c = rec.newDecider(p.Dialect, p.checks)
		}
		for _, id := range owners {
			for _, fault := range checkReasons(rec.Transcript, c.Result(id)) {
				p.addProblem("reasons", id, rec.Mutant, "%s", fault)
			}
			if r := c.Result(id); r.Verdict != report.Fail && !p.Dialect.Requirement(id).Tolerant() {
				p.addProblem("bite", id, rec.Mutant, "claims the rule, but does not fail where a live server breaks it: %s %s", r.Verdict, r.Reason)
			}
		}
	}
}

// allowedEffects reports what may change under a mutant in addition to what it is about.
type allowedEffects struct {
	mayChange    func(id string) bool           // the requirement may fail, or have a finding
	mayDisappear func(was *verdict.Result) bool // what it looked at may be gone
}

// checkMutantSideEffects demands an explanation for whatever changed in addition to what the mutant is
// about.
func (p *proof) checkMutantSideEffects(id, mutant string, was, is *verdict.Result, may allowedEffects) {
	switch is.Verdict {
	case report.SuiteError:
		p.addProblem("fairness", id, mutant, "the suite fails: %s", is.Reason)
	case report.Fail:
		if was.Verdict != report.Fail && !may.mayChange(id) {
			p.addProblem("fairness", id, mutant, "fails without being about it: %s", is.Reason)
		}
	case report.Inconclusive:
		if was.Verdict != report.Inconclusive && !is.Stopped && is.Because == "" {
			p.addProblem("fairness", id, mutant, "goes undecided without a recorded reason: %s", is.Reason)
		}
	case report.NotApplicable:
		if was.Verdict == report.Pass && is.Because == "" && !is.Stopped && !may.mayDisappear(was) {
			p.addProblem("fairness", id, mutant, "becomes not applicable, and the defect was seen nowhere that it looks: %s", is.Reason)
		}
	case report.Pass:
		for _, f := range newFindings(was, is) {
			if !may.mayChange(id) {
				p.addProblem("fairness", id, mutant, "has a new finding: %s", f.Text)
			}
		}
	}
}

// addMutantToOutcome books a judged mutant: its sharpness counts for those it is about.
func (p *proof) addMutantToOutcome(m Mutant) {
	p.out.Mutants = append(p.out.Mutants, m)
	if m.Derived {
		p.out.Derived++
	} else {
		p.out.Live++
	}
	for _, id := range m.Fails {
		row := p.rows[id]
		if slices.Contains(row.Bites, m.Name) && (row.Sharpest == 0 || len(m.Fails) < row.Sharpest) {
			row.Sharpest = len(m.Fails)
		}
	}
}

// checkRequirements looks at every requirement once all mutants were judged.
func (p *proof) checkRequirements() {
	for _, r := range p.Dialect.Requirements {
		row := p.rows[r.ID]
		if row == nil {
			continue
		}
		p.out.Rows = append(p.out.Rows, *row)
		if r.Check == "" {
			continue
		}
		if len(row.Passes) == 0 {
			p.addProblem("passes", r.ID, "", "passes in no variant of the bundled server (%s)", strings.Join(reference.Variants(p.Dialect.Name), ", "))
		}
		switch {
		case r.Tolerant() && len(row.Bites) > 0:
			p.addProblem("bite", r.ID, row.Bites[0], "is called a permission, or findingOnly, and yet a mutant breaks it")
		case r.Permission, len(row.Bites) == 0 && len(row.Notes) > 0:
		case len(row.Bites) == 0:
			p.addProblem("bite", r.ID, "", "fails under no mutant that is about it")
		case p.only != nil:
		case row.Sharpest > MaxSpecificFailures && r.Blunt == "":
			p.addProblem("sharpness", r.ID, "", "its sharpest mutant fails %d requirements; find a sharper one or say why it is blunt", row.Sharpest)
		case row.Sharpest <= MaxSpecificFailures && r.Blunt != "":
			p.addProblem("sharpness", r.ID, "", "is called blunt, but a mutant fails only %d requirements: delete the line", row.Sharpest)
		}
		if r.Blunt != "" {
			p.out.Blunt++
		}
	}
	slices.SortStableFunc(p.out.Problems, func(a, b Problem) int {
		return strings.Compare(a.Kind+a.Requirement+a.Mutant+a.Text, b.Kind+b.Requirement+b.Mutant+b.Text)
	})
}
