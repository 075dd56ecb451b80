// Package proveclient shows that the checks of clients bite, and bite fairly: every requirement on
// clients fails on a bundled client with the defect it is about, nothing else fails on it, and the
// healthy variants of that client fail nothing.
package proveclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/prove"
	"github.com/a2a-conform/a2a-conform/reference/client"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Dialects returns the protocols whose clients are proven: those that the bundled client knows.
func Dialects() []string { return client.Dialects() }

// Outcome is what a proof found.
type Outcome struct {
	Dialect  string          `json:"dialect"`
	Rows     []Row           `json:"requirements"` // those that a check judges
	Variants []string        `json:"variants"`     // healthy ones that were judged
	Mutants  []Mutant        `json:"mutants"`
	Problems []prove.Problem `json:"problems"`
}

// Row is what the proof found about one requirement.
type Row struct {
	ID       string   `json:"id"`
	Check    string   `json:"check"`
	Finding  bool     `json:"finding,omitempty"`  // what breaks it is a finding, and no failure
	Passes   []string `json:"passes"`             // healthy variants on which it passes
	Bites    []string `json:"bites"`              // mutants on which it fails, or has its finding, as it should
	Unproven string   `json:"unproven,omitempty"` // why there is no mutant
}

// Mutant is what the suite made of one defect.
type Mutant struct {
	Name    string   `json:"name"`
	Variant string   `json:"variant"`
	Breaks  []string `json:"breaks"` // requirements that fail, or have a finding that no healthy client gives rise to
}

// OK reports whether the proof holds.
func (o *Outcome) OK() bool { return len(o.Problems) == 0 }

// proof is one judging of the bundled clients of a dialect.
type proof struct {
	dialect *schema.Dialect
	checks  judge.Checks
	out     *Outcome
	healthy map[string]*judgement // by variant
}

// parallel is how many clients are played at the same time. Most of their time they wait.
const parallel = 6

// Prove plays the bundled clients and judges them. Without mutants all of them are played, and all healthy variants;
// else those mutants, and their variants.
func Prove(ctx context.Context, dialect string, checks judge.Checks, mutants ...string) (*Outcome, error) {
	if !slices.Contains(Dialects(), dialect) {
		return nil, fmt.Errorf("there is no bundled client for %s; choose one of %s", dialect, strings.Join(Dialects(), ", "))
	}
	d, err := schema.LoadClient(dialect)
	if err != nil {
		return nil, err
	}
	p := &proof{dialect: d, checks: checks, healthy: map[string]*judgement{}, out: &Outcome{Dialect: dialect, Rows: []Row{}, Mutants: []Mutant{}, Problems: []prove.Problem{}}}
	well, ill := listSubjects(d)
	if len(mutants) > 0 {
		ill = slices.DeleteFunc(ill, func(s subject) bool { return !slices.Contains(mutants, s.mutant) })
		well = slices.DeleteFunc(well, func(v subject) bool {
			return !slices.ContainsFunc(ill, func(s subject) bool { return s.variant == v.variant })
		})
		for i := range well {
			well[i].scenarios = listAllScenarios(ill)
		}
	}
	all := slices.Concat(well, ill)
	judged, err := p.judgeAll(ctx, all, parallel)
	if err != nil {
		return nil, err
	}
	if err := p.repeatDoubtful(ctx, judged); err != nil {
		return nil, err
	}
	p.checkClients(judged)
	p.addRows(judged, len(mutants) == 0)
	return p.out, nil
}

// listAllScenarios returns the scenarios of several subjects.
func listAllScenarios(all []subject) (names []string) {
	for _, s := range all {
		names = append(names, s.scenarios...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// judgeAll plays and judges subjects, some at the same time.
func (p *proof) judgeAll(ctx context.Context, all []subject, atOnce int) ([]*judgement, error) {
	out := make([]*judgement, len(all))
	var errs []error
	var mu sync.Mutex
	var work errgroup.Group
	work.SetLimit(atOnce)
	for i, s := range all {
		work.Go(func() error {
			j, err := playAndJudge(ctx, p.dialect, p.checks, s)
			mu.Lock()
			defer mu.Unlock()
			out[i], errs = j, append(errs, err)
			return nil
		})
	}
	work.Wait()
	return out, errors.Join(append(errs, ctx.Err())...)
}

// fewDoubtful is how many clients may have been kept waiting. If more do not show what they
// should, the fault is not the machine's.
const fewDoubtful = 12

// repeatDoubtful plays those once more, one by one, that did not show what they should: on a busy machine a request
// may come too late to show a defect, or to show that there is none.
func (p *proof) repeatDoubtful(ctx context.Context, judged []*judgement) error {
	p.checkClients(judged)
	var doubtful []int
	for i, j := range judged {
		if slices.ContainsFunc(p.out.Problems, func(q prove.Problem) bool { return q.Mutant == j.mutant && q.Variant == j.variant }) {
			doubtful = append(doubtful, i)
		}
	}
	if len(doubtful) > fewDoubtful {
		return nil
	}
	for _, i := range doubtful {
		again, err := playAndJudge(ctx, p.dialect, p.checks, judged[i].subject)
		if err != nil {
			return err
		}
		judged[i] = again
	}
	return ctx.Err()
}

// checkClients finds what does not hold of the clients, anew.
func (p *proof) checkClients(judged []*judgement) {
	p.out.Problems = p.out.Problems[:0]
	for _, j := range judged {
		if j.mutant == "" {
			p.healthy[j.variant] = j
			p.checkHealthy(j)
		}
	}
	for _, j := range judged {
		if j.mutant != "" {
			p.checkMutant(j)
		}
	}
}

func (p *proof) addProblem(kind, requirement string, j *judgement, format string, args ...any) {
	p.out.Problems = append(p.out.Problems, prove.Problem{Kind: kind, Requirement: requirement, Mutant: j.mutant, Variant: j.variant, Text: fmt.Sprintf(format, args...)})
}

// checkHealthy demands that a healthy client fails nothing.
func (p *proof) checkHealthy(j *judgement) {
	if j.cut != "" {
		p.addProblem("healthy", "", j, "was not played to the end: %s", j.cut)
	}
	for _, id := range slices.Sorted(maps.Keys(j.results)) {
		if v := j.verdict(id); v == report.Fail || v == report.SuiteError {
			p.addProblem("healthy", id, j, "%s on %s", j.describe(id), j.named())
		}
	}
}

// checkMutant demands that each requirement that names the mutant breaks on it, and no other one.
func (p *proof) checkMutant(j *judgement) {
	was := p.healthy[j.variant]
	for i := range p.dialect.Requirements {
		r := &p.dialect.Requirements[i]
		due, broken := isProvenBy(r, j.mutant), p.isBroken(r, j, was)
		switch {
		case j.verdict(r.ID) == report.SuiteError:
			p.addProblem("fairness", r.ID, j, "the suite fails: %s", j.describe(r.ID))
		case due && r.Tolerant() && j.breaks(r.ID):
			p.addProblem("bite", r.ID, j, "fails, though what breaks it is a finding: %s", j.describe(r.ID))
		case due && !broken && explainUnserved(p.dialect, r) != "": // it is listed as not proven
		case due && !broken:
			p.addProblem("bite", r.ID, j, "does not break on it: %s", j.describe(r.ID))
		case !due && !broken && r.Follows[j.mutant] != "":
			p.addProblem("fairness", r.ID, j, "does not break on it, though follows names it: %s", j.describe(r.ID))
		case !due && broken && r.Follows[j.mutant] == "":
			p.addProblem("fairness", r.ID, j, "breaks without being about it: %s", j.describe(r.ID))
		}
	}
}

// isBroken reports whether a requirement fails, or has a finding that the healthy client does not give rise to.
func (p *proof) isBroken(r *schema.Requirement, j, healthy *judgement) bool {
	return j.breaks(r.ID) || j.finds(r.ID) && (healthy == nil || !healthy.finds(r.ID))
}

// addRows sums up what was found about each requirement. A whole proof demands that each has a mutant that
// breaks it, and passes on a healthy client.
func (p *proof) addRows(judged []*judgement, whole bool) {
	breaks := map[string]*Mutant{}
	for _, j := range judged {
		if j.mutant == "" {
			p.out.Variants = append(p.out.Variants, j.variant)
			continue
		}
		p.out.Mutants = append(p.out.Mutants, Mutant{Name: j.mutant, Variant: j.variant, Breaks: []string{}})
	}
	for i := range p.out.Mutants {
		breaks[p.out.Mutants[i].Name] = &p.out.Mutants[i]
	}
	for i := range p.dialect.Requirements {
		r := &p.dialect.Requirements[i]
		if r.Check == "" {
			continue
		}
		row := Row{ID: r.ID, Check: r.Check, Finding: r.Tolerant(), Passes: []string{}, Bites: []string{}}
		for _, j := range judged {
			switch {
			case j.mutant == "" && j.verdict(r.ID) == report.Pass:
				row.Passes = append(row.Passes, j.variant)
			case j.mutant != "" && p.isBroken(r, j, p.healthy[j.variant]):
				breaks[j.mutant].Breaks = append(breaks[j.mutant].Breaks, r.ID)
				if isProvenBy(r, j.mutant) {
					row.Bites = append(row.Bites, j.mutant)
				}
			}
		}
		if len(row.Bites) == 0 {
			row.Unproven = cmp.Or(r.Unproven, explainUnserved(p.dialect, r))
		}
		p.out.Rows = append(p.out.Rows, row)
		if whole {
			p.checkRow(r, row)
		}
	}
	slices.SortStableFunc(p.out.Problems, func(a, b prove.Problem) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Requirement, b.Requirement), strings.Compare(a.Mutant, b.Mutant))
	})
}

// checkRow demands that a requirement can fail, and can pass.
func (p *proof) checkRow(r *schema.Requirement, row Row) {
	none := &judgement{}
	if len(row.Bites) == 0 && row.Unproven == "" {
		p.addProblem("bite", r.ID, none, "no mutant of the bundled client breaks it, and no reason is given under unproven")
	}
	if len(row.Bites) > 0 && r.Unproven != "" {
		p.addProblem("catalogue", r.ID, none, "it is proven: leave out unproven")
	}
	if len(row.Passes) == 0 && row.Unproven == "" {
		p.addProblem("passes", r.ID, none, "passes on no healthy variant")
	}
	for _, name := range slices.Concat(r.Mutants, r.Finding, slices.Sorted(maps.Keys(r.Follows))) {
		if !slices.ContainsFunc(p.out.Mutants, func(m Mutant) bool { return m.Name == name }) {
			p.addProblem("catalogue", r.ID, none, "the bundled client has no mutant %s", name)
		}
	}
}
