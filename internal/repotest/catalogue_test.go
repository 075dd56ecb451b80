package repotest

import (
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/schema/shape"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
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
	dialects(t, func(t *testing.T, d *schema.Dialect) {
		words, err := vocabularyOf(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, mistake := range words.mistakes(d) {
			t.Error(mistake)
		}
	})
}

// The name of an error among the parameters is only looked up if the check says that
// it is one.
func TestCatalogueErrorsAreKnownForErrors(t *testing.T) {
	checks := suites.Checks()
	dialects(t, func(t *testing.T, d *schema.Dialect) {
		for _, r := range d.Requirements {
			check, ok := checks[r.Check]
			if !ok {
				continue
			}
			names, err := check.ErrorNames(r.With)
			if err != nil {
				t.Errorf("%s: %s: %v", r.File, r.ID, err)
			}
			for _, w := range said(r.With) {
				if _, isError := d.Errors[w]; isError && !slices.Contains(names, w) {
					t.Errorf("%s: %s: no parameter of %s says that %s is an error; tag its field names:\"error\"", r.File, r.ID, r.Check, w)
				}
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
			p, err := judge.Params[observe.ShapeParams](r.With)
			if err != nil {
				t.Errorf("%s: %s: %v", r.File, r.ID, err)
				continue
			}
			for _, claimed := range p.All() {
				for _, keyword := range claimed.Rules {
					if !slices.ContainsFunc(rules, func(s shape.Rule) bool {
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
		names, base, err := suites.Scenarios(d, suites.Checks(), ids)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			used[n] = true
		}
		for _, s := range scenario.All(d) {
			all[s.Name] = true
			if base && s.Base { // which every run begins with
				used[s.Name] = true
			}
		}
	})
	for name := range all {
		if !used[name] {
			t.Errorf("no requirement of any dialect looks at the scenario %s", name)
		}
	}
}
