package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/fleet"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/fleetpage"
)

func reportCommand() *cobra.Command {
	var b brokerFlags
	s := fleet.Site{}
	var size bytesFlag
	cmd := &cobra.Command{
		Use:   "report --out DIR",
		Short: "Write a site of files: all agents and dialects, their history, and the pages of those that are not conformant or changed",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := files.EnsureWritableDir(s.Dir); err != nil {
				return err
			}
			s.MaxBytes = int64(size)
			cli.AimBelow(workerMemory, 100)
			f, err := b.connectFleet(cmd, uniqueName("report"))
			if err != nil {
				return err
			}
			defer f.Close()
			o, err := s.Write(cmd.Context(), f)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d agents: %s/%s\n", len(o.Targets), s.Dir, fleetpage.PageFile)
			if o.Unshown != "" {
				fmt.Fprintln(cmd.ErrOrStderr(), o.Unshown)
			}
			for _, line := range o.Unreadable[:min(len(o.Unreadable), maxShownLines)] {
				fmt.Fprintln(cmd.OutOrStdout(), line)
			}
			if more := len(o.Unreadable) - maxShownLines; more > 0 {
				fmt.Fprintf(cmd.OutOrStdout(), "and %d more that are unreadable\n", more)
			}
			return nil
		},
	}
	b.registerFlags(cmd)
	cmd.Flags().StringVar(&s.Dir, "out", "a2a-fleet-report", "folder of the site")
	cmd.Flags().Var(&size, "max-bytes", "how large the pages of single agents may be together (default 80 MB); the worst agents come first")
	return cmd
}

func serveCommand() *cobra.Command {
	var b brokerFlags
	var listen string
	var hosts []string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the same site live, read only, with the pages of every agent",
		Long: `serve answers GET requests for the site: / (all agents), /agents/ID.html (the page of one, also of an earlier round: ?round=N),
/agents/ID/report.json and transcript.har. It has no authentication: put it behind a proxy of your own that has.
It answers requests for its own hosts only: those of --listen, and each --host.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := b.connectFleet(cmd, uniqueName("serve"))
			if err != nil {
				return err
			}
			defer f.Close()
			l, err := net.Listen("tcp", listen)
			if err != nil {
				return fmt.Errorf("--listen: %w", err)
			}
			cli.AimBelow(workerMemory, 100)
			server := &http.Server{Handler: f.HandlerForHosts(fleet.NewHosts(l.Addr().String(), append(hosts, listen))), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, WriteTimeout: 3 * time.Minute, MaxHeaderBytes: 16 << 10}
			fmt.Fprintf(cmd.OutOrStdout(), "http://%s/\n", l.Addr())
			if out, ok := cmd.OutOrStdout().(*cli.Output); ok {
				out.Flush()
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
	b.registerFlags(cmd)
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8080", "HOST:PORT to serve at; port 0 takes a free one, which is printed")
	cmd.Flags().StringArrayVar(&hosts, "host", nil, "a further `NAME` by which the site is asked for, such as that of your proxy; requests for other hosts are refused (421)")
	return cmd
}
