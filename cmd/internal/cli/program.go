// Package cli is what the commands of this project share: how a command line is run, how
// signals and closed pipes end it, how its errors, its help and its completion are written.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// Program is a command with its subcommands.
type Program struct {
	Root func() *cobra.Command
	// RewriteArgs may put a short command line into its long form.
	RewriteArgs func(args []string) []string
	// Decides reports whether a subcommand was to print a verdict on a server, which must not
	// get lost without a word.
	Decides func(*cobra.Command) bool
}

// ExitCode is how a subcommand ends the process with a code that is not an
// error of its own, such as the verdict of a run.
type ExitCode int

func (e ExitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// WorseCode returns the worse one of two exit codes: void, unreachable, nonconformant, partial.
func WorseCode(a, b int) int {
	order := []int{2, 4, 1, 3, 0}
	if slices.Index(order, a) < slices.Index(order, b) {
		return a
	}
	return b
}

// Execute runs a command line and returns the exit code of the process.
func (p Program) Execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := p.Root()
	out, errs := NewOutput(stdout), NewOutput(stderr)
	if p.RewriteArgs != nil {
		args = p.RewriteArgs(args)
	}
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	initCompletion(root)
	cmd, err := root.ExecuteContextC(ctx)
	out.Flush()
	defer errs.Flush()
	decides := p.Decides != nil && p.Decides(cmd)
	var code ExitCode
	switch {
	case errors.Is(out.err, syscall.EPIPE) && !decides && (err == nil || errors.As(err, &code) || errors.Is(err, syscall.EPIPE)):
		return ReaderGone
	case out.err != nil && (err == nil || errors.As(err, &code)):
		err = fmt.Errorf("the output could not be written: %w", out.err)
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	}
	if ctx.Err() != nil && !decides { // what came of it otherwise states less
		err = errors.New("interrupted before it was finished")
	}
	PrintError(errs, explainCommandError(cmd, err))
	return 2
}

// PrintError prints an error in the name of the program.
func PrintError(w io.Writer, err error) {
	fmt.Fprintf(w, "a2a-conform: %s\n", safetext.Visible(boundSentence(err.Error())))
}

// ReaderGone is how a shell sees a process end whose reader went away, as head does: it
// has what it wanted, and no one is left to be reported anything.
const ReaderGone = 128 + int(syscall.SIGPIPE)
