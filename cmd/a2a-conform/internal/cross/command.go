package cross

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/harness/serve"
	"github.com/a2a-conform/a2a-conform/reports/crosspage"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// Command returns the command that runs clients against servers. version is that of the program.
func Command(version string) *cobra.Command {
	r := Run{Version: version}
	var quiet bool
	cmd := &cobra.Command{
		Use:   "cross CLIENTS.yaml SERVERS.yaml",
		Short: "Run each client against each live server, and state on which side the first fault is",
		Long: `cross starts the command of each client in CLIENTS.yaml against each server in SERVERS.yaml. A relay is between the two, which passes everything on
and records it. For each pair, a page, a Markdown file and a JSON file state whether it works, and if not, the first fault with its side: the client's,
the server's, both, or neither, if the texts are silent. A pair that fails although both pass alone comes first.

A pair works if the client ends with exit code 0 and, if it prints what agents write, has printed what the server wrote. What is finished is kept in the
folder of --out: a new start runs what is missing, or was changed in the lists.

Exit codes: 0 no pair fails · 1 a pair fails · 2 a pair could not be run or decided, or an error in the command line.`,
		Example: "  a2a-conform cross clients.yaml servers.yaml\n  a2a-conform cross clients.yaml servers.yaml --again --out nightly",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if r.Clients, err = ReadClients(args[0]); err != nil {
				return err
			}
			if r.Servers, err = ReadServers(args[1]); err != nil {
				return err
			}
			if err := ensureDir(r.Dir); err != nil {
				return err
			}
			out, errs := cmd.OutOrStdout(), cmd.ErrOrStderr()
			total, done := len(r.Clients)*len(r.Servers), 0
			r.Done = func(c *crosspage.Cell, kept bool) {
				done++
				if quiet {
					return
				}
				when := ""
				if kept {
					when = " (kept)"
				}
				fmt.Fprintf(errs, "%d/%d %s%s\n", done, total, c.Line(), when)
			}
			r.Warn = func(text string) { fmt.Fprintf(errs, "warning: %s\n", safetext.OneLine(text)) }
			t, err := r.Execute(cmd.Context())
			if t == nil {
				return err
			}
			if failed := crosspage.Write(r.Dir, t); failed != nil {
				return errors.Join(err, failed)
			}
			if !quiet {
				if failed := crosspage.WriteMarkdown(out, t); failed != nil {
					return failed
				}
			}
			fmt.Fprintf(errs, "cross: %s, %s and %s\n", filepath.Join(r.Dir, crosspage.PageFile), crosspage.MarkdownFile, crosspage.JSONFile)
			switch {
			case err != nil:
				return err
			case t.Count(crosspage.Fails) > 0:
				return cli.ExitCode(1)
			case t.Count(crosspage.Void)+t.Count(crosspage.Refused)+t.Count(crosspage.Unclear) > 0:
				return cli.ExitCode(2)
			}
			return nil
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&r.Dir, "out", "a2a-cross", "folder for "+crosspage.PageFile+", "+crosspage.MarkdownFile+", "+crosspage.JSONFile+" and what is kept of each pair")
	fl.StringVar(&r.Text, "text", "", fmt.Sprintf("the message that each client is to send (default %q)", serve.DefaultText))
	fl.StringVar(&r.Second, "second", "", "the message after it, in the same conversation (default: none is sent)")
	fl.DurationVar(&r.Patience, "patience", serve.DefaultPatience, "time limit of one start of a client, after which it is ended")
	fl.DurationVar(&r.Wait, "wait", defaultWait, "how long a server may take to answer, after it was started")
	fl.IntVar(&r.Jobs, "jobs", 2, "how many servers to call at the same time; each is called by one client at a time")
	fl.BoolVar(&r.Again, "again", false, "run also the pairs that are finished")
	fl.BoolVar(&quiet, "quiet", false, "print no line for each pair, and no table")
	return cmd
}
