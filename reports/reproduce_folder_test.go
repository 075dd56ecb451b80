package reports

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/reports/script"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Of the scripts in the folder only those of earlier runs are removed. What somebody else wrote, and
// what is behind a link, stays as it is; and whatever becomes of the scripts, the reports are written.
func TestScriptsOfOthersStay(t *testing.T) {
	const ours, theirs = "#!/bin/sh\n# ZZ-9 MUST: It is so.\n# A2A_REPRODUCE_DIR is a folder\n", "#!/bin/sh\nrm -rf build\n"
	write := func(t *testing.T, name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	is := func(name, text string) bool {
		got, err := os.ReadFile(name)
		return err == nil && string(got) == text
	}
	for _, c := range []struct {
		name string
		make func(t *testing.T, dir, elsewhere string)
		gone []string // of the files below dir
		kept map[string]string
		fail bool
	}{
		{"a script of an earlier run", func(t *testing.T, dir, _ string) { write(t, dir+"/reproduce/ZZ-9.sh", ours) }, []string{"reproduce/ZZ-9.sh"}, nil, false},
		{"a script of somebody else", func(t *testing.T, dir, _ string) { write(t, dir+"/reproduce/RELEASE-1.sh", theirs) }, nil, map[string]string{"reproduce/RELEASE-1.sh": theirs}, false},
		{"a script of another requirement", func(t *testing.T, dir, _ string) { write(t, dir+"/reproduce/ZZ-8.sh", ours) }, nil, map[string]string{"reproduce/ZZ-8.sh": ours}, false},
		{"a link to a script", func(t *testing.T, dir, elsewhere string) {
			write(t, elsewhere+"/ZZ-9.sh", ours)
			write(t, dir+"/reproduce/a.txt", "a")
			if err := os.Symlink(elsewhere+"/ZZ-9.sh", dir+"/reproduce/ZZ-9.sh"); err != nil {
				t.Skip(err)
			}
		}, nil, map[string]string{"reproduce/ZZ-9.sh": ours}, false},
		{"a link to a folder", func(t *testing.T, dir, elsewhere string) {
			write(t, elsewhere+"/ZZ-9.sh", ours)
			if err := os.Symlink(elsewhere, dir+"/reproduce"); err != nil {
				t.Fatal(err)
			}
		}, nil, map[string]string{"reproduce/ZZ-9.sh": ours}, true},
		{"a link to nothing", func(t *testing.T, dir, elsewhere string) {
			if err := os.Symlink(elsewhere+"/none", dir+"/reproduce"); err != nil {
				t.Fatal(err)
			}
		}, nil, nil, true},
		{"a file in place of the folder", func(t *testing.T, dir, _ string) { write(t, dir+"/reproduce", theirs) }, nil, map[string]string{"reproduce": theirs}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, elsewhere := t.TempDir(), t.TempDir()
			c.make(t, dir, elsewhere)
			before, err := os.ReadDir(elsewhere)
			if err != nil {
				t.Fatal(err)
			}
			if err := Write(dir, reportstest.EveryVerdict(), reportstest.Sample(), nil); (err != nil) != c.fail {
				t.Errorf("got %v, an error is wanted: %v", err, c.fail)
			}
			for _, name := range c.gone {
				if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
					t.Errorf("%s is still there", name)
				}
			}
			for name, text := range c.kept {
				if !is(filepath.Join(dir, name), text) {
					t.Errorf("%s is gone, or another one", name)
				}
			}
			after, err := os.ReadDir(elsewhere)
			if err != nil || len(after) != len(before) {
				t.Errorf("elsewhere there were %d files, and now %d: %v", len(before), len(after), err)
			}
			for _, name := range []string{files.JSONFile, files.TranscriptFile, files.HTMLFile, files.JUnitFile, files.MarkdownFile} {
				if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
					t.Errorf("%s was not written: %v", name, err)
				}
			}
		})
	}
}

// A report that cannot be written keeps no other from being written.
func TestEachReportIsWritten(t *testing.T) {
	all := []string{files.JSONFile, files.TranscriptFile, files.HTMLFile, files.JUnitFile, files.MarkdownFile, files.BadgeFile, files.EndpointFile}
	for _, blocked := range append(slices.Clone(all), script.Folder+"/x") {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, blocked, "x"), 0o755); err != nil {
			t.Fatal(err)
		}
		err := Write(dir, reportstest.EveryVerdict(), reportstest.Sample(), nil)
		if (err == nil) != (blocked == script.Folder+"/x") {
			t.Errorf("%s is blocked: %v", blocked, err)
		}
		for _, name := range all {
			if at, err := os.Stat(filepath.Join(dir, name)); err != nil || name != blocked && at.IsDir() {
				t.Errorf("%s is blocked, and %s was not written: %v", blocked, name, err)
			}
		}
	}
}

// A failure that is gone takes its script with it; other files stay.
func TestScriptsOfAnEarlierRun(t *testing.T) {
	dir := t.TempDir()
	r, tr := reportstest.Failing(reportstest.Post("{}", "200 OK", "application/json", "", 0))
	if err := Write(dir, r, tr, nil); err != nil {
		t.Fatal(err)
	}
	if r.Results[0].Reproduce != "reproduce/ZZ99-ERR-001.sh" {
		t.Errorf("the report names %q", r.Results[0].Reproduce)
	}
	if err := exec.Command("sh", "-n", dir+"/"+r.Results[0].Reproduce).Run(); err != nil {
		t.Error(err)
	}
	if err := exec.Command("touch", dir+"/reproduce/mine.sh").Run(); err != nil {
		t.Fatal(err)
	}
	r.Results[0].Verdict = report.Pass
	if err := Write(dir, r, tr, nil); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("ls", dir+"/reproduce").Output()
	if names := strings.Fields(string(out)); err != nil || !slices.Equal(names, []string{"mine.sh"}) || r.Results[0].Reproduce != "" {
		t.Errorf("%v, %v, the report names %q", names, err, r.Results[0].Reproduce)
	}
}
