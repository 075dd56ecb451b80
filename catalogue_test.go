package conform_test

import (
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// dialects runs a test for every dialect that ships.
func dialects(t *testing.T, run func(t *testing.T, d *schema.Dialect)) {
	for _, name := range schema.Names() {
		t.Run(name, func(t *testing.T) {
			d, err := schema.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			run(t, d)
		})
	}
}

// A requirement names things that live in other rooms. Each of them must exist.
func TestCatalogueNamesWhatExists(t *testing.T) {
	checks := suites.Checks()
	dialects(t, func(t *testing.T, d *schema.Dialect) {
		if _, err := dialect.For(d.Name); err != nil {
			t.Error(err)
		}
		var scenarios []string
		for _, s := range scenario.All(d) {
			scenarios = append(scenarios, s.Name)
		}
		scenarios = append(scenarios, "card")
		var defects []string
		for _, m := range reference.Mutants(d.Name) {
			defects = append(defects, m.Name)
		}
		for _, r := range d.Requirements {
			if r.Check == "" {
				continue
			}
			check, ok := checks[r.Check]
			if !ok {
				t.Errorf("%s: %s: there is no check %q", r.File, r.ID, r.Check)
				continue
			}
			steps, err := check.Needs(r.With)
			if err != nil {
				t.Errorf("%s: %s: the parameters of %s: %v", r.File, r.ID, r.Check, err)
			}
			for _, s := range steps {
				name, _, ok := strings.Cut(s, "/")
				if !ok || !slices.Contains(scenarios, name) {
					t.Errorf("%s: %s: the step %q belongs to no scenario of %s", r.File, r.ID, s, d.Name)
				}
			}
			for _, c := range r.Claims {
				if !slices.Contains(judge.Claims(), strings.TrimPrefix(c, "no-")) {
					t.Errorf("%s: %s: claims %q, which is no word", r.File, r.ID, c)
				}
			}
			for _, m := range r.Mutants {
				if !slices.Contains(defects, m) {
					t.Errorf("%s: %s: the bundled server has no mutant %q", r.File, r.ID, m)
				}
			}
			if r.Permission && r.Level != schema.May {
				t.Errorf("%s: %s: only a MAY can be a permission", r.File, r.ID)
			}
		}
	})
}

// Every named defect of the bundled server is there for a requirement.
func TestEveryMutantIsNamed(t *testing.T) {
	dialects(t, func(t *testing.T, d *schema.Dialect) {
		var named []string
		for _, r := range d.Requirements {
			named = append(named, r.Mutants...)
		}
		for _, m := range reference.Mutants(d.Name) {
			if !slices.Contains(named, m.Name) {
				t.Logf("no requirement names the mutant %s (%s)", m.Name, m.Summary)
			}
		}
	})
}

// A shape requirement claims rules that the schema states.
func TestShapeRulesExist(t *testing.T) {
	dialects(t, func(t *testing.T, d *schema.Dialect) {
		rules := d.Shapes().Rules()
		for _, r := range d.Requirements {
			if r.Check != "shape" {
				continue
			}
			p, err := judge.Params[suites.ShapeParams](r.With)
			if err != nil {
				t.Errorf("%s: %s: %v", r.File, r.ID, err)
				continue
			}
			for _, claimed := range p.All() {
				for _, keyword := range claimed.Rules {
					if !slices.ContainsFunc(rules, func(s schema.Rule) bool {
						return s.Definition == claimed.Type && s.At == claimed.At && s.Keyword == keyword
					}) {
						t.Errorf("%s: %s: the schema has no rule %s%s %s", r.File, r.ID, claimed.Type, claimed.At, keyword)
					}
				}
			}
		}
	})
}

// What rests on something must not rest on itself.
func TestPrerequisitesHaveNoCircle(t *testing.T) {
	dialects(t, func(t *testing.T, d *schema.Dialect) {
		var visit func(id string, path []string)
		visit = func(id string, path []string) {
			if slices.Contains(path, id) {
				t.Fatalf("a circle: %s", strings.Join(append(path, id), " → "))
			}
			for _, a := range d.Requirement(id).After {
				visit(a, append(path, id))
			}
		}
		for _, r := range d.Requirements {
			visit(r.ID, nil)
		}
	})
}

// A scenario that no catalogue looks at is dead.
func TestNoScenarioIsIdle(t *testing.T) {
	used := map[string]bool{}
	all := map[string]bool{}
	dialects(t, func(t *testing.T, d *schema.Dialect) {
		ids, err := suites.Select(d, conform.Selection{})
		if err != nil {
			t.Fatal(err)
		}
		names, err := conform.Scenarios(d, suites.Checks(), ids)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			used[n] = true
		}
		for _, s := range scenario.All(d) {
			all[s.Name] = true
		}
	})
	for name := range all {
		if !used[name] {
			t.Errorf("no requirement of any dialect looks at the scenario %s", name)
		}
	}
}
