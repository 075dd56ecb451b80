package conform

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// The reports of earlier runs are read by any name, and from folders; what is no report is named and left out.
func TestHistoryIsRead(t *testing.T) {
	t.Parallel()
	server := startBundledServer(t, reference.Options{Dialect: "a2a-1.0", Mutant: "task-not-stored"})
	run := func() *Outcome {
		o, err := Run(t.Context(), Target{URL: server, Behaviour: Behaviour{DefaultStimuli: true}, Judging: Judging{Select: Selection{Run: []string{"A2A10-CTX-*"}}}})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	dir := t.TempDir()
	first, second := run(), run()
	if err := first.Write(filepath.Join(dir, "monday")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "monday", "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a-copy.json": string(text), "broken.json": `{"schemaVersion":"1"`, "evil\x1b[2J.json": "[]", "badge.json": "{}", "notes.txt": "hello",
		"deeper/below/report.json": string(text), "wrong/report.json": "null",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h, err := ReadHistory(dir)
	if err != nil {
		t.Fatal(err)
	}
	warnings := strings.Join(h.Warnings, "\n")
	if len(h.Runs) != 2 || len(h.Warnings) != 3 || strings.Contains(warnings, "\x1b") {
		t.Errorf("%d runs were read, with the warnings %q", len(h.Runs), warnings)
	}
	for _, name := range []string{"broken.json", "evil", "wrong"} {
		if !strings.Contains(warnings, name) {
			t.Errorf("no warning names %s: %s", name, warnings)
		}
	}
	second.AddHistory(h)
	if got := second.Report.History; len(got.Runs) != 2 || got.Others != 0 || got.Runs[0].Failures != got.Runs[1].Failures || !got.Runs[0].Partial {
		t.Errorf("the history is %+v", got)
	}
	failing := 0
	for i := range second.Report.Results {
		if r := &second.Report.Results[i]; r.Verdict == report.Fail {
			if failing++; r.Failing == nil || r.Failing.Runs != 2 {
				t.Errorf("%s has failed for %+v", r.ID, r.Failing)
			}
		}
	}
	if failing == 0 {
		t.Error("the mutant breaks nothing")
	}
	if err := second.Write(filepath.Join(dir, "tuesday")); err != nil {
		t.Error(err)
	}
	if again, err := ReadReport(filepath.Join(dir, "tuesday")); err != nil || len(again.History.Runs) != 2 {
		t.Errorf("the report cannot be read again: %v", err)
	}
}

// However many files there are, only some are read, and the newest.
func TestHistoryReadsABoundedNumber(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range maxHistoryFiles + 20 {
		name := filepath.Join(dir, fmt.Sprintf("%d.json", i))
		if err := os.WriteFile(name, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			if err := os.Truncate(name, maxHistoryBytes); err != nil {
				t.Fatal(err)
			}
		}
		at := time.Now().Add(time.Duration(-i) * time.Hour)
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	h, err := ReadHistory(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(h.Warnings, "\n"); len(h.Warnings) != 2 || !strings.Contains(got, "0.json") || !strings.Contains(got, fmt.Sprintf("%d more files", maxHistoryFiles+19)) {
		t.Errorf("got the warnings %s", got)
	}
	if err := os.Remove(filepath.Join(dir, "1.json")); err != nil {
		t.Fatal(err)
	}
	if h, err = ReadHistory(dir); err != nil || len(h.Warnings) != maxWarnings+2 || !strings.Contains(h.Warnings[maxWarnings], "90 more") || !strings.Contains(h.Warnings[maxWarnings+1], "19 more") {
		t.Errorf("%v: got the warnings %q", err, h.Warnings)
	}
	if _, err := ReadHistory(filepath.Join(dir, "missing")); err == nil || !strings.Contains(err.Error(), "name a folder") {
		t.Errorf("a folder that is missing: %v", err)
	}
	if _, err := ReadHistory(filepath.Join(dir, "0.json")); err == nil {
		t.Error("a file is no folder")
	}
}
