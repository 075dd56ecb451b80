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
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/schema"
)

func main() {
	limitMemory()
	var code int
	withSignals(func(ctx context.Context) {
		code = execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	})
	os.Exit(code)
}

// memoryAimed is what the process tries to stay below, in bytes: with a server
// that sends as much as is kept, garbage is collected more often instead of
// taking as much again.
const memoryAimed = 128 << 20

// relaxed is how much garbage may gather before it is collected, in percent of
// what is in use: a run is short, and far from the aim as a rule.
const relaxed = 200

// limitMemory sets both for a run.
func limitMemory() { aim(memoryAimed, relaxed) }

// aim says how much memory the process tries to stay below, in bytes, and how much
// garbage may gather, in percent, unless the environment does.
func aim(memory int64, garbage int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memory)
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
	root.SetArgs(implied(args))
	root.SetOut(out)
	root.SetErr(errs)
	completionCommand(root)
	cmd, err := root.ExecuteContextC(ctx)
	out.flush()
	defer errs.flush()
	var code exitCode
	switch {
	case errors.Is(out.err, syscall.EPIPE) && !decides(cmd) && (err == nil || errors.As(err, &code) || errors.Is(err, syscall.EPIPE)):
		return readerGone
	case out.err != nil && (err == nil || errors.As(err, &code)):
		err = fmt.Errorf("the output could not be written: %w", out.err)
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	}
	if ctx.Err() != nil && !decides(cmd) { // what came of it otherwise says less
		err = errors.New("interrupted before it was finished")
	}
	fmt.Fprintf(errs, "a2a-conform: %s\n", reports.Visible(boundSentence(commandSlip(cmd, err).Error())))
	return 2
}

// The bounds of what is printed of an error, which may quote what others wrote.
const (
	mostErrorLines = 100
	errorLineHead  = 6000 // characters that are kept of a longer line
	errorLineTail  = 2000
)

// boundSentence shortens the lines of an error, and leaves out those beyond a bound.
func boundSentence(text string) string {
	lines := strings.SplitN(text, "\n", mostErrorLines+1)
	if len(lines) > mostErrorLines {
		lines[mostErrorLines] = fmt.Sprintf("%d more lines like these are left out", strings.Count(lines[mostErrorLines], "\n")+1)
	}
	for i, line := range lines {
		lines[i] = shorten.Middle(line, errorLineHead, errorLineTail, " … ")
	}
	return strings.Join(lines, "\n")
}

// readerGone is how a shell sees a process end whose reader went away, as head does: it
// has what it wanted, and nobody is left to be told anything.
const readerGone = 128 + int(syscall.SIGPIPE)

// decides reports whether a command was to print a verdict on a server, which must not
// get lost without a word.
func decides(cmd *cobra.Command) bool {
	if cmd.HasParent() && cmd.Parent().HasParent() || !slices.Contains([]string{"run", "replay", "judge", "attest", "verify"}, cmd.Name()) {
		return false
	}
	for _, name := range []string{"help", "plan"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			return false
		}
	}
	return true
}

// output is all that we print: what others wrote obeys nobody there. It remembers
// the first error of writing, so that a full disk or a reader who went away is
// never taken for success.
type output struct {
	mu    sync.Mutex // a signal is told of while others print
	w     io.Writer
	inert *reports.Inert
	err   error
}

func newOutput(w io.Writer) *output {
	_, is := terminal(w)
	return &output{w: w, inert: reports.NewInert(w, is)}
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
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
			errs = append(errs, fmt.Errorf("--%s is empty (is a variable empty?); give it a value, or leave it out", f.Name))
		}
	})
	return errors.Join(errs...)
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
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return emptyFlags(cmd.Flags())
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(runCommand(), referenceCommand(), listCommand(), explainCommand(), proveCommand(), replayCommand(), callCommand(), judgeCommand(), probeCommand(),
		diffCommand(schema.Changes), matrixCommand(schema.Changes), waiversCommand(), fleetCommand(), keygenCommand(), attestCommand(), verifyCommand(), schemaCommand(), versionCommand())
	root.SetHelpCommand(helpCommand())
	root.SetFlagErrorFunc(flagSlip)
	for _, cmd := range root.Commands() {
		groupHelp(cmd)
		complete(cmd)
	}
	return root
}
