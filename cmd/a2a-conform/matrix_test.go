package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Reports are compared as they lie about: files, folders, and the folder of a run as several
// dialects; a name tells two reports of one server apart.
func TestMatrix(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"old", "new"} {
		if code, _, errs := command(t, "run", "--self", "--dialect", "directory-0.1", "--out", name, "--quiet"); code != 0 {
			t.Fatalf("exit code %d: %s", code, errs)
		}
	}
	if code, _, errs := command(t, "run", "--self", "--dialect", "core-schema,a2x-0.3", "--out", "both", "--quiet"); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	t.Run("over time", func(t *testing.T) {
		code, out, errs := command(t, "matrix", "old", "new/report.json", "both", "--out", "a/b")
		if code != 0 || !strings.Contains(errs, filepath.Join("a", "b", "matrix.html")) {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		for _, want := range []string{"3 servers: 3 conformant", "### Over time", "no changes", "bundled a2x-0.3 reference server"} {
			if !strings.Contains(out, want) {
				t.Errorf("the Markdown lacks %q:\n%s", want, out)
			}
		}
		page, err := os.ReadFile("a/b/matrix.html")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`href="../../new/report.html"`, `href="../../both/a2x-0.3/report.html"`} {
			if !strings.Contains(string(page), want) {
				t.Errorf("the page lacks %s", want)
			}
		}
		if text, err := os.ReadFile("a/b/matrix.md"); err != nil || string(text) != out {
			t.Errorf("matrix.md is not what was printed: %v", err)
		}
	})
	t.Run("side by side", func(t *testing.T) {
		code, out, _ := command(t, "matrix", "before=old", "now=new/report.json")
		if code != 0 || !strings.Contains(out, "| before |") || !strings.Contains(out, "| now |") || !strings.Contains(out, "They have the same result for each of 84 requirements") {
			t.Errorf("exit code %d:\n%s", code, out)
		}
	})
	t.Run("named twice", func(t *testing.T) {
		if code, out, _ := command(t, "matrix", "old", "old/report.json"); code != 0 || strings.Contains(out, "Over time") {
			t.Errorf("exit code %d:\n%s", code, out)
		}
	})
	t.Run("a part after the whole", func(t *testing.T) {
		if code, _, errs := command(t, "run", "--self", "--dialect", "directory-0.1", "--area", "envelope", "--out", "part", "--quiet"); code != 3 {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		code, out, _ := command(t, "matrix", "old", "part")
		if code != 0 || !strings.Contains(out, "1 server: 1 conformant") || !strings.Contains(out, "only a part was judged (\\-\\-area envelope)") && !strings.Contains(out, "--area envelope") || strings.Contains(out, "gone:") {
			t.Errorf("exit code %d:\n%s", code, out)
		}
	})
	t.Run("a page of what changed", func(t *testing.T) {
		if code, _, errs := command(t, "diff", "old", "new", "--html", "changes.html"); code != 0 || !strings.Contains(errs, "changes.html") || !isFile("changes.html") {
			t.Errorf("exit code %d: %s", code, errs)
		}
		for _, at := range []string{"old/report.json", "-", ".", "absent/changes.html"} {
			if code, _, errs := command(t, "diff", "old", "new", "--html", at); code != 2 || !strings.Contains(errs, "--html") {
				t.Errorf("%s: exit code %d: %s", at, code, errs)
			}
		}
	})
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no name":       {[]string{"=old"}, "NAME=REPORT"},
		"nothing there": {[]string{"absent.json"}, "name report.json files"},
		"no report":     {[]string{"old", "new/reproduce"}, "new/reproduce"},
		"not a report":  {[]string{"old/transcript.har"}, "transcript.har"},
		"none":          {nil, "was given no argument"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := command(t, append([]string{"matrix"}, c.args...)...)
			if code != 2 || out != "" || !strings.Contains(errs, c.want) {
				t.Errorf("exit code %d, %q, %q, want 2 and %q", code, out, errs, c.want)
			}
		})
	}
}
