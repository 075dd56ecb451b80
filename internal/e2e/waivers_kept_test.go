package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Every file of waivers in this repository is read without complaint.
func TestEveryWaiverFileIsRead(t *testing.T) {
	t.Parallel()
	read := 0
	err := filepath.WalkDir(".", func(path string, f fs.DirEntry, err error) error {
		if err != nil || f.IsDir() && slices.Contains([]string{".git", "node_modules"}, f.Name()) {
			if f != nil && f.IsDir() {
				return fs.SkipDir
			}
			return err
		}
		if ext := filepath.Ext(path); ext != ".yaml" && ext != ".yml" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains("\n"+string(text), "\nwaivers:\n") {
			return err
		}
		read++
		all, err := conform.ReadWaivers(path)
		if err != nil || len(all) == 0 {
			t.Errorf("%s: %d waivers, %v", path, len(all), err)
		}
		return nil
	})
	if err != nil || read < 9 {
		t.Errorf("%d files were read (%v)", read, err)
	}
}

// Files of waivers that an earlier version wrote keep their exit code: no waiver is stale because
// this version judges or describes a failure in another way.
func TestWaiversOfEarlierVersions(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"go-sdk", "js-sdk-0.2", "own-json-front", "validates-nothing"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := replayedWith(t, name, ".yaml")
			// What is new is judged by now: the end of a stream is not mistaken for its last event,
			// and the form of events is looked at in every stream.
			unknown := map[string][]string{"validates-nothing": {"A2A01-STR-012", "A2A01-STR-004"}}[name]
			want := min(len(unknown), 1)
			if o.ExitCode() != want {
				t.Errorf("exit code %d, want %d: %s", o.ExitCode(), want, o.Report.Reason)
			}
			for _, r := range o.Report.Results {
				if r.Verdict == report.Fail && r.Level == "MUST" && !slices.Contains(unknown, r.ID) {
					t.Errorf("%s fails, which no waiver covers any more: %s", r.ID, r.Reason)
				}
			}
			checkOverdue(t, o, unknown...)
			quoted := replayedWith(t, name, "-quoted.yaml")
			checkOverdue(t, quoted, unknown...)
			reworded := 0
			for _, w := range quoted.Report.Waivers {
				if w.State == report.Reworded {
					reworded++
				}
			}
			if reworded == 0 {
				t.Error("no waiver is reworded")
			}
		})
	}
}

// replayedWith judges a transcript of testdata with a file of waivers.
func replayedWith(t *testing.T, name, file string) *conform.Outcome {
	t.Helper()
	recorded, err := record.ReadHAR(bytes.NewReader(unzipped(t, "testdata/transcripts/"+name+".har.gz")))
	if err != nil {
		t.Fatal(err)
	}
	if recorded.Facts.Waivers, err = conform.ReadWaivers("testdata/waivers/" + name + file); err != nil {
		t.Fatal(err)
	}
	recorded.Facts.Gate = "no-failures"
	var har bytes.Buffer
	if err := record.WriteHAR(&har, recorded); err != nil {
		t.Fatal(err)
	}
	o, err := conform.Replay(&har)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// checkOverdue looks for waivers that would have to leave their file.
func checkOverdue(t *testing.T, o *conform.Outcome, unknown ...string) {
	t.Helper()
	for _, w := range o.Report.Waivers {
		if w.Overdue() && !slices.Contains(unknown, w.ID) {
			t.Errorf("%s:%d: %s is %s: %s", w.File, w.Line, w.ID, w.State, w.Advice)
		}
	}
}
