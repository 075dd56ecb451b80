package conform

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/files"
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
// With the option Reports the test leaves report.html and the other files of a run in a folder.
//
// It may be called any number of times in a process, also from parallel tests; if several of them
// leave reports, each needs a folder of its own.
func Test(t *testing.T, url string, options ...func(*Target)) *Outcome {
	t.Helper()
	target := Target{URL: url}
	for _, o := range options {
		o(&target)
	}
	if target.Reports != "" { // is tried before the run, which may cost its operator money
		if err := files.EnsureWritableDir(target.Reports); err != nil {
			t.Fatalf("a2a-conform: %v", err)
		}
	}
	outcome, err := Run(t.Context(), target)
	if outcome != nil && target.Reports != "" {
		// After all subtests, so that the line is next to the verdict on the whole test.
		defer writeReports(t, outcome, target.Reports)
	}
	if err != nil {
		t.Fatalf("a2a-conform: %v", err)
	}
	reportOutcome(t, outcome)
	return outcome
}

// reportOutcome makes a subtest of every requirement, and logs what else there is to say.
func reportOutcome(t *testing.T, outcome *Outcome) {
	t.Helper()
	for _, r := range outcome.Report.Results {
		t.Run(r.ID, func(t *testing.T) { reportResult(t, outcome.Report, &r) })
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
}

// Reports is an option of Test: it writes report.html, report.json, junit.xml and the other files of
// Outcome.Write into a folder, whether the test fails or not. The path of report.html is in the output
// of a test that fails, and of each with go test -v. The folder is relative to that of the test.
func Reports(dir string) func(*Target) {
	return func(target *Target) { target.Reports = dir }
}

// writeReports writes the reports of a test, and logs the path of the page, which can be opened from
// any folder.
func writeReports(t *testing.T, of *Outcome, dir string) {
	t.Helper()
	if err := of.Write(dir); err != nil {
		t.Errorf("a2a-conform: %v", err)
		return
	}
	page := filepath.Join(dir, files.HTMLFile)
	if absolute, err := filepath.Abs(page); err == nil {
		page = absolute
	}
	t.Logf("a2a-conform: the report is %s", page)
}

// reportResult ends a subtest with the verdict on its requirement.
func reportResult(t *testing.T, of *report.Report, r *report.Result) {
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
