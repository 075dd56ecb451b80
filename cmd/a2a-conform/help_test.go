package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
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
	for _, cmd := range allCommands(rootCommand()) {
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

// allCommands are the commands below one, and those below them.
func allCommands(of *cobra.Command) (out []*cobra.Command) {
	for _, cmd := range of.Commands() {
		out = append(append(out, cmd), allCommands(cmd)...)
	}
	return out
}

func TestGroupedHelp(t *testing.T) {
	for _, args := range [][]string{{"run", "--help"}, {"help", "run"}, {"probe", "-h"}, {"call", "--help"}, {"list", "--help"}, {"fleet", "run", "--help"}, {"fleet", "work", "-h"}} {
		code, out, errs := command(t, args...)
		if code != 0 || errs != "" {
			t.Errorf("%s: exit %d\n%s", args, code, errs)
		}
		grouped := strings.Contains(out, "Time limits and concurrency:") && (strings.Contains(out, "Credentials and headers:") || strings.Contains(out, "Politeness, over all workers:")) && !strings.Contains(out, "Other:")
		if grouped != !slices.Contains(args, "list") {
			t.Errorf("%s: groups: %v\n%s", args, grouped, out)
		}
		named := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "help" || strings.HasPrefix(a, "-") })
		cmd, _, err := rootCommand().Find(named)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ownFlags(cmd) {
			if n := strings.Count(out, "  --"+f.Name+" "); n != 1 {
				t.Errorf("%s: --%s is shown %d times", args, f.Name, n)
			}
		}
	}
}
