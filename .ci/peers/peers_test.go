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

func TestPeers(t *testing.T) {
	bin := t.TempDir()
	build(t, "../..", "./cmd/a2a-conform", filepath.Join(bin, "a2a-conform"))
	build(t, "go", ".", filepath.Join(bin, "agent"))
	for _, peer := range []struct {
		name  string
		start []string
	}{
		{"js", []string{"node", "js/agent.js"}},
		{"go", []string{filepath.Join(bin, "agent")}},
	} {
		t.Run(peer.name, func(t *testing.T) {
			out := t.TempDir()
			said, err := exec.Command(filepath.Join(bin, "a2a-conform"), "run", started(t, peer.start), "--quiet", "--out", out, "--allow", "outbound,heavy",
				"--config", "config.yaml", "--waivers", filepath.Join(peer.name, "waivers.yaml"), "--gate", "no-failures").CombinedOutput()
			t.Logf("%s", said)
			if err != nil {
				t.Error(err)
			}
			r, err := conform.ReadReport(filepath.Join(out, "report.json"))
			if err != nil {
				t.Fatal(err)
			}
			if r.Target.Dialect != "a2a-0.3" {
				t.Errorf("the server was judged as %s", r.Target.Dialect)
			}
			t.Logf("%d exchanges, %d agent invocations, %d ms, %v s of it spent waiting", r.Run.Exchanges, r.Run.AgentInvocations, r.Run.DurationMs, r.Run.Waited)
			asKnown(t, r)
			nothingLeft(t, filepath.Join(out, "transcript.har"))
		})
	}
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

// nothingLeft demands that no task of a run is still under way.
func nothingLeft(t *testing.T, transcript string) {
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
