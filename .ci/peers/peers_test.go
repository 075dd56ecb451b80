// Package peers judges real servers: small agents on public SDKs, each in a
// folder beside this file. What is known of their faults stands in a file of
// waivers; anything else, and any waiver that is of no use any more, fails.
// Clients on the same SDKs use the bundled server.
package peers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// peers are the real servers. Agents that do all that a configuration can ask for
// are judged with one; the simplest of all is judged as anybody would at first.
var peers = []struct {
	name    string
	start   []string
	waivers string
	flags   []string
	talks   bool // it answers with messages alone
}{
	{"js", []string{"node", "js/agent.js"}, "js/waivers.yaml", configured, false},
	{"go", []string{"clerk"}, "go/waivers.yaml", configured, false},
	{"greeter", []string{"greeter"}, "go/greeter/waivers.yaml", nil, true},
}

var configured = []string{"--allow", "outbound,heavy", "--config", "config.yaml"}

func TestPeers(t *testing.T) {
	bin := t.TempDir()
	build(t, "../..", "./cmd/a2a-conform", filepath.Join(bin, "a2a-conform"))
	build(t, "go", ".", filepath.Join(bin, "clerk"))
	build(t, "go", "./greeter", filepath.Join(bin, "greeter"))
	for _, peer := range peers {
		t.Run(peer.name, func(t *testing.T) {
			start := slices.Clone(peer.start)
			if len(start) == 1 {
				start[0] = filepath.Join(bin, start[0])
			}
			url := started(t, start)
			run := func(t *testing.T, flags ...string) (r *judge.Report, out string) {
				t.Helper()
				out = t.TempDir()
				said, err := exec.Command(filepath.Join(bin, "a2a-conform"), slices.Concat([]string{"run", url, "--quiet", "--out", out,
					"--waivers", peer.waivers, "--gate", "no-failures"}, flags)...).CombinedOutput()
				t.Logf("%s", said)
				if err != nil {
					t.Error(err)
				}
				if r, err = conform.ReadReport(filepath.Join(out, "report.json")); err != nil {
					t.Fatal(err)
				}
				if r.Target.Dialect != "a2a-0.3" {
					t.Errorf("the server was judged as %s", r.Target.Dialect)
				}
				t.Logf("%d exchanges, %d agent invocations, %d ms, %v s of it spent waiting", r.Run.Exchanges, r.Run.AgentInvocations, r.Run.DurationMs, r.Run.Waited)
				return r, out
			}
			r, out := run(t, peer.flags...)
			if peer.talks {
				asKnownSoFar(t, r)
				r, _ := run(t, "--config", probed(t, bin, url, "--never-unseen"), "--allow", "heavy")
				asKnown(t, r)
			} else {
				asKnown(t, r)
				nothingLeft(t, filepath.Join(out, "transcript.har"))
			}
			named(t, url, out, func(t *testing.T, card string) (*judge.Report, string) {
				return run(t, slices.Concat(peer.flags, []string{"--card", card})...)
			})
		})
	}
}

// probed is a file of the lines that the agent shows to be right for it.
func probed(t *testing.T, bin, url string, flags ...string) string {
	t.Helper()
	lines, err := exec.Command(filepath.Join(bin, "a2a-conform"), append([]string{"probe", url}, flags...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "probed.yaml")
	if err := os.WriteFile(file, lines, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func build(t *testing.T, dir, what, to string) {
	t.Helper()
	cmd := exec.Command("go", "build", "-o", to, what)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// started starts an agent and returns its URL, which is the first line that it
// prints. The agent ends with the test.
func started(t *testing.T, command []string) string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	var complaints bytes.Buffer // what a healthy agent says there is its own affair
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v; .ci/run shows what to install", err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		cmd.Wait()
		t.Fatalf("%s printed no URL\n%s", command, complaints.String())
	}
	url := lines.Text()
	go io.Copy(io.Discard, out)
	return url
}

// recorded reads a transcript.
func recorded(t *testing.T, transcript string) *wire.Transcript {
	t.Helper()
	file, err := os.Open(transcript)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	talk, err := wire.ReadHAR(file)
	if err != nil {
		t.Fatal(err)
	}
	return talk
}

// nothingLeft demands that no task of a run is still under way.
func nothingLeft(t *testing.T, transcript string) {
	t.Helper()
	talk := recorded(t, transcript)
	asked := map[string]bool{"": true}
	for _, p := range talk.Plays {
		for _, s := range p.Steps {
			if asked[s.Task] {
				continue
			}
			asked[s.Task] = true
			r, err := http.Post(talk.Facts.RPC, "application/json", strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":%q}}`, s.Task)))
			if err != nil {
				t.Fatal(err)
			}
			var reply struct {
				Result struct{ Status struct{ State string } }
			}
			err = json.NewDecoder(r.Body).Decode(&reply)
			r.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			if state := reply.Result.Status.State; slices.Contains([]string{"submitted", "working", "input-required", "auth-required"}, state) {
				t.Errorf("the task %s of %s was left %s", s.Task, p.Scenario, state)
			}
		}
	}
	if len(asked) < 20 {
		t.Errorf("the run had only %d tasks", len(asked))
	}
}

// asKnownSoFar demands that every failure is a known one, and that for whatever is
// undecided the report has a line to add. So the run is partial, and not void.
func asKnownSoFar(t *testing.T, r *judge.Report) {
	t.Helper()
	if r.Verdict != judge.Partial {
		t.Errorf("the verdict is %s: %s", r.Verdict, r.Reason)
	}
	for _, res := range r.Results {
		switch res.Verdict {
		case judge.Fail, judge.SuiteError:
			t.Errorf("%s %s is not known to fail: %s", res.ID, res.Level, res.Reason)
		case judge.Inconclusive:
			if res.Remedy == "" {
				t.Errorf("%s is undecided, and nothing is said about what to add: %s", res.ID, res.Reason)
			}
		}
	}
	for _, w := range r.Waivers {
		if w.State != judge.InForce && w.State != judge.Undecided {
			t.Errorf("%s:%d: the waiver of %s is %s. %s", w.File, w.Line, w.ID, w.State, w.Advice)
		}
	}
}

// asKnown demands that every failure, of any level, is a known one, that every
// known one was seen, and that whatever is undecided rests on one of them.
func asKnown(t *testing.T, r *judge.Report) {
	t.Helper()
	for _, res := range r.Results {
		switch res.Verdict {
		case judge.Fail, judge.SuiteError:
			t.Errorf("%s %s is not known to fail: %s", res.ID, res.Level, res.Reason)
		case judge.Inconclusive:
			cause := slices.IndexFunc(r.Results, func(c judge.Result) bool { return c.ID == res.Because })
			if cause < 0 || r.Results[cause].Verdict != judge.Waived {
				t.Errorf("%s is undecided: %s", res.ID, res.Reason)
			}
		}
	}
	for _, w := range r.Waivers {
		if w.State != judge.InForce {
			t.Errorf("%s:%d: the waiver of %s is %s. %s", w.File, w.Line, w.ID, w.State, w.Advice)
		}
	}
}
