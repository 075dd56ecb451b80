package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
)

// rehearsal is what a run of the same conversations with the bundled server came to.
type rehearsal struct {
	*conform.Outcome
	took map[string]time.Duration // by conversation
}

// printPlan describes what a run would do and what it costs. The price is measured: the same
// conversations are held with the bundled server, which claims all that the protocol has.
func printPlan(ctx context.Context, out io.Writer, t conform.Target) error {
	plan, err := conform.Plan(ctx, t)
	if err != nil {
		return err
	}
	held, err := runPlanOnBundledServer(ctx, t)
	if err != nil {
		return err
	}
	messages, all := held.MessagesByConversation(), 0
	for _, n := range messages {
		all += n
	}
	for _, p := range plan {
		fmt.Fprintf(out, "%-16s %-10s %-12s %5.2f s: %s\n", p.Scenario, p.Risk, safetext.CountWithNoun(messages[p.Scenario], "message"), held.took[p.Scenario].Seconds(), p.Doc)
		if len(p.Decides) > 0 {
			fmt.Fprintf(out, "    only this decides %s: %s\n", safetext.CountWithNoun(len(p.Decides), "requirement"), view.JoinFirstNames(p.Decides, 4))
		}
	}
	run := held.Report.Run
	seconds := time.Duration(run.DurationMs) * time.Millisecond
	if l := t.RateLimit; l != nil && l.Requests > 0 { // which the bundled server does not have
		seconds = max(seconds, time.Duration(float64(run.Exchanges)/float64(l.Requests)*l.Seconds*float64(time.Second)))
	}
	fmt.Fprintf(out, "in all: %s to the agent, %s, about %.1f s if the agent answers at once\n", safetext.CountWithNoun(all, "message"), safetext.CountWithNoun(run.Exchanges, "exchange"), seconds.Seconds())
	if run.Cut != "" {
		fmt.Fprintf(out, "these are not all: %s\n", safetext.OneLine(run.Cut))
	}
	if err := printMessageCurve(out, held.Outcome, all); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "counted with the bundled server, with your settings; nothing was sent to yours. A server whose card declares less gets fewer messages.")
	return err
}

// printMessageCurve prints how many MUST requirements are decided by fewer messages than all.
func printMessageCurve(out io.Writer, o *conform.Outcome, all int) error {
	var numbers []int
	for _, n := range []int{1, 2, 3, 5, 10, 15, 20, 30, 40, 60} {
		if n < all {
			numbers = append(numbers, n)
		}
	}
	decided, err := o.DecidedByMessages(numbers)
	if err != nil {
		return err
	}
	whole := o.Report.Summary[string(schema.Must)].Decided()
	fmt.Fprintf(out, "with --max-messages N the run decides fewer of these %s:\n", safetext.CountWithNoun(whole, "MUST requirement"))
	for i, n := range numbers {
		fmt.Fprintf(out, "  %3d: %d (%d %%)\n", n, decided[i], 100*decided[i]/max(1, whole))
	}
	return nil
}

// runPlanOnBundledServer holds the conversations of a run with the bundled server. What is the operator's own
// stays out of it: addresses, credentials, files, and the texts for the agent, in whose place are those
// that the bundled server understands.
func runPlanOnBundledServer(ctx context.Context, t conform.Target) (*rehearsal, error) {
	server, err := startBundledServer(ctx, t.Dialect)
	if err != nil {
		return nil, err
	}
	defer server.Close()
	own := conform.Target{URL: server.URL(), Dialect: t.Dialect, Version: t.Version, IDs: t.IDs, Limits: conform.Limits{Timeout: t.Timeout, Deadline: t.Deadline, Concurrency: t.Concurrency}}
	own.Select, own.CompareUserAgents = t.Select, t.CompareUserAgents
	own.Binding, own.Never, own.Allow, own.Bundled, own.DefaultStimuli = t.Binding, t.Never, t.Allow, t.Bundled, t.DefaultStimuli
	own.Declarations = t.Declarations
	if t.Agent == "all" || t.Agent == "first" {
		own.Agent = t.Agent
	}
	if t.CardKey != "" {
		own.CardKey = string(reference.CardKeys())
	}
	if t.Webhook.Listen != "" {
		own.Webhook.Listen = "127.0.0.1:0"
	}
	d, err := schema.Load(t.Dialect)
	if err != nil {
		return nil, err
	}
	own.Stimuli = map[string]conform.Stimulus{}
	for name := range t.Stimuli {
		if text, is := d.Stimuli[name]; is {
			own.Stimuli[name] = text
		}
	}
	r := &rehearsal{took: map[string]time.Duration{}}
	var mu sync.Mutex
	own.Progress = func(p operator.Progress) {
		mu.Lock()
		defer mu.Unlock()
		r.took[p.Scenario] += p.Took
	}
	r.Outcome, err = conform.Run(ctx, own)
	if err != nil {
		return nil, fmt.Errorf("--plan: the conversations could not be held with the bundled server: %w", err)
	}
	return r, nil
}

// startBundledServer starts the bundled server with a dialect, over all bindings that it has.
func startBundledServer(ctx context.Context, dialect string) (*reference.Server, error) {
	o := reference.Options{Dialect: dialect}
	if d, err := schema.Load(dialect); err == nil && d.Speaks(schema.KindGRPC) {
		o.GRPCAddr = "127.0.0.1:0"
	}
	return reference.Start(ctx, o)
}
