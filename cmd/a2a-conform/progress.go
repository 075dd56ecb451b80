package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// progress shows how far a run has come: one line that changes on a terminal,
// plain lines if the output is kept.
type progress struct {
	mu    sync.Mutex
	w     io.Writer
	line  *cli.ChangingLine
	quiet bool
	moved bool // a conversation has ended

	last    operator.Progress
	awaited string    // what the run has waited for longest; "" for nothing
	since   time.Time // when that began
}

func newProgress(w io.Writer, quiet bool) *progress {
	return &progress{w: w, quiet: quiet, line: cli.NewChangingLine(w)}
}

// showProgress takes note of a conversation that has ended. If the output is kept, those that were left
// out are not worth a line.
func (p *progress) showProgress(e operator.Progress) {
	if p.quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.moved, p.last = true, e
	if p.line.Live {
		p.showLine(time.Now())
		return
	}
	if e.Held {
		p.printEnded(e.Done, e.Total, e.Scenario, e.Doc, e.Took)
	}
}

// printEnded prints a line about a conversation that has ended: its name alone may be "fail".
func (p *progress) printEnded(done, total int, name, doc string, took time.Duration) {
	fmt.Fprintf(p.w, "[%d/%d] %s (%d ms): %s\n", done, total, name, took.Milliseconds(), safetext.OneLine(doc))
}

// mostShown is how many characters the changing line has, so that it fits on one line of most terminals.
const mostShown = 79

// showClientProgress takes note of a start of a client that begins or has ended, in a scenario that does what doc states.
func (p *progress) showClientProgress(e conform.ClientProgress, doc string) {
	if p.quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.line.Live:
		p.line.Show("%s", shorten.End(fmt.Sprintf("%d/%d scenarios · %s: %s", e.Done, e.Total, e.Scenario, doc), mostShown-1))
	case e.Play != nil && e.Play.Client != nil:
		took := time.Duration(0)
		if c := e.Play.Client; c.Ended > 0 {
			took = time.Duration(c.Ended - c.Started)
		}
		p.printEnded(e.Done, e.Total, e.Scenario, doc, took)
	}
}

// showAwaited takes note of what the run waits for.
func (p *progress) showAwaited(what string, since time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.awaited, p.since = what, since
	if p.line.Live && !p.quiet {
		p.showLine(time.Now())
	}
}

// showLine shows the changing line. The caller holds the lock.
func (p *progress) showLine(now time.Time) {
	if text := p.describeState(now); text != "" {
		p.line.Show("%s", shorten.End(text, mostShown-1))
	}
}

// describeState returns how far the run has come, and what it waits for.
func (p *progress) describeState(now time.Time) string {
	var parts []string
	if p.last.Total > 0 {
		parts = append(parts, fmt.Sprintf("%d/%d conversations", p.last.Done, p.last.Total))
	}
	if p.awaited != "" {
		text := "waiting "
		if took := now.Sub(p.since); took >= time.Second {
			text += fmt.Sprintf("%d s ", int(took.Seconds()))
		}
		parts = append(parts, text+"for "+p.awaited)
	}
	return strings.Join(parts, " · ")
}

// startLineUpdates has the changing line say how long the run has waited.
func (p *progress) startLineUpdates() (stop func()) {
	if !p.line.Live || p.quiet {
		return func() {}
	}
	tick, over := time.NewTicker(time.Second), make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		for {
			select {
			case now := <-tick.C:
				p.mu.Lock()
				if p.awaited != "" {
					p.showLine(now)
				}
				p.mu.Unlock()
			case <-over:
				return
			}
		}
	})
	return func() {
		tick.Stop()
		close(over)
		ended.Wait()
		p.clearLine()
	}
}

// silentWait is how long nothing is printed while a server is looked for.
const silentWait = 3 * time.Second

// awaitAnswer has what a run is waiting for printed once, if no conversation has ended after a
// time: until a server answers there is nothing else to show.
func (p *progress) awaitAnswer(target string, limit, after time.Duration) (stop func()) {
	timer := time.AfterFunc(after, func() { p.sayWaiting(target, limit) })
	return func() {
		timer.Stop()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.moved = true
	}
}

// sayWaiting prints whose answer is awaited, and to what call, unless there is something else to show.
func (p *progress) sayWaiting(target string, limit time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.quiet || p.moved {
		return
	}
	to := ""
	if p.awaited != "" {
		to = " (" + p.awaited + ")"
	}
	p.line.Clear()
	fmt.Fprintf(p.w, "waiting for %s to answer%s; each call may take up to %v (--timeout)\n", target, to, limit)
}

// printNoticeOnInterrupt states at once that a run is interrupted: what is under way is ended, and the
// reports are written, which takes a moment.
func (p *progress) printNoticeOnInterrupt(ctx context.Context) (stop func()) {
	said := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(said)
		p.clearLine()
		fmt.Fprintln(p.w, "interrupted: writing the reports on what was recorded so far; interrupt again to stop at once")
	})
	return func() {
		if !cancel() {
			<-said
		}
	}
}

// clearLine removes the changing line.
func (p *progress) clearLine() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line.Clear()
}
