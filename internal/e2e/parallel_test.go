package e2e

import (
	"flag"
	"log"
	"os"
	"sync"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/internal/testprocess"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// slowForSure has a slow task take so long that it is under way when it is asked about, on a
// busy machine too.
var slowForSure = map[string]conform.Stimulus{"slow": {Text: "slow 1", Seconds: 1}}

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() { // each test judges a whole dialect
		return
	}
	testprocess.Patient(6)
	testprocess.Generous()
	if err := testprocess.EnterRoot(); err != nil {
		log.Fatal(err)
	}
	os.Exit(m.Run())
}

// begun begins a run that waits most of the time, which it does also beside tests that run
// beside no other, and returns what waits for its end.
func begun(t *testing.T, target conform.Target) (end func() (*conform.Outcome, error)) {
	run := sync.OnceValues(func() (*conform.Outcome, error) { return conform.Run(t.Context(), target) })
	go run()
	return run
}

// Runs side by side do not disturb each other: each tells of its own server.
func TestRunsInParallel(t *testing.T) {
	for _, c := range []struct {
		dialect, mutant, broken string
	}{
		{"a2a-0.1", "final-missing", "A2A01-STR-012"},
		{"a2a-0.1", "resubscribe-old-id", "A2A01-STR-041"},
		{"a2a-0.1", "", ""},
		{"jaf-0.3", "", ""},
	} {
		t.Run(c.dialect+" "+c.mutant, func(t *testing.T) {
			t.Parallel()
			s := bundled(t, reference.Options{Dialect: c.dialect, Mutant: c.mutant})
			if c.mutant == "" {
				conform.Test(t, s.URL(), func(target *conform.Target) {
					target.DefaultStimuli = true
					target.Gate = "no-failures" // a rate limit on the card is not tried without being asked
				})
				return
			}
			o, err := conform.Run(t.Context(), conform.Target{URL: s.URL(), Behaviour: conform.Behaviour{DefaultStimuli: true}})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range o.Report.Results {
				if (r.Verdict == report.Fail && r.Level == "MUST") != (r.ID == c.broken) {
					t.Errorf("%s is %s: %s", r.ID, r.Verdict, r.Reason)
				}
			}
		})
	}
}

// A gate that asks for no regression lets a Go test of a broken server pass,
// with what is known skipped.
func TestBaselineInGoTests(t *testing.T) {
	s := bundled(t, reference.Options{Dialect: "a2a-0.1", Mutant: "final-missing"})
	only := conform.Selection{Run: []string{"A2A01-STR-012"}}
	o, err := conform.Run(t.Context(), conform.Target{URL: s.URL(), Behaviour: conform.Behaviour{DefaultStimuli: true}, Judging: conform.Judging{Select: only}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := o.Write(dir); err != nil {
		t.Fatal(err)
	}
	o = conform.Test(t, s.URL(), func(target *conform.Target) {
		target.DefaultStimuli, target.Select, target.Gate = true, only, "baseline="+dir+"/report.json"
	})
	if o.ExitCode() != 0 || o.Report.Verdict != report.Nonconformant {
		t.Errorf("%s, exit code %d", o.Report.Verdict, o.ExitCode())
	}
}
