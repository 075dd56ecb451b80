package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/compare"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// watchedArgs takes apart the arguments of run: with --watch, those that are files or folders
// are what is watched.
func (f *runFlags) watchedArgs(args []string) (target, paths []string, err error) {
	if !f.watch {
		return args, nil, nil
	}
	for _, arg := range args {
		if _, err := os.Stat(arg); err == nil && !strings.Contains(arg, "://") {
			paths = append(paths, arg)
		} else {
			target = append(target, arg)
		}
	}
	if len(target) > 1 {
		for _, arg := range target {
			if !strings.Contains(arg, "://") {
				return nil, nil, fmt.Errorf("--watch: there is no file or folder %q to watch", arg)
			}
		}
		return nil, nil, fmt.Errorf("--watch judges one server, and several URLs were given: %s", strings.Join(target, ", "))
	}
	return target, paths, nil
}

// restartWait is how long a run waits for a server that may be starting again, if --wait
// does not say.
const restartWait = 10 * time.Second

// watchOver judges a server again and again: when Enter is pressed, and when a file changes.
// After the first run what changed is printed. It ends with the exit code of the last run.
func (f *runFlags) watchOver(cmd *cobra.Command, args, paths []string) error {
	switch {
	case f.format != textForm:
		return fmt.Errorf("--watch prints text, and --format %s was given as well; leave one of them out", f.format)
	case f.plan:
		return errors.New("--plan sends nothing, so there is nothing to watch; leave --watch out")
	case strings.Contains(f.typed.Dialect, ","):
		return errors.New("--watch judges one dialect; name one of them with --dialect")
	}
	if old, ok := strings.CutPrefix(f.typed.Gate, report.BaselineGate); ok && isWithin(old, f.out) {
		return fmt.Errorf("--watch: the baseline %s lies where the reports go, and the first run would replace it; copy it elsewhere, or name another folder with --out", old)
	}
	// Only a path that somebody named is reason to go on after the end of the input: a script
	// that has no one to type must end, whether or not its folder holds a configuration file.
	named := len(paths) > 0 || f.config != "" && !f.found || len(waiverFiles(f.waivers)) > 0
	for _, file := range append(waiverFiles(f.waivers), f.config) {
		if file != "" {
			paths = append(paths, file)
		}
	}
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	changed := make(chan string, 1)
	if len(paths) > 0 {
		files, err := watchFiles(paths, f.out)
		if err != nil {
			return err
		}
		defer files.watcher.Close()
		go files.reportChangesOnceQuiet(ctx, changed)
	}
	typed, quit := make(chan struct{}, 1), make(chan error, 1)
	go readCommands(cmd.InOrStdin(), typed, quit)
	typing := true
	errs := cmd.ErrOrStderr()
	var code error
	for first := true; ; first = false {
		err := f.judgeAgain(cmd, args, first)
		var is cli.ExitCode
		switch {
		case err == nil || errors.As(err, &is):
			code = err
		case first:
			return err
		default: // such as a mistake in a configuration that is being edited
			cli.PrintError(errs, err)
			code = cli.ExitCode(2)
		}
		if cmd.Context().Err() != nil {
			return code
		}
		fmt.Fprintf(errs, "%s\n", watchPrompt(paths, typing))
		for next := false; !next; {
			select {
			case <-ctx.Done():
				return code
			case name := <-changed:
				fmt.Fprintf(errs, "changed: %s\n\n", safetext.Visible(name))
				next = true
			case <-typed:
				next = true
			case end := <-quit:
				if end == nil || !named {
					return code
				}
				typing = false // no one types, but files may change
			}
		}
	}
}

// judgeAgain judges once. Of a run after the first it is printed what changed.
func (f *runFlags) judgeAgain(cmd *cobra.Command, args []string, first bool) error {
	target, err := f.buildTarget(args)
	if err != nil {
		return err
	}
	if _, err := f.splitAndCheckDialectList(target.Dialect); err != nil {
		return err
	}
	if !first && target.Wait == 0 {
		target.Wait = restartWait
	}
	if first {
		f.printConfigDestinations(cmd.ErrOrStderr(), target)
	}
	if err := files.EnsureWritableDir(f.out); err != nil {
		return err
	}
	outcome, err := f.judgeTarget(cmd, target)
	if outcome == nil {
		return err
	}
	failed := f.writeReportsAndPrintOutcome(cmd.OutOrStdout(), cmd.ErrOrStderr(), f.out, outcome)
	if v := outcome.Report.Verdict; v != report.Unreachable && v != report.Void {
		f.since = outcome.Report
	}
	if first && f.open {
		openPage(cmd.ErrOrStderr(), f.out, files.HTMLFile)
	}
	return errors.Join(err, failed)
}

// printChanges prints what changed since an earlier run, and the verdict in a line.
func (p *outputFlags) printChanges(out io.Writer, now *report.Report) error {
	if now.Verdict != report.Unreachable && now.Verdict != report.Void && now.Target.Dialect == p.since.Target.Dialect {
		if err := compare.WriteDiffText(out, p.since, now, report.CompareReports(p.since, now, schema.Changes())); err != nil {
			return err
		}
	}
	reports.Quiet(out, now)
	return nil
}

// watchPrompt describes what begins the next run.
func watchPrompt(paths []string, typing bool) string {
	switch {
	case len(paths) == 0:
		return "Enter judges again, q ends"
	case !typing:
		return "watching " + strings.Join(paths, ", ")
	}
	return "watching " + strings.Join(paths, ", ") + "; Enter judges again, q ends"
}

// readCommands reports lines that are typed: once, however many they were while no one asked. It
// ends with q, or with the error for which there are no more.
func readCommands(in io.Reader, typed chan<- struct{}, quit chan<- error) {
	s := bufio.NewScanner(in)
	for s.Scan() {
		if strings.EqualFold(strings.TrimSpace(s.Text()), "q") {
			quit <- nil
			return
		}
		select {
		case typed <- struct{}{}:
		default:
		}
	}
	quit <- cmp.Or(s.Err(), io.EOF)
}

// isWithin reports whether a file lies in a folder or below it.
func isWithin(file, dir string) bool {
	a, err := filepath.Abs(file)
	if err != nil {
		return false
	}
	b, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(b, a)
	return err == nil && filepath.IsLocal(rel)
}
