package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/reference"
)

func referenceCommand() *cobra.Command {
	var o reference.Options
	var mutants bool
	cmd := &cobra.Command{
		Use:   "reference",
		Short: "Run the bundled server, healthy or with one named defect",
		Args:  cobra.NoArgs,
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
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n", s.URL())
			<-cmd.Context().Done()
			return s.Close()
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&o.Dialect, "dialect", reference.Dialects()[0], strings.Join(reference.Dialects(), " or "))
	fl.StringVar(&o.Addr, "addr", "127.0.0.1:0", "address to listen on; port 0 takes a free one, which is printed")
	fl.StringVar(&o.Variant, "variant", "", "variant of the server (default: the mutant's own, or full)")
	fl.StringVar(&o.Mutant, "mutant", "", "defect to show")
	fl.BoolVar(&mutants, "list-mutants", false, "list the defects")
	fl.DurationVar(&o.Latency, "latency", time.Duration(0), "added to the agent's work on each message")
	fl.DurationVar(&o.RTT, "rtt", time.Duration(0), "added to each HTTP exchange")
	return cmd
}
