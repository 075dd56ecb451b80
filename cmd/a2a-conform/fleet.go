package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/internal/fleet"
	"github.com/a2a-conform/a2a-conform/reports"
)

func fleetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Judge many agents, every night, with workers on one machine or on many",
		Long: `fleet judges many agents: a queue of targets, workers that judge them, and a place for the results, in NATS JetStream.
On one machine: fleet run --file agents.yaml starts a broker and workers, judges every agent of the file once, writes a site, and ends.
On several: fleet broker (or a NATS cluster that exists, with --nats), fleet work on each machine, fleet add, status, report, serve.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("fleet has no subcommand %q; see a2a-conform fleet --help", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(fleetRunCommand(), fleetBrokerCommand(), fleetAddCommand(), fleetWorkCommand(), fleetJudgeCommand(), fleetStatusCommand(), fleetReportCommand(), fleetServeCommand())
	for _, sub := range cmd.Commands() {
		groupHelp(sub)
		complete(sub)
	}
	return cmd
}

// defaultFleet is the folder of the embedded broker.
const defaultFleet = "a2a-fleet"

// brokerFlags say where the broker of a fleet is.
type brokerFlags struct {
	dial     fleet.Dial
	tokenEnv string
}

func (b *brokerFlags) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&b.dial.Data, "data", defaultFleet, "folder of the embedded broker")
	fl.StringVar(&b.dial.URL, "nats", "", "URL of a NATS broker or cluster that exists, in place of the embedded one; several separated by commas")
	fl.StringVar(&b.dial.Creds, "nats-creds", "", "credentials file for it")
	fl.StringVar(&b.tokenEnv, "nats-token-env", "", "environment variable with a token for it")
	fl.StringVar(&b.dial.CA, "nats-ca", "", "PEM file of the authorities of its certificate")
	fl.StringVar(&b.dial.Cert, "nats-cert", "", "PEM file of the client certificate to show it")
	fl.StringVar(&b.dial.Key, "nats-key", "", "PEM file of that certificate's key")
	fl.IntVar(&b.dial.Replicas, "replicas", 0, "keep everything on so many nodes of a cluster (default: as it is, or 1)")
}

// connect reaches the broker. Where it is away, the command waits and says so.
func (b *brokerFlags) connect(cmd *cobra.Command, as string) (*fleet.Fleet, error) {
	if err := b.settle(cmd); err != nil {
		return nil, err
	}
	d := b.dial
	d.Name, d.Say = as, sayTo(cmd.ErrOrStderr())
	return fleet.Connect(cmd.Context(), d)
}

func (b *brokerFlags) settle(cmd *cobra.Command) error {
	if b.dial.URL != "" && cmd.Flags().Changed("data") {
		return errors.New("--data names the embedded broker, and --nats another one; leave one of them out")
	}
	if b.dial.URL == "" {
		for _, name := range []string{"nats-creds", "nats-token-env", "nats-ca", "nats-cert", "nats-key"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s is about a broker that exists; give --nats URL as well", name)
			}
		}
	}
	if b.dial.Replicas < 0 || b.dial.Replicas > 5 {
		return errors.New("--replicas is a number from 1 to 5")
	}
	if b.tokenEnv != "" {
		if b.dial.Token = os.Getenv(b.tokenEnv); b.dial.Token == "" {
			return fmt.Errorf("--nats-token-env: the environment variable %s is not set", b.tokenEnv)
		}
	}
	return nil
}

// given are the flags about the broker as a child process takes them.
func (b *brokerFlags) given(cmd *cobra.Command) []string {
	return flagsGiven(cmd, strings.Fields("data nats nats-creds nats-token-env nats-ca nats-cert nats-key replicas"))
}

// unique is a name for a process that talks to the broker.
func unique(what string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s %s %d %s", what, host, os.Getpid(), uuid.NewString()[:8])
}

// sayTo prints what an operator should know, a line each.
func sayTo(w io.Writer) func(string) {
	return func(text string) { fmt.Fprintln(w, reports.OneLine(text)) }
}

// attended has a child process end when its parent says so or dies: it reads nothing, and what
// it reads from comes to its end then. An interruption on a terminal, which reaches all
// processes, is the parent's to act on.
func attended(cmd *cobra.Command, is bool) (context.Context, context.CancelFunc) {
	if !is {
		return context.WithCancel(cmd.Context())
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(cmd.Context()))
	go func() {
		io.Copy(io.Discard, os.Stdin)
		cancel()
		time.AfterFunc(lastMinutes, func() { os.Exit(2) })
	}()
	return ctx, cancel
}

// lastMinutes is for how long a child process may finish what it does once it is to end, and
// lingering for how long its broker waits for it.
const (
	lastMinutes = 4 * time.Minute
	lingering   = time.Minute
)

func fleetBrokerCommand() *cobra.Command {
	var b fleet.Broker
	var child bool
	cmd := &cobra.Command{
		Use:   "broker --data DIR",
		Short: "Run the embedded broker: the queue and the results, in a folder",
		Long: `broker runs an embedded NATS server with JetStream. It is the only process that holds the folder; it writes its address and a token
beside the data (broker.json, mode 0600), by which the other commands find it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := attended(cmd, child)
			defer stop()
			b.Say = sayTo(cmd.ErrOrStderr())
			aim(brokerMemory, 100)
			if child {
				b.Linger = lingering
			}
			return b.Serve(ctx)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&b.Data, "data", defaultFleet, "folder of everything that is kept")
	fl.StringVar(&b.Listen, "listen", "", "HOST:PORT to listen at (default: a free port of 127.0.0.1); for other machines, with TLS")
	fl.StringVar(&b.Cert, "tls-cert", "", "PEM file of a certificate, to speak TLS")
	fl.StringVar(&b.Key, "tls-key", "", "PEM file of that certificate's key")
	fl.Var((*bytesFlag)(&b.MaxBytes), "max-bytes", "keep no more than this in all, such as 50GB (default: what the disk holds)")
	fl.BoolVar(&child, "attended", false, "")
	fl.MarkHidden("attended")
	return cmd
}

// brokerMemory is what the broker tries to stay below, in bytes.
const brokerMemory = 512 << 20

// targetFlags name the targets of a fleet.
type targetFlags struct{ file, dialect string }

func (t *targetFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.file, "file", "", "YAML file of agents, each with the keys of a run's configuration")
	cmd.Flags().StringVar(&t.dialect, "dialect", "auto", "for targets given by URL: auto, or one or several dialects separated by commas")
}

// targets are those of the file, or of the command line. What is no slip and yet not as it may
// be meant is told.
func (t *targetFlags) targets(cmd *cobra.Command, args []string) (out []fleet.Target, err error) {
	var notes []string
	switch {
	case t.file != "" && len(args) > 0:
		return nil, errors.New("--file lists the targets, and some are given by URL as well; leave one of them out")
	case t.file != "" && cmd.Flags().Changed("dialect"):
		return nil, errors.New("--dialect is for targets given by URL; in a file each agent has its own dialect")
	case t.file != "":
		out, notes, err = fleet.ReadList(t.file)
	case len(args) > 0:
		out, notes, err = fleet.Targets(args, t.dialect)
	default:
		return nil, errors.New("no targets: give their URLs, or --file agents.yaml")
	}
	for _, n := range notes {
		sayTo(cmd.ErrOrStderr())(n)
	}
	return out, err
}

func fleetAddCommand() *cobra.Command {
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
				f, err := b.connect(cmd, unique("add"))
				if err != nil {
					return err
				}
				defer f.Close()
				if err := f.Never(cmd.Context(), schedule); err != nil {
					return err
				}
				fmt.Fprintf(out, "the schedule %s has ended\n", schedule)
				return nil
			}
			targets, err := t.targets(cmd, args)
			if err != nil {
				return err
			}
			f, err := b.connect(cmd, unique("add"))
			if err != nil {
				return err
			}
			defer f.Close()
			if every != "" {
				if err := f.Every(cmd.Context(), schedule, every, targets); err != nil {
					return err
				}
				fmt.Fprintf(out, "%d targets are judged by the schedule %s: %s\n", len(targets), schedule, every)
				return nil
			}
			a, err := f.Add(cmd.Context(), programVersion(), targets)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "round %s: %d targets queued%s\n", a.Round.Number(), a.Queued, knownToo(a.Known))
			return nil
		},
	}
	b.flags(cmd)
	t.flags(cmd)
	cmd.Flags().StringVar(&every, "every", "", "begin a round of the list again and again, such as '0 2 * * *'; never ends it")
	cmd.Flags().StringVar(&schedule, "schedule", "", "name of that schedule (default: the file's name)")
	return cmd
}

func knownToo(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d were in it already", n)
}

// scheduleOf is the name of a schedule that is called like its list.
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
