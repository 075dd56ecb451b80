package conform

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// One defect that breaks many requirements is told once in a Go test; the others name it.
func TestCausesAreToldOnce(t *testing.T) {
	t.Parallel()
	s, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-0.3", Mutant: "methods-renamed"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	o, err := Run(t.Context(), Target{URL: s.URL(), Behaviour: Behaviour{DefaultStimuli: true}})
	if err != nil {
		t.Fatal(err)
	}
	told, follow := 0, 0
	for i := range o.Report.Results {
		r := &o.Report.Results[i]
		if r.Verdict != report.Fail {
			continue
		}
		text := failureText(o.Report, r)
		switch {
		case r.Because == "":
			told++
			if !strings.Contains(text, r.Reason) {
				t.Errorf("%s does not say why: %s", r.ID, text)
			}
		case !strings.Contains(text, r.Because) || strings.Contains(text, r.Reason):
			t.Errorf("%s follows from %s and says %s", r.ID, r.Because, text)
		default:
			follow++
		}
		if n := strings.Count(text, "\n"); n > mostPlaces {
			t.Errorf("%s has %d lines:\n%s", r.ID, n+1, text)
		}
	}
	if told == 0 || follow < 2 {
		t.Errorf("%d causes and %d that follow: this mutant shows nothing", told, follow)
	}
	text, below := causesText(o.Report), 0
	for _, m := range regexp.MustCompile(`\(\+(\d+)\)`).FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1])
		below += n
	}
	if strings.Count(text, ", ") != told || below != follow {
		t.Errorf("at the end stands %q, for %d causes and %d failures that follow", text, told, follow)
	}
	if text := causesText(&report.Report{Results: []report.Result{{ID: "A", Verdict: report.Pass}}}); text != "" {
		t.Errorf("without a failure stands %q", text)
	}
	many := &report.Result{ID: "A", Verdict: report.Fail, Reason: "one", Others: []string{"two", "three", "four", "five"}, More: 7}
	if text := failureText(&report.Report{}, many); text != "one\ntwo\nthree\nand 9 more like these (Outcome.Report has them)" {
		t.Errorf("many places are %q", text)
	}
}

// serverOfReports is the variable with the server that TestReportsElsewhere judges.
const serverOfReports = "A2A_CONFORM_TEST_REPORTS"

// The test whose output TestReportsAreNamed reads. It does nothing by itself, since it fails on purpose.
func TestReportsElsewhere(t *testing.T) {
	if url := os.Getenv(serverOfReports); url != "" {
		Test(t, url, Reports("reports"), func(target *Target) {
			target.DefaultStimuli = true
			target.Select.Run = []string{"A2A10-CTX-*"}
		})
	}
}

// The option leaves the files of a run; the page is named if the test fails, and in verbose output.
func TestReportsAreNamed(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	healthy := startBundledServer(t, reference.Options{Dialect: "a2a-1.0"})
	broken := startBundledServer(t, reference.Options{Dialect: "a2a-1.0", Mutant: "task-not-stored"})
	taken := filepath.Join(t.TempDir(), "taken")
	if err := os.MkdirAll(taken, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(taken, "reports"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, server, dir  string
		verbose            bool
		fails, named, kept bool // what is wanted of the process
	}{
		{name: "it passes", server: healthy, kept: true},
		{name: "it passes verbosely", server: healthy, verbose: true, named: true, kept: true},
		{name: "it fails", server: broken, fails: true, named: true, kept: true},
		{name: "nothing answers", server: "http://127.0.0.1:1", fails: true, named: true, kept: true},
		{name: "nothing can be written", server: healthy, dir: taken, fails: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := cmp.Or(c.dir, t.TempDir())
			cmd := exec.Command(program, "-test.run=^TestReportsElsewhere$", fmt.Sprintf("-test.v=%t", c.verbose))
			cmd.Dir, cmd.Env = dir, append(os.Environ(), serverOfReports+"="+c.server)
			out, err := cmd.CombinedOutput()
			if (err != nil) != c.fails {
				t.Errorf("%v\n%s", err, out)
			}
			page := filepath.Join(dir, "reports", "report.html")
			if named := strings.Contains(string(out), "a2a-conform: the report is "+page+"\n"); named != c.named {
				t.Errorf("the page is named: %t\n%s", named, out)
			}
			for _, name := range []string{"report.html", "report.json", "junit.xml", "transcript.har"} {
				if _, err := os.Stat(filepath.Join(dir, "reports", name)); (err == nil) != c.kept {
					t.Errorf("%s: %v", name, err)
				}
			}
			if c.dir != "" && !strings.Contains(string(out), "cannot make the report directory") {
				t.Errorf("it does not say why:\n%s", out)
			}
		})
	}
}

// startBundledServer starts a bundled server until the test ends, and returns its URL.
func startBundledServer(t *testing.T, options reference.Options) string {
	t.Helper()
	s, err := reference.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s.URL()
}
