package prove

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// like is a recording that differs from the full variant only in the name of the
// tool that made it, so that a check can behave otherwise on it.
func like(t *testing.T, m *Inputs, mutant string) *Recording {
	t.Helper()
	full := m.Variants[slices.IndexFunc(m.Variants, func(r *Recording) bool { return r.Variant == "full" })]
	odd, transcript := *full, *full.Transcript
	transcript.Facts.Tool = mutant
	odd.Mutant, odd.Transcript, odd.cache = mutant, &transcript, nil
	return &odd
}

func problemsOf(t *testing.T, m *Inputs, rec *Recording, checks judge.Checks, id string) (texts []string) {
	t.Helper()
	o, err := (&Inputs{Dialect: m.Dialect, Variants: m.Variants, Live: []*Recording{rec}}).Judge(checks, []string{id})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range o.Problems {
		if p.Mutant == rec.Mutant {
			texts = append(texts, p.Kind+": "+p.Text)
		}
	}
	return texts
}

// A requirement that names a mutant for its finding has to show one.
func TestMissingFindingIsNoticed(t *testing.T) {
	const id = "A2A01-ENV-001"
	m := material(t, "a2a-0.1")
	rec := like(t, m, "tolerated")
	rec.Noted = []string{id}
	if got := problemsOf(t, m, rec, suites.Checks(), id); len(got) != 1 || !strings.Contains(got[0], "without a finding") {
		t.Errorf("a missing finding went unnoticed: %v", got)
	}
	with := suites.Checks().With(judge.Define("shape", "", func(t *judge.T, _ observe.ShapeParams) {
		v := t.Card()
		if t.OK(v); t.Case.Transcript.Facts.Tool == "tolerated" {
			t.Finding(v, "something was tolerated")
		}
	}))
	if got := problemsOf(t, m, rec, with, id); len(got) != 0 {
		t.Errorf("a finding that is there was not seen: %v", got)
	}
	rec.Noted = nil
	if got := problemsOf(t, m, rec, with, id); len(got) != 1 || !strings.Contains(got[0], "new finding") {
		t.Errorf("a finding that nobody asked for went unnoticed: %v", got)
	}
}

// A pass that becomes not applicable is a way out of a verdict: it needs a reason
// that can be seen.
func TestPassThatEscapesIsNoticed(t *testing.T) {
	const id = "A2A01-ENV-001"
	m := material(t, "a2a-0.1")
	rec := like(t, m, "escapes")
	escape := func(recorded bool) judge.Checks {
		return suites.Checks().With(judge.Define("shape", "", func(t *judge.T, _ observe.ShapeParams) {
			if t.OK(t.Card()); t.Case.Transcript.Facts.Tool == "escapes" {
				if recorded {
					t.StopUndecided("the card is gone")
				}
				t.StopVacuous("there was nothing to look at")
			}
		}))
	}
	m.Dialect.Requirement(id).Every = "response"
	defer func() { m.Dialect.Requirement(id).Every = "" }()
	if got := problemsOf(t, m, rec, escape(false), id); len(got) != 1 || !strings.Contains(got[0], "becomes not applicable") {
		t.Errorf("a pass that became not applicable went unnoticed: %v", got)
	}
	if got := problemsOf(t, m, rec, escape(true), id); len(got) != 0 {
		t.Errorf("a recorded stop was taken for an escape: %v", got)
	}
}
