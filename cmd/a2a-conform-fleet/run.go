package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/fleet"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/supervisor"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/fleetpage"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// gates of fleet run, in addition to those of a run.
var gates = []string{"conformant", "no-failures", "no-regressions"}

func runCommand() *cobra.Command {
	var b brokerFlags
	var t targetFlags
	var w workFlags
	var s fleet.Site
	var workers int
	var gate string
	var size bytesFlag
	cmd := &cobra.Command{
		Use:   "run URL... | --file FILE",
		Short: "Judge every agent of a list once, on this machine, and write the site",
		Long: `run starts a broker and workers as child processes, judges every agent of the list once, writes the site, and ends when nothing is left:
the form for a nightly job. The folder of --data keeps the rounds before, with which this one is compared. A round that was interrupted is
continued.

Exit codes, of the worst agent: 0 conformant (or the gate is met) · 1 nonconformant · 2 void, or needs-credentials (the agent let no call in, and
its entry has no credentials that it takes), or an error in the command line · 3 partial · 4 unreachable.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(gates, gate) {
				return fmt.Errorf("--gate %q is not one of %s", gate, strings.Join(gates, ", "))
			}
			if workers < 1 || workers > 256 {
				return fmt.Errorf("--workers is a number from 1 to 256")
			}
			targets, err := t.readTargets(cmd, args)
			if err != nil {
				return err
			}
			if err := w.resolveFlags(); err != nil {
				return err
			}
			if err := b.checkFlagsReadTokenEnv(cmd); err != nil {
				return err
			}
			if err := files.EnsureWritableDir(s.Dir); err != nil {
				return err
			}
			s.MaxBytes = int64(size)
			return runFleet(cmd, &b, targets, s, w.Retention, workers, gate)
		},
	}
	b.registerFlags(cmd)
	t.registerFlags(cmd)
	w.registerFlags(cmd)
	fl := cmd.Flags()
	fl.IntVar(&workers, "workers", 2, "how many processes judge")
	fl.StringVar(&s.Dir, "out", "a2a-fleet-report", "folder of the site")
	fl.Var(&size, "max-bytes", "how large the pages of single agents may be together (default 80 MB); the worst agents come first")
	fl.StringVar(&gate, "gate", "conformant", strings.Join(gates, " or ")+" (no-regressions: exit code 1 if an agent is worse than in its last round that was neither void nor unreachable nor needs-credentials)")
	return cmd
}

// runFleet judges targets once, with processes of its own.
func runFleet(cmd *cobra.Command, b *brokerFlags, targets []agentlist.Target, s fleet.Site, k fleet.Retention, workers int, gate string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	errs := cmd.ErrOrStderr()
	say := logLinesTo(errs)
	crew := &supervisor.Supervisor{Program: program, Log: say}
	if b.dial.URL == "" {
		if err := broker.CheckUnlocked(b.dial.Data); err != nil { // before anything is queued
			return err
		}
		crew.BrokerArgs = []string{"broker", "--attended", "--data=" + b.dial.Data}
	}
	args := append(append([]string{"work", "--attended", "--quiet"}, b.givenFlags(cmd)...), flagsGiven(cmd, workFlagNames)...)
	for range workers {
		crew.WorkerArgs = append(crew.WorkerArgs, args)
	}
	crew.Start(cmd.Context())
	defer crew.Stop()
	defer context.AfterFunc(cmd.Context(), func() {
		say("interrupted: the workers finish what they are judging; interrupt again to stop at once. The next call continues this round")
	})()
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)
	go func() {
		select {
		case err := <-crew.Failures():
			cancel(err)
		case <-ctx.Done():
		}
	}()
	told := func(err error) error {
		if cause := context.Cause(ctx); ctx.Err() != nil && cause != context.Canceled {
			return cause
		}
		return err
	}
	d := b.dial
	d.Name, d.Log = uniqueName("run"), say
	f, err := fleet.Connect(ctx, d)
	if err != nil {
		return told(err)
	}
	defer f.Close()
	added, err := f.Add(ctx, programVersion(), targets)
	if err != nil {
		return told(err)
	}
	fmt.Fprintf(errs, "round %s: %d targets queued%s\n", added.Round.Number(), added.Queued, describeAlreadyInRound(added.Known))
	line := cli.NewChangingLine(errs)
	last := -1
	r, err := f.Await(ctx, added.Round.ID, func(r fleet.RoundStatus) {
		if line.Live {
			line.Show("%d/%d judged · %s", r.Results, max(r.Targets, len(targets)), verdictTally(r.Verdicts))
		} else if tenth := r.Results * 10 / max(1, len(targets)); tenth != last {
			last = tenth
			fmt.Fprintf(errs, "%d/%d judged\n", r.Results, max(r.Targets, len(targets)))
		}
	})
	line.Clear()
	if err != nil {
		return told(err)
	}
	outcomes, err := f.Outcomes(ctx, added.Round.ID, targets)
	if err != nil {
		return told(err)
	}
	if err := f.Tidy(ctx, k); err != nil {
		return told(err)
	}
	if _, err := s.Write(ctx, f); err != nil {
		return told(err)
	}
	return printFleet(cmd, r, outcomes, s.Dir, gate)
}

// printFleet prints what a round came to, and ends with its exit code.
func printFleet(cmd *cobra.Command, r fleet.RoundStatus, outcomes []fleet.Outcome, dir, gate string) error {
	out := cmd.OutOrStdout()
	verdicts := map[report.RunVerdict]int{}
	lost, shown, more, code := 0, 0, 0, 0
	line := func(text string) {
		if shown++; shown <= maxShownLines {
			fmt.Fprintln(out, safetext.OneLine(text))
		} else {
			more++
		}
	}
	for i := range outcomes {
		o := &outcomes[i]
		if o.Missing && o.Unreadable != "" {
			line(fmt.Sprintf("result unreadable in the broker: %s: %s", o.Target.URL, o.Unreadable))
			code = cli.WorseCode(code, 2)
			continue
		}
		if o.Missing {
			lost++
			line(fmt.Sprintf("no result: %s", o.Target.URL))
			continue
		}
		verdicts[o.Verdict]++
		if o.Verdict != report.Conformant && o.Details != nil {
			line(fmt.Sprintf("%-17s  %s (%s): %s", o.Verdict, cmp.Or(o.Details.Name, o.Details.URL), o.Details.Dialect, o.Details.Reason))
		}
		code = cli.WorseCode(code, exitCodeOf(o, gate))
	}
	if more > 0 {
		fmt.Fprintf(out, "and %d more that are not conformant\n", more)
	}
	changed := 0
	for _, o := range outcomes {
		if !o.Changed || o.Details == nil {
			continue
		}
		if changed++; changed <= maxShownLines {
			fmt.Fprintln(out, safetext.OneLine("changed: "+changeText(fleet.Change{Name: o.Details.Name, URL: o.Details.URL, Dialect: o.Details.Dialect, Verdict: o.Verdict, Before: o.Details.Before, Changes: o.Details.Changes})))
		}
	}
	if more := changed - maxShownLines; more > 0 {
		fmt.Fprintf(out, "and %d more have changed\n", more)
	}
	fmt.Fprintf(out, "round %s: %s; %s retried, %d abandoned\nsite: %s/%s\n", r.Number(), verdictTally(verdicts), formatConversationCount(r.Repeated), r.GivenUp, dir, fleetpage.PageFile)
	if lost > 0 {
		return fmt.Errorf("%d targets have no result, which must not be: this is a fault of a2a-conform", lost)
	}
	if code != 0 {
		return cli.ExitCode(code)
	}
	return nil
}

// exitCodeOf returns the exit code for one agent.
func exitCodeOf(o *fleet.Outcome, gate string) int {
	switch {
	case gate == "no-regressions" && o.Worse():
		return 1
	case gate == "no-regressions":
		return 0
	case o.Verdict == report.Partial && gate == "no-failures":
		return 0
	}
	return map[report.RunVerdict]int{report.Conformant: 0, report.Nonconformant: 1, report.Void: 2, report.NeedsCredentials: 2, report.Partial: 3, report.Unreachable: 4}[o.Verdict]
}
