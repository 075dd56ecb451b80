package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/prove"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
)

// The proof keeps the transcripts of hundreds of servers while it judges them: with
// the aim of a run it would do little but collect garbage.
const (
	proofMemory  = 3 << 30 // bytes
	proofGarbage = 300     // percent
)

func proveCommand() *cobra.Command {
	var dialect, sabotage, vectors string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "prove",
		Short: "Prove that every check fails on the defects it is made for, and on nothing else",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("dialect") {
				printDialectDefaultNotice(cmd.ErrOrStderr())
			}
			cli.AimBelow(proofMemory, proofGarbage)
			checks := suites.Checks()
			var only []string
			if sabotage != "" {
				check, ok := checks[sabotage]
				if !ok {
					return fmt.Errorf("--sabotage: there is no check %q; choose one of %s", sabotage, strings.Join(checks.Names(), ", "))
				}
				checks = checks.With(check.Sabotaged())
				if only = prove.Users(dialect, sabotage); len(only) == 0 {
					return fmt.Errorf("--sabotage: no requirement of %s uses the check %q", dialect, sabotage)
				}
			}
			if err := cmd.Context().Err(); err != nil { // before hundreds of servers are started
				return err
			}
			m, err := prove.Record(cmd.Context(), dialect, nil)
			if err != nil {
				return err
			}
			o, err := m.Prove(cmd.Context(), checks, only)
			if err != nil {
				return err
			}
			if err := cmd.Context().Err(); err != nil { // half a proof is none
				return err
			}
			if vectors != "" {
				if err := writeVectors(vectors, o); err != nil {
					return err
				}
			}
			if asJSON {
				enc := json.NewEncoder(cmd.OutOrStdout())
				enc.SetIndent("", "  ")
				if err := enc.Encode(o); err != nil {
					return err
				}
			} else {
				o.Table(cmd.OutOrStdout())
			}
			if !o.OK() {
				return cli.ExitCode(1)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dialect, "dialect", schema.DefaultName, "one of "+strings.Join(schema.Names(), ", "))
	cmd.Flags().StringVar(&sabotage, "sabotage", "", "make this check always pass; the proof must then fail")
	cmd.Flags().StringVar(&vectors, "vectors", "", "write the verdict of each requirement on each variant and mutant into this file, to compare it with another version's")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func writeVectors(name string, o *prove.Outcome) error {
	file, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("--vectors: %w", err)
	}
	out := bufio.NewWriter(file)
	if err := errors.Join(o.Vectors(out), out.Flush(), file.Close()); err != nil {
		return fmt.Errorf("--vectors %s: %w", name, err)
	}
	return nil
}
