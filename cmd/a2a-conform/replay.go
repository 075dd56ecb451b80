package main

import (
	"fmt"

	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/schema"
)

func replayCommand() *cobra.Command {
	var out string
	var asJSON, quiet bool
	cmd := &cobra.Command{
		Use:   "replay FILE.har",
		Short: "Judge a recorded transcript again, without any network",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := schema.OpenFile(args[0])
			if err != nil {
				return err
			}
			defer file.Close()
			o, err := conform.Replay(file)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return finish(cmd.OutOrStdout(), out, o, asJSON, quiet)
		},
	}
	cmd.Flags().StringVar(&out, "out", "a2a-replay", "folder for the reports")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print report.json on the standard output")
	cmd.Flags().BoolVar(&quiet, "quiet", false, "print one line: the verdict, what was judged, and why")
	return cmd
}
