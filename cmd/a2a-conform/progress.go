package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/harness/operator"
)

// progress shows how far a run has come: one line that changes on a terminal,
// plain lines if the output is kept.
type progress struct {
	mu    sync.Mutex
	w     io.Writer
	line  *cli.ChangingLine
	quiet bool
	moved bool // a conversation has ended
}

func newProgress(w io.Writer, quiet bool) *progress {
	return &progress{w: w, quiet: quiet, line: cli.NewChangingLine(w)}
}

func (p *progress) showProgress(e operator.Progress) {
	if p.quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.moved = true
	if p.line.Live {
		p.line.Show("%d/%d conversations · %s", e.Done, e.Total, e.Scenario)
		return
	}
	fmt.Fprintf(p.w, "[%d/%d] %s (%d ms)\n", e.Done, e.Total, e.Scenario, e.Took.Milliseconds())
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

// sayWaiting prints whose answer is awaited, unless there is something else to show.
func (p *progress) sayWaiting(target string, limit time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.quiet && !p.moved {
		fmt.Fprintf(p.w, "waiting for %s to answer; each call may take up to %v (--timeout)\n", target, limit)
	}
}

// watchInterrupt states at once that a run is interrupted: what is under way is ended, and the
// reports are written, which takes a moment.
func (p *progress) watchInterrupt(ctx context.Context) (stop func()) {
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
