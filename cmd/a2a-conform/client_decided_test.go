package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// thoroughClients are the variants of the bundled client that leave nothing undecided, with their protocols. The first one makes its
// calls in JSON-RPC, and in gRPC if a card has that alone; the other one makes them in HTTP+JSON.
func thoroughClients() (all [][2]string) {
	for _, dialect := range conform.ClientDialects {
		all = append(all, [2]string{"thorough", dialect})
	}
	return append(all, [2]string{"thorough-rest", "a2a-1.0"}, [2]string{"thorough-rest", "a2a-0.3"})
}

// With all extras, everything on the bundled client is decided, in each protocol and binding, and it breaks nothing. The runs mostly
// wait, so all of them go on at the same time, while other tests run.
func TestEverythingIsDecidedOnThoroughClients(t *testing.T) {
	testamount.SkipInShort(t)
	clients := testamount.Of(thoroughClients(), [2]string{"thorough", "a2a-1.0"}, [2]string{"thorough-rest", "a2a-1.0"}, [2]string{"thorough-rest", "a2a-0.3"})
	start := func(t *testing.T, c [2]string) *child {
		t.Helper()
		args := []string{"client", "--self", "--quiet", "--dialect", c[1], "--with", "credentials,tls,keys,webhook,extension", "--declare", "production", "--gate", "conformant"}
		if c[0] != "thorough" { // which is the one that all extras choose
			args = append(args, "--variant", c[0])
		}
		run := newChild(t, args...)
		t.Cleanup(func() {
			if run.Process != nil {
				run.Process.Kill() // unless it has ended
			}
		})
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		return run
	}
	var runs []*child
	for _, c := range clients {
		runs = append(runs, start(t, c))
	}
	t.Parallel() // waits until the tests have run that go on alone
	for i, run := range runs {
		t.Run(strings.Join(clients[i][:], "/"), func(t *testing.T) {
			err := run.Wait()
			for attempt := 1; attempt < 3 && isUndecidedByLoad(t, filepath.Join(run.Dir, "a2a-client-report", files.JSONFile)); attempt++ {
				run = start(t, clients[i])
				err = run.Wait()
			}
			if err != nil {
				t.Errorf("%v\n%s%s", err, run.Printed.String(), run.Errors.String())
			}
			checkAllIsDecided(t, clients[i][0], filepath.Join(run.Dir, "a2a-client-report", files.JSONFile))
		})
	}
}

// isUndecidedByLoad reports whether all that is left open in a report is so because the machine was busy. Such a run shows nothing, and
// is made once more.
func isUndecidedByLoad(t *testing.T, file string) bool {
	t.Helper()
	r := read(t, file)
	open := slices.DeleteFunc(slices.Clone(r.Results), func(one report.Result) bool {
		return one.Verdict == report.NotApplicable || one.Verdict == report.Pass && len(one.Findings) == 0
	})
	return len(open) > 0 && !slices.ContainsFunc(open, func(one report.Result) bool {
		return one.Verdict != report.Inconclusive || !strings.Contains(one.Reason, "this machine was busy")
	})
}

// checkAllIsDecided makes sure that a report is on a conformant client of a variant, and has only requirements that hold and those that
// do not apply.
func checkAllIsDecided(t *testing.T, variant, file string) {
	t.Helper()
	r := read(t, file)
	passes := 0
	for _, one := range r.Results {
		switch {
		case one.Verdict == report.Pass && len(one.Findings) == 0:
			passes++
		case one.Verdict == report.NotApplicable:
		default:
			t.Errorf("%s is %s: %s %v", one.ID, one.Verdict, one.Reason, one.Findings)
		}
	}
	if !slices.Contains(r.Target.Command, variant) {
		t.Errorf("the client is %q, want the variant %s", r.Target.Command, variant)
	}
	if r.Verdict != report.Conformant || passes < 8 {
		t.Errorf("the client is %s, and %d requirements pass: %s", r.Verdict, passes, r.Reason)
	}
}
