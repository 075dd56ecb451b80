package conform

import (
	"context"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Replay judges a recorded transcript again. It gives the verdicts of the run
// by construction; requirements that the catalogue gained since then are
// inconclusive, because what they need was not recorded.
func Replay(har io.Reader) (*Outcome, error) {
	t, err := wire.ReadHAR(har)
	if err != nil {
		return nil, err
	}
	if t.Facts.Dialect == unrecognised {
		return unrecognisedOutcome(t), nil
	}
	d, err := schema.Load(t.Facts.Dialect)
	if err != nil {
		return nil, err
	}
	o, err := JudgeTranscript(d, t, suites.Checks(), Direct)
	if err == nil && t.Facts.Catalogue != d.Digest {
		o.Report.Advice = append(o.Report.Advice, "the transcript was recorded for another catalogue: what that one did not ask for is undecided")
	}
	return o, err
}

// Planned is one conversation that a run would hold.
type Planned struct {
	Scenario string
	Doc      string
	Risk     schema.Risk
	Sends    int // messages to the agent at most
}

// Plan says what a run would do, and sends nothing. It needs a dialect by name
// and takes it that the card claims everything.
func Plan(_ context.Context, target Target) ([]Planned, error) {
	if target.Dialect == "" || target.Dialect == "auto" {
		return nil, &UsageError{Text: "--plan sends nothing, so it cannot find out the dialect: give --dialect NAME"}
	}
	d, err := schema.Load(target.Dialect)
	if err != nil {
		return nil, &UsageError{Text: err.Error()}
	}
	ids, err := suites.Select(d, target.Select)
	if err != nil {
		return nil, &UsageError{Text: err.Error()}
	}
	names, err := Scenarios(d, suites.Checks(), ids)
	if err != nil {
		return nil, err
	}
	var out []Planned
	for _, s := range scenario.All(d) {
		risk := s.Risk
		if risk == "" {
			risk = schema.Harmless
		}
		if slices.Contains(names, s.Name) && (risk == schema.Harmless || slices.Contains(target.Allow, risk)) {
			out = append(out, Planned{s.Name, s.Doc, risk, s.Sends})
		}
	}
	return out, nil
}

// Option changes the target of a Test.
type Option func(*Target)

// Test judges the server at url inside a Go test: every requirement is a
// subtest, skipped where it could not be decided, failed where a MUST is
// broken. It may be called any number of times in a process.
func Test(t *testing.T, url string, options ...Option) *Outcome {
	t.Helper()
	target := Target{URL: url}
	for _, o := range options {
		o(&target)
	}
	outcome, err := Run(t.Context(), target)
	if err != nil {
		t.Fatalf("a2a-conform: %v", err)
	}
	for _, r := range outcome.Report.Results {
		t.Run(r.ID, func(t *testing.T) {
			switch {
			case r.Verdict == judge.SuiteError:
				t.Fatalf("the suite failed: %s", r.Reason)
			case r.Verdict == judge.Fail && r.Level == schema.Must:
				t.Fatalf("%s\n%s", r.Statement, failureText(r))
			case r.Verdict == judge.Fail:
				t.Logf("%s not kept: %s", r.Level, failureText(r))
			case r.Verdict != judge.Pass:
				t.Skipf("%s: %s", r.Verdict, r.Reason)
			}
		})
	}
	if v := outcome.Report.Verdict; v == judge.Void || v == judge.Unreachable {
		t.Fatalf("a2a-conform: %s: %s", v, outcome.Report.Reason)
	}
	return outcome
}

func failureText(r judge.Result) string {
	text := r.Reason
	for _, o := range r.Others {
		text += "\n" + o
	}
	if r.More > 0 {
		text += fmt.Sprintf("\nand %d more of the kind", r.More)
	}
	return text
}
