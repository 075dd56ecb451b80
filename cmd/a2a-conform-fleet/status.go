package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/fleet"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

func statusCommand() *cobra.Command {
	var b brokerFlags
	var asJSON, watch bool
	var latest int
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show rounds, workers, what changed, and what was abandoned",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if latest < 1 {
				return errors.New("--rounds must be more than 0")
			}
			f, err := b.connectFleet(cmd, uniqueName("status"))
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
				if _, is := cli.Terminal(out); is && watch && !asJSON {
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
	b.registerFlags(cmd)
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
		fmt.Fprintf(&b, "round %s, begun %s%s: %d targets, %d results, %s\n", r.Number(), r.Began.Format(time.DateTime), formatScheduleSuffix(r.Schedule), max(r.Targets, r.Results), r.Results, state)
		if r.Results > 0 {
			fmt.Fprintf(&b, "    %s\n", verdictTally(r.Verdicts))
		}
		if r.Repeated > 0 || r.GivenUp > 0 {
			fmt.Fprintf(&b, "    %s retried, %d abandoned\n", formatConversationCount(r.Repeated), r.GivenUp)
		}
	}
	printFirst(&b, "changed in the last round:", s.Changed, changeText)
	printFirst(&b, "abandoned:", s.Dead, func(d fleet.DeadLetter) string { return d.Subject + ": " + d.Why })
	for _, sc := range s.Schedules {
		fmt.Fprintf(&b, "schedule %s: %d targets, %s\n", sc.Name, sc.Targets, safetext.OneLine(sc.Every))
	}
	for _, w := range s.Workers {
		fmt.Fprintf(&b, "%s\n", safetext.OneLine(fmt.Sprintf("worker on %s, process %d, a2a-conform %s: %d judged, %d of %d being judged", w.Host, w.PID, w.Tool, w.Done, len(w.Running), w.Parallel)))
		for _, r := range w.Running {
			fmt.Fprintf(&b, "    %s\n", safetext.OneLine(fmt.Sprintf("%s for %.0f s", r.URL, time.Since(r.Since).Seconds())))
		}
	}
	if len(s.Workers) == 0 {
		fmt.Fprintln(&b, "no worker is at work")
	}
	for _, n := range s.Notes {
		fmt.Fprintln(&b, safetext.OneLine(n))
	}
	fmt.Fprintf(&b, "kept by the broker: %.1f MB\n", float64(s.Stored)/1e6)
	_, err := io.WriteString(out, b.String())
	return err
}

// printFirst prints a list below its title; of many the first.
func printFirst[T any](w io.Writer, title string, of []T, text func(T) string) {
	if len(of) > 0 {
		fmt.Fprintln(w, title)
	}
	for _, v := range of[:min(len(of), maxShownLines)] {
		fmt.Fprintf(w, "    %s\n", safetext.OneLine(text(v)))
	}
	if more := len(of) - maxShownLines; more > 0 {
		fmt.Fprintf(w, "    and %d more\n", more)
	}
}

// maxShownLines is how many lines of a list are printed.
const maxShownLines = 20

func formatScheduleSuffix(name string) string {
	if name == "" {
		return ""
	}
	return " by the schedule " + name
}

func formatConversationCount(n int) string {
	if n == 1 {
		return "1 conversation"
	}
	return fmt.Sprintf("%d conversations", n)
}

// verdictTally counts verdicts in words, the best first.
func verdictTally(n map[report.RunVerdict]int) string {
	var out []string
	for _, v := range []report.RunVerdict{report.Conformant, report.Partial, report.Nonconformant, report.NeedsCredentials, report.Unreachable, report.Void} {
		if n[v] > 0 {
			out = append(out, fmt.Sprintf("%d %s", n[v], v))
		}
	}
	return strings.Join(out, ", ")
}

// changeText describes what changed for an agent.
func changeText(c fleet.Change) string {
	text := fmt.Sprintf("%s (%s): ", cmp.Or(c.Name, c.URL), c.Dialect)
	if c.Before != nil && c.Before.Verdict != c.Verdict {
		text += fmt.Sprintf("%s, was %s", c.Verdict, c.Before.Verdict)
	} else {
		text += fmt.Sprintf("still %s", c.Verdict)
	}
	var of []string
	for _, r := range c.Changes[:min(3, len(c.Changes))] {
		of = append(of, r.ID+" "+view.VerdictChange(r))
	}
	if more := len(c.Changes) - len(of); more > 0 {
		of = append(of, fmt.Sprintf("%d more", more))
	}
	if len(of) > 0 {
		text += "; " + strings.Join(of, ", ")
	}
	return text
}
