package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cli/browser"
	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
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
		return nil, nil, fmt.Errorf("--watch: of %s at most one can be the server's URL, and the others are no files or folders to watch", strings.Join(target, ", "))
	}
	return target, paths, nil
}

// restarting is how long a run waits for a server that may be starting again, where --wait
// does not say.
const restarting = 10 * time.Second

// watchOver judges a server again and again: when Enter is pressed, and when a file changes.
// After the first run what changed is printed. It ends with the exit code of the last run.
func (f *runFlags) watchOver(cmd *cobra.Command, args, paths []string) error {
	switch {
	case f.format != textForm:
		return fmt.Errorf("--watch prints text, and --format %s was given as well; leave one of them out", f.format)
	case f.plan:
		return errors.New("--plan sends nothing, so there is nothing to watch; leave --watch out")
	case strings.Contains(f.dialect, ","):
		return errors.New("--watch judges one dialect; name one of them with --dialect")
	}
	for _, file := range []string{f.config, f.waivers} {
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
		go files.report(ctx, changed)
	}
	typed := make(chan string)
	go lines(ctx, cmd.InOrStdin(), typed)
	errs := cmd.ErrOrStderr()
	var code error
	for first := true; ; first = false {
		err := f.again(cmd, args, first)
		var is exitCode
		switch {
		case err == nil || errors.As(err, &is):
			code = err
		case first:
			return err
		default: // such as a slip in a configuration that is being edited
			fmt.Fprintf(errs, "a2a-conform: %s\n", reports.Visible(err.Error()))
			code = exitCode(2)
		}
		if cmd.Context().Err() != nil {
			return code
		}
		fmt.Fprintf(errs, "%s\n", invitation(paths, typed != nil))
		for next := false; !next; {
			select {
			case <-ctx.Done():
				return code
			case name := <-changed:
				fmt.Fprintf(errs, "changed: %s\n\n", reports.Visible(name))
				next = true
			case line, ok := <-typed:
				switch {
				case !ok && len(paths) == 0, ok && strings.EqualFold(strings.TrimSpace(line), "q"):
					return code
				case !ok: // nobody types, but files may change
					typed = nil
				default:
					next = true
				}
			}
		}
	}
}

// again judges once. Of a run after the first it is printed what changed.
func (f *runFlags) again(cmd *cobra.Command, args []string, first bool) error {
	target, err := f.target(args)
	if err != nil {
		return err
	}
	if _, err := f.dialects(target.Dialect); err != nil {
		return err
	}
	if !first && target.Wait == 0 {
		target.Wait = restarting
	}
	f.announce(cmd.ErrOrStderr(), target)
	if err := reports.Writable(f.out); err != nil {
		return err
	}
	outcome, err := f.judge(cmd, target)
	if outcome == nil {
		return err
	}
	failed := f.finish(cmd.OutOrStdout(), cmd.ErrOrStderr(), f.out, outcome)
	if v := outcome.Report.Verdict; v != judge.Unreachable && v != judge.Void {
		f.since = outcome.Report
	}
	if first && f.open {
		f.openPage(cmd.ErrOrStderr(), reports.HTMLFile)
	}
	return errors.Join(err, failed)
}

// changes prints what changed since an earlier run, and the verdict in a line.
func (p *printing) changes(out io.Writer, now *judge.Report) error {
	if now.Verdict != judge.Unreachable && now.Verdict != judge.Void && now.Target.Dialect == p.since.Target.Dialect {
		if err := reports.Diff(out, p.since, now, judge.CompareReports(p.since, now, schema.Changes())); err != nil {
			return err
		}
	}
	reports.Quiet(out, now)
	return nil
}

// invitation says what begins the next run.
func invitation(paths []string, typing bool) string {
	switch {
	case len(paths) == 0:
		return "Enter judges again, q ends"
	case !typing:
		return "watching " + strings.Join(paths, ", ")
	}
	return "watching " + strings.Join(paths, ", ") + "; Enter judges again, q ends"
}

// lines sends what is typed line by line, and closes the channel at the end.
func lines(ctx context.Context, in io.Reader, typed chan<- string) {
	defer close(typed)
	for s := bufio.NewScanner(in); s.Scan(); {
		select {
		case typed <- s.Text():
		case <-ctx.Done():
			return
		}
	}
}

// openPage shows a page of the reports in the user's browser. Where there is none, it says
// where the page is: the verdict is the same.
func (f *runFlags) openPage(errs io.Writer, name string) {
	page := filepath.Join(f.out, name)
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
	if err := browser.OpenFile(page); err != nil {
		fmt.Fprintf(errs, "a2a-conform: no browser could be started to open %s: %v\n", page, err)
	}
}

// opening shows the page of a run that has written its reports, whatever its verdict is.
func (f *runFlags) opening(errs io.Writer, name string, err error) error {
	var code exitCode
	if f.open && (err == nil || errors.As(err, &code)) {
		f.openPage(errs, name)
	}
	return err
}
