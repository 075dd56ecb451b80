package scenario

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/scenario/malformed"
	"github.com/a2a-conform/a2a-conform/schema"
)

// operationInBraces matches what is replaced by the method of an operation in a description.
var operationInBraces = regexp.MustCompile(`\{[a-z-]+\}`)

// cardSteps describes how a run looks for the agent card before any scenario is played.
var cardSteps = map[string]string{
	"configured": "Fetches the agent card by GET from the configured URL.",
	"well-known": "Fetches the agent card by GET from its well-known path.",
	"older":      "Fetches the agent card by GET from the well-known path of an earlier version.",
}

// describeSteps returns what each step of a dialect's scenarios sends, by scenario and step.
func describeSteps(d *schema.Dialect) map[string]map[string]string {
	out := map[string]map[string]string{"card": cardSteps}
	for _, s := range All(d) {
		out[s.Name] = s.Steps
	}
	for _, b := range d.Blocks { // also those of bindings that the dialect does not have
		_, out[b.Name] = malformed.Steps(d, b)
	}
	return out
}

// Steps returns the names of the steps that a dialect's scenarios may have, by scenario.
// Deliveries to a webhook bear its name and are not among them.
func Steps(d *schema.Dialect) map[string][]string {
	out := map[string][]string{}
	for scenario, steps := range describeSteps(d) {
		out[scenario] = slices.Sorted(maps.Keys(steps))
	}
	for _, b := range d.Blocks {
		out[b.Name], _ = malformed.Steps(d, b)
	}
	return out
}

// IsStep reports whether a name is among those that Steps gives for a scenario.
func IsStep(steps []string, name string) bool {
	base := strings.TrimRight(name, "0123456789")
	return slices.Contains(steps, name) || base != name && slices.Contains(steps, base+"#")
}

// DescribeStep returns a sentence about what a step sends, given as scenario/step, with the
// names of the methods in the dialect's first binding; "" if there is no such step.
func DescribeStep(d *schema.Dialect, name string) string {
	scenario, step, _ := strings.Cut(name, "/")
	steps := describeSteps(d)[scenario]
	text := cmp.Or(steps[step], steps[strings.TrimRight(step, "0123456789")+"#"], steps["*"])
	by := binding.ByNameOrDefault(d, "")
	return operationInBraces.ReplaceAllStringFunc(text, func(braced string) string {
		op := strings.Trim(braced, "{}")
		if !d.Has(op) {
			return op
		}
		return by.Title(op)
	})
}
