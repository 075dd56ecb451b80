package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/reference/client"
)

// referenceClientName is the command that runs the bundled client. It knows fewer dialects
// than the other commands.
const referenceClientName = "reference-client"

func referenceClientCommand() *cobra.Command {
	var o client.Options
	var list bool
	cmd := &cobra.Command{
		Use:   referenceClientName + " URL TEXT [SECOND]",
		Short: "Run the bundled client, healthy or with one named defect",
		Long: "Run the bundled client, healthy or with one named defect. It fetches the card below URL, sends TEXT over JSON-RPC, follows the task, and\n" +
			"prints what the agent answered. SECOND answers a question of the agent, or is a second message; without it, an answer is read from stdin.\n\n" +
			"Credentials are read from the environment: A2A_CONFORM_BEARER (a token), A2A_CONFORM_BASIC (USER:PASSWORD), A2A_CONFORM_API_KEY.\n\n" +
			"Exit codes: 0 the agent answered · 1 that failed, or the task was not completed · 2 an error in the command line.",
		Args: func(cmd *cobra.Command, args []string) error {
			if list {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.RangeArgs(2, 3)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			if list {
				printClients(cmd.OutOrStdout(), cmp.Or(o.Dialect, client.DefaultDialect))
				return nil
			}
			o.URL, o.Text = addLoopbackScheme(args[0]), args[1]
			if len(args) > 2 {
				o.Second = args[2]
			}
			o.Credentials = client.Credentials{Bearer: os.Getenv("A2A_CONFORM_BEARER"), Basic: os.Getenv("A2A_CONFORM_BASIC"), Key: os.Getenv("A2A_CONFORM_API_KEY")}
			o.Stdin, o.Stdout, o.Stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			if code := client.Run(cmd.Context(), o); code != 0 {
				return cli.ExitCode(code)
			}
			return nil
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&o.Dialect, "dialect", client.DefaultDialect, strings.Join(client.Dialects(), " or "))
	fl.StringVar(&o.Variant, "variant", "", "variant of the client (default: the one that the mutant belongs to, or plain)")
	fl.StringVar(&o.Mutant, "mutant", "", "defect to show")
	fl.BoolVar(&list, "list", false, "list the variants and the defects")
	fl.StringSliceVar(&o.Extensions, "extension", nil, "URI of an extension that the client knows (repeatable)")
	fl.StringVar(&o.Hook, "hook", "", "URL that the variant webhook registers")
	fl.DurationVar(&o.Timeout, "timeout", client.DefaultTimeout, "time limit of everything")
	return cmd
}

// printClients prints the variants of the bundled client, and then its defects, each with the
// variant that shows it and the step at which it differs.
func printClients(w io.Writer, dialect string) {
	for _, v := range client.Variants(dialect) {
		fmt.Fprintf(w, "%-34s %s\n", v.Name, v.Summary)
	}
	fmt.Fprintln(w)
	for _, m := range client.Mutants(dialect) {
		fmt.Fprintf(w, "%-34s %-14s %-32s %s\n", m.Name, m.Variant, m.Place, m.Summary)
	}
}
