package peers

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// TestPeersWithoutCredentials judges servers that ask for a token without one, with a
// wrong one and with the right one: nothing may fail that does not fail with the right
// one, nor pass, and a run of which no call was let in counts for nothing.
func TestPeersWithoutCredentials(t *testing.T) {
	bin := peerPrograms(t)
	t.Setenv("A2A_TOKEN_WRONG", "not-a-client-of-this-agent")
	for name, start := range map[string][]string{
		"js10, by middleware":         {"node", "js10/agent.js"},
		"go10, by an HTTP handler":    {filepath.Join(bin, "clerk10")},
		"go10, by a call interceptor": {filepath.Join(bin, "clerk10"), "--interceptor"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := started(t, start)
			known, _, _ := judgedWith(t, bin, url, "config10.yaml")
			if known.Verdict == report.Void || known.NeedsCredentials {
				t.Fatalf("with the right token: %s, %s", known.Verdict, known.Reason)
			}
			for credential, flags := range map[string][]string{"none": nil, "wrong": {"--bearer-env", "A2A_TOKEN_WRONG"}} {
				for _, gate := range []string{"conformant", "no-failures"} {
					r, output, code := judgedWith(t, bin, url, "open10.yaml", append(flags, "--gate", gate)...)
					for _, verdict := range []report.Verdict{report.Fail, report.Pass} {
						for _, id := range withVerdict(r, verdict) {
							if !slices.Contains(withVerdict(known, verdict), id) {
								t.Errorf("credential %s: %s is %s, and not with the right token: %s", credential, id, verdict, reasonOf(r, id))
							}
						}
					}
					if r.Verdict == report.Void && code != 2 {
						t.Errorf("credential %s, gate %s: exit code %d of a run that counts for nothing", credential, gate, code)
					}
					if code == 0 {
						t.Errorf("credential %s, gate %s: exit code 0, and no call was let in", credential, gate)
					}
					if first, _, _ := strings.Cut(output, "\n"); !strings.Contains(first, "--bearer-env") {
						t.Errorf("credential %s: the first line names no flag to add: %s", credential, first)
					}
				}
			}
		})
	}
}

// judgedWith judges a server in each of its bindings with a configuration, and returns
// the report, what was printed, and the exit code.
func judgedWith(t *testing.T, bin, url, config string, flags ...string) (*report.Report, string, int) {
	t.Helper()
	out := t.TempDir()
	cmd := exec.Command(filepath.Join(bin, "a2a-conform"), slices.Concat([]string{"run", url, "--quiet", "--out", out},
		configured(config, "--dialect", "a2a-1.0", "--binding", "each"), flags)...)
	printed, err := cmd.Output()
	r, readErr := conform.ReadReport(filepath.Join(out, "report.json"))
	if readErr != nil {
		t.Fatalf("%v: %v\n%s", readErr, err, printed)
	}
	if dir := os.Getenv("PEERS_KEEP"); dir != "" {
		os.CopyFS(filepath.Join(dir, strings.ReplaceAll(t.Name()+config+strings.Join(flags, ""), "/", "_")), os.DirFS(out))
	}
	return r, string(printed), cmd.ProcessState.ExitCode()
}

// withVerdict lists the requirements on which the verdict is a certain one.
func withVerdict(r *report.Report, verdict report.Verdict) (ids []string) {
	for _, res := range r.Results {
		if res.Verdict == verdict {
			ids = append(ids, res.ID)
		}
	}
	return ids
}

// reasonOf returns the reason of the verdict on a requirement.
func reasonOf(r *report.Report, id string) string {
	i := slices.IndexFunc(r.Results, func(res report.Result) bool { return res.ID == id })
	return r.Results[i].Reason
}
