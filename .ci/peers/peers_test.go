// Package peers judges real servers: small agents on public SDKs, each in a
// folder beside this file. What is known of their faults is in schema/known, which
// ships with the program; any other failure, and any entry that no agent shows any
// more, fails.
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
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// peer is a real server.
type peer struct {
	name    string
	start   []string
	dialect string
	sdk     string // on which it is built
	flags   []string
	talks   bool // it answers with messages alone
}

// peers are the real servers. Agents that do all that a configuration can ask for
// are judged with one; the simplest of all are judged as anybody would at first.
var peers = []peer{
	{"js", []string{"node", "js/agent.js"}, "a2a-0.3", "js@0.3.14", configured("config.yaml"), false},
	{"go", []string{"clerk"}, "a2a-0.3", "go@v0.3.15", configured("config.yaml"), false},
	{"greeter", []string{"greeter"}, "a2a-0.3", "go@v0.3.15", nil, true},
	{"js10", []string{"node", "js10/agent.js"}, "a2a-1.0", "js@1.3.0", configured("config10.yaml", "--binding", "each"), false},
	{"js10 both, as 1.0", []string{"node", "js10/agent.js", "--both"}, "a2a-1.0", "js@1.3.0", configured("open10.yaml", "--dialect", "a2a-1.0"), false},
	{"js10 both, as 0.3", []string{"node", "js10/agent.js", "--both"}, "a2a-0.3", "js@1.3.0", configured("open10.yaml", "--dialect", "a2a-0.3"), false},
	{"go10", []string{"clerk10"}, "a2a-1.0", "go@v2.4.0", configured("config10.yaml", "--binding", "each"), false},
	{"go10 older", []string{"clerk10", "--older"}, "a2a-0.3", "go@v2.4.0", configured("open10.yaml", "--dialect", "a2a-0.3"), false},
	{"greeter10", []string{"greeter10"}, "a2a-1.0", "go@v2.4.0", nil, true},
}

// configured are the flags of a run with a file.
func configured(file string, more ...string) []string {
	return append([]string{"--allow", "outbound,heavy", "--config", file}, more...)
}

// The tokens of the two clients that the agents of protocol 1.0 know.
const token, token2 = "first-client", "second-client"

// peerPrograms builds the suite and the servers that have to be built, and returns
// their folder. config10.yaml finds the tokens in the environment.
func peerPrograms(t *testing.T) (bin string) {
	t.Helper()
	bin = t.TempDir()
	build(t, "../..", "./cmd/a2a-conform", filepath.Join(bin, "a2a-conform"))
	build(t, "go", ".", filepath.Join(bin, "clerk"))
	build(t, "go", "./greeter", filepath.Join(bin, "greeter"))
	build(t, "go10", ".", filepath.Join(bin, "clerk10"))
	build(t, "go10", "./greeter", filepath.Join(bin, "greeter10"))
	t.Setenv("A2A_TOKEN", token)
	t.Setenv("A2A_TOKEN_2", token2)
	return bin
}

func TestPeers(t *testing.T) {
	bin := peerPrograms(t)
	var seen seenFaults
	t.Cleanup(func() { // after all of them, which are judged two at a time
		if !t.Failed() {
			seen.demandAll(t)
		}
	})
	for _, peer := range peers {
		t.Run(peer.name, func(t *testing.T) {
			t.Parallel()
			start := slices.Clone(peer.start)
			if start[0] != "node" {
				start[0] = filepath.Join(bin, start[0])
			}
			url := started(t, start)
			run := func(t *testing.T, flags ...string) (r *report.Report, out string) {
				t.Helper()
				out = t.TempDir()
				said, err := exec.Command(filepath.Join(bin, "a2a-conform"), slices.Concat([]string{"run", url, "--quiet", "--out", out,
					"--waivers", "sdk:" + peer.sdk, "--gate", "no-failures"}, flags)...).CombinedOutput()
				t.Logf("%s", said)
				if err != nil {
					t.Error(err)
				}
				if r, err = conform.ReadReport(filepath.Join(out, "report.json")); err != nil {
					t.Fatal(err)
				}
				if r.Target.Dialect != peer.dialect {
					t.Errorf("the server was judged as %s", r.Target.Dialect)
				}
				t.Logf("%d exchanges, %d agent invocations, %d ms, %v s of it spent waiting", r.Run.Exchanges, r.Run.AgentInvocations, r.Run.DurationMs, r.Run.Waited)
				return r, out
			}
			r, out := run(t, peer.flags...)
			seen.add(peer.sdk, peer.name, r)
			attributed(t, peer.sdk, filepath.Join(out, "transcript.har"))
			if peer.talks {
				asKnownSoFar(t, r)
				r, _ := run(t, "--config", probed(t, bin, url, "--never-unseen"), "--allow", "heavy")
				asKnown(t, r)
			} else {
				asKnown(t, r)
				nothingLeft(t, peer.dialect, filepath.Join(out, "transcript.har"))
			}
			if !testamount.All() && !slices.Contains([]string{"js", "greeter", "go10 older", "greeter10"}, peer.name) {
				return
			}
			named(t, url, out, peer.dialect, func(t *testing.T, card string) (*report.Report, string) {
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

// built are the programs that were built already, by folder and package, in a folder of
// their own: linking one takes longer than many a test.
var built = struct {
	folder   string
	programs map[string]string
}{programs: map[string]string{}}

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "peers")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	built.folder = folder
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

// build puts a program where a test wants it.
func build(t *testing.T, dir, what, to string) {
	t.Helper()
	program := built.programs[dir+" "+what]
	if program == "" {
		program = filepath.Join(built.folder, fmt.Sprint(len(built.programs)))
		cmd := exec.Command("go", "build", "-o", program, what)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		built.programs[dir+" "+what] = program
	}
	if err := os.Symlink(program, to); err != nil {
		t.Fatal(err)
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
func recorded(t *testing.T, transcript string) *record.Transcript {
	t.Helper()
	file, err := os.Open(transcript)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	talk, err := record.ReadHAR(file)
	if err != nil {
		t.Fatal(err)
	}
	return talk
}

// nothingLeft demands that no task of a run is still under way.
func nothingLeft(t *testing.T, dialect, transcript string) {
	t.Helper()
	talk := recorded(t, transcript)
	method := map[string]string{"a2a-0.3": "tasks/get", "a2a-1.0": "GetTask"}[dialect]
	version := map[string]string{"a2a-0.3": "0.3", "a2a-1.0": "1.0"}[dialect]
	asked := map[string]bool{"": true}
	for _, p := range talk.Plays {
		for _, s := range p.Steps {
			if asked[s.Task] {
				continue
			}
			asked[s.Task] = true
			state := stateOf(t, talk.Facts.RPC, method, version, s.Task, token)
			if state == "" { // a task of the other client
				state = stateOf(t, talk.Facts.RPC, method, version, s.Task, token2)
			}
			switch state {
			case "submitted", "working", "input-required", "auth-required":
				t.Errorf("the task %s of %s was left %s", s.Task, p.Scenario, state)
			}
		}
	}
	if len(asked) < 20 {
		t.Errorf("the run had only %d tasks", len(asked))
	}
}

// stateOf asks as a client for a task, and returns its state as A2A 0.3.0 calls it;
// "" if the client has no such task.
func stateOf(t *testing.T, rpc, method, version, task, token string) string {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"id":%q}}`, method, task)
	call, err := http.NewRequest(http.MethodPost, rpc, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	call.Header.Set("Content-Type", "application/json")
	call.Header.Set("A2A-Version", version)
	call.Header.Set("Authorization", "Bearer "+token)
	r, err := http.DefaultClient.Do(call)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var reply struct {
		Result struct{ Status struct{ State string } }
	}
	if err := json.NewDecoder(r.Body).Decode(&reply); err != nil {
		t.Fatal(err)
	}
	state := strings.TrimPrefix(reply.Result.Status.State, "TASK_STATE_")
	return strings.ReplaceAll(strings.ToLower(state), "_", "-")
}

// restsOnKnown reports whether something is undecided for the sake of a known failure.
func restsOnKnown(r *report.Report, res report.Result) bool {
	return slices.ContainsFunc(r.Results, func(c report.Result) bool { return c.ID == res.Because && c.Verdict == report.Waived })
}

// asKnownSoFar demands that every failure is a known one, and that for whatever is
// undecided otherwise the report has a line to add. So the run is partial, and not void.
func asKnownSoFar(t *testing.T, r *report.Report) {
	t.Helper()
	if r.Verdict != report.Partial {
		t.Errorf("the verdict is %s: %s", r.Verdict, r.Reason)
	}
	for _, res := range r.Results {
		switch res.Verdict {
		case report.Fail, report.SuiteError:
			t.Errorf("%s %s is not known to fail: %s", res.ID, res.Level, res.Reason)
		case report.Inconclusive:
			if res.Remedy == "" && !restsOnKnown(r, res) {
				t.Errorf("%s is undecided, and nothing is said about what to add: %s", res.ID, res.Reason)
			}
		}
	}
	noneOverdue(t, r)
}

// noneOverdue demands that each waiver is of use, or is of a fault that another agent on the SDK shows.
func noneOverdue(t *testing.T, r *report.Report) {
	t.Helper()
	for _, w := range r.Waivers {
		if w.Overdue() {
			t.Errorf("%s: the waiver of %s is %s. %s", w.File, w.ID, w.State, w.Advice)
		}
	}
}

// asKnown demands that every failure, of any level, is a known one, and that whatever is undecided rests on one of them, or is known to
// fail in some runs only.
func asKnown(t *testing.T, r *report.Report) {
	t.Helper()
	for _, res := range r.Results {
		switch res.Verdict {
		case report.Fail, report.SuiteError:
			t.Errorf("%s %s is not known to fail: %s", res.ID, res.Level, res.Reason)
		case report.Inconclusive:
			if !restsOnKnown(r, res) && !unsteady(r, res.ID) {
				t.Errorf("%s is undecided: %s", res.ID, res.Reason)
			}
		}
	}
	noneOverdue(t, r)
}
