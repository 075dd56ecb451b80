package peers

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// junitFile is what junit2json makes of a junit.xml.
type junitFile struct {
	Tests, Failures, Skipped int
	Testsuite                []struct {
		Name     string
		Testcase []struct {
			Name, Classname string
			Failure         []struct{ Message, Inner string }
			Skipped         []struct{ Message string }
		}
	}
}

// TestJUnit lets junit2json, by which dashboards on Node read the format, read the reports on a
// conformant and on a broken server: it finds each requirement with its verdict.
func TestJUnit(t *testing.T) {
	bin := t.TempDir()
	program := filepath.Join(bin, "a2a-conform")
	build(t, "../..", "./cmd/a2a-conform", program)
	broken := exec.Command(program, "reference", "--dialect", "a2a-0.1", "--mutant", "final-missing")
	out, err := broken.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := broken.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = broken.Process.Kill(); _ = broken.Wait() })
	said := make([]byte, 200)
	n, err := out.Read(said)
	if err != nil {
		t.Fatal(err)
	}
	url := strings.Fields(string(said[:n]))[0]
	for name, c := range map[string]struct {
		args []string
		fail string
	}{
		"conformant": {[]string{"--self", "--dialect", "a2a-0.1"}, ""},
		"broken":     {[]string{url, "--dialect", "a2a-0.1", "--stimuli", "plain"}, "A2A01-STR-012"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			said, _ := exec.Command(program, append(append([]string{"run"}, c.args...), "--quiet", "--out", dir)...).CombinedOutput()
			text, err := os.ReadFile(filepath.Join(dir, "report.json"))
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			var report struct {
				Results []struct{ ID, Level, Verdict, Reason string }
			}
			if err := json.Unmarshal(text, &report); err != nil {
				t.Fatal(err)
			}
			read, err := exec.Command("node", "js10/junit.mjs", filepath.Join(dir, "junit.xml")).Output()
			if err != nil {
				t.Fatal(err)
			}
			var file junitFile
			if err := json.Unmarshal(read, &file); err != nil {
				t.Fatal(err)
			}
			failed, cases := map[string]string{}, map[string]bool{}
			for _, s := range file.Testsuite {
				for _, tc := range s.Testcase {
					id, _, _ := strings.Cut(tc.Name, ": ") // which the statement follows
					cases[id] = true
					if len(tc.Failure) > 0 {
						failed[id] = tc.Failure[0].Message
					}
				}
			}
			want := 0
			for _, r := range report.Results {
				if !cases[r.ID] {
					t.Errorf("%s is no testcase", r.ID)
				}
				if r.Verdict == "fail" && r.Level == "MUST" {
					want++
					if !strings.HasPrefix(failed[r.ID], r.Reason[:min(len(r.Reason), 60)]) {
						t.Errorf("%s fails for %q, want %q", r.ID, failed[r.ID], r.Reason)
					}
				}
			}
			if c.fail != "" {
				want++ // the verdict
				if failed[c.fail] == "" {
					t.Errorf("%s does not fail", c.fail)
				}
			}
			if len(failed) != want || file.Failures != want || file.Tests != len(report.Results)+1 {
				t.Errorf("%d failures, %d by their number, of %d testcases; want %d of %d", len(failed), file.Failures, file.Tests, want, len(report.Results)+1)
			}
		})
	}
}
