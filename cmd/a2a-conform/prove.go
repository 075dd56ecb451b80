package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/prove"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/proveclient"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/provegateway"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// The proof keeps the transcripts of hundreds of servers while it judges them: with
// the aim of a run it would do little but collect garbage.
const (
	proofMemory  = 3 << 30 // bytes
	proofGarbage = 300     // percent
)

func proveCommand() *cobra.Command {
	var dialect, sabotage, vectors string
	var asJSON, ofClients, ofGateways bool
	cmd := &cobra.Command{
		Use:   "prove",
		Short: "Prove that every check fails on the defects it is made for, and on nothing else",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("dialect") && !ofGateways {
				printDialectDefaultNotice(cmd.ErrOrStderr())
			}
			if ofGateways {
				o, err := provegateway.Prove(cmd.Context())
				if err != nil {
					return err
				}
				return printProof(cmd.OutOrStdout(), o, asJSON)
			}
			cli.AimBelow(proofMemory, proofGarbage)
			checks, err := sabotageCheck(suites.Checks(), sabotage)
			if err != nil {
				return err
			}
			if ofClients {
				return proveClients(cmd, dialect, checks, asJSON)
			}
			var only []string
			if sabotage != "" {
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
			return printProof(cmd.OutOrStdout(), o, asJSON)
		},
	}
	cmd.Flags().StringVar(&dialect, "dialect", schema.DefaultName, "one of "+strings.Join(schema.Names(), ", "))
	cmd.Flags().StringVar(&sabotage, "sabotage", "", "make this check always pass; the proof must then fail")
	cmd.Flags().StringVar(&vectors, "vectors", "", "write the verdict of each requirement on each variant and mutant into this file, to compare it with another version's")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&ofClients, "client", false, "prove the requirements on clients, with the bundled client ("+strings.Join(proveclient.Dialects(), ", ")+")")
	cmd.Flags().BoolVar(&ofGateways, "gateway", false, "prove the requirements on gateways, with gateways of this program that have one habit or one fault each")
	cmd.MarkFlagsMutuallyExclusive("client", "vectors")
	for _, other := range []string{"client", "vectors", "sabotage", "dialect"} {
		cmd.MarkFlagsMutuallyExclusive("gateway", other)
	}
	return cmd
}

// sabotageCheck returns the checks with one of them made to pass always; "" for none.
func sabotageCheck(checks judge.Checks, name string) (judge.Checks, error) {
	if name == "" {
		return checks, nil
	}
	check, ok := checks[name]
	if !ok {
		return nil, fmt.Errorf("--sabotage: there is no check %q; choose one of %s", name, strings.Join(checks.Names(), ", "))
	}
	return checks.With(check.Sabotaged()), nil
}

// proveClients proves the requirements on clients.
func proveClients(cmd *cobra.Command, dialect string, checks judge.Checks, asJSON bool) error {
	o, err := proveclient.Prove(cmd.Context(), dialect, checks)
	if err != nil {
		return err
	}
	return printProof(cmd.OutOrStdout(), o, asJSON)
}

// printProof prints what a proof found. An error is the exit code of one that does not hold.
func printProof(w io.Writer, o interface {
	OK() bool
	Table(io.Writer)
}, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		if err := enc.Encode(o); err != nil {
			return err
		}
	} else {
		o.Table(w)
	}
	if !o.OK() {
		return cli.ExitCode(1)
	}
	return nil
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
