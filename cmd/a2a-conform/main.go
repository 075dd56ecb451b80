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
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/schema"
)

func main() {
	frugal()
	var code int
	withSignals(func(ctx context.Context) {
		code = execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	})
	os.Exit(code)
}

// memoryAimed is what the process tries to stay below, in bytes: with a server
// that sends as much as is kept, garbage is collected more often instead of
// taking as much again.
const memoryAimed = 160 << 20

// relaxed is how much garbage may gather before it is collected, in percent of
// what is in use: a run is short, and far from the aim as a rule.
const relaxed = 200

// frugal sets both unless the environment does.
func frugal() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(relaxed)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryAimed)
	}
}

// withSignals gives a function a context that ends with the first signal to
// stop. A second one ends the process at once. A reader of our output who goes
// away is an error of writing like any other.
func withSignals(do func(context.Context)) {
	signal.Ignore(syscall.SIGPIPE)
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	first := make(chan os.Signal, 1)
	signal.Notify(first, signals...)
	defer signal.Stop(first)
	go func() {
		select {
		case <-first:
			signal.Reset(signals...) // before anything is seen of the first
			stop()
		case <-ctx.Done():
		}
	}()
	do(ctx)
}

// exitCode is how a subcommand ends the process with a code that is not an
// error of its own, such as the verdict of a run.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// execute runs a command line and returns the exit code of the process.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := rootCommand()
	out, errs := newOutput(stdout), newOutput(stderr)
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	out.flush()
	defer errs.flush()
	var code exitCode
	switch {
	case out.err != nil && (err == nil || errors.As(err, &code)):
		err = fmt.Errorf("the output could not be written: %w", out.err)
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	}
	fmt.Fprintf(errs, "a2a-conform: %s\n", reports.Visible(err.Error()))
	return 2
}

// output is all that we print: what others wrote obeys nobody there. It remembers
// the first error of writing, so that a full disk or a reader who went away is
// never taken for success.
type output struct {
	w     io.Writer
	inert *reports.Inert
	err   error
}

func newOutput(w io.Writer) *output {
	_, is := terminal(w)
	return &output{w: w, inert: reports.NewInert(w, is)}
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	var n int
	n, o.err = o.inert.Write(p)
	return n, o.err
}

func (o *output) flush() {
	if o.err == nil {
		o.err = o.inert.Flush()
	}
}

// lost reports whether something could not be written to our output.
func lost(w io.Writer) bool {
	o, ok := w.(*output)
	return ok && o.err != nil
}

// terminal is the terminal that a writer leads to, if it does.
func terminal(w io.Writer) (*os.File, bool) {
	if o, ok := w.(*output); ok {
		w = o.w
	}
	file, ok := w.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

// emptyFlags finds flags that were given without a value, as a variable does that
// expands to nothing: they would be taken for flags that were left out.
func emptyFlags(fl *pflag.FlagSet) error {
	var errs []error
	fl.Visit(func(f *pflag.Flag) {
		given := []string{f.Value.String()}
		if list, is := f.Value.(pflag.SliceValue); is {
			given = list.GetSlice()
		}
		if len(given) == 0 || slices.Contains(given, "") {
			errs = append(errs, fmt.Errorf("--%s is empty: did a variable expand to nothing? give it a value, or leave it out", f.Name))
		}
	})
	return errors.Join(errs...)
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "a2a-conform",
		Short: "Judge A2A servers, sentence by sentence of the protocol",
		Long: `a2a-conform holds a few conversations with a server, writes down every byte, and
judges what was written down, requirement by requirement.

Exit codes: 0 conformant (or the gate is met) · 1 nonconformant · 2 void, or a
slip in the command line · 3 partial · 4 unreachable.`,
		Version: programVersion(),
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return emptyFlags(cmd.Flags())
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(runCommand(), referenceCommand(), listCommand(), explainCommand(), proveCommand(), replayCommand(), probeCommand(),
		diffCommand(schema.Changes()), waiversCommand(), schemaCommand(), versionCommand())
	return root
}
