package reports

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/reports/script"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "a2a-report")
	for range 2 { // the second run replaces the files of the first
		if err := Write(dir, reportstest.EveryVerdict(), reportstest.Sample(), nil); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{files.EndpointFile, files.BadgeFile, files.JUnitFile, files.HTMLFile, files.JSONFile, script.Folder, files.MarkdownFile, files.TranscriptFile}; !slices.Equal(names, want) {
		t.Errorf("the directory holds %v, want %v", names, want)
	}
	f, err := os.Open(filepath.Join(dir, files.JSONFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ReadJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != report.Void || len(r.Results) != len(reportstest.EveryVerdict().Results) {
		t.Errorf("read back %s with %d results", r.Verdict, len(r.Results))
	}
	h, err := os.Open(filepath.Join(dir, files.TranscriptFile))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	tr, err := record.ReadHAR(h)
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Exchanges) != len(reportstest.Sample().Exchanges) {
		t.Errorf("the HAR file holds %d exchanges, want %d", len(tr.Exchanges), len(reportstest.Sample().Exchanges))
	}
}

func TestWriteWithoutTranscript(t *testing.T) {
	if err := Write(t.TempDir(), reportstest.Conforming(), nil, nil); err != nil {
		t.Fatal(err)
	}
}

func TestWriteErrors(t *testing.T) {
	t.Run("the directory is a file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "report")
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		err := Write(path, reportstest.Conforming(), reportstest.Sample(), nil)
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "--out") {
			t.Errorf("got %v, want an error that names %s and --out", err, path)
		}
	})
	t.Run("a file is a directory", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, files.JUnitFile, "x"), 0o755); err != nil {
			t.Fatal(err)
		}
		err := Write(dir, reportstest.Conforming(), reportstest.Sample(), nil)
		if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, files.JUnitFile)) {
			t.Errorf("got %v, want an error that names %s", err, files.JUnitFile)
		}
		if _, err := os.Stat(filepath.Join(dir, files.JSONFile)); err != nil {
			t.Errorf("what was written before is gone: %v", err)
		}
		left, _ := filepath.Glob(filepath.Join(dir, ".*"))
		if len(left) > 0 {
			t.Errorf("temporary files are left: %v", left)
		}
	})
}
