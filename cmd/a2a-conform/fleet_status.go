package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/internal/fleet"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

func fleetStatusCommand() *cobra.Command {
	var b brokerFlags
	var asJSON, watch bool
	var latest int
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show rounds, workers, what changed, and what was given up",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := b.connect(cmd, unique("status"))
			if err != nil {
				return err
			}
			defer f.Close()
			for {
				s, err := f.Status(cmd.Context(), latest)
				if err != nil {
					return err
				}
				out := cmd.OutOrStdout()
				if _, is := terminal(out); is && watch && !asJSON {
					fmt.Fprint(out, strings.Repeat("─", 40)+"\n")
				}
				if asJSON {
					e := json.NewEncoder(out)
					if !watch {
						e.SetIndent("", "  ")
					}
					err = e.Encode(s)
				} else {
					err = printStatus(out, s)
				}
				if err != nil || !watch {
					return err
				}
				select {
				case <-cmd.Context().Done():
					return nil
				case <-time.After(2 * time.Second):
				}
			}
		},
	}
	b.flags(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&asJSON, "json", false, "print it as JSON")
	fl.BoolVar(&watch, "watch", false, "print it again every two seconds")
	fl.IntVar(&latest, "rounds", 5, "how many of the latest rounds to show")
	return cmd
}

// printStatus prints what a fleet is doing, the most recent last.
func printStatus(out io.Writer, s fleet.Status) error {
	var b strings.Builder
	if len(s.Rounds) == 0 {
		fmt.Fprintln(&b, "no round has begun: queue targets with fleet add")
	}
	for _, r := range s.Rounds {
		state := "finished"
		if r.Finished == nil {
			state = fmt.Sprintf("%d waiting or being judged", r.Waiting)
		}
		fmt.Fprintf(&b, "round %s, begun %s%s: %d targets, %d results, %s\n", r.Number(), r.Began.Format(time.DateTime), bySchedule(r.Schedule), max(r.Targets, r.Results), r.Results, state)
		if r.Results > 0 {
			fmt.Fprintf(&b, "    %s\n", verdictTally(r.Verdicts))
		}
		if r.Repeated > 0 || r.GivenUp > 0 {
			fmt.Fprintf(&b, "    %s held again, %d given up\n", conversations(r.Repeated), r.GivenUp)
		}
	}
	for i, c := range s.Changed {
		if i == 0 {
			fmt.Fprintln(&b, "changed in the last round:")
		}
		if i == mostShown {
			fmt.Fprintf(&b, "    and %d more\n", len(s.Changed)-i)
			break
		}
		fmt.Fprintf(&b, "    %s\n", reports.OneLine(changeText(c)))
	}
	for i, d := range s.Dead {
		if i == 0 {
			fmt.Fprintln(&b, "given up:")
		}
		if i == mostShown {
			fmt.Fprintf(&b, "    and %d more\n", len(s.Dead)-i)
			break
		}
		fmt.Fprintf(&b, "    %s\n", reports.OneLine(d.Subject+": "+d.Why))
	}
	for _, sc := range s.Schedules {
		fmt.Fprintf(&b, "schedule %s: %d targets, %s\n", sc.Name, sc.Targets, reports.OneLine(sc.Every))
	}
	for _, w := range s.Workers {
		fmt.Fprintf(&b, "%s\n", reports.OneLine(fmt.Sprintf("worker on %s, process %d, a2a-conform %s: %d judged, %d of %d being judged", w.Host, w.PID, w.Tool, w.Done, len(w.Running), w.Parallel)))
		for _, r := range w.Running {
			fmt.Fprintf(&b, "    %s\n", reports.OneLine(fmt.Sprintf("%s for %.0f s", r.URL, time.Since(r.Since).Seconds())))
		}
	}
	if len(s.Workers) == 0 {
		fmt.Fprintln(&b, "no worker is at work")
	}
	for _, n := range s.Notes {
		fmt.Fprintln(&b, reports.OneLine(n))
	}
	fmt.Fprintf(&b, "kept by the broker: %.1f MB\n", float64(s.Stored)/1e6)
	_, err := io.WriteString(out, b.String())
	return err
}

// mostShown is how many lines of a list are printed.
const mostShown = 20

func bySchedule(name string) string {
	if name == "" {
		return ""
	}
	return " by the schedule " + name
}

func conversations(n int) string {
	if n == 1 {
		return "1 conversation"
	}
	return fmt.Sprintf("%d conversations", n)
}

// verdictTally counts verdicts in words, the best first.
func verdictTally(n map[judge.RunVerdict]int) string {
	var out []string
	for _, v := range []judge.RunVerdict{judge.Conformant, judge.Partial, judge.Nonconformant, judge.Unreachable, judge.Void} {
		if n[v] > 0 {
			out = append(out, fmt.Sprintf("%d %s", n[v], v))
		}
	}
	return strings.Join(out, ", ")
}

// changeText says what changed for an agent.
func changeText(c fleet.Change) string {
	text := fmt.Sprintf("%s (%s): ", cmp.Or(c.Name, c.URL), c.Dialect)
	if c.Before != nil && c.Before.Verdict != c.Verdict {
		text += fmt.Sprintf("%s, was %s", c.Verdict, c.Before.Verdict)
	} else {
		text += fmt.Sprintf("still %s", c.Verdict)
	}
	var of []string
	for _, r := range c.Changes[:min(3, len(c.Changes))] {
		of = append(of, fmt.Sprintf("%s %s", r.ID, r.Kind))
	}
	if more := len(c.Changes) - len(of); more > 0 {
		of = append(of, fmt.Sprintf("%d more", more))
	}
	if len(of) > 0 {
		text += "; " + strings.Join(of, ", ")
	}
	return text
}

func fleetReportCommand() *cobra.Command {
	var b brokerFlags
	s := fleet.Site{}
	var size bytesFlag
	cmd := &cobra.Command{
		Use:   "report --out DIR",
		Short: "Write a site of files: all agents and dialects, their history, and the pages of those that are not conformant or changed",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := reports.Writable(s.Dir); err != nil {
				return err
			}
			s.MaxBytes = int64(size)
			f, err := b.connect(cmd, unique("report"))
			if err != nil {
				return err
			}
			defer f.Close()
			o, err := s.Write(cmd.Context(), f)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d agents: %s/%s\n", len(o.Targets), s.Dir, reports.FleetFile)
			if o.Unshown != "" {
				fmt.Fprintln(cmd.ErrOrStderr(), o.Unshown)
			}
			return nil
		},
	}
	b.flags(cmd)
	cmd.Flags().StringVar(&s.Dir, "out", "a2a-fleet-report", "folder of the site")
	cmd.Flags().Var(&size, "max-bytes", "how large the pages of single agents may be together (default 80 MB); the worst agents come first")
	return cmd
}

func fleetServeCommand() *cobra.Command {
	var b brokerFlags
	var listen string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the same site live, read only, with the pages of every agent",
		Long: `serve answers GET requests for the site: / (all agents), /agents/ID.html (the page of one, also of an earlier round: ?round=N),
/agents/ID/report.json and transcript.har. It asks nobody who he is: put it behind a proxy of your own that does.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := b.connect(cmd, unique("serve"))
			if err != nil {
				return err
			}
			defer f.Close()
			l, err := net.Listen("tcp", listen)
			if err != nil {
				return fmt.Errorf("--listen: %w", err)
			}
			aim(workerMemory, 100)
			server := &http.Server{Handler: f.Serve(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, WriteTimeout: 3 * time.Minute, MaxHeaderBytes: 16 << 10}
			fmt.Fprintf(cmd.OutOrStdout(), "http://%s/\n", l.Addr())
			if out, ok := cmd.OutOrStdout().(*output); ok {
				out.flush()
			}
			stop := context.AfterFunc(cmd.Context(), func() {
				ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
				defer cancel()
				server.Shutdown(ctx)
			})
			defer stop()
			if err := server.Serve(l); err != nil && err != http.ErrServerClosed {
				return err
			}
			return nil
		},
	}
	b.flags(cmd)
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8080", "HOST:PORT to serve at; port 0 takes a free one, which is printed")
	return cmd
}

// gates of fleet run, beside those of a run.
var fleetGates = []string{"conformant", "no-failures", "no-regressions"}

func fleetRunCommand() *cobra.Command {
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
the form for a nightly job. The folder of --data keeps the rounds before, with which this one is compared. A round that was interrupted goes on
where it was.

Exit codes, of the worst agent: 0 conformant (or the gate is met) · 1 nonconformant · 2 void, or an error in the command line · 3 partial ·
4 unreachable.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(fleetGates, gate) {
				return fmt.Errorf("--gate %q is not one of %s", gate, strings.Join(fleetGates, ", "))
			}
			if workers < 1 || workers > 256 {
				return fmt.Errorf("--workers is a number from 1 to 256")
			}
			targets, err := t.targets(cmd, args)
			if err != nil {
				return err
			}
			if err := w.settle(); err != nil {
				return err
			}
			if err := b.settle(cmd); err != nil {
				return err
			}
			if err := reports.Writable(s.Dir); err != nil {
				return err
			}
			s.MaxBytes = int64(size)
			return runFleet(cmd, &b, targets, s, workers, gate)
		},
	}
	b.flags(cmd)
	t.flags(cmd)
	w.flags(cmd)
	fl := cmd.Flags()
	fl.IntVar(&workers, "workers", 2, "how many processes judge")
	fl.StringVar(&s.Dir, "out", "a2a-fleet-report", "folder of the site")
	fl.Var(&size, "max-bytes", "how large the pages of single agents may be together (default 80 MB); the worst agents come first")
	fl.StringVar(&gate, "gate", "conformant", strings.Join(fleetGates, " or ")+" (exit code 1 where an agent is worse off than in the round before)")
	return cmd
}
