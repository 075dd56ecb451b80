package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/harness/importer"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A recording is judged as a whole, so that more memory is in use than in a run: with less, most of the time would go into
// collecting garbage.
const (
	trafficMemory  = 384 << 20 // bytes
	trafficGarbage = 200       // percent of what is in use
)

// trafficFlags are the flags of traffic as they were typed.
type trafficFlags struct {
	dialects []string
	side     string
	out      string
	bodies   bool
	judging  conform.Judging
	judgingFlags
	outputFlags
}

func trafficCommand() *cobra.Command {
	var f trafficFlags
	cmd := &cobra.Command{
		Use:   "traffic FILE...",
		Short: "Judge recorded traffic between a client and a server of others, without any network",
		Long: `traffic judges a recorded conversation between a client and a server: a HAR file of a browser, of Playwright or of mitmproxy, what curl wrote with
--trace FILE --trace-time, or a transcript of this program. Both sides are judged by what occurred, and the verdict is nonconformant or partial: the rest of the
protocol was not tried.

Nothing is written without --out, and without --bodies no text of either side: only the structure of their messages, with
other texts of the same length. Secrets are removed in any case.`,
		Example: "  a2a-conform traffic session.har\n  a2a-conform traffic --side server --out a2a-traffic e2e/*.har\n  curl --trace talk.txt --trace-time … && a2a-conform traffic talk.txt",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name a recording: a HAR file, or what curl wrote with --trace FILE --trace-time")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.judgeFiles(cmd, args) },
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.dialects, "dialect", nil, "protocols that the traffic may be in (default: all, chosen by what is seen)")
	fl.StringVar(&f.side, "side", string(conform.BothSides), "whose side to judge: "+strings.Join(sideNames(), ", "))
	fl.StringVar(&f.out, "out", "", "folder for the reports, in which each side has one; nothing is written without it")
	fl.BoolVar(&f.bodies, "bodies", false, "show and write the texts of both sides, without the secrets")
	f.judgingFlags.registerFlags(fl, &f.judging, report.NoFailuresGate)
	f.outputFlags.registerFlags(cmd)
	return cmd
}

// sideNames lists the values of --side.
func sideNames() []string {
	return []string{string(conform.ServerSide), string(conform.ClientSide), string(conform.BothSides)}
}

func (f *trafficFlags) judgeFiles(cmd *cobra.Command, args []string) error {
	out, errs := cmd.OutOrStdout(), cmd.ErrOrStderr()
	if !slices.Contains(sideNames(), f.side) {
		return fmt.Errorf("--side %q is not one of %s", safetext.OneLine(f.side), strings.Join(sideNames(), ", "))
	}
	if err := f.resolveFlags(); err != nil {
		return err
	}
	if f.format != textForm && f.side == string(conform.BothSides) {
		return fmt.Errorf("--format %s prints one report; choose --side server or --side client", f.format)
	}
	if err := errors.Join(f.readFiles(&f.judging), f.readHistory(errs)); err != nil {
		return err
	}
	if f.out != "" {
		if err := files.EnsureWritableDir(f.out); err != nil {
			return err
		}
	}
	cli.AimBelow(trafficMemory, trafficGarbage)
	recording, err := readRecordings(args)
	if err != nil {
		return err
	}
	if recording.Dialects, err = loadCandidates(f.dialects); err != nil {
		return err
	}
	judged, err := conform.JudgeProtected(recording, f.bodies, conform.TrafficSide(f.side), f.judging)
	if err != nil {
		return err
	}
	return f.printSides(out, errs, judged)
}

// readRecordings reads files of traffic.
func readRecordings(names []string) (traffic.Recording, error) {
	r := importer.NewReader()
	for _, name := range names {
		if in := filepath.Join(name, files.TranscriptFile); isFile(in) { // a folder means the transcript in it
			name = in
		}
		opened := false
		err := r.Add(name, func() (io.ReadCloser, error) {
			file, err := schema.OpenFile(name)
			opened = err == nil
			return file, err
		})
		switch {
		case err != nil && !opened: // its text has the name
			return traffic.Recording{}, err
		case err != nil:
			return traffic.Recording{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return r.Recording(), nil
}

// loadCandidates loads the dialects that traffic may be in; all if none is named.
func loadCandidates(names []string) ([]*schema.Dialect, error) {
	if len(names) == 0 {
		names = schema.Names()
	}
	return schema.LoadEach(names...)
}

// printSides prints the outcome of each side, and ends with the exit code of the worse one.
func (f *trafficFlags) printSides(out, errs io.Writer, judged *conform.TrafficOutcome) error {
	for _, note := range judged.Notes {
		fmt.Fprintf(errs, "note: %s\n", safetext.OneLine(note))
	}
	code := 0
	for _, s := range judged.Sides() {
		dir := f.out
		if dir != "" {
			dir = filepath.Join(dir, string(s.Side))
		}
		if f.format == textForm && !f.quiet {
			fmt.Fprintf(out, "The %s\n", s.Side)
		}
		err := f.writeReportsAndPrintOutcome(out, errs, dir, s.Outcome)
		var ended cli.ExitCode
		if err != nil && !errors.As(err, &ended) {
			return err
		}
		code = cli.WorseCode(code, int(ended))
	}
	if code != 0 {
		return cli.ExitCode(code)
	}
	return nil
}
