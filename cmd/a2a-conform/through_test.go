package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference/gateway"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A gateway is judged with the exit codes of a run: 1 if it breaks a requirement, 3 if some are undecided, 0 if that is enough, 4 if
// nothing answers there, and 2 for mistakes.
func TestThrough(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	server := startedBy(t, "--dialect", "a2a-1.0")
	at := func(trait string) string {
		g, err := gateway.Start(gateway.Options{Upstream: server, Trait: trait})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(g.Close)
		return g.URL()
	}
	right := at("")
	for _, c := range []struct {
		name  string
		args  []string
		code  int
		says  string
		fails string
	}{
		{"right", []string{server, "--through", right}, 3, "PARTIAL the gateway breaks no MUST", ""},
		{"right, no failures", []string{server, "--through", right, "--gate", "no-failures"}, 0, "PARTIAL ", ""},
		{"nothing between", []string{server, "--through", server, "--gate", "no-failures"}, 0, "PARTIAL ", ""},
		{"wrong", []string{server, "--through", at("details-dropped")}, 1, "GW-ERR-002", "GW-ERR-002"},
		{"nobody", []string{server, "--through", "http://127.0.0.1:1"}, 4, "UNREACHABLE ", ""},
		{"no server", []string{"http://127.0.0.1:1", "--through", right}, 2, "there is no agent card", ""},
		{"no URL", []string{server, "--through", "gateway"}, 2, `--through is "gateway", which is not an http or https URL`, ""},
		{"a password", []string{server, "--through", "http://usr:pw@127.0.0.1:1"}, 2, "--through contains a user or password", ""},
		{"a password for the server", []string{"http://usr:pw@127.0.0.1:1", "--through", right}, 2, "the target contains a user or password", ""},
		{"a password for gRPC", []string{server, "--through", right, "--through", "GRPC=http://usr:pw@127.0.0.1:1"}, 2, "--through GRPC contains a user or password", ""},
		{"a bare password for gRPC", []string{server, "--through", right, "--through", "GRPC=usr:pw@127.0.0.1:1"}, 2, "--through GRPC: the address is not", ""},
		{"a fragment", []string{server, "--through", right + "#part"}, 2, "--through has a fragment", ""},
		{"two gateways", []string{server, "--through", right, "--through", right}, 2, "names two gateways", ""},
		{"no server named", []string{"--through", right}, 2, "no server", ""},
		{"useless flag", []string{server, "--through", right, "--ca", "x.pem"}, 2, "--ca has no use with --through", ""},
		{"no gateway", []string{server, "--upstream-listen", "127.0.0.1:0"}, 2, "name it with --through URL", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			code, out, errs := command(t, append([]string{"run", "--out", dir}, c.args...)...)
			if code != c.code || !strings.Contains(out+errs, c.says) {
				t.Errorf("exit %d, want %d and %q\n%s%s", code, c.code, c.says, out, errs)
			}
			if code == 2 {
				return
			}
			text, err := os.ReadFile(filepath.Join(dir, "report.json"))
			if err != nil {
				t.Fatal(err)
			}
			var r report.Report
			if err := json.Unmarshal(text, &r); err != nil {
				t.Fatal(err)
			}
			if !r.Target.IsGateway() || len(r.Results) != len(schema.LoadGateways().Requirements) {
				t.Errorf("%d results about %q", len(r.Results), r.Target.Role)
			}
			want := 8 // a message and a stream in each of two bindings, on both ways
			if c.code == 4 {
				want = 4
			}
			if r.Run.AgentInvocations != want {
				t.Errorf("%d messages reached the agent, want %d", r.Run.AgentInvocations, want)
			}
			for _, result := range r.Results {
				if (result.Verdict == report.Fail) != (result.ID == c.fails) {
					t.Errorf("%s: %s, %s", result.ID, result.Verdict, result.Reason)
				}
			}
		})
	}
}

// The script of a failure sends the request on both ways, shows both answers, and tells whether the fault is still there.
func TestThroughScript(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	const id = "GW-ERR-002"
	start := func(o gateway.Options) *gateway.Gateway {
		g, err := gateway.Start(o)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	server, dir := startedBy(t, "--dialect", "a2a-1.0"), t.TempDir()
	faulty := start(gateway.Options{Upstream: server, Trait: "details-dropped"})
	if code, out, errs := command(t, "run", "--out", dir, server, "--through", faulty.URL()); code != 1 || !strings.Contains(out, "reproduce/"+id+".sh") {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	program := commandtest.ProgramOf(t)
	repeat := func(want int, says ...string) {
		t.Helper()
		script := exec.Command("sh", filepath.Join(dir, "reproduce", id+".sh"))
		script.Env = append(os.Environ(), "A2A_CONFORM="+program, commandtest.LeftVariable+"="+filepath.Join(dir, "left"))
		out, _ := script.CombinedOutput()
		if got := script.ProcessState.ExitCode(); got != want {
			t.Errorf("exit %d, want %d\n%s", got, want, out)
		}
		for _, text := range says {
			if !strings.Contains(string(out), text) {
				t.Errorf("it does not say %q\n%s", text, out)
			}
		}
	}
	repeat(1, "== directly", "== through the gateway", "TASK_NOT_FOUND")
	address := strings.TrimPrefix(faulty.URL(), "http://")
	faulty.Close()
	repeat(2)
	mended := start(gateway.Options{Upstream: server, Listen: address})
	t.Cleanup(mended.Close)
	repeat(0, "== through the gateway")
}

// The requirements on gateways are listed and explained.
func TestListGateways(t *testing.T) {
	t.Parallel()
	code, out, errs := command(t, "list", "--gateway")
	if lines := strings.Count(out, "\n"); code != 0 || lines != len(schema.LoadGateways().Requirements) {
		t.Errorf("exit %d, %d lines\n%s%s", code, lines, out, errs)
	}
	for _, r := range schema.LoadGateways().Requirements {
		if !strings.Contains(out, r.ID+" ") {
			t.Errorf("%s is not listed", r.ID)
		}
	}
	if code, _, errs := command(t, "list", "--gateway", "--dialect", "a2a-1.0"); code != 2 {
		t.Errorf("exit %d\n%s", code, errs)
	}
	if code, _, errs := command(t, "explain", "GW-VIA-0001"); code != 2 || !strings.Contains(errs, "GW-VIA-001") {
		t.Errorf("a slip: exit %d\n%s", code, errs)
	}
	if _, out, _ := command(t, "__complete", "explain", "GW-VIA-"); !strings.Contains(out, "GW-VIA-003") {
		t.Errorf("no completion: %s", out)
	}
	if code, out, errs := command(t, "explain", "gw-via-001"); code != 0 || !strings.Contains(out, "RFC 9110, 7.6.3") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}
