package harness

import (
	"context"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/scenario/probe"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Probe sends the agent one message for each behaviour for which the dialect has a text, and
// further texts until each behaviour was seen or the texts are used up.
func Probe(ctx context.Context, given operator.Target, with probe.Trying) (*Recording, *probe.Sights, error) {
	if given.Agent == AllAgents {
		return nil, nil, usageErrorf("--agent all: probe asks only one agent, because agents differ; name one")
	}
	given.DefaultStimuli = true
	sights := &probe.Sights{}
	all := func(d *schema.Dialect) []conversation.Scenario { return probe.Probes(d, sights, with) }
	s, err := discoverFor(ctx, given, all)
	if s != nil {
		defer s.Close()
	}
	if err != nil {
		return nil, nil, err
	}
	if d := s.Dialect(); d != nil {
		if d.Actions {
			return nil, nil, usageErrorf("probe has no texts for %s, because each agent has actions of its own; name an action with stimuli: {quick: {text: ACTION and its input}}", d.Title)
		}
		var names []string
		for _, p := range all(d) {
			names = append(names, p.Name)
		}
		if err := s.Play(names); err != nil {
			return nil, nil, err
		}
	}
	return s.Seal(given.Judging), sights, nil
}

// PlayOwn discovers a server, performs scenarios of the caller in the place of those of a run, and returns what was
// recorded. Errors are mistakes of the operator and faults of the scenarios; whatever the server does is no error.
func PlayOwn(ctx context.Context, given operator.Target, all func(*schema.Dialect) []conversation.Scenario) (*Recording, error) {
	s, err := discoverFor(ctx, given, all)
	if s != nil {
		defer s.Close()
	}
	if err != nil {
		return nil, err
	}
	if d := s.Dialect(); d != nil {
		var names []string
		for _, p := range all(d) {
			names = append(names, p.Name)
		}
		if err := s.Play(names); err != nil {
			return nil, err
		}
	}
	return s.Seal(given.Judging), nil
}
