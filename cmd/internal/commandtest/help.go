package commandtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
)

// CheckFlagGroups checks that a flag of a command with many is shown in one group, and that no
// group names a flag that no command has.
func CheckFlagGroups(t *testing.T, root *cobra.Command, groups []cli.FlagGroup) {
	t.Helper()
	in := map[string]int{}
	for _, g := range groups {
		for _, name := range g.Flags {
			in[name]++
		}
	}
	known := map[string]bool{}
	for _, cmd := range allCommands(root) {
		flags := cli.OwnFlags(cmd)
		for _, f := range flags {
			if len(flags) > cli.ManyFlags && in[f.Name] != 1 {
				t.Errorf("--%s of %s stands in %d groups", f.Name, cmd.Name(), in[f.Name])
			}
			known[f.Name] = known[f.Name] || len(flags) > cli.ManyFlags
		}
	}
	for name := range in {
		if !known[name] {
			t.Errorf("no command has --%s, which stands in a group", name)
		}
	}
}

// allCommands returns the commands below one, and those below them.
func allCommands(of *cobra.Command) (out []*cobra.Command) {
	for _, cmd := range of.Commands() {
		out = append(append(out, cmd), allCommands(cmd)...)
	}
	return out
}

// CheckHelp checks that what a command line prints as help shows each flag of a command once, and
// in groups if it has many.
func CheckHelp(t *testing.T, root *cobra.Command, execute Execute, args ...string) {
	t.Helper()
	code, out, errs := execute.Call(args...)
	if code != 0 || errs != "" {
		t.Errorf("%s: exit %d\n%s", args, code, errs)
	}
	named := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "help" || strings.HasPrefix(a, "-") })
	cmd, _, err := root.Find(named)
	if err != nil {
		t.Fatal(err)
	}
	flags := cli.OwnFlags(cmd)
	for _, f := range flags {
		if n := strings.Count(out, "  --"+f.Name+" "); n != 1 {
			t.Errorf("%s: --%s is shown %d times", args, f.Name, n)
		}
	}
	const many, fallback = "Time limits and concurrency:", "Other:"
	if grouped := strings.Contains(out, many) && !strings.Contains(out, fallback); grouped != (len(flags) > cli.ManyFlags) {
		t.Errorf("%s: groups: %v\n%s", args, grouped, out)
	}
}
