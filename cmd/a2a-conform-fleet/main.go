// Command a2a-conform-fleet judges many agents: it holds a queue of targets, the workers that judge
// them, and their results, in NATS JetStream. `a2a-conform fleet` passes on to it.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
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
	return cli.Program{Root: rootCommand}.Execute(ctx, args, stdout, stderr)
}

// version is stamped by a release with -ldflags "-X main.version=…". Otherwise the build
// information of Go has it.
var version string

func programVersion() string { return cmp.Or(version, conform.Version()) }

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:         "a2a-conform-fleet",
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "a2a-conform fleet"}, // which passes on to it
		Short:       "Judge many agents, every night, with workers on one machine or on many",
		Long: `fleet judges many agents: a queue of targets, workers that judge them, and a place for the results, in NATS JetStream.
On one machine: fleet run --file agents.yaml starts a broker and workers, judges every agent of the file once, writes a site, and ends.
On several: fleet broker (or a NATS cluster that exists, with --nats), fleet work on each machine, fleet add, status, report, serve.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("fleet has no subcommand %q; see a2a-conform fleet --help", args[0])
			}
			return nil
		},
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Version: programVersion(),
	}
	root.CompletionOptions.HiddenDefaultCmd = true // a2a-conform completes its subcommand fleet
	root.AddCommand(runCommand(), brokerCommand(), addCommand(), workCommand(), judgeCommand(), statusCommand(), reportCommand(), serveCommand())
	cli.Prepare(root, flagGroups)
	for _, cmd := range root.Commands() {
		registerFlagAndArgCompletions(cmd)
	}
	return root
}

// registerFlagAndArgCompletions has a shell complete the flags of a subcommand.
func registerFlagAndArgCompletions(cmd *cobra.Command) {
	dialects := cli.CompleteWords(schema.Names()...)
	if cmd.Name() == "run" {
		dialects = cli.CompleteDialects
	}
	cli.CompleteFlags(cmd, map[string]cobra.CompletionFunc{
		"dialect": dialects, "gate": cli.CompleteWords(gates...), "keep": cli.CompleteWords("changes", "all"), "allow": cli.CompleteList(cli.RiskNames()...),
	}, []string{"out", "data"}, []string{"file", "secrets"})
	cmd.ValidArgsFunction = cobra.NoFileCompletions
}

// uniqueName returns a name for a process that talks to the broker.
func uniqueName(what string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s %s %d %s", what, host, os.Getpid(), uuid.NewString()[:8])
}

// logLinesTo prints what an operator should know, a line each.
func logLinesTo(w io.Writer) func(string) {
	return func(text string) { fmt.Fprintln(w, safetext.OneLine(text)) }
}

// withExitAtStdinEnd has a child process end when its parent reports it or dies: it reads nothing, and what
// it reads from comes to its end then. An interruption on a terminal, which reaches all
// processes, is the parent's to act on.
func withExitAtStdinEnd(cmd *cobra.Command, enabled bool) (context.Context, context.CancelFunc) {
	if !enabled {
		return context.WithCancel(cmd.Context())
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(cmd.Context()))
	go func() {
		io.Copy(io.Discard, os.Stdin)
		cancel()
		time.AfterFunc(shutdownTimeout, func() { os.Exit(2) })
	}()
	return ctx, cancel
}

// shutdownTimeout is for how long a child process may finish what it does once it is to end, and
// brokerGracePeriod for how long its broker waits for it.
const (
	shutdownTimeout   = 4 * time.Minute
	brokerGracePeriod = time.Minute
)
