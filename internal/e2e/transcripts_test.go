package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/summary"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

var updateDiffers = os.Getenv("UPDATE_TRANSCRIPTS") != ""

// Transcripts that earlier versions recorded can be judged by this one, and written
// by it again. Where a verdict is another than it was then, the list beside them
// says so: whoever changes the judging sees there what becomes of old evidence.
func TestTranscriptsAgeWell(t *testing.T) {
	const dir = "testdata/transcripts"
	files, err := filepath.Glob(filepath.Join(dir, "*.har.gz"))
	if err != nil || len(files) < 11 {
		t.Fatalf("%d transcripts (%v)", len(files), err)
	}
	formats := map[string]int{}
	var differs []string
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".har.gz")
		t.Run(name, func(t *testing.T) {
			har := unzipped(t, file)
			for _, format := range []string{"1", "2"} {
				if regexp.MustCompile(`"format": ?` + format + `,`).Match(har) {
					formats[format]++
				}
			}
			o, err := conform.Replay(bytes.NewReader(har))
			if err != nil {
				t.Fatal(err)
			}
			was, err := os.ReadFile(filepath.Join(dir, name+".verdicts"))
			if err != nil {
				t.Fatal(err)
			}
			now := listVerdicts(o.Report)
			differs = append(differs, listChanges(name, strings.Split(strings.TrimSpace(string(was)), "\n"), now)...)
			var again bytes.Buffer
			if err := record.WriteHAR(&again, o.Transcript); err != nil {
				t.Fatal(err)
			}
			if o, err = conform.Replay(&again); err != nil {
				t.Fatal(err)
			}
			if got := listVerdicts(o.Report); !slices.Equal(got, now) {
				t.Errorf("written again it is judged otherwise: %q", listChanges(name, now, got))
			}
		})
	}
	if formats["1"] < 10 || formats["2"] < 1 {
		t.Errorf("transcripts by format: %v", formats)
	}
	list := filepath.Join(dir, "differs.txt")
	text := "# Verdicts on old transcripts that are others today. UPDATE_TRANSCRIPTS=1 go test ./internal/e2e -run TestTranscriptsAgeWell writes this list anew.\n" +
		strings.Join(append(differs, ""), "\n")
	if updateDiffers {
		if err := os.WriteFile(list, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	listed, err := os.ReadFile(list)
	if err != nil || string(listed) != text {
		t.Errorf("%s does not list what differs (%v); it would be\n%s", list, err, text)
	}
}

// In which order requirements are judged, and how many at the same time, changes no result.
func TestJudgedInAnyOrder(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bundled-a2a-0.3", "go-sdk"} {
		o, err := conform.Replay(bytes.NewReader(unzipped(t, "testdata/transcripts/"+name+".har.gz")))
		if err != nil {
			t.Fatal(err)
		}
		judged := func(call summary.Caller) string {
			judged, err := summary.Judge(o.Dialect, o.Transcript, suites.Checks(), call)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(judged.Report.Results)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		oneByOne := func(order func(ids []string)) string {
			return judged(func(c *verdict.Decider, ids []string) []verdict.Result {
				asked := slices.Clone(ids)
				order(asked)
				for _, id := range asked {
					c.Result(id)
				}
				out := make([]verdict.Result, len(ids))
				for i, id := range ids {
					out[i] = *c.Result(id)
				}
				return out
			})
		}
		forwards := oneByOne(func([]string) {})
		if oneByOne(slices.Reverse) != forwards {
			t.Errorf("%s is judged otherwise backwards", name)
		}
		if judged(summary.CallDirectly) != forwards {
			t.Errorf("%s is judged otherwise where requirements are judged at the same time", name)
		}
	}
}

func unzipped(t *testing.T, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// listVerdicts returns the verdict on the run and those on the requirements.
func listVerdicts(r *report.Report) []string {
	out := []string{string(r.Verdict)}
	for _, res := range r.Results {
		out = append(out, res.ID+" "+string(res.Verdict))
	}
	return out
}

// listChanges returns the lines that differ between two lists of verdicts.
func listChanges(name string, was, now []string) (out []string) {
	if was[0] != now[0] {
		out = append(out, fmt.Sprintf("%s: the run was %s and is %s", name, was[0], now[0]))
	}
	before := map[string]string{}
	for _, line := range was[1:] {
		id, verdict, _ := strings.Cut(line, " ")
		before[id] = verdict
	}
	for _, line := range now[1:] {
		id, verdict, _ := strings.Cut(line, " ")
		if then, ok := before[id]; !ok {
			out = append(out, fmt.Sprintf("%s: %s is new, and %s", name, id, verdict))
		} else if then != verdict {
			out = append(out, fmt.Sprintf("%s: %s was %s and is %s", name, id, then, verdict))
		}
		delete(before, id)
	}
	for _, line := range was[1:] {
		if id, _, _ := strings.Cut(line, " "); before[id] != "" {
			out = append(out, fmt.Sprintf("%s: %s is gone, and was %s", name, id, before[id]))
		}
	}
	return out
}
