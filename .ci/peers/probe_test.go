package peers

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// TestProbe asks real agents what they can do, and judges them by nothing but
// what that prints.
func TestProbe(t *testing.T) {
	bin := peerPrograms(t)
	const (
		office   = "ask chunks fail message quick slow"      // what the agents of config.yaml can do
		office10 = "ask chunks data fail message quick slow" // and those of config10.yaml and open10.yaml
	)
	for _, c := range []struct {
		name  string
		start []string
		can   string // all that the agent can do
		never string // what none of its kind can
		most  int    // requirements undecided that rest on no failure; those of protocol 1.0 want more clients
		flags []string
	}{
		{"js", []string{"node", "js/agent.js"}, office, "", 15, nil},
		{"go", []string{filepath.Join(bin, "clerk")}, office, "", 15, nil},
		{"greeter", []string{filepath.Join(bin, "greeter")}, "message quick", "", 15, nil},
		{"js10", []string{"node", "js10/agent.js"}, office10, "", 19, []string{"--bearer-env", "A2A_TOKEN"}},
		{"js10 both, as 0.3", []string{"node", "js10/agent.js", "--both"}, office10, "", 15, []string{"--dialect", "a2a-0.3"}},
		{"go10", []string{filepath.Join(bin, "clerk10")}, office10, "", 19, []string{"--bearer-env", "A2A_TOKEN"}},
		{"go10 older", []string{filepath.Join(bin, "clerk10"), "--older"}, office10, "", 15, []string{"--dialect", "a2a-0.3"}},
		{"greeter10", []string{filepath.Join(bin, "greeter10")}, "message quick", "", 15, nil},
		{"minimal", []string{filepath.Join(bin, "a2a-conform"), "reference", "--dialect", "a2a-0.3", "--variant", "minimal"},
			"ask chunks data fail message needauth quick recall remember slow", "crash", 15, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // each waits for half of its time
			file := probed(t, bin, started(t, c.start), c.flags...)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var printed struct {
				Stimuli  map[string]conform.Stimulus
				Declares struct{ Never []string }
			}
			if err := yaml.Unmarshal(text, &printed); err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			if shown := strings.Join(slices.Sorted(maps.Keys(printed.Stimuli)), " "); shown != c.can {
				t.Errorf("%q was found, not %q:\n%s", shown, c.can, text)
			}
			if never := strings.Join(printed.Declares.Never, " "); never != c.never {
				t.Errorf("%q is denied, not %q:\n%s", never, c.never, text)
			}
			out := t.TempDir()
			said, err := exec.Command(filepath.Join(bin, "a2a-conform"), append([]string{"run", "--config", file, "--quiet", "--out", out}, c.flags...)...).CombinedOutput()
			t.Logf("%s", said)
			r, readErr := conform.ReadReport(filepath.Join(out, "report.json"))
			if readErr != nil {
				t.Fatalf("%v, %v", err, readErr)
			}
			var undecided []string
			for _, res := range r.Results {
				switch res.Verdict {
				case report.Inconclusive:
					if slices.ContainsFunc(r.Results, func(c report.Result) bool { return c.ID == res.Because && c.Verdict == report.Fail }) {
						continue
					}
					undecided = append(undecided, res.ID+": "+res.Reason)
				case report.SuiteError:
					t.Errorf("%s: %s", res.ID, res.Reason)
				}
			}
			if len(undecided) > c.most {
				t.Errorf("%d are undecided:\n%s", len(undecided), strings.Join(undecided, "\n"))
			}
			t.Logf("%d are undecided", len(undecided))
		})
	}
}
