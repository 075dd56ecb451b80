package conform

import (
	"os"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/acts"
)

// ACTS runs tests of ACTS, which are written as data (docs/own-tests.md), against the server at url inside a Go test:
// each test is a subtest of the transport over which it is run, named by its id, and every transport that the agent card
// offers is one. A subtest fails if a test of the level must fails, or cannot be performed; the message has the file and
// the line of the assertion. It is skipped with the reason if the test does not apply. Files are relative to the folder of
// the Go test.
func ACTS(t *testing.T, url string, files ...string) {
	t.Helper()
	ACTSWith(t, Target{URL: url}, files...)
}

// ACTSWith is ACTS for a target that needs more than a URL, such as credentials.
func ACTSWith(t *testing.T, target Target, files ...string) {
	t.Helper()
	if len(files) == 0 {
		t.Fatal("a2a-conform: ACTS was given no file; name at least one document")
	}
	set, err := acts.ReadFiles(files, acts.Options{})
	if err != nil {
		t.Fatalf("a2a-conform: %v", err)
	}
	target.Dialect, target.Binding = "a2a-1.0", harness.EachBinding
	if err := completeTarget(&target); err != nil {
		t.Fatalf("a2a-conform: %v", err)
	}
	run := acts.NewRun(set, acts.NewEnvironment(nil, nil, os.LookupEnv))
	recording, err := harness.PlayOwn(t.Context(), target, run.Scenarios)
	if err != nil {
		t.Fatalf("a2a-conform: %v", err)
	}
	transports := run.Transports()
	if len(transports) == 0 {
		t.Fatalf("a2a-conform: no test was run: no agent of A2A 1.0 was found at %s", target.URL)
	}
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			for _, r := range run.Results(transport, "the run's time was up; give the target a longer Deadline") {
				t.Run(r.Test.ID, func(t *testing.T) { reportACTSResult(t, r, recording.Clean) })
			}
		})
	}
}

// reportACTSResult ends a subtest with the result of its test.
func reportACTSResult(t *testing.T, r *acts.TestResult, clean func(string) string) {
	t.Helper()
	for _, note := range r.Notes {
		t.Log(clean(note))
	}
	switch {
	case r.Result == acts.Skipped:
		t.Skip(clean(r.SkipReason))
	case r.Failure == nil:
	case r.Result == acts.Failed && r.Test.Level != "must":
		t.Logf("%s not met: %s", strings.ToUpper(r.Test.Level), clean(r.Describe()))
	default:
		t.Fatal(clean(r.Describe()))
	}
}
