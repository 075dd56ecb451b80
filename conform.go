// Package conform judges A2A servers: it talks to a server, seals the transcript, and decides
// every requirement of the server's protocol.
//
//	outcome, err := conform.Run(ctx, conform.Target{URL: "http://localhost:9999"})
//	if err == nil {
//		fmt.Println(outcome.Report.Verdict, outcome.Report.Reason)
//		err = outcome.Write("a2a-report")
//	}
//
// In a Go test of a server, Test makes a subtest of every requirement.
//
// Whatever the server does is in the report; an error is a mistake of the operator (UsageError),
// a fault of the suite, or a context that was canceled. Judging is pure: Replay gives the
// verdicts of a recording again, without any network. Runs share nothing but the catalogue, which
// never changes, so that they may run concurrently.
//
// What responses cannot show is stated by the operator: the messages that make an agent show a
// behaviour (Target.Stimuli), the behaviours it does not have (Target.Never), and the failures
// that are known (Target.Waivers).
package conform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/summary"
)

// Outcome is a finished run: the report, and the transcript it rests on.
type Outcome struct {
	Report     *report.Report
	Transcript *record.Transcript
	Dialect    *schema.Dialect

	shortestCalls func() map[string]record.Excerpt    // that show each failure; nil if they are not known
	invocations   func() map[summary.Conversation]int // messages that reached the agent; nil if nothing was judged
}

// ExitCode is the exit code of a process that made this run.
func (o *Outcome) ExitCode() int { return report.ExitCode(o.Report) }

// The reasons why a run decides nothing about the server, for errors.Is.
var (
	ErrUnreachable = errors.New("the server gave no HTTP response")
	ErrVoid        = errors.New("the run counts for nothing")
)

// Err returns why the run decides nothing about the server: an error that wraps ErrUnreachable or
// ErrVoid. It is nil for every other verdict, a bad one as well.
func (o *Outcome) Err() error {
	switch o.Report.Verdict {
	case report.Unreachable:
		return fmt.Errorf("%w: %s", ErrUnreachable, o.Report.Reason)
	case report.Void:
		return fmt.Errorf("%w: %s", ErrVoid, o.Report.Reason)
	}
	return nil
}

// MessagesByConversation counts the messages that reached the agent in each conversation. Each may
// have cost its owner money. Conversations that were held again, because something disturbed them, count
// once.
func (o *Outcome) MessagesByConversation() map[string]int {
	out := map[string]int{}
	if o.invocations != nil {
		for c, n := range o.invocations() {
			out[c.Scenario] += n
		}
	}
	return out
}

// Write leaves the reports of the run in a folder: report.json, report.html,
// junit.xml, summary.md, transcript.har, and a script for each failure.
func (o *Outcome) Write(dir string) error {
	var shortest map[string]record.Excerpt
	if o.shortestCalls != nil {
		shortest = o.shortestCalls()
	}
	return reports.Write(dir, o.Report, o.Transcript, shortest)
}

// Version is the version of this module as the build knows it.
func Version() string {
	if b, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append([]*debug.Module{&b.Main}, b.Deps...) {
			if strings.HasPrefix(m.Path, "github.com/a2a-conform/a2a-conform") && m.Version != "" && m.Version != "(devel)" {
				return m.Version
			}
		}
	}
	return "devel"
}

// Run talks to the target and judges it. The error is a mistake of the operator (*UsageError) or
// a fault of the suite; whatever the server does is in the report (Outcome.Err distinguishes a
// server that could not be reached). There is an outcome in addition to the error in two cases:
// the operator has to decide how to continue from what the server answered, for example if its
// card leaves its protocol open, or the context was canceled, which errors.Is recognises.
func Run(ctx context.Context, target Target) (*Outcome, error) {
	return RunWith(ctx, target, summary.CallDirectly)
}

// RunWith is Run with another way to call the checks.
func RunWith(ctx context.Context, target Target, call summary.Caller) (*Outcome, error) {
	if err := completeTarget(&target); err != nil {
		return nil, err
	}
	session, err := harness.Discover(ctx, target)
	if session == nil {
		return nil, err
	}
	defer session.Close()
	if d := session.Dialect(); err == nil && d != nil {
		var scenarios []string
		if scenarios, err = selectScenarios(d, &target); err != nil {
			return nil, err
		}
		if err := setCount(session, d, &target); err != nil {
			return nil, err
		}
		err = session.Play(scenarios)
	}
	recording := session.Seal(target.Judging)
	if err != nil {
		return reportMistake(recording), err
	}
	outcome, err := judgeRecording(recording, call)
	if err == nil && recording.Transcript.Facts.Stopped && ctx.Err() != nil {
		err = fmt.Errorf("the run was interrupted: %w", context.Cause(ctx))
	}
	return outcome, err
}

// setCount has a session hold the conversations that decide most, if the target does not allow all messages.
func setCount(session *harness.Session, d *schema.Dialect, target *Target) error {
	if target.MaxMessages <= 0 {
		return nil
	}
	ids, err := suites.Select(d, target.Select)
	if err != nil {
		return &UsageError{Text: err.Error()}
	}
	count, err := suites.NewMustCounter(d, suites.Checks(), ids)
	session.SetCount(count)
	return err
}

// completeTarget fills in what a target leaves open, and reads the report that its gate names.
func completeTarget(target *Target) (err error) {
	target.Version = cmp.Or(target.Version, Version())
	if err := completeGate(&target.Judging, "conformant"); err != nil {
		return err
	}
	if err := unifySDKWithWaivers(target); err != nil {
		return err
	}
	switch d := target.Dialect; {
	case strings.Contains(d, ","):
		return &UsageError{Text: fmt.Sprintf("the dialect is %q, but a run judges one dialect: run once for each", d)}
	case d == "" || d == "auto":
		meant, err := DialectsOf(*target)
		if err != nil {
			return err
		}
		target.Prefer = append(slices.Clone(target.Prefer), meant...)
	}
	return nil
}

// completeGate sets the gate if none is named, and reads the report that it names.
func completeGate(j *Judging, usual string) (err error) {
	j.Gate = cmp.Or(j.Gate, usual)
	if !report.KnownGate(j.Gate) {
		return &UsageError{Text: fmt.Sprintf("--gate %q is not one of %s", j.Gate, strings.Join(report.Gates(), ", "))}
	}
	if j.Baseline == nil {
		j.Baseline, err = baseline(j.Gate)
	}
	return err
}

// unifySDKWithWaivers finds the SDK that the operator names. To waive the known faults of one is to name it.
func unifySDKWithWaivers(target *Target) error {
	if target.SDK != "" {
		named, err := schema.FindSDK(target.SDK)
		if err != nil {
			return &UsageError{Text: "--sdk: " + err.Error()}
		}
		target.SDK = named.String()
	}
	for _, w := range target.Waivers {
		if w.SDK != "" && target.SDK != "" && w.SDK != target.SDK {
			return &UsageError{Text: fmt.Sprintf("the agent is built on one SDK, but both %s and %s are named; leave one of them out", target.SDK, w.SDK)}
		}
		target.SDK = cmp.Or(w.SDK, target.SDK)
	}
	return nil
}

// selectScenarios lists the scenarios that judging the target by a dialect takes.
func selectScenarios(d *schema.Dialect, target *Target) ([]string, error) {
	d, err := summary.WithSchema(d, target.Schema)
	if err != nil {
		return nil, err
	}
	if err := sameDialect(d, target); err != nil {
		return nil, err
	}
	ids, err := suites.Select(d, target.Select)
	if err != nil {
		return nil, &UsageError{Text: err.Error()}
	}
	return scenariosFor(d, suites.Checks(), ids)
}

// reportMistake is the outcome of a run that ended with a mistake of the operator; nil if nothing
// was recorded.
func reportMistake(r *harness.Recording) *Outcome {
	if r == nil {
		return nil
	}
	return &Outcome{Report: summary.ReportMistake(r.Transcript), Transcript: r.Transcript}
}

// judgeRecording judges what was recorded of a server, whether it was recognised or not.
func judgeRecording(r *harness.Recording, call summary.Caller) (*Outcome, error) {
	if r.Dialect == nil {
		return &Outcome{Report: summary.ReportUnrecognised(r.Transcript), Transcript: r.Transcript}, nil
	}
	return judgeTranscript(r.Dialect, r.Transcript, call)
}

// judgeTranscript judges what was recorded of a server that a dialect describes.
func judgeTranscript(d *schema.Dialect, t *record.Transcript, call summary.Caller) (*Outcome, error) {
	if t.Facts.Role == schema.GatewayRole {
		r, err := summary.JudgeGateway(d, t)
		return &Outcome{Report: r, Transcript: t, Dialect: d}, err
	}
	judged, err := summary.Judge(d, t, suites.Checks(), call)
	if err != nil {
		return nil, err
	}
	return &Outcome{judged.Report, t, judged.Dialect, judged.ShortestCalls, judged.Invocations}, nil
}

// scenariosFor lists the scenarios that judging the given requirements takes.
func scenariosFor(d *schema.Dialect, checks judge.Checks, ids []string) ([]string, error) {
	names, base, err := suites.Scenarios(d, checks, ids)
	if err != nil {
		return nil, err
	}
	for _, s := range scenario.All(d) {
		if base && s.Base && !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names, nil
}
