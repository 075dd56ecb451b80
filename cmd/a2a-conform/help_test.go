package main

import (
	"slices"
	"strings"
	"testing"
)

// A flag of a command with many is shown in one group, and no group names a flag that
// no command has.
func TestFlagGroups(t *testing.T) {
	in := map[string]int{}
	for _, g := range flagGroups {
		for _, name := range g.flags {
			in[name]++
		}
	}
	known := map[string]bool{}
	for _, cmd := range rootCommand().Commands() {
		flags := ownFlags(cmd)
		for _, f := range flags {
			if len(flags) > manyFlags && in[f.Name] != 1 {
				t.Errorf("--%s of %s stands in %d groups", f.Name, cmd.Name(), in[f.Name])
			}
			known[f.Name] = known[f.Name] || len(flags) > manyFlags
		}
	}
	for name := range in {
		if !known[name] {
			t.Errorf("no command has --%s, which stands in a group", name)
		}
	}
}

func TestGroupedHelp(t *testing.T) {
	for _, args := range [][]string{{"run", "--help"}, {"help", "run"}, {"probe", "-h"}, {"call", "--help"}, {"list", "--help"}} {
		code, out, errs := command(t, args...)
		if code != 0 || errs != "" {
			t.Errorf("%s: exit %d\n%s", args, code, errs)
		}
		grouped := strings.Contains(out, "Time limits and concurrency:") && strings.Contains(out, "Credentials and headers:") && !strings.Contains(out, "Other:")
		if grouped != !slices.Contains(args, "list") {
			t.Errorf("%s: groups: %v\n%s", args, grouped, out)
		}
		for _, cmd := range rootCommand().Commands() {
			if !slices.Contains(args, cmd.Name()) || cmd.Name() == "help" {
				continue
			}
			for _, f := range ownFlags(cmd) {
				if n := strings.Count(out, "  --"+f.Name+" "); n != 1 {
					t.Errorf("%s: --%s is shown %d times", args, f.Name, n)
				}
			}
		}
	}
}
