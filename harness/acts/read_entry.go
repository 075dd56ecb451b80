package acts

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// The closed words of tests.
var (
	Levels             = []string{"must", "should", "may"} // of tests, the strictest first
	transportWords     = []string{"jsonrpc", "grpc", "rest"}
	runnerRequirements = []string{"webhook_endpoint", "concurrent_streams", "stream_disconnect", "auth_credentials", "header_inspection"}
)

// readTest reads a test.
func (r *reader) readTest(n *yaml.Node, what string) *Test {
	t := &Test{File: r.file, Line: max(n.Line, 1), variables: r.variables, strict: r.options.Strict, Published: r.options.Published}
	r.test, r.captured, r.stepIDs = t, map[string][]string{}, nil
	defer func() { r.test = nil }()
	has, ok := r.readKeys(n, what, "id", "name", "description", "spec_ref", "level", "tags", "transport", "preconditions", "requires_behaviors", "origin", "runner_requirements", "steps", "assertions")
	if !ok {
		return t
	}
	t.ID = r.readOptionalText(has, "id", what)
	if t.ID != "" {
		what = "the test " + quoteIfOdd(t.ID)
	}
	r.requireKeys(n, what, has, "id", "name", "level", "steps")
	t.Name, t.Description, t.SpecRef = r.readOptionalText(has, "name", what), r.readOptionalText(has, "description", what), r.readOptionalText(has, "spec_ref", what)
	r.readOptionalText(has, "origin", what)
	if m, ok := has["level"]; ok {
		t.Level = r.readWord(m.value, what+".level", Levels...)
	}
	for key, list := range map[string]struct {
		to    *[]string
		known []string
	}{"tags": {&t.Tags, nil}, "transport": {&t.Transports, transportWords}, "requires_behaviors": {&t.Behaviours, nil}, "runner_requirements": {&t.RunnerRequirements, runnerRequirements}} {
		m, ok := has[key]
		if v := m.value; ok && key == "requires_behaviors" && followAlias(v).Kind == yaml.SequenceNode && len(followAlias(v).Content) == 0 {
			r.noteForm(v, formEmptyList, "leave the key out")
		} else if ok {
			*list.to = r.readTexts(v, what+"."+key, list.known...)
		}
	}
	if m, ok := has["preconditions"]; ok {
		t.Preconditions = r.readPreconditions(m.value, what+".preconditions")
	}
	if m, ok := has["steps"]; ok {
		r.readSteps(m.value, what, t)
	}
	if m, ok := has["assertions"]; ok {
		t.Assertions = r.readNamedAssertions(m.value, what+".assertions")
	}
	return t
}

// readSteps reads the steps of a test.
func (r *reader) readSteps(n *yaml.Node, what string, t *Test) {
	items := r.readItems(n, what+".steps")
	if len(items) > maxSteps {
		r.addFault(n, "%s has %d steps; at most %d are read", what, len(items), maxSteps)
		return
	}
	for _, item := range items {
		if id := findMember(item, "id"); id != nil && id.Kind == yaml.ScalarNode {
			r.stepIDs = append(r.stepIDs, id.Value)
		}
	}
	first, raw := map[string]int{}, 0
	for i, item := range items {
		s := r.readStep(item, fmt.Sprintf("%s.steps[%d]", what, i))
		if line := first[s.ID]; line > 0 && s.ID != "" {
			r.addFault(item, "%s has two steps %s, the first in line %d; rename one", what, quoteIfOdd(s.ID), line)
		}
		first[s.ID] = s.Line
		if s.Raw != nil {
			raw++
		}
		t.Steps = append(t.Steps, s)
	}
	if raw > 0 && raw == len(items) && len(t.Transports) == 0 {
		r.addFault(n, "%s has only raw steps, but no transport; add transport: [jsonrpc] or [rest]", what)
	}
}

// findMember returns the value of a member of a map; nil if it has none.
func findMember(n *yaml.Node, key string) *yaml.Node {
	n = followAlias(n)
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return followAlias(n.Content[i+1])
		}
	}
	return nil
}

// readPreconditions reads what a test needs of the agent card.
func (r *reader) readPreconditions(n *yaml.Node, what string) *Preconditions {
	p := &Preconditions{}
	has, ok := r.readKeys(n, what, "capabilities", "skills", "transport", "extensions", "description")
	if !ok {
		return p
	}
	if m, ok := has["capabilities"]; ok {
		members, _ := r.readMembers(m.value, what+".capabilities")
		for _, c := range members {
			p.Capabilities = append(p.Capabilities, NamedValue{c.key.Value, r.readValue(c.value, what+".capabilities."+c.key.Value, 0)})
		}
	}
	if m, ok := has["skills"]; ok {
		for i, item := range r.readItems(m.value, what+".skills") {
			of := fmt.Sprintf("%s.skills[%d]", what, i)
			if skill, ok := r.readKeys(item, of, "id"); ok && r.requireKeys(item, of, skill, "id") {
				p.Skills = append(p.Skills, r.readOptionalText(skill, "id", of))
			}
		}
	}
	if m, ok := has["transport"]; ok {
		p.Transports = r.readTexts(m.value, what+".transport", transportWords...)
	}
	if m, ok := has["extensions"]; ok {
		p.Extensions = r.readTexts(m.value, what+".extensions")
	}
	p.Description = r.readOptionalText(has, "description", what)
	return p
}
