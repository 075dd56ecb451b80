package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/reference"
)

func referenceCommand() *cobra.Command {
	var o reference.Options
	var mutants bool
	var caFile string
	cmd := &cobra.Command{
		Use:   "reference",
		Short: "Run the bundled server, healthy or with one named defect",
		Long: "Run the bundled server, healthy or with one named defect. It prints its URL. The first word of a message selects what its agent does:\n" +
			"echo, slow SECONDS, ask TIMES, needauth, reject, fail, crash, artifact, remember, recall; it repeats any other text.\n\n" +
			"The variant guarded accepts these credentials: the bearer tokens\n" +
			reference.Token + ", " + reference.SecondToken + " (of a second client) and " + reference.LowToken + " (which is refused the message \"forbidden\"),\n" +
			"the API key " + reference.Key + ", and the user and password " + reference.SecondBasic + " (of the second client).",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if mutants {
				for _, m := range reference.Mutants(o.Dialect) {
					fmt.Fprintf(cmd.OutOrStdout(), "%-32s %-10s %-10s %s\n", m.Name, m.Area, m.Variant, m.Summary)
				}
				return nil
			}
			if !cmd.Flags().Changed("dialect") {
				printDialectDefaultNotice(cmd.ErrOrStderr())
			}
			s, err := reference.Start(cmd.Context(), o)
			if err != nil {
				return err
			}
			if ca := s.CA(); ca != nil && caFile != "" {
				if err := os.WriteFile(caFile, ca, 0o644); err != nil {
					s.Close()
					return fmt.Errorf("--ca-out: %w", err)
				}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n", s.URL())
			if at := s.GRPCAddr(); at != "" {
				fmt.Fprintf(cmd.OutOrStdout(), "%s\n", at)
			}
			<-cmd.Context().Done()
			return s.Close()
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&o.Dialect, "dialect", reference.DefaultDialect, strings.Join(reference.Dialects(), " or "))
	fl.StringVar(&o.Addr, "addr", "127.0.0.1:0", "address to listen on; port 0 takes a free one, which is printed")
	fl.StringVar(&o.GRPCAddr, "grpc-addr", "", "address to serve gRPC at as well, for a dialect that has gRPC (default: none); printed on a separate line")
	fl.StringVar(&o.Variant, "variant", "", "variant of the server (default: the one that the mutant belongs to, or full)")
	fl.Var((*rateFlag)(&o.Rate), "rate", "rate limit of a variant that has one: requests per time, like 400/2s (default: that of the dialect)")
	fl.StringVar(&caFile, "ca-out", "", "the variant tls writes its certificate to this file, for use with --ca")
	fl.StringVar(&o.Mutant, "mutant", "", "defect to show")
	fl.BoolVar(&mutants, "list-mutants", false, "list the defects")
	fl.DurationVar(&o.Latency, "latency", time.Duration(0), "time added to the agent's work on each message")
	fl.DurationVar(&o.RTT, "rtt", time.Duration(0), "time added to each HTTP exchange")
	return cmd
}

// rateFlag is a rate in the form 400/2s.
type rateFlag reference.Rate

func (f *rateFlag) Type() string { return "RATE" }

func (f *rateFlag) String() string {
	if *f == (rateFlag{}) {
		return ""
	}
	return reference.Rate(*f).String()
}

func (f *rateFlag) Set(text string) error {
	requests, window, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(requests)
	d, fault := time.ParseDuration(window)
	if err != nil || fault != nil {
		return errors.New("write it as a number of requests and a time, like 400/2s")
	}
	*f = rateFlag{n, d}
	return nil
}
