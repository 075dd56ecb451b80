package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Each report of a failure says what to change in the server, a replay as well as the run, and a report
// of a requirement that holds does not.
func TestFixIsReported(t *testing.T) {
	dir := here(t)
	const id, met = "A2A10-ERR-007", "A2A10-ERR-008"
	server, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-1.0", Mutant: "unknown-task-internal"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	d, err := schema.Load("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	fix := d.FixText(id)
	if fix == "" {
		t.Fatalf("%s has no fix", id)
	}
	line := "\n    fix       " + fix + "\n"
	checkTerminal := func(name string, args ...string) {
		t.Helper()
		code, out, errs := command(t, args...)
		_, rest, found := strings.Cut(out, "\n    expected  ")
		if _, next, _ := strings.Cut(rest, "\n"); code != 1 || !found || !strings.HasPrefix("\n"+next, line) || strings.Count(out, fix) != 1 {
			t.Errorf("%s: exit %d; want the line after what is expected, once:%s\n%s%s", name, code, line, out, errs)
		}
	}
	selected := []string{"--stimuli", "plain", "--run", id, "--run", met}
	checkTerminal("a run", append([]string{"run", server.URL()}, selected...)...)
	checkTerminal("judge", "judge", id, "a2a-report")
	for name, want := range map[string]string{"report.html": regexp.MustCompile("`([^`]*)`").ReplaceAllString(fix, "<code>$1</code>"), "summary.md": safetext.EscapeMarkdown(fix), "junit.xml": fix} {
		text, err := os.ReadFile(filepath.Join(dir, "a2a-report", name))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s does not say %s: %v", name, want, err)
		}
	}
	checkReport := func(file string) {
		t.Helper()
		text, err := os.ReadFile(file)
		var r report.Report
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, res := range r.Results {
			want := ""
			if seen[res.ID] = true; res.Verdict == report.Fail {
				want = d.FixText(res.ID)
			}
			if res.Fix != want {
				t.Errorf("%s: %s, %s, has the fix %q, want %q", file, res.ID, res.Verdict, res.Fix, want)
			}
		}
		if !seen[id] || !seen[met] {
			t.Errorf("%s is not about %s and %s: %v", file, id, met, seen)
		}
	}
	checkReport(filepath.Join(dir, "a2a-report", "report.json"))
	if code, out, errs := command(t, append([]string{"run", server.URL(), "--quiet"}, selected...)...); code != 1 || strings.Contains(out+errs, fix) {
		t.Errorf("--quiet: exit %d, want 1 and no fix\n%s%s", code, out, errs)
	}
	checkTerminal("a replay", "replay", filepath.Join("a2a-report", "transcript.har"), "--out", "again")
	checkReport(filepath.Join(dir, "again", "report.json"))
}
