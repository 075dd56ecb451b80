package main

import (
	"fmt"
	"io"
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
	var first, others strings.Builder
	for _, name := range schema.Names() {
		d, err := schema.Load(name)
		if err != nil {
			continue // a test loads them all
		}
		b := &others
		if name == schema.DefaultName {
			b = &first
		}
		fmt.Fprintf(b, "\n  %-14s %s: %s", name, d.Title, d.About)
	}
	return "The dialects:" + first.String() + others.String()
}

// printDialectDefaultNotice prints that the bundled server has another default than in the release
// before. The release after this one drops it.
func printDialectDefaultNotice(w io.Writer) {
	fmt.Fprintf(w, "notice: without --dialect, the protocol of the bundled server is now %s; --dialect a2a-0.1 gives the one before\n", schema.DefaultName)
}
