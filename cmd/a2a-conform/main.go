// Command a2a-conform judges servers of the A2A protocols, sentence by
// sentence, and shows the bytes that prove each verdict.
package main

import (
	"context"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/cross"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/proxycmd"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/schema"
)

func main() {
	cli.LimitMemory()
	var code int
	cli.RunWithSignals(func(ctx context.Context) {
		code = execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	})
	os.Exit(code)
}

// execute runs a command line and returns the exit code of the process.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return cli.Program{Root: rootCommand, RewriteArgs: insertRunBeforeLeadingURL, Decides: printsVerdict}.Execute(ctx, args, stdout, stderr)
}

// printsVerdict reports whether a command was to print a verdict on a server, which must not
// get lost without a word.
func printsVerdict(cmd *cobra.Command) bool {
	if cmd.HasParent() && cmd.Parent().HasParent() || !slices.Contains([]string{"run", "replay", "judge", "card", "attest", "verify", proxycmd.Name}, cmd.Name()) {
		return false
	}
	for _, name := range []string{"help", "plan"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			return false
		}
	}
	return true
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "a2a-conform",
		Short: "Judge A2A servers, requirement by requirement",
		Long: `a2a-conform calls an A2A server, records every byte, and judges the recording,
requirement by requirement. Start with: a2a-conform run URL
(a URL in place of a command does the same).

Exit codes: 0 conformant (or the gate is met) · 1 nonconformant · 2 void, or an
error in the command line · 3 partial · 4 unreachable.`,
		Version: programVersion(),
	}
	root.AddCommand(runCommand(), clientCommand(), referenceCommand(), referenceClientCommand(), listCommand(), explainCommand(), docsCommand(), proveCommand(), replayCommand(), trafficCommand(), cardCommand(), callCommand(), judgeCommand(), initCommand(), probeCommand(),
		diffCommand(schema.Changes), matrixCommand(schema.Changes), cross.Command(programVersion()), proxycmd.Command(judgingOfTraffic()), actsCommand(), waiversCommand(), fleetCommand(), keygenCommand(), attestCommand(), verifyCommand(), schemaCommand(), versionCommand())
	cli.Prepare(root, flagGroups)
	for _, cmd := range root.Commands() {
		registerFlagAndArgCompletions(cmd)
		if cmd.Flags().Lookup("dialect") != nil && cmd.Name() != referenceClientName && cmd.Name() != clientCommandName {
			addDialectHelp(cmd)
		}
	}
	return root
}
