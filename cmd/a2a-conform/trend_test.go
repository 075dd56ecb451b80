package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
)

// What earlier runs came to is in the reports of a run and of a replay; a mistake in the flag is found before
// anything is sent.
func TestHistoryOfRuns(t *testing.T) {
	t.Parallel()
	s, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-1.0", Mutant: "task-not-stored"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dir := t.TempDir()
	runs, out := filepath.Join(dir, "runs"), filepath.Join(dir, "out")
	narrow := []string{"run", s.URL(), "--stimuli", "plain", "--run", "A2A10-CTX-*", "--quiet"}
	if code, _, errs := command(t, append(narrow, "--out", filepath.Join(runs, "first"))...); code != 1 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if err := os.WriteFile(filepath.Join(runs, "other.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	check := func(dir string, errs string) {
		t.Helper()
		r, err := conform.ReadReport(dir)
		if err != nil {
			t.Fatal(err)
		}
		if r.History == nil || len(r.History.Runs) != 2 {
			t.Errorf("the history is %+v", r.History)
		}
		if !strings.Contains(errs, "warning: "+filepath.Join(runs, "other.json")+" is left out of the history") {
			t.Errorf("no warning: %s", errs)
		}
		for _, name := range []string{"summary.md", "report.html"} {
			if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(text), ", 2 runs") || !strings.Contains(string(text), "Trend") {
				t.Errorf("%s shows no trend: %v", name, err)
			}
		}
	}
	code, _, errs := command(t, append(narrow, "--history", runs, "--out", out)...)
	if code != 1 {
		t.Errorf("exit %d: %s", code, errs)
	}
	check(out, errs)
	again := filepath.Join(dir, "again")
	if _, _, errs = command(t, "replay", out, "--history", runs, "--quiet", "--out", again); errs == "" {
		t.Error("the replay warns of nothing")
	}
	check(again, errs)

	code, _, errs = command(t, append(narrow, "--history", filepath.Join(dir, "missing"))...)
	if code != 2 || !strings.Contains(errs, "--history: ") || !strings.Contains(errs, "which may be empty") {
		t.Errorf("exit %d: %s", code, errs)
	}
	code, _, errs = command(t, append(narrow, "--history", runs, "--sign", "key.pem")...)
	if code != 2 || !strings.Contains(errs, "leave --sign out") {
		t.Errorf("exit %d: %s", code, errs)
	}
}
