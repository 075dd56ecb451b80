package main

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
)

func TestFlagGroups(t *testing.T) { commandtest.CheckFlagGroups(t, rootCommand(), flagGroups) }

func TestGroupedHelp(t *testing.T) {
	for _, args := range [][]string{{"run", "--help"}, {"help", "run"}, {"probe", "-h"}, {"call", "--help"}, {"list", "--help"}, {"client", "--help"}} {
		commandtest.CheckHelp(t, rootCommand(), execute, args...)
	}
}
