package peers

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/acts"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// TestCorpusOnSDKs runs the published tests of ACTS against agents on public SDKs that follow its prefixes, over the three
// transports. The catalogue judges the same agents by the same messages: a test that fails is about a requirement that
// they break, or schema/acts/map.yaml says why A2A does not demand it.
func TestCorpusOnSDKs(t *testing.T) {
	bin := peerPrograms(t)
	for name, c := range map[string]struct {
		start    []string
		passes   map[string]int // at least, by transport
		excused  int            // at least, over all transports
		confirms []string       // tests whose failure the catalogue shows
	}{
		"js10": {[]string{"node", "js10/agent.js"}, map[string]int{"jsonrpc": 71, "rest": 57, "grpc": 68}, 40, nil},
		"go10": {[]string{filepath.Join(bin, "clerk10")}, map[string]int{"jsonrpc": 66, "rest": 63, "grpc": 64}, 30, []string{"CORE-ERR-004", "CORE-HIST-003", "CORE-SEND-002", "VER-NEG-001"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := started(t, c.start)
			broken := judgeByPrefixes(t, bin, url)
			out := t.TempDir()
			said, err := exec.Command(filepath.Join(bin, "a2a-conform"), "acts", "corpus", url, "--bearer-env", "A2A_TOKEN", "--webhook-listen", "127.0.0.1:0", "--out", out).CombinedOutput()
			t.Logf("%s", said)
			if _, failed := err.(*exec.ExitError); err != nil && !failed {
				t.Fatal(err)
			}
			excused, confirmed := 0, map[string]bool{}
			for transport, passes := range c.passes {
				r := readACTSReport(t, out, transport)
				if r.Summary.Passed < passes || r.Summary.Errors > 0 {
					t.Errorf("%s: got %+v, want at least %d passes and no error", transport, r.Summary.LevelSummary, passes)
				}
				for _, s := range r.Suites {
					for _, x := range s.Tests {
						if x.Result != acts.Failed {
							continue
						}
						m, ok := acts.FindMapping(x.ID)
						result := acts.TestResult{Test: &acts.Test{ID: x.ID, Published: true}, Result: x.Result, Failure: &acts.Failure{Path: x.Failure.Path}}
						switch {
						case ok && slices.ContainsFunc(m.Requirements, func(id string) bool { return broken[id] }):
							confirmed[x.ID] = true
						case result.Excuse() != "":
							excused++
						default:
							t.Errorf("%s fails over %s, the catalogue shows none of %v, and no row says why: %s", x.ID, transport, m.Requirements, x.Failure.Message)
						}
					}
				}
			}
			if excused < c.excused {
				t.Errorf("only %d failures are excused by a row, want at least %d: is the agent still asked?", excused, c.excused)
			}
			for _, id := range c.confirms {
				if !confirmed[id] {
					t.Errorf("%s does not fail together with the catalogue any more; correct this test", id)
				}
			}
		})
	}
}

// judgeByPrefixes judges an agent by the prefixes of ACTS in each binding, and returns which requirements it breaks.
func judgeByPrefixes(t *testing.T, bin, url string) map[string]bool {
	t.Helper()
	out := t.TempDir()
	said, err := exec.Command(filepath.Join(bin, "a2a-conform"), "run", url, "--stimuli", "acts", "--bearer-env", "A2A_TOKEN", "--webhook-listen", "127.0.0.1:0",
		"--allow", "outbound,heavy", "--binding", "each", "--quiet", "--out", out).CombinedOutput()
	r, readErr := conform.ReadReport(filepath.Join(out, "report.json"))
	if readErr != nil {
		t.Fatalf("%v: %v\n%s", readErr, err, said)
	}
	passed, broken := 0, map[string]bool{}
	for _, res := range r.Results {
		switch res.Verdict {
		case report.Pass:
			passed++
		case report.Fail:
			broken[res.ID] = true
		}
	}
	if passed < 250 {
		t.Errorf("only %d requirements pass by the prefixes", passed)
	}
	return broken
}

// readACTSReport reads the report of a run over a transport.
func readACTSReport(t *testing.T, dir, transport string) (r acts.Report) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "acts-report-*-"+transport+"-*.json"))
	if err != nil || len(names) != 1 {
		t.Fatalf("got the reports %v, %v", names, err)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestClientCorpusOnSDKs runs the published tests about clients with the adapters on public SDKs: a test that fails demands what A2A
// does not demand.
func TestClientCorpusOnSDKs(t *testing.T) {
	bin := buildAdapters(t)
	for name, c := range map[string]struct {
		start  []string
		passes int
	}{"js10": {[]string{"node", "js10/adapter.js"}, 6}, "go10": {[]string{"go10"}, 4}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			said, err := exec.Command(filepath.Join(bin, "a2a-conform"), append([]string{"acts", "corpus", "--out", out, "--"}, locateClient(t, bin, c.start)...)...).CombinedOutput()
			t.Logf("%s", said)
			if _, failed := err.(*exec.ExitError); err != nil && !failed {
				t.Fatal(err)
			}
			r := readACTSReport(t, out, "jsonrpc")
			if r.Summary.Passed < c.passes || r.Summary.Errors > 0 {
				t.Errorf("got %+v, want at least %d passes and no error", r.Summary.LevelSummary, c.passes)
			}
			for _, s := range r.Suites {
				for _, x := range s.Tests {
					if m, _ := acts.FindMapping(x.ID); x.Result == acts.Failed && m.Is != acts.IsWrong {
						t.Errorf("%s fails, and no row says why: %s", x.ID, x.Failure.Message)
					}
				}
			}
		})
	}
}
