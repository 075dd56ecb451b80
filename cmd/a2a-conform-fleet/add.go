package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
)

// targetFlags name the targets of a fleet.
type targetFlags struct{ file, dialect string }

func (t *targetFlags) registerFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.file, "file", "", "YAML file of agents, each with the keys of a run's configuration")
	cmd.Flags().StringVar(&t.dialect, "dialect", "auto", "for targets given by URL: auto, or one or several dialects separated by commas")
}

// readTargets returns the targets of the file, or of the command line. It prints notes about settings
// that are valid but may not be meant.
func (t *targetFlags) readTargets(cmd *cobra.Command, args []string) (out []agentlist.Target, err error) {
	var notes []string
	switch {
	case t.file != "" && len(args) > 0:
		return nil, errors.New("--file lists the targets, and some are given by URL as well; leave one of them out")
	case t.file != "" && cmd.Flags().Changed("dialect"):
		return nil, errors.New("--dialect is for targets given by URL; in a file each agent has its own dialect")
	case t.file != "":
		out, notes, err = agentlist.ReadFile(t.file)
	case len(args) > 0:
		out, notes, err = agentlist.FromURLs(args, t.dialect)
	default:
		return nil, errors.New("no targets: give their URLs, or --file agents.yaml")
	}
	for _, n := range notes {
		logLinesTo(cmd.ErrOrStderr())(n)
	}
	return out, err
}

func addCommand() *cobra.Command {
	var b brokerFlags
	var t targetFlags
	var every, schedule string
	cmd := &cobra.Command{
		Use:   "add URL... | --file FILE",
		Short: "Queue targets for the present round, or have a list judged by a schedule",
		Long: `add queues targets for the present round; if that is finished, for a new one. Who adds the same target twice queues it once.
With --every, the list of the file begins a round of its own at each of these times: five fields as cron has them, in UTC, or @daily, @every 6h;
never ends the schedule.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			if every != "" && t.file == "" && every != "never" {
				return errors.New("--every is for a list of agents; give it with --file")
			}
			if schedule == "" {
				schedule = scheduleOf(t.file)
			}
			if every == "never" {
				f, err := b.connectFleet(cmd, uniqueName("add"))
				if err != nil {
					return err
				}
				defer f.Close()
				if err := f.EndSchedule(cmd.Context(), schedule); err != nil {
					return err
				}
				fmt.Fprintf(out, "the schedule %s has ended\n", schedule)
				return nil
			}
			targets, err := t.readTargets(cmd, args)
			if err != nil {
				return err
			}
			f, err := b.connectFleet(cmd, uniqueName("add"))
			if err != nil {
				return err
			}
			defer f.Close()
			if every != "" {
				if err := f.SetSchedule(cmd.Context(), schedule, every, targets); err != nil {
					return err
				}
				fmt.Fprintf(out, "%d targets are judged by the schedule %s: %s\n", len(targets), schedule, every)
				return nil
			}
			a, err := f.Add(cmd.Context(), programVersion(), targets)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "round %s: %d targets queued%s\n", a.Round.Number(), a.Queued, describeAlreadyInRound(a.Known))
			return nil
		},
	}
	b.registerFlags(cmd)
	t.registerFlags(cmd)
	cmd.Flags().StringVar(&every, "every", "", "begin a round of the list again and again, such as '0 2 * * *'; never ends it")
	cmd.Flags().StringVar(&schedule, "schedule", "", "name of that schedule (default: the file's name)")
	return cmd
}

func describeAlreadyInRound(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d were in it already", n)
}

// scheduleOf returns the name of a schedule that is called like its list.
func scheduleOf(file string) string {
	name := file[strings.LastIndexAny(file, `/\`)+1:]
	name, _, _ = strings.Cut(name, ".")
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, name)
}
