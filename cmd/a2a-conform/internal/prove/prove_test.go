package prove

import (
	"bytes"
	"context"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// recorded keeps each dialect's material for all tests of this package. Four
// dialects are talked to at a time, while what is there is judged. Conversations that
// only wait for a window to be over keep no other dialect waiting.
var recorded = func() map[string]func() (*Inputs, error) {
	all, room := map[string]func() (*Inputs, error){}, make(chan struct{}, 4)
	for _, dialect := range schema.Names() {
		all[dialect] = sync.OnceValues(func() (*Inputs, error) {
			room <- struct{}{}
			defer func() { <-room }()
			return recordInputs(dialect)
		})
	}
	return all
}()

// tried are the dialects that are tried: one with a single binding and one with three stand for
// the rest.
func tried() []string { return testamount.Of(schema.Names(), "a2a-0.1", "a2a-0.3") }

// recordAll begins to talk to all that are tried: first to those that take longest.
var recordAll = sync.OnceFunc(func() {
	order := tried()
	takesLong := []string{"jaf-0.3", "a2a-0.3", "a2a-1.0"}
	slices.SortStableFunc(order, func(a, b string) int { return slices.Index(takesLong, b) - slices.Index(takesLong, a) })
	next := make(chan string, len(order))
	for _, dialect := range order {
		next <- dialect
	}
	close(next)
	for range 5 {
		go func() {
			for dialect := range next {
				recorded[dialect]()
			}
		}()
	}
})

func recordInputs(dialect string) (*Inputs, error) {
	d, err := schema.Load(dialect)
	if err != nil {
		return nil, err
	}
	_, share := sample(d)
	m, err := Record(context.Background(), dialect, &share) // it outlives the test that asks first
	if err == nil {
		m.talks.awaitIdle()
	}
	return m, err
}

func material(t *testing.T, dialect string) *Inputs {
	t.Helper()
	m, err := recorded[dialect]()
	if err == nil {
		err = m.Wait()
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sample picks requirements so that each check is among those of some dialect,
// and a live mutant that each is about. Of the checks it takes the third that comes
// first where the failures are drawn that are read by hand, or all if all tests are run; of the healthy variants, those of these mutants. The command proves
// everything, there for every dialect; the tests show with a part of it that the command is
// right.
func sample(d *schema.Dialect) (ids map[string]bool, share Part) {
	least, earlier := map[string]*schema.Requirement{}, map[string]bool{}
	for _, name := range schema.Names() {
		if name == d.Name {
			break
		}
		if other, err := schema.Load(name); err == nil {
			for _, r := range other.Requirements {
				earlier[r.Check] = earlier[r.Check] || len(r.Mutants) > 0 && !r.Tolerant()
			}
		}
	}
	ids, share.Few, share.Samples, share.Ways = map[string]bool{}, true, 4, 1
	if testamount.All() {
		share.Few, share.Samples, share.Ways = false, maxSampledRules, 0
	}
	for i, r := range d.Requirements {
		switch l := least[r.Check]; {
		case r.Check == "" || r.Permission && len(r.Finding) == 0 || earlier[r.Check]:
		case len(r.Mutants)+len(r.Finding) == 0: // derived mutants break it
			ids[r.ID] = i%8 == 0 && (testamount.All() || i%24 == 0)
		case l == nil || len(r.Mutants) < len(l.Mutants):
			least[r.Check] = &r
		}
	}
	undrawn := func(check string, _ *schema.Requirement) bool { return lot(reasonsSeed, check) > math.MaxUint64/3 }
	if drawn := maps.Clone(least); !testamount.All() {
		if maps.DeleteFunc(drawn, undrawn); len(drawn) > 0 {
			least = drawn
		}
	}
	for _, r := range least {
		ids[r.ID] = true
		if testamount.All() {
			share.Live = append(share.Live, slices.Concat(r.Mutants, r.Finding)...)
			continue
		}
		for _, of := range [][]string{r.Mutants, r.Finding} {
			if len(of) > 0 {
				share.Live = append(share.Live, slices.MinFunc(of, func(a, b string) int {
					return lot(reasonsSeed, failureName(d.Name, r.ID, a)).compare(lot(reasonsSeed, failureName(d.Name, r.ID, b)))
				}))
			}
		}
	}
	return ids, share
}

func each(t *testing.T, run func(t *testing.T, m *Inputs)) {
	recordAll()
	for _, name := range tried() {
		t.Run(name, func(t *testing.T) { run(t, material(t, name)) })
	}
}

func TestTheProofHolds(t *testing.T) {
	each(t, func(t *testing.T, m *Inputs) {
		sampled, _ := sample(m.Dialect)
		var ids []string
		for _, r := range m.Dialect.Requirements {
			if sampled[r.ID] {
				ids = append(ids, r.ID)
			}
		}
		o, err := m.Prove(t.Context(), suites.Checks(), ids)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range o.Problems {
			t.Errorf("%s: %s on %q: %s", p.Kind, p.Requirement, p.Mutant, p.Text)
		}
	})
}

// The same material gives the same table and vectors, whatever order the work was done in.
func TestTableIsStable(t *testing.T) {
	each(t, func(t *testing.T, m *Inputs) {
		var ids []string
		step := 192
		if testamount.All() {
			step = 32
		}
		for i := 0; i < len(m.Dialect.Requirements); i += step {
			ids = append(ids, m.Dialect.Requirements[i].ID)
		}
		var tables [2]bytes.Buffer
		for i := range tables {
			o, err := m.Judge(suites.Checks(), ids)
			if err != nil {
				t.Fatal(err)
			}
			o.Table(&tables[i])
			if err := o.Vectors(&tables[i]); err != nil {
				t.Fatal(err)
			}
		}
		if tables[0].String() != tables[1].String() {
			t.Error("two judgements of the same material print different tables or vectors")
		}
	})
}

// A check that always passes is noticed, and every requirement that uses it is
// named: one check alone, and all of them at the same time. What bites a
// requirement is its own check and no other, so that each is noticed by itself.
func TestSabotageIsNoticed(t *testing.T) {
	each(t, func(t *testing.T, m *Inputs) {
		const alone = "errors/refused"
		one, all := suites.Checks().With(suites.Checks()[alone].Sabotaged()), suites.Checks()
		for _, check := range all {
			all = all.With(check.Sabotaged())
		}
		var ids, some []string // of requirements that something must bite
		sampled, _ := sample(m.Dialect)
		for i, r := range m.Dialect.Requirements {
			if !sampled[r.ID] || !testamount.All() && r.Check != alone && i%3 != 0 {
				continue
			}
			if ids = append(ids, r.ID); r.Check == alone || i%8 == 0 {
				some = append(some, r.ID)
			}
		}
		for _, c := range []struct {
			checks judge.Checks
			ids    []string
		}{{one, some}, {all, ids}} {
			o, err := m.Judge(c.checks, c.ids)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range c.ids {
				noticed := slices.ContainsFunc(o.Problems, func(p Problem) bool { return p.Kind == "bite" && p.Requirement == id })
				if broken := len(c.ids) == len(ids) || m.Dialect.Requirement(id).Check == alone; noticed != broken {
					t.Errorf("%s is named as not bitten: %v", id, noticed)
				}
			}
		}
	})
}

// A check that no requirement uses is left over.
func TestEveryCheckIsUsed(t *testing.T) {
	used := map[string]bool{}
	for _, dialect := range schema.Names() {
		for _, load := range []func(string) (*schema.Dialect, error){schema.Load, schema.LoadClient} {
			d, err := load(dialect)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range d.Requirements {
				used[r.Check] = true
				if r.Across != nil {
					used[r.Across.Check] = true
				}
			}
		}
	}
	for _, c := range schema.Commons() {
		used[c.Check] = true
	}
	for _, name := range suites.Checks().Names() {
		if !used[name] && name != schema.GivenCheck { // the requirements of a given schema are made for a run
			t.Errorf("no requirement of any dialect uses the check %s", name)
		}
	}
}

// A mutant that leaves much undecided instead of failing what it is about does
// not pass for a bite.
func TestMutantThatHidesIsNoticed(t *testing.T) {
	m := material(t, "a2a-0.1")
	hidden := *m.Variants[slices.IndexFunc(m.Variants, func(r *Recording) bool { return r.Variant == "full" })]
	transcript := *hidden.Transcript
	transcript.Plays = nil
	for _, p := range hidden.Transcript.Plays {
		if p.Scenario == "quick" {
			p.Steps, p.Stop = nil, "the agent was out"
		}
		transcript.Plays = append(transcript.Plays, p)
	}
	hidden.Mutant, hidden.Named, hidden.Transcript = "hides", []string{"A2A01-HTTP-001"}, &transcript
	hidden.cache = nil
	o, err := (&Inputs{Dialect: m.Dialect, Variants: m.Variants, Live: []*Recording{&hidden}}).Judge(suites.Checks(), []string{"A2A01-HTTP-001", "A2A01-TASK-001", "A2A01-CARD-001"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(o.Problems, func(p Problem) bool {
		return p.Kind == "bite" && p.Requirement == "A2A01-HTTP-001" && p.Mutant == "hides"
	}) {
		t.Errorf("a mutant that hides went unnoticed: %v", o.Problems)
	}
	undecided := 0
	c := verdict.NewDecider(m.Dialect, &transcript, suites.Checks(), nil)
	for _, r := range m.Dialect.Requirements {
		if c.Result(r.ID).Verdict == report.Inconclusive {
			undecided++
		}
	}
	if undecided < 5 {
		t.Errorf("the mutant leaves only %d requirements undecided", undecided)
	}
}

// Unrecorded indecision is unfair: nobody could say where it comes from.
func TestUnexplainedIndecisionIsNoticed(t *testing.T) {
	m := material(t, "a2a-0.1")
	full := m.Variants[slices.IndexFunc(m.Variants, func(r *Recording) bool { return r.Variant == "full" })]
	odd := *full
	transcript := *full.Transcript
	transcript.Plays = slices.DeleteFunc(slices.Clone(transcript.Plays), func(p record.Play) bool { return p.Scenario == "stream" })
	odd.Mutant, odd.Transcript, odd.cache = "vanishes", &transcript, nil
	o, err := (&Inputs{Dialect: m.Dialect, Variants: m.Variants, Live: []*Recording{&odd}}).Judge(suites.Checks(), []string{"A2A01-STR-001"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(o.Problems, func(p Problem) bool {
		return p.Kind == "fairness" && strings.Contains(p.Text, "without a recorded reason")
	}) {
		t.Error("requirements that go undecided without a recorded reason went unnoticed")
	}
}

// What requirements may name is what is said. Deliveries bear the names of their
// webhooks; tasks that are left, calls that the rate limit refused, looks at the task of a
// stream that fell silent, and attempts at what a server takes are for no requirement to name.
func TestEveryRecordedStepHasAKnownName(t *testing.T) {
	each(t, func(t *testing.T, m *Inputs) {
		known, told := scenario.Steps(m.Dialect), map[string]bool{}
		for _, rec := range slices.Concat(m.Variants, m.Live, m.Samples) {
			for _, p := range rec.Transcript.Plays {
				for _, s := range p.Steps {
					name := p.Scenario + "/" + s.Name
					switch of := known[p.Scenario]; {
					case of == nil, told[name], s.Op == conversation.Leaving, strings.Contains(s.Name, "-limited-"), strings.Contains(s.Name, "-silent-"):
					case strings.Contains(s.Name, "-other-way-"), strings.HasPrefix(s.Name, "style-"):
					case s.Exchange != nil && s.Exchange.Dir == record.In:
					case !scenario.IsStep(of, s.Name) && !slices.Contains(of, "*"):
						told[name] = true
						t.Errorf("%s is described in the Steps of no scenario", name)
					}
				}
			}
		}
	})
}

// The transcript that is judged and the one that is kept are the same.
func TestEveryRecordingSurvivesItsHAR(t *testing.T) {
	each(t, func(t *testing.T, m *Inputs) {
		all := slices.Concat(m.Variants, m.Live, m.Samples)
		onAllCores(len(all), func(i int) {
			if testamount.All() || i%3 == 0 {
				survives(t, all[i])
			}
		})
	})
}

// survives writes a recording, reads it back, and compares everything that a
// check can look at. No honest transcript contradicts itself.
func survives(t *testing.T, rec *Recording) {
	var har bytes.Buffer
	if err := record.WriteHAR(&har, rec.Transcript); err != nil {
		t.Error(err)
		return
	}
	read, err := record.ReadHAR(&har)
	if err != nil {
		t.Errorf("%s %s: %v", rec.Variant, rec.Mutant, err)
		return
	}
	if err := read.Contradiction(); err != nil {
		t.Errorf("%s %s: an honest transcript is said to contradict itself: %v", rec.Variant, rec.Mutant, err)
	}
	if d := difference(reflect.ValueOf(rec.Transcript), reflect.ValueOf(read)); d != "" {
		t.Errorf("%s %s is another transcript when it is read back: %s", rec.Variant, rec.Mutant, d)
	}
}
