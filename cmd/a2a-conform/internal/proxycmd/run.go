package proxycmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/harness/livepage"
	"github.com/a2a-conform/a2a-conform/harness/proxy"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/suites/summary"
)

// URLVariable is the environment variable that has the address of the proxy.
const URLVariable = "A2A_CONFORM_URL"

// watched is what the traffic came to when it was judged last.
type watched struct {
	mu   sync.Mutex
	last proxy.Judged
}

func (w *watched) readLast() proxy.Judged {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}

// passAndJudge passes on until the command or the operator ends it, and judges what passed.
func (f *flags) passAndJudge(cmd *cobra.Command, cfg proxy.Config, args []string) error {
	out, errs := cmd.OutOrStdout(), cmd.ErrOrStderr()
	p, err := proxy.Open(cfg)
	if err != nil {
		return err
	}
	defer p.Close()
	urls := p.URLs()
	for i, url := range urls {
		fmt.Fprintf(errs, "Calls to %s pass on to %s.\n", url, safetext.OneLine(redact.StripSecrets(cfg.Upstreams[i].URL)))
	}
	seen := &watched{}
	if f.page != "" {
		page, err := p.OpenPage(f.page, seen.readLast)
		if err != nil {
			return err
		}
		defer page.Close()
		fmt.Fprintf(errs, "Counts and verdicts: %s, and metrics: %smetrics\n", page.Address, page.Address)
	}
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	var work sync.WaitGroup
	if f.watch {
		work.Go(func() { f.judgeAgain(ctx, errs, p, seen) })
	}
	code := 0
	if len(args) > 0 {
		if code, err = runCommand(ctx, cmd, fillIn(args, urls), f.listVariables(urls)); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(errs, "Ctrl-C ends the proxy and judges what passed.")
		<-ctx.Done()
	}
	stop()
	work.Wait()
	p.Close()
	judged, err := f.finishJudging(out, errs, p)
	switch {
	case err != nil && code == 0:
		return err
	case err != nil:
		cli.PrintError(errs, err)
	}
	if code != 0 {
		fmt.Fprintf(errs, "The command ended with exit code %d.\n", code)
		return cli.ExitCode(code)
	}
	if judged != 0 {
		return cli.ExitCode(judged)
	}
	return nil
}

// fillIn replaces {url} in the arguments of a command by the address of the proxy; {url2} is that for the second server.
func fillIn(args, urls []string) (out []string) {
	pairs := []string{"{url}", urls[0]}
	for i, url := range urls {
		pairs = append(pairs, fmt.Sprintf("{url%d}", i+1), url)
	}
	of := strings.NewReplacer(pairs...)
	for _, word := range args {
		out = append(out, of.Replace(word))
	}
	return out
}

// listVariables returns the environment variables of the command.
func (f *flags) listVariables(urls []string) []string {
	out := []string{URLVariable + "=" + urls[0]}
	for i, url := range urls[1:] {
		out = append(out, fmt.Sprintf("%s_%d=%s", URLVariable, i+2, url))
	}
	if f.env != "" {
		out = append(out, f.env+"="+urls[0])
	}
	return out
}

// endAfter is how long a command may take to end after it was asked to.
const endAfter = 10 * time.Second

// runCommand runs a command until it ends, and returns its exit code. The error states why it could not be started.
func runCommand(ctx context.Context, cmd *cobra.Command, words, variables []string) (int, error) {
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Env = append(os.Environ(), variables...)
	c.Stdin, c.Stdout, c.Stderr = cmd.InOrStdin(), cli.Underlying(cmd.OutOrStdout()), cli.Underlying(cmd.ErrOrStderr())
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = endAfter
	err := c.Run()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &ended) && ended.ExitCode() > 0:
		return ended.ExitCode(), nil
	case c.ProcessState != nil: // a signal ended it, or it left its output open
		return 1, nil
	}
	return 0, err
}

// judgeAgain judges the traffic at intervals until the context ends.
func (f *flags) judgeAgain(ctx context.Context, errs io.Writer, p *proxy.Proxy, seen *watched) {
	tick := time.NewTicker(f.every)
	defer tick.Stop()
	for before := ""; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		o, err := f.judgeKept(p, true) // no text of either side is shown of it
		if err != nil {
			continue // nothing was recorded that can be judged, which the end states
		}
		now := proxy.Judged{At: time.Now(), Times: seen.readLast().Times + 1, Sides: summarizeSides(o)}
		seen.mu.Lock()
		seen.last = now
		seen.mu.Unlock()
		var parts []string
		for _, s := range now.Sides {
			parts = append(parts, fmt.Sprintf("%s: %d fail, %d pass, %d undecided", s.Name, s.Fails, s.Passes, s.Undecided))
		}
		if line := strings.Join(parts, "; "); line != before {
			fmt.Fprintf(errs, "%s %s\n", now.At.Format(time.TimeOnly), line)
			before = line
		}
	}
}

// judgeKept judges what is kept of the traffic, without its secrets.
func (f *flags) judgeKept(p *proxy.Proxy, bodies bool) (*conform.TrafficOutcome, error) {
	return f.judge(p.Record(), bodies, conform.TrafficSide(f.side), f.judging)
}

// summarizeSides returns the verdicts as the page shows them, without their reasons, which quote what passed.
func summarizeSides(o *conform.TrafficOutcome) (out []livepage.TrafficSide) {
	for _, side := range o.Sides() {
		s := livepage.TrafficSide{Name: string(side.Side), Summary: summary.SummarizeForPage(side.Outcome.Report)}
		s.Reason = ""
		for i := range s.Failures {
			s.Failures[i].Reason = ""
		}
		out = append(out, s)
	}
	return out
}

// void is the exit code of traffic that shows nothing.
const void = 2

// finishJudging judges what passed, prints and writes what it came to, and returns the exit code of the gate.
func (f *flags) finishJudging(out, errs io.Writer, p *proxy.Proxy) (code int, err error) {
	s := p.Stats()
	fmt.Fprintf(errs, "%d exchanges passed: %d were recorded, %d dropped by the record, %d left out, %d upgraded to another protocol, %d were no HTTP.\n", s.Passed, s.Recorded, s.Dropped, s.LeftOut, s.Upgraded, s.Unreadable)
	if why := p.Bypass(); why != "" {
		fmt.Fprintf(errs, "warning: %s.\n", why)
	}
	o, err := f.judgeKept(p, f.bodies)
	switch {
	case s.Passed == 0:
		fmt.Fprintln(out, "NO RESULT: nothing passed the proxy. Point your client at its address.")
		return void, nil
	case s.Recorded == 0 || errors.Is(err, conform.ErrNoTraffic):
		fmt.Fprintf(out, "NO RESULT: of %d exchanges that passed, none that was recorded is a call or a card of a protocol that is known here.\n", s.Passed)
		return void, nil
	case p.Bypass() != "" && p.PassedOnlyCards():
		fmt.Fprintln(out, "NO RESULT: only the card passed the proxy, and calls bypass it, since the card is signed.")
		return void, nil
	case err != nil:
		return 0, err
	}
	printNotes(errs, o.Notes)
	rest := reports.RestUnwritten
	if f.out != "" {
		var written bool
		if written, err = f.writeReports(errs, p, o); written {
			rest = reports.RestInPage
		} else if err == nil {
			rest = "--out DIR without --hold writes them"
		}
	}
	for _, s := range o.Sides() {
		name, of := string(s.Side), s.Outcome
		if f.quiet {
			reports.Quiet(out, of.Report)
		} else {
			fmt.Fprintf(out, "The %s\n", name)
			reports.TerminalWithRest(out, of.Report, f.IsColored(out), rest)
		}
		code = cli.WorseCode(code, of.ExitCode())
	}
	return code, err
}

// printNotes prints what is to be known about a recording.
func printNotes(errs io.Writer, notes []string) {
	for _, note := range notes {
		fmt.Fprintf(errs, "note: %s\n", safetext.OneLine(note))
	}
}

// writeReports writes the reports on each side, and reports whether there are any. With --hold, they are on the threads alone in
// which something failed.
func (f *flags) writeReports(errs io.Writer, p *proxy.Proxy, o *conform.TrafficOutcome) (written bool, err error) {
	if f.hold > 0 {
		known := o.Notes
		if o, err = f.judgeFailing(p, o); err != nil {
			return false, err
		}
		if o == nil {
			fmt.Fprintln(errs, "Nothing failed, so that nothing is written: with --hold, only threads in which something failed are.")
			return false, nil
		}
		printNotes(errs, slices.DeleteFunc(slices.Clone(o.Notes), func(note string) bool { return slices.Contains(known, note) }))
	}
	for _, s := range o.Sides() {
		dir := filepath.Join(f.out, string(s.Side))
		if failed := s.Outcome.Write(dir); failed != nil {
			err = errors.Join(err, failed)
		} else {
			written = true
			fmt.Fprintf(errs, "reports on the %s: %s\n", s.Side, dir)
		}
	}
	return written, err
}
