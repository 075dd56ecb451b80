package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// splitAndCheckDialectList reads a list of them, with commas between the names. One name represents
// itself and is looked at when it is used.
func (f *runFlags) splitAndCheckDialectList(given string) ([]string, error) {
	names := strings.Split(given, ",")
	if len(names) == 1 {
		return names, nil
	}
	where := "--dialect"
	if f.typed.Dialect == "auto" {
		where = f.config + ": dialect"
	}
	for i, name := range names {
		name = strings.TrimSpace(name)
		names[i] = name
		known := schema.Names()
		if f.self {
			known = reference.Dialects()
		}
		switch {
		case name == "":
			return nil, fmt.Errorf("%s %q: there is no name before or after a comma (is a variable empty?)", where, given)
		case name == "auto":
			return nil, fmt.Errorf("%s %q: auto cannot be in a list; name the dialects: %s", where, given, strings.Join(known, ", "))
		case !slices.Contains(known, name):
			return nil, fmt.Errorf("%s %q: %q is not one of %s", where, given, name, strings.Join(known, ", "))
		case slices.Contains(names[:i], name):
			return nil, fmt.Errorf("%s %q: %s is named twice", where, given, name)
		}
	}
	return names, nil
}

// perDialectTargets makes a target for each of the dialects, and finds flags that only fit one
// before anything is sent.
func perDialectTargets(t conform.Target, names []string) (out []conform.Target, err error) {
	both := strings.Join(names, " and ")
	alone := func(flag, file, dialect string) error {
		return fmt.Errorf("%s: %s is a report on %s, but this run judges %s; use it in a run with --dialect %[3]s only", flag, file, dialect, both)
	}
	switch r := t.Select.Rerun; {
	case !report.KnownGate(t.Gate):
		return nil, fmt.Errorf("--gate %q is not one of %s", t.Gate, strings.Join(report.Gates(), ", "))
	case t.Schema != nil:
		return nil, fmt.Errorf("--schema: %s describes one dialect, but this run judges %s; use it in a run of that dialect only", t.Schema.File, both)
	case r != nil:
		return nil, alone("--rerun-failed", r.File, r.Dialect)
	case strings.HasPrefix(t.Gate, report.BaselineGate):
		about, err := conform.DialectsOf(t)
		if err != nil {
			return nil, err
		}
		return nil, alone("--gate", strings.TrimPrefix(t.Gate, report.BaselineGate), cmp.Or(strings.Join(about, ", "), "another dialect"))
	}
	var all []*schema.Dialect
	for _, name := range names {
		d, err := schema.Load(name)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	for _, d := range all {
		one := t
		one.Dialect = d.Name
		if one.Select, err = suites.NarrowSelection(t.Select, d, all); err != nil {
			return nil, err
		}
		if _, err := conform.Plan(context.Background(), one); err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// judgeDialects judges a server as several dialects, one after the other, each as a run of
// its own would and into a folder of its own. The exit code is the worst.
func (f *runFlags) judgeDialects(cmd *cobra.Command, target conform.Target, names []string) error {
	targets, err := perDialectTargets(target, names)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if f.plan {
		for i, t := range targets {
			fmt.Fprintf(out, "%s%s\n", strings.Repeat("\n", min(i, 1)), titleOf(names[i]))
			if err := printPlan(cmd.Context(), out, t); err != nil {
				return err
			}
		}
		return nil
	}
	f.printConfigDestinations(cmd.ErrOrStderr(), target)
	for _, name := range append([]string{""}, names...) { // before anything is sent
		if err := files.EnsureWritableDir(filepath.Join(f.out, name)); err != nil {
			return err
		}
	}
	all := dialectRuns{flags: f, out: out, errs: cmd.ErrOrStderr(), server: redact.StripSecrets(target.URL), bundled: target.Bundled, of: len(names)}
	for i, t := range targets {
		if cmd.Context().Err() != nil {
			all.parts = append(all.parts, view.Part{Folder: names[i], Title: titleOf(names[i]), Failure: "the run was interrupted before this dialect was judged"})
			continue
		}
		outcome, err := f.judgeTarget(cmd, t)
		if err != nil && outcome == nil && i == 0 { // it is the same for all
			return err
		}
		if err := all.addWriteAndPrintOutcome(names[i], outcome, err); err != nil {
			return err
		}
	}
	return all.writeOverviewAndPrintSummary()
}

// titleOf returns the name of a dialect in full.
func titleOf(name string) string {
	d, err := schema.Outline(name)
	if err != nil {
		return name
	}
	return d.Title
}

// dialectRuns is what came of the dialects so far.
type dialectRuns struct {
	flags    *runFlags
	out      io.Writer
	errs     io.Writer
	server   string
	bundled  bool
	of       int // dialects in all
	parts    []view.Part
	code     int
	mistakes []error
	printed  int // reports, as JSON
}

// addWriteAndPrintOutcome takes in what came of one dialect, and writes and prints it as a run of its own
// does. An error ends them all: reports cannot be written, or no one reads them.
func (s *dialectRuns) addWriteAndPrintOutcome(name string, o *conform.Outcome, mistake error) error {
	part := view.Part{Folder: name, Title: titleOf(name)}
	if mistake != nil {
		s.mistakes = append(s.mistakes, fmt.Errorf("%s: %w", name, mistake))
		part.Failure = mistake.Error()
	}
	if o != nil {
		part.Report = o.Report
		var code cli.ExitCode
		err := s.writeAndPrintOutcome(name, o)
		if err != nil && !errors.As(err, &code) {
			return err
		}
		s.code = cli.WorseCode(s.code, int(code))
	}
	if part.Report != nil {
		part.Report = reports.InFolder(part.Report, filepath.Join(s.flags.out, name))
	}
	s.parts = append(s.parts, part)
	return nil
}

// writeAndPrintOutcome prints one outcome so that it can be reported from the others: a quiet line
// begins with the dialect, and reports as JSON are the values of one array.
func (s *dialectRuns) writeAndPrintOutcome(name string, o *conform.Outcome) error {
	dir, nothing := filepath.Join(s.flags.out, name), func() error { return nil } // till the end
	switch {
	case s.flags.format == jsonForm:
		between := "["
		if s.printed > 0 {
			between = ","
		}
		s.printed++
		fmt.Fprintln(s.out, between)
	case s.flags.format != textForm:
	case s.flags.quiet:
		var b bytes.Buffer
		err := s.flags.finishAs(&b, dir, o, nothing)
		for l := range strings.Lines(b.String()) {
			fmt.Fprintf(s.out, "%s: %s", name, l)
		}
		return err
	default:
		fmt.Fprintf(s.out, "%s (%d of %d)\n\n", titleOf(name), len(s.parts)+1, s.of)
		err := s.flags.finishAs(s.out, dir, o, nothing)
		fmt.Fprintln(s.out)
		return err
	}
	return s.flags.finishAs(s.out, dir, o, nothing)
}

// writeOverviewAndPrintSummary writes the page over all, prints the last line, and gives the exit code.
func (s *dialectRuns) writeOverviewAndPrintSummary() error {
	server := s.server
	if s.bundled {
		server = "bundled reference server"
	}
	if err := reports.WriteOverviewFiles(s.flags.out, server, s.parts); err != nil {
		return err
	}
	code := s.code
	if len(s.mistakes) > 0 || slices.ContainsFunc(s.parts, func(p view.Part) bool { return p.Verdict() == report.Void }) {
		code = 2
	}
	switch s.flags.format {
	case jsonForm:
		fmt.Fprintln(s.out, strings.Repeat("[\n", 1-min(s.printed, 1))+"]")
	case textForm:
		var each []string
		for _, p := range s.parts {
			each = append(each, fmt.Sprintf("%s is %s", p.Folder, p.Verdict()))
		}
		fmt.Fprintf(s.out, "exit code %d: %s; overview: %s/%s\n", code, strings.Join(each, ", "), s.flags.out, files.IndexFile)
	}
	if err := suppressErrorsIfOutputFailed(s.out, s.flags.printGitHubOrSARIF(s.out, s.parts), s.flags.printAnnotationsInGitHubActions(s.out, s.errs, s.parts)); err != nil {
		return err
	}
	if len(s.mistakes) > 0 {
		return errors.Join(s.mistakes...)
	}
	if code != 0 {
		return cli.ExitCode(code)
	}
	return nil
}
