package main

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
)

// Every command and flag of the guides exists.
func TestGuidesKnowTheCommand(t *testing.T) {
	if seen := commandtest.CheckCommands(t, rootCommand(), "a2a-conform-fleet", "README.md", "docs/fleet.md"); seen < 9 {
		t.Errorf("only %d commands were found", seen)
	}
}
