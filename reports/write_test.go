package reports

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "a2a-report")
	for range 2 { // the second run replaces the files of the first
		if err := Write(dir, everyVerdict(), sample(), nil); err != nil {
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
	if want := []string{EndpointFile, BadgeFile, JUnitFile, HTMLFile, JSONFile, ReproduceDir, MarkdownFile, TranscriptFile}; !slices.Equal(names, want) {
		t.Errorf("the directory holds %v, want %v", names, want)
	}
	f, err := os.Open(filepath.Join(dir, JSONFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ReadJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != report.Void || len(r.Results) != len(everyVerdict().Results) {
		t.Errorf("read back %s with %d results", r.Verdict, len(r.Results))
	}
	h, err := os.Open(filepath.Join(dir, TranscriptFile))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	tr, err := record.ReadHAR(h)
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Exchanges) != len(sample().Exchanges) {
		t.Errorf("the HAR file holds %d exchanges, want %d", len(tr.Exchanges), len(sample().Exchanges))
	}
}

func TestWriteWithoutTranscript(t *testing.T) {
	if err := Write(t.TempDir(), conforming(), nil, nil); err != nil {
		t.Fatal(err)
	}
}

func TestWriteErrors(t *testing.T) {
	t.Run("the directory is a file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "report")
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		err := Write(path, conforming(), sample(), nil)
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "--out") {
			t.Errorf("got %v, want an error that names %s and --out", err, path)
		}
	})
	t.Run("a file is a directory", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, JUnitFile, "x"), 0o755); err != nil {
			t.Fatal(err)
		}
		err := Write(dir, conforming(), sample(), nil)
		if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, JUnitFile)) {
			t.Errorf("got %v, want an error that names %s", err, JUnitFile)
		}
		if _, err := os.Stat(filepath.Join(dir, JSONFile)); err != nil {
			t.Errorf("what was written before is gone: %v", err)
		}
		left, _ := filepath.Glob(filepath.Join(dir, ".*"))
		if len(left) > 0 {
			t.Errorf("temporary files are left: %v", left)
		}
	})
}
