package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/schema"
)

// addDialectHelp makes the help of a command describe the dialects: the default first, then
// by name. The catalogues are read only if the help is printed.
func addDialectHelp(cmd *cobra.Command) {
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd.Long == "" {
			cmd.Long = cmd.Short + "."
		}
		cmd.Long += "\n\n" + describeDialects()
		cmd.Parent().HelpFunc()(cmd, args)
	})
}

func describeDialects() string {
	var b strings.Builder
	b.WriteString("The dialects:")
	for _, name := range listDialectsDefaultFirst() {
		d, err := schema.Load(name)
		if err != nil {
			continue // a test loads them all
		}
		fmt.Fprintf(&b, "\n  %-14s %s: %s", name, d.Title, d.About)
	}
	return b.String()
}

// listDialectsDefaultFirst returns the names of the dialects: that of the default, and then by name.
func listDialectsDefaultFirst() []string {
	others := slices.DeleteFunc(schema.Names(), func(name string) bool { return name == schema.DefaultName })
	return slices.Insert(others, 0, schema.DefaultName)
}

// printDialectDefaultNotice prints that the bundled server has another default than in the release
// before. The release after this one drops it.
func printDialectDefaultNotice(w io.Writer) {
	fmt.Fprintf(w, "notice: without --dialect, the protocol of the bundled server is now %s; --dialect a2a-0.1 gives the one before\n", schema.DefaultName)
}
