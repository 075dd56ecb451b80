package harness

import (
	"context"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/schema"
)

// choice names the scenarios that a test plays.
type choice func(d *schema.Dialect) (scenarios []string, err error)

// Run is a session from discovery to seal.
func Run(ctx context.Context, given operator.Target, chosen choice) (*Recording, error) {
	return run(ctx, given, scenario.All, chosen)
}

// run is Run with other scenarios to choose from.
func run(ctx context.Context, given operator.Target, all func(*schema.Dialect) []conversation.Scenario, chosen choice) (*Recording, error) {
	s, err := discoverFor(ctx, given, all)
	if s == nil {
		return nil, err
	}
	defer s.Close()
	if d := s.Dialect(); err == nil && d != nil {
		var names []string
		if names, err = chosen(d); err != nil {
			return nil, err
		}
		err = s.Play(names)
	}
	return s.Seal(given.Judging), err
}
