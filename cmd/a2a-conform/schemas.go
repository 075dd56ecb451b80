package main

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/cmd/internal/fileschema"
)

func schemaCommand() *cobra.Command {
	names := slices.Sorted(maps.Keys(fileschema.All()))
	return &cobra.Command{
		Use:   "schema " + strings.Join(names, "|"),
		Short: "Print the JSON Schema of a file, for an editor",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, ok := fileschema.All()[args[0]]
			if !ok {
				return fmt.Errorf("no schema is called %q; the schemas are %s", args[0], strings.Join(names, ", "))
			}
			_, err := cmd.OutOrStdout().Write(text)
			return err
		},
	}
}
