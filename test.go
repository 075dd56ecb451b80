package conform

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Test judges the server at url inside a Go test, as a target that the options may change: every
// requirement is a subtest named by its id. It fails if a MUST is broken or the suite itself
// failed, and is skipped if it was not decided, does not apply, or is waived. A waiver that has
// to be deleted or renewed fails the test too. With a gate of the kind baseline=OLD.json only
// regressions fail. What follows from another failure names it, and the last lines list the
// failures that have to be fixed first.
//
// It may be called any number of times in a process, also from parallel tests.
func Test(t *testing.T, url string, options ...func(*Target)) *Outcome {
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
	if text := causesText(outcome.Report); text != "" {
		t.Logf("a2a-conform: %s", text)
	}
	if text := view.DescribeKnownSDKFaults(outcome.Report); text != "" {
		t.Logf("a2a-conform: %s", text)
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
	if v := outcome.Report.Verdict; v == report.Void || v == report.Unreachable {
		t.Fatalf("a2a-conform: %s: %s", v, outcome.Report.Reason)
	}
	return outcome
}

// tell says a verdict in the words of a Go test.
func tell(t *testing.T, of *report.Report, r *report.Result) {
	text := failureText(of, r)
	known, worse, differently := false, false, ""
	if strings.HasPrefix(of.Run.Gate, report.BaselineGate) && of.Baseline != nil {
		worse = slices.ContainsFunc(report.Regressions(of.Baseline.Changes), func(c report.Change) bool { return c.ID == r.ID })
		known = !worse
		for _, c := range of.Baseline.Changes {
			if c.ID == r.ID && c.Kind == report.Rejudged {
				differently = fmt.Sprintf(" (judged differently since version %s of the catalogue: %s)", c.Since, c.Why)
			}
		}
	}
	switch {
	case r.Verdict == report.SuiteError:
		t.Fatalf("a2a-conform itself failed: %s", r.Reason)
	case worse:
		t.Fatalf("worse than in %s: %s\n%s", of.Baseline.File, r.Statement, text)
	case r.Verdict == report.Fail && r.Level == schema.Must && known:
		t.Skipf("no worse than in %s%s: %s", of.Baseline.File, differently, text)
	case r.Verdict == report.Fail && r.Level == schema.Must:
		t.Fatalf("%s\n%s", r.Statement, text)
	case r.Verdict == report.Fail:
		t.Logf("%s not met: %s", r.Level, text)
	case r.Verdict != report.Pass:
		t.Skipf("%s: %s", r.Verdict, r.Reason)
	}
}

// mostPlaces is how many places a failed subtest lists; all are in the report.
const mostPlaces = 3

// failureText returns why a requirement fails. If that follows from another failure, it names
// that one.
func failureText(of *report.Report, r *report.Result) string {
	for i := range of.Results {
		if root := &of.Results[i]; root.ID == r.Because && (root.Verdict == report.Fail || root.Verdict == report.Waived) {
			if known := view.DescribeKnown(r); known != "" {
				return fmt.Sprintf("this has the same cause as %s, which fails too\n%s", root.ID, known)
			}
			return fmt.Sprintf("this has the same cause as %s, which fails too; fix that first", root.ID)
		}
	}
	lines, more := slices.Concat([]string{r.Reason}, r.Others), r.More
	if n := len(lines) - mostPlaces; n > 0 {
		lines, more = lines[:mostPlaces], more+n
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more like these (Outcome.Report has them)", more))
	}
	if known := view.DescribeKnown(r); known != "" {
		lines = append(lines, known)
	}
	return strings.Join(lines, "\n")
}

// causesText lists the failures that have to be fixed, and how many others follow from each; ""
// if no requirement fails.
func causesText(of *report.Report) string {
	follow, failed := map[string]int{}, 0
	var roots []string
	for i := range of.Results {
		switch r := &of.Results[i]; {
		case r.Verdict != report.Fail:
		case r.Because == "":
			roots = append(roots, r.ID)
			failed++
		default:
			follow[r.Because]++
			failed++
		}
	}
	if failed == 0 {
		return ""
	}
	for i, id := range roots {
		if n := follow[id]; n > 0 {
			roots[i] = fmt.Sprintf("%s (+%d)", id, n)
		}
	}
	return fmt.Sprintf("%s, %s; fix first: %s", counted(failed, "failure"), counted(len(roots), "cause"), strings.Join(roots, ", "))
}

// counted is a number of things.
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
