package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ManyFlags is how many flags a command has at most that are shown in one list.
const ManyFlags = 10

// FlagGroup are flags that are shown together, and what they are about.
type FlagGroup struct {
	Title string
	Flags []string
}

// Prepare has a root and its subcommands behave as all commands of this project do: a flag
// without a value and one that is not known are refused in words that help, and a command with
// many flags shows them in groups, each flag in one of them.
func Prepare(root *cobra.Command, groups []FlagGroup) {
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return findEmptyFlags(cmd.Flags()) }
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetHelpCommand(newHelpCommand())
	root.SetFlagErrorFunc(explainFlagError)
	for _, cmd := range root.Commands() {
		if len(OwnFlags(cmd)) > ManyFlags {
			cmd.SetUsageFunc(func(cmd *cobra.Command) error { return printGroupedUsage(cmd, groups) })
		}
	}
}

// OwnFlags returns the flags of a command without that for help, which every command has.
func OwnFlags(cmd *cobra.Command) (out []*pflag.Flag) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && !f.Hidden {
			out = append(out, f)
		}
	})
	return out
}

func printGroupedUsage(cmd *cobra.Command, groups []FlagGroup) error {
	const width = 120
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", cmd.UseLine())
	left := map[string]*pflag.Flag{}
	for _, f := range OwnFlags(cmd) {
		left[f.Name] = f
	}
	show := func(title string, set *pflag.FlagSet) {
		if set.HasFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s", title, set.FlagUsagesWrapped(width))
		}
	}
	for _, g := range groups {
		set := pflag.NewFlagSet(g.Title, pflag.ContinueOnError)
		set.SortFlags = false // those that belong together stand together
		for _, name := range g.Flags {
			if f := left[name]; f != nil {
				set.AddFlag(f)
				delete(left, name)
			}
		}
		show(g.Title, set)
	}
	others := pflag.NewFlagSet("others", pflag.ContinueOnError)
	for _, f := range left {
		others.AddFlag(f)
	}
	show("Other", others)
	_, err := fmt.Fprint(cmd.OutOrStderr(), b.String())
	return err
}
