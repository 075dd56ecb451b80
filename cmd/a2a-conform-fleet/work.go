package main

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/allowance"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/fleet"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
)

// workFlags say how a worker works, and what it allows.
type workFlags struct {
	fleet.Worker
	secrets  string
	networks []string
	allow    []string
	keep     string
	isolate  bool
	size     bytesFlag
}

// workFlagNames are the flags of workers.
var workFlagNames = strings.Fields("parallel isolate secrets allow-network allow webhook-listen webhook-url ca per-host per-second runs-per-second timeout deadline lease keep keep-rounds keep-bytes")

func (w *workFlags) registerFlags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.IntVar(&w.Parallel, "parallel", 4, "how many targets a worker judges at the same time")
	fl.BoolVar(&w.isolate, "isolate", false, "judge each target in a process of its own")
	fl.StringVar(&w.secrets, "secrets", "", "YAML file of the secrets that entries may name, each bound to hosts")
	fl.StringArrayVar(&w.networks, "allow-network", nil, "a network that is not public and may be reached all the same, such as 10.1.0.0/16; may be given several times")
	fl.StringSliceVar(&w.allow, "allow", nil, "risk classes to allow: heavy, outbound, residue, disruptive")
	fl.StringVar(&w.Allowance.Webhook.Listen, "webhook-listen", "", "HOST:0 at which each run receives push notifications, at a port of its own")
	fl.StringVar(&w.Allowance.Webhook.URL, "webhook-url", "", "URL under which servers reach that address, if it is a different one; for --parallel 1")
	fl.StringVar(&w.Allowance.CA, "ca", "", "PEM file of further certificate authorities")
	fl.IntVar(&w.Limits.PerHost, "per-host", 1, "runs on one host at a time, over all workers; a host is an address without its port")
	fl.Float64Var(&w.Limits.PerSecond, "per-second", 0, "calls to one host in a second, over all workers (default: no bound)")
	fl.Float64Var(&w.Limits.RunsPerSecond, "runs-per-second", 0, "runs that begin in a second, over all workers (default: no bound)")
	fl.DurationVar(&w.Timeout, "timeout", 30*time.Second, "time limit of one call")
	fl.DurationVar(&w.Deadline, "deadline", 0, "time limit of one run (default: 2m, and more with --per-second)")
	fl.DurationVar(&w.Lease, "lease", 30*time.Second, "a worker that is silent for so long counts as dead, and others judge its targets")
	fl.StringVar(&w.keep, "keep", "changes", "of which runs report and transcript are kept: changes (the first, those that change, void ones, and every 30th), or all")
	fl.IntVar(&w.Retention.Rounds, "keep-rounds", 30, "how many rounds are kept")
	w.size = 20e9
	fl.Var(&w.size, "keep-bytes", "how much is kept of reports and transcripts; the oldest go first, but never the last ones of an agent")
}

// flagsGiven are flags of a command line as a child process takes them.
func flagsGiven(cmd *cobra.Command, names []string) (out []string) {
	for _, name := range names {
		f := cmd.Flags().Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		values := []string{f.Value.String()}
		if list, is := f.Value.(pflag.SliceValue); is {
			values = list.GetSlice()
		}
		for _, v := range values {
			out = append(out, "--"+name+"="+v)
		}
	}
	return out
}

// resolveFlags reads what the flags name, before anything is taken from the queue.
func (w *workFlags) resolveFlags() (err error) {
	if w.Parallel < 1 || w.Parallel > 1000 {
		return errors.New("--parallel is a number from 1 to 1000")
	}
	for _, d := range []struct {
		name string
		fits bool
	}{
		{"--per-host", w.Limits.PerHost > 0}, {"--per-second", w.Limits.PerSecond >= 0}, {"--runs-per-second", w.Limits.RunsPerSecond >= 0}, {"--timeout", w.Timeout > 0},
		{"--deadline", w.Deadline >= 0}, {"--keep-rounds", w.Retention.Rounds > 0},
	} {
		if !d.fits {
			return fmt.Errorf("%s must be more than 0", d.name)
		}
	}
	if w.Lease < 3*time.Second || w.Lease > fleet.LongestLease {
		return fmt.Errorf("--lease is 3s at least, because a worker that is busy must not count as dead, and %v at most", fleet.LongestLease)
	}
	if w.Allowance.Secrets, err = w.readSecrets(); err != nil {
		return err
	}
	for _, n := range w.networks {
		p, err := netip.ParsePrefix(n)
		if err != nil {
			return fmt.Errorf("--allow-network %q is no network; write it like 10.1.0.0/16", n)
		}
		w.Allowance.Networks = append(w.Allowance.Networks, p.Masked())
	}
	if w.Allowance.Risks, err = cli.ParseRisks(w.allow); err != nil {
		return err
	}
	if w.Allowance.Webhook.Listen != "" && w.Parallel > 1 && !strings.HasSuffix(w.Allowance.Webhook.Listen, ":0") {
		return errors.New("--webhook-listen: runs that go on at the same time need ports of their own; give port 0, or --parallel 1")
	}
	if w.Allowance.Webhook.URL != "" && w.Parallel > 1 {
		return errors.New("--webhook-url: runs that go on at the same time cannot share one address; give --parallel 1")
	}
	if w.Allowance.CA != "" {
		text, err := schema.ReadFile(w.Allowance.CA, schema.MaxAuthorities)
		if err != nil {
			return fmt.Errorf("--ca: %w", err)
		}
		if !x509.NewCertPool().AppendCertsFromPEM(text) {
			return fmt.Errorf("--ca %s: the file contains no certificate in PEM form", w.Allowance.CA)
		}
	}
	switch w.keep {
	case "changes", "all":
		w.Retention.All = w.keep == "all"
	default:
		return fmt.Errorf("--keep %q is not one of changes, all", w.keep)
	}
	w.Retention.Bytes = int64(w.size)
	w.Tool = programVersion()
	return nil
}

func (w *workFlags) readSecrets() (allowance.Secrets, error) {
	if w.secrets == "" {
		return nil, nil
	}
	return allowance.ReadSecrets(w.secrets)
}

func workCommand() *cobra.Command {
	var b brokerFlags
	var w workFlags
	var child, quiet bool
	cmd := &cobra.Command{
		Use:   "work",
		Short: "Judge what is queued; on any number of machines",
		Long: `work takes targets from the queue, judges each as run does, and keeps its result. An entry of the queue gets only what the flags of the
worker allow: secrets by name for the hosts to which they are bound, networks that are not public, risk classes, webhooks.
The first interruption has it finish what it is judging; the second ends it at once, and others judge that again.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := w.resolveFlags(); err != nil {
				return err
			}
			cli.AimBelow(workerMemory, 100)
			ctx, stop := withExitAtStdinEnd(cmd, child)
			defer stop()
			cmd.SetContext(ctx)
			w.Name = uniqueName("worker")
			f, err := b.connectFleet(cmd, w.Name)
			if err != nil {
				return err
			}
			defer f.Close()
			w.Judge = fleet.JudgeInProcess
			if w.isolate {
				w.Judge = newChildProcessJudge(cmd, b, w)
			}
			w.Log = logLinesTo(cmd.ErrOrStderr())
			out := cmd.OutOrStdout()
			w.OnResult = func(t agentlist.Target, round string, r fleet.Result) {
				if !quiet {
					fmt.Fprintln(out, safetext.OneLine(fmt.Sprintf("%-13s  %s  %s  %.1f s", r.Verdict, t.URL, r.Details.Dialect, float64(r.Took)/1000)))
				}
			}
			return w.Work(ctx, f)
		},
	}
	b.registerFlags(cmd)
	w.registerFlags(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&w.StopWhenIdle, "once", false, "end when nothing is left to judge")
	fl.BoolVar(&quiet, "quiet", false, "print no line for each result")
	fl.BoolVar(&child, "attended", false, "")
	fl.MarkHidden("attended")
	return cmd
}

// workerMemory is what a worker tries to stay below, in bytes.
const workerMemory = 320 << 20

// newChildProcessJudge judges in a process of its own, which is ended with all that it holds if it does not
// end by itself.
func newChildProcessJudge(cmd *cobra.Command, b brokerFlags, w workFlags) fleet.Judge {
	program, lost := os.Executable()
	args := append(append([]string{"judge"}, b.givenFlags(cmd)...), flagsGiven(cmd, workFlagNames)...)
	return func(ctx context.Context, r fleet.Run) (*conform.Outcome, error) {
		if lost != nil {
			return nil, lost
		}
		dir, err := os.MkdirTemp("", "a2a-conform-*")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		ctx, cancel := context.WithTimeout(ctx, r.Target.Deadline+childGracePeriod)
		defer cancel()
		child := exec.CommandContext(ctx, program, append(args, "--out="+dir)...)
		child.Stdin = strings.NewReader(string(r.Entry))
		said, err := child.CombinedOutput()
		if err != nil {
			text := strings.TrimPrefix(strings.TrimSpace(string(said[max(0, len(said)-2000):])), "a2a-conform: ")
			return nil, fmt.Errorf("the process of this run ended without a result (%w): %s", err, text)
		}
		return readOutcome(dir)
	}
}

// childGracePeriod is how much longer than its deadline a process of its own may take.
const childGracePeriod = time.Minute

// readOutcome reads what a process of its own left.
func readOutcome(dir string) (*conform.Outcome, error) {
	report, err := schema.OpenFile(filepath.Join(dir, files.JSONFile))
	if err != nil {
		return nil, err
	}
	defer report.Close()
	har, err := schema.OpenFile(filepath.Join(dir, files.TranscriptFile))
	if err != nil {
		return nil, err
	}
	defer har.Close()
	o := &conform.Outcome{}
	if o.Report, err = reports.ReadJSON(report); err != nil {
		return nil, err
	}
	o.Transcript, err = record.ReadHAR(har)
	return o, err
}

// judgeCommand judges one entry for a worker that keeps each run apart.
func judgeCommand() *cobra.Command {
	var b brokerFlags
	var w workFlags
	var dir string
	cmd := &cobra.Command{
		Use: "judge", Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := w.resolveFlags(); err != nil {
				return err
			}
			text, err := io.ReadAll(io.LimitReader(os.Stdin, 1<<20))
			if err != nil || !json.Valid(text) {
				return errors.New("the entry is no JSON")
			}
			target, _, err := w.Allowance.NewTarget(cmd.Context(), text)
			if err != nil {
				return err
			}
			if w.Limits.PerSecond > 0 { // which all workers share
				f, err := b.connectFleet(cmd, uniqueName("judge"))
				if err != nil {
					return err
				}
				defer f.Close()
				w.ApplyDeadlineAndCallRate(f, &target)
			} else {
				w.ApplyDeadlineAndCallRate(nil, &target)
			}
			o, err := conform.Run(cmd.Context(), target)
			if o == nil {
				return err
			}
			return writeOutcome(dir, o)
		},
	}
	b.registerFlags(cmd)
	w.registerFlags(cmd)
	cmd.Flags().StringVar(&dir, "out", "", "")
	return cmd
}

func writeOutcome(dir string, o *conform.Outcome) error {
	write := func(name string, to func(io.Writer) error) error {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		return errors.Join(to(f), f.Close())
	}
	return errors.Join(
		write(files.JSONFile, func(w io.Writer) error { return reports.JSON(w, o.Report) }),
		write(files.TranscriptFile, func(w io.Writer) error { return record.WriteHAR(w, o.Transcript) }))
}
