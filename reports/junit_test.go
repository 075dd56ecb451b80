package reports

import (
	"io"
	"strings"
	"testing"

	gojunit "github.com/joshdk/go-junit"

	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

func ingest(t *testing.T, r *report.Report) []gojunit.Suite {
	t.Helper()
	b := reportstest.Render(t, func(w io.Writer) error { return JUnit(w, r) })
	suites, err := gojunit.Ingest([]byte(b))
	if err != nil {
		t.Fatalf("the XML cannot be read: %v", err)
	}
	return suites
}

func totals(suites []gojunit.Suite) gojunit.Totals {
	var sum gojunit.Totals
	for _, s := range suites {
		sum.Tests += s.Totals.Tests
		sum.Passed += s.Totals.Passed
		sum.Skipped += s.Totals.Skipped
		sum.Failed += s.Totals.Failed
		sum.Error += s.Totals.Error
	}
	return sum
}

func TestJUnitCounts(t *testing.T) {
	suites := ingest(t, reportstest.EveryVerdict())
	// 7 pass: two passes, two warnings, a note, a waiver in force and one reworded. 4
	// fail: a MUST, two waivers that are overdue, and the verdict.
	want := gojunit.Totals{Tests: 20, Passed: 7, Skipped: 8, Failed: 4, Error: 1}
	if got := totals(suites); got != want {
		t.Errorf("a reader counts %+v, want %+v", got, want)
	}
	var names []string
	byID := map[string]gojunit.Test{}
	for _, s := range suites {
		names = append(names, s.Name)
		for _, c := range s.Tests {
			id, _, _ := strings.Cut(c.Name, ": ") // which the statement follows
			byID[id] = c
			if c.Classname != s.Name {
				t.Errorf("%s has the class %s in the suite %s", c.Name, c.Classname, s.Name)
			}
		}
	}
	if got := strings.Join(names, " "); got != "zz-9.9.card zz-9.9.errors zz-9.9.stream zz-9.9.push waivers verdict" {
		t.Errorf("the suites are %s", got)
	}
	for _, r := range reportstest.EveryVerdict().Results {
		if got, want := byID[r.ID].Name, r.ID+": "+r.Statement; got != want {
			t.Errorf("got the testcase %q, want %q", got, want)
		}
	}
	broken := byID["ZZ99-ERR-001"]
	failure, _ := broken.Error.(gojunit.Error)
	if failure.Type != "MUST" || !strings.Contains(broken.Message, "-32600") {
		t.Errorf("the failure is %q %q", failure.Type, broken.Message)
	}
	for _, want := range []string{"MUST §8.1: A request that is not JSON", "exchange 2, /error/code: -32600", "and 3 more"} {
		if !strings.Contains(failure.Body, want) {
			t.Errorf("the failure lacks %q:\n%s", want, failure.Body)
		}
	}
	if out := byID["ZZ99-ERR-002"].SystemOut; !strings.HasPrefix(out, "warning: ") {
		t.Errorf("a failing SHOULD says %q", out)
	}
	if out := byID["ZZ99-CARD-001"].SystemOut; !strings.HasPrefix(out, "finding: ") {
		t.Errorf("a pass with a finding says %q", out)
	}
}

// TestJUnitVerdict makes sure that no run is green in a dashboard which the
// command itself would not call a success.
func TestJUnitVerdict(t *testing.T) {
	result := func(v report.Verdict) report.Result {
		return report.Result{ID: "ZZ99-X-001", Level: schema.Must, Area: "x", Verdict: v, Reason: "why"}
	}
	for _, c := range []struct {
		name   string
		result report.Verdict
		gate   string
		run    report.RunVerdict
		failed int
	}{
		{"conformant", report.Pass, "conformant", report.Conformant, 0},
		{"partial", report.Inconclusive, "conformant", report.Partial, 1},
		{"partial is enough", report.Inconclusive, "no-failures", report.Partial, 0},
		{"waived", report.Waived, "conformant", report.Partial, 1},
		{"nonconformant", report.Fail, "no-failures", report.Nonconformant, 2},
		{"void", report.SuiteError, "no-failures", report.Void, 1},
		{"unreachable", report.Inconclusive, "no-failures", report.Unreachable, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := reportstest.SampleReport(result(c.result))
			r.Run.Gate, r.Verdict = c.gate, c.run
			suites := ingest(t, r)
			if got := totals(suites).Failed; got != c.failed {
				t.Errorf("%d testcases fail, want %d", got, c.failed)
			}
			last := suites[len(suites)-1].Tests[0]
			if last.Name != "verdict" || (last.Status == gojunit.StatusPassed) != (report.ExitCode(r) == 0) {
				t.Errorf("the testcase %s is %s", last.Name, last.Status)
			}
			if last.Status == gojunit.StatusFailed && !strings.HasPrefix(last.Message, string(c.run)+": http://127.0.0.1:9999: MUST requirements: 1 ") {
				t.Errorf("its message is %q", last.Message)
			}
		})
	}
}
