package conform

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Option changes the target of a Test.
type Option func(*Target)

// Test judges the server at url inside a Go test: every requirement is a
// subtest named by its id, failed where a MUST is broken or the suite itself
// failed, skipped where it was not decided, does not apply, or is waived. A
// waiver that has to be deleted or renewed fails the test too. With a gate of
// the kind baseline=OLD.json only regressions fail.
//
// It may be called any number of times in a process, also from parallel tests.
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
		t.Run(r.ID, func(t *testing.T) { tell(t, outcome.Report, &r) })
	}
	for _, n := range outcome.Report.Notices {
		t.Logf("a2a-conform: %s", n)
	}
	for i := range outcome.Report.Waivers {
		switch w := &outcome.Report.Waivers[i]; {
		case w.Overdue():
			t.Errorf("a2a-conform: %s", w.Advice)
		case w.Advice != "":
			t.Logf("a2a-conform: %s", w.Advice)
		}
	}
	if v := outcome.Report.Verdict; v == judge.Void || v == judge.Unreachable {
		t.Fatalf("a2a-conform: %s: %s", v, outcome.Report.Reason)
	}
	return outcome
}

// tell says a verdict in the words of a Go test.
func tell(t *testing.T, report *judge.Report, r *judge.Result) {
	text := failureText(r)
	known, worse, differently := false, false, ""
	if strings.HasPrefix(report.Run.Gate, judge.BaselineGate) && report.Baseline != nil {
		worse = slices.ContainsFunc(judge.Regressions(report.Baseline.Changes), func(c judge.Change) bool { return c.ID == r.ID })
		known = !worse
		for _, c := range report.Baseline.Changes {
			if c.ID == r.ID && c.Kind == judge.Rejudged {
				differently = fmt.Sprintf(" (judged differently since version %s of the catalogue: %s)", c.Since, c.Why)
			}
		}
	}
	switch {
	case r.Verdict == judge.SuiteError:
		t.Fatalf("a2a-conform itself failed: %s", r.Reason)
	case worse:
		t.Fatalf("worse than in %s: %s\n%s", report.Baseline.File, r.Statement, text)
	case r.Verdict == judge.Fail && r.Level == schema.Must && known:
		t.Skipf("no worse than in %s%s: %s", report.Baseline.File, differently, text)
	case r.Verdict == judge.Fail && r.Level == schema.Must:
		t.Fatalf("%s\n%s", r.Statement, text)
	case r.Verdict == judge.Fail:
		t.Logf("%s not kept: %s", r.Level, text)
	case r.Verdict != judge.Pass:
		t.Skipf("%s: %s", r.Verdict, r.Reason)
	}
}

func failureText(r *judge.Result) string {
	text := r.Reason
	for _, o := range r.Others {
		text += "\n" + o
	}
	if r.More > 0 {
		text += fmt.Sprintf("\nand %d more like these", r.More)
	}
	return text
}

// Write leaves the reports of the run in a folder: report.json, report.html,
// junit.xml, summary.md, transcript.har, and a script for each failure.
func (o *Outcome) Write(dir string) error { return reports.Write(dir, o.Report, o.Transcript) }
