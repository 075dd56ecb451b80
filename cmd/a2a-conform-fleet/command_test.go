package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/internal/testprocess"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reports/fleetpage"
)

// What a user may do wrong gets a sentence and the exit code 2, and nothing is begun.
func TestFleetMistakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	good := file("good.yaml", "agents:\n  - target: http://127.0.0.1:1\n")
	data := "--data=" + filepath.Join(dir, "data")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"nonsense"}, `fleet has no subcommand "nonsense"`},
		{[]string{"run", data}, "no targets: give their URLs, or --file agents.yaml"},
		{[]string{"run", "--file", good, "http://127.0.0.1:1", data}, "leave one of them out"},
		{[]string{"run", "--file", good, "--dialect", "a2a-0.3", data}, "each agent has its own dialect"},
		{[]string{"run", "--file", filepath.Join(dir, "none.yaml"), data}, "none.yaml"},
		{[]string{"run", "--file", file("mistake.yaml", "agents:\n  - target: http://a\n    dialekt: x\n"), data}, `mistake.yaml:3: unknown key "dialekt"`},
		{[]string{"run", "localhost:9999", data}, "no http or https URL"},
		{[]string{"run", "--file", good, "--gate", "baseline=a", data}, `--gate "baseline=a" is not one of conformant, no-failures, no-regressions`},
		{[]string{"run", "--file", good, "--workers", "0", data}, "--workers is a number from 1 to 256"},
		{[]string{"work", "--parallel", "0", data}, "--parallel is a number from 1"},
		{[]string{"work", "--per-second", "-1", data}, "--per-second must be more than 0"},
		{[]string{"work", "--lease", "1s", data}, "--lease is 3s at least"},
		{[]string{"work", "--allow", "everything", data}, `--allow "everything" is not one of`},
		{[]string{"work", "--allow-network", "10.0.0.1", data}, "write it like 10.1.0.0/16"},
		{[]string{"work", "--keep", "nothing", data}, `--keep "nothing" is not one of changes, all`},
		{[]string{"work", "--keep-bytes", "much", data}, "like 20GB or 500MB"},
		{[]string{"work", "--webhook-listen", "127.0.0.1:8000", data}, "give port 0, or --parallel 1"},
		{[]string{"work", "--webhook-url", "http://a", data}, "give --parallel 1"},
		{[]string{"work", "--ca", filepath.Join(dir, "none.pem"), data}, "--ca:"},
		{[]string{"work", "--secrets", file("secrets.yaml", "secrets:\n  a:\n    value: abcdefghij\n    hosts: [b]\n"), data}, "secrets.yaml:3: secrets.a: the configuration file must not hold a credential itself"},
		{[]string{"work", data, "--nats", "nats://127.0.0.1:1"}, "leave one of them out"},
		{[]string{"work", data, "--nats-creds", good}, "give --nats URL as well"},
		{[]string{"work", "--nats", "nats://127.0.0.1:1", "--nats-token-env", "NOT_THERE_AT_ALL"}, "NOT_THERE_AT_ALL is not set"},
		{[]string{"work", "--nats", "nats://127.0.0.1:1", "--nats-creds", filepath.Join(dir, "none.creds")}, "--nats-creds:"},
		{[]string{"work", "--nats", "nats://127.0.0.1:1", "--nats-cert", good}, "belong together"},
		{[]string{"add", "--every", "@daily", "http://127.0.0.1:1", data}, "give it with --file"},
		{[]string{"broker", data, "--listen", "0.0.0.0:0"}, "give --tls-cert and --tls-key as well"},
		{[]string{"broker", data, "--listen", "everywhere"}, "is not HOST:PORT"},
	} {
		t.Run(strings.Join(c.args[:min(3, len(c.args))], " "), func(t *testing.T) {
			code, stdout, errs := command(t, c.args...)
			if code != 2 || stdout != "" || !strings.Contains(errs, c.says) {
				t.Errorf("exit code %d, %s%s; want %s", code, stdout, errs, c.says)
			}
		})
	}
}

// The gates decide the exit code over several rounds; with and without processes of their own
// for each run.
func TestFleetGates(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	addr := testprocess.HoldAddress(t)
	serve := func(mutant string) (stop func()) {
		s, err := reference.Start(t.Context(), reference.Options{Dialect: "core-schema", Mutant: mutant, Addr: addr})
		if err != nil {
			t.Fatal(err)
		}
		return func() { s.Close() }
	}
	stop := serve("")
	dir := t.TempDir()
	file := filepath.Join(dir, "agents.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, "agents:\n  - {target: \"http://%s\", name: the agent, dialect: core-schema, stimuli: plain}\n", addr), 0o600); err != nil {
		t.Fatal(err)
	}
	judge := func(round int, want int, says string, flags ...string) {
		t.Helper()
		code, stdout, _ := fleetOf(t, append([]string{"run", "--file", file, "--data", filepath.Join(dir, "data"), "--out", filepath.Join(dir, "site"), "--workers", "1", "--allow-network", "127.0.0.0/8"}, flags...)...)
		if code != want || !strings.Contains(stdout, says) || !strings.Contains(stdout, fmt.Sprintf("round %d: ", round)) {
			t.Errorf("round %d: exit code %d, want %d: %s", round, code, want, stdout)
		}
	}
	judge(1, 0, "1 conformant")
	judge(2, 0, "1 conformant", "--isolate", "--per-second", "200", "--gate", "no-regressions")
	stop()
	stop = serve(reference.Mutants("core-schema")[0].Name)
	judge(3, 1, "changed: the agent (core-schema): nonconformant, was conformant", "--gate", "no-regressions")
	judge(4, 0, "1 nonconformant", "--isolate", "--gate", "no-regressions") // which is nothing new
	judge(5, 1, "1 nonconformant", "--gate", "no-failures")
	stop()
	judge(6, 4, "1 unreachable")
	stop = serve("")
	defer stop()
	judge(7, 0, "changed: the agent (core-schema): conformant, was unreachable", "--keep-rounds", "3")
	started(t, "broker", "--data", filepath.Join(dir, "data"))
	if _, stdout, _ := fleetOf(t, "status", "--data", filepath.Join(dir, "data"), "--rounds", "9"); strings.Count(stdout, "1 results, finished") != 3 || !strings.Contains(stdout, "changed in the last round:\n    the agent (core-schema): conformant, was unreachable") {
		t.Error(stdout)
	}
}

// An agent that begins to ask for credentials gets worse once, under a word of its own, and no
// requirement regresses. The same holds for one that is no A2A server any more.
func TestFleetGateOnRoundsWithoutVerdict(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	page := commandtest.AnswerWith(http.StatusOK, "text/html", "<h1>Welcome</h1>")
	for name, c := range map[string]struct {
		becomes func(t *testing.T, addr string) (stop func())
		word    string
	}{
		"needs credentials": {func(t *testing.T, addr string) func() { return agentAt(t, addr, "guarded-json") }, "needs-credentials"},
		"not recognised":    {func(t *testing.T, addr string) func() { return serverAt(t, addr, page) }, "void"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := testprocess.HoldAddress(t)
			stop := agentAt(t, addr, "")
			dir := t.TempDir()
			file := filepath.Join(dir, "agents.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, "agents:\n  - {target: \"http://%s\", name: the agent, stimuli: plain}\n", addr), 0o600); err != nil {
				t.Fatal(err)
			}
			judge := func(want int, gate string) string {
				t.Helper()
				code, stdout, errs := fleetOf(t, "run", "--file", file, "--data", filepath.Join(dir, "data"), "--out", filepath.Join(dir, "site"), "--workers", "1", "--allow-network", "127.0.0.0/8", "--gate", gate)
				if code != want {
					t.Errorf("exit code %d, want %d\n%s%s", code, want, stdout, errs)
				}
				return stdout
			}
			judge(0, "no-failures")
			stop()
			defer c.becomes(t, addr)()
			out := judge(1, "no-regressions")
			for _, want := range []string{c.word + " ", ": " + c.word + ", was ", "1 " + c.word + ";"} {
				if !strings.Contains(out, want) {
					t.Errorf("%q is not in\n%s", want, out)
				}
			}
			if strings.Contains(out, "pass → ") {
				t.Errorf("requirements regress\n%s", out)
			}
			if out = judge(0, "no-regressions"); strings.Contains(out, "changed: ") {
				t.Errorf("it changes again\n%s", out)
			}
			judge(2, "no-failures")
			if text, err := os.ReadFile(filepath.Join(dir, "site", fleetpage.PageFile)); err != nil || !strings.Contains(string(text), c.word) {
				t.Errorf("the site does not name %s (%v)", c.word, err)
			}
		})
	}
}

// agentAt starts the bundled server at an address.
func agentAt(t *testing.T, addr, variant string) (stop func()) {
	t.Helper()
	s, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-0.3", Variant: variant, Addr: addr})
	if err != nil {
		t.Fatal(err)
	}
	return func() { s.Close() }
}

// serverAt starts a server at an address.
func serverAt(t *testing.T, addr string, h http.HandlerFunc) (stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(h)
	s.Listener.Close()
	s.Listener = l
	s.Start()
	return s.Close
}
