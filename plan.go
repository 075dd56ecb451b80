package conform

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
)

// Planned is one conversation that a run would hold.
type Planned struct {
	Scenario string
	Doc      string
	Risk     schema.Risk
	Sends    int      // messages to the agent at most
	Decides  []string // the requirements that no other conversation can decide
}

// Plan returns what a run would do, and sends nothing. It needs a dialect by name and assumes
// that the card claims everything.
func Plan(_ context.Context, target Target) ([]Planned, error) {
	if target.Dialect == "" || target.Dialect == "auto" {
		return nil, &UsageError{Text: fmt.Sprintf("--plan sends nothing to the server, so it cannot find out which protocol the server has: add --dialect %s, or another one of %s; "+
			"`a2a-conform card URL` reads the agent card and names its protocol", schema.DefaultName, strings.Join(schema.Names(), ", "))}
	}
	d, err := schema.Load(target.Dialect)
	if err != nil {
		return nil, &UsageError{Text: err.Error()}
	}
	if err := harness.CheckBindings(target); err != nil {
		return nil, err
	}
	ids, err := suites.Select(d, target.Select)
	if err != nil {
		return nil, &UsageError{Text: err.Error()}
	}
	names, err := scenariosFor(d, suites.Checks(), ids)
	if err != nil {
		return nil, err
	}
	alone, err := suites.GroupBySingleScenario(d, suites.Checks(), ids)
	if err != nil {
		return nil, err
	}
	allowed := slices.Concat(target.Allow, d.Allows)
	if target.Bundled { // as the harness allows them
		allowed = append(allowed, schema.Heavy, schema.Outbound)
	}
	var out []Planned
	for _, s := range scenario.All(d) {
		risk := cmp.Or(s.Risk, schema.Harmless)
		if slices.Contains(names, s.Name) && (risk == schema.Harmless || slices.Contains(allowed, risk)) {
			out = append(out, Planned{s.Name, s.Doc, risk, s.Sends, alone[s.Name]})
		}
	}
	if s := scenario.UserAgentComparisonScenario(); target.CompareUserAgents {
		out = append(out, Planned{s.Name, s.Doc, schema.Harmless, s.Sends, nil})
	}
	return out, nil
}
