// Command a2a-conform judges servers of the A2A protocols, sentence by
// sentence, and shows the bytes that prove each verdict.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// exitCode is how a subcommand ends the process with a code that is not an
// error of its own, such as the verdict of a run.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// execute runs a command line and returns the exit code of the process.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var code exitCode
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	}
	fmt.Fprintf(stderr, "a2a-conform: %v\n", err)
	return 2
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "a2a-conform",
		Short: "Judge A2A servers, sentence by sentence of the protocol",
		Long: `a2a-conform holds a few conversations with a server, writes down every byte, and
judges what was written down, requirement by requirement.

Exit codes: 0 conformant (or the gate is met) · 1 nonconformant · 2 void, or a
slip in the command line · 3 partial · 4 unreachable.`,
		Version:       programVersion(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(runCommand(), referenceCommand(), listCommand(), explainCommand(), proveCommand(), replayCommand(), probeCommand(),
		diffCommand(), waiversCommand(), schemaCommand(), versionCommand())
	return root
}
