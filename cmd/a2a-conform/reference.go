package main

import (
	"fmt"
	"os"
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
		Long: "Run the bundled server, healthy or with one named defect. It prints its URL. The variant guarded accepts the bearer tokens\n" +
			reference.Token + ", " + reference.SecondToken + " (another client) and " + reference.LowToken + " (may not say \"forbidden\").",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if mutants {
				for _, m := range reference.Mutants(o.Dialect) {
					fmt.Fprintf(cmd.OutOrStdout(), "%-32s %-10s %-10s %s\n", m.Name, m.Area, m.Variant, m.Summary)
				}
				return nil
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
			<-cmd.Context().Done()
			return s.Close()
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&o.Dialect, "dialect", reference.Dialects()[0], strings.Join(reference.Dialects(), " or "))
	fl.StringVar(&o.Addr, "addr", "127.0.0.1:0", "address to listen on; port 0 takes a free one, which is printed")
	fl.StringVar(&o.Variant, "variant", "", "variant of the server (default: the mutant's own, or full)")
	fl.IntVar(&o.Rate.Requests, "rate-requests", 5, "requests that the variant limited allows a client")
	fl.DurationVar(&o.Rate.Window, "rate-window", time.Second, "time in which it allows them")
	fl.StringVar(&caFile, "ca-out", "", "file to which the variant tls writes the certificate to give with --ca")
	fl.StringVar(&o.Mutant, "mutant", "", "defect to show")
	fl.BoolVar(&mutants, "list-mutants", false, "list the defects")
	fl.DurationVar(&o.Latency, "latency", time.Duration(0), "added to the agent's work on each message")
	fl.DurationVar(&o.RTT, "rtt", time.Duration(0), "added to each HTTP exchange")
	return cmd
}
