package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
)

// brokenClient is the bundled client with a defect that shows in the scenario stream-cr alone. The
// variable, which a client does not get from us, makes the test program the command.
var brokenClient = []string{"env", commandtest.LeftVariable + "=/dev/null", os.Args[0], "reference-client", "--variant", "streaming", "--mutant", "cr-not-a-line-end", "{url}", "{text}", "{second}"}

// A failure of a client is printed with what the client did, is waived by its waiver, comes to the same when it is
// replayed, and is shown again by its script.
func TestFailureOfAClient(t *testing.T) {
	t.Parallel()
	const id = "A2A10-CL-STREAM-004"
	judge := append([]string{"client", "--scenario", "stream-cr", "--run", id, "--"}, brokenClient...)
	run := newChild(t, judge...)
	if err := run.Run(); err != nil {
		t.Fatalf("%v\n%s", err, run.Errors.String())
	}
	if said := run.Printed.String(); !strings.Contains(said, "WARN "+id) || !strings.Contains(said, "the scenario 'stream-cr'") {
		t.Errorf("it does not print the failure:\n%s", said)
	}
	folder := filepath.Join(run.Dir, "a2a-client-report")

	again := newChild(t, "replay", folder, "--quiet", "--out", "again")
	if err := again.Run(); err == nil || again.ProcessState.ExitCode() != 3 && again.ProcessState.ExitCode() != 0 {
		t.Logf("replay: exit %d", again.ProcessState.ExitCode())
	}
	compare := newChild(t, "diff", filepath.Join(folder, "report.json"), filepath.Join(again.Dir, "again", "report.json"))
	compare.Run()
	if said := compare.Printed.String(); !strings.Contains(said, "no changes") {
		t.Errorf("a replay comes to something else:\n%s%s", said, compare.Errors.String())
	}

	script := exec.Command("sh", filepath.Join(folder, "reproduce", id+".sh"))
	script.Dir, script.Env = run.Dir, append(run.Env, "A2A_CONFORM="+os.Args[0])
	if out, _ := script.CombinedOutput(); script.ProcessState.ExitCode() != 1 {
		t.Errorf("the script ends with %d, want 1:\n%s", script.ProcessState.ExitCode(), out)
	}

	if err := os.WriteFile(filepath.Join(run.Dir, "w.yaml"), []byte("waivers:\n  - {id: "+id+", why: known, until: 2999-12-31}\n  - {id: A2A10-CL-STREAM-003, why: gone, until: 2999-12-31}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	waived := newChild(t, append([]string{"client", "--waivers", filepath.Join(run.Dir, "w.yaml"), "--scenario", "stream-cr,stream-crlf", "--"}, brokenClient...)...)
	waived.Run()
	if said := waived.Printed.String(); waived.ProcessState.ExitCode() != 1 || !strings.Contains(said, "A2A10-CL-STREAM-003 passes: delete its waiver") || strings.Contains(said, "WARN "+id) {
		t.Errorf("exit %d, want 1 for the waiver of what is no failure:\n%s%s", waived.ProcessState.ExitCode(), said, waived.Errors.String())
	}
}

// A mistake in the command line of a client is explained, and nothing is started.
func TestMistakesOfTheClientCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		says string
		code int
	}{
		{[]string{"client"}, "no client to start", 2},
		{[]string{"client", "node", "my.js"}, "write -- before the command", 2},
		{[]string{"client", "nxt"}, `unknown command "nxt"; did you mean client next?`, 2},
		{[]string{"client", "--self", "--", "node"}, "leave one of them out", 2},
		{[]string{"client", "--one-port", "--", "node"}, "--listen, which is not given", 2},
		{[]string{"client", "--listen", "127.0.0.1:0", "--", "node"}, "leave one of them out", 2},
		{[]string{"client", "--scenario", "nosuch", "--self"}, "unknown scenario nosuch", 2},
		{[]string{"client", "--dialect", "core", "--self"}, "the dialects are a2a-1.0, a2a-0.3", 2},
		{[]string{"client", "--gate", "good", "--self"}, "--gate", 2},
		{[]string{"client", "--keep", "--self"}, "--keep is about a command", 2},
		{[]string{"client", "--quiet", "--keep", "--", "true", "{url}"}, "{url} cannot be filled in", 2},
		{[]string{"client", "--self", "--variant", "nosuch"}, "has no variant", 2},
		{[]string{"client", "--adapter", "cobol"}, "unknown language cobol", 2},
		{[]string{"client", "--adapter", "go", "--dialect", "core"}, "unknown dialect of clients", 2},
		{[]string{"client", "--adapter", "go", "--dialect", "core-schema"}, "no adapter to begin with for clients of core-schema", 2},
		{[]string{"client", "--adapter", "go"}, "package main", 0},
		{[]string{"client", "--quiet", "--", "/nonexistent/client"}, "could not be started", 2},
		{[]string{"client", "--quiet", "--", "true"}, "sent no request", 4},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			t.Parallel()
			run := newChild(t, c.args...)
			run.Env = append(run.Env, "XDG_CACHE_HOME="+t.TempDir())
			run.Run()
			run.Check(t)
			if said := run.Printed.String() + run.Errors.String(); run.ProcessState.ExitCode() != c.code || !strings.Contains(said, c.says) {
				t.Errorf("exit %d, want %d and %q: %s", run.ProcessState.ExitCode(), c.code, c.says, said)
			}
		})
	}
}

// The list has the scenarios that the flags choose, and all without them.
func TestListOfScenarios(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flags   []string
		has, no []string
		errs    string
	}{
		{nil, []string{"hello ", "stream-cr ", "interfaces-order "}, nil, ""},
		{[]string{"--scenario", "stream-cr"}, []string{"hello ", "stream ", "stream-cr "}, []string{"stream-crlf ", "interfaces-order "}, ""},
		{[]string{"--run", "A2A10-CL-IFACE-001"}, []string{"hello ", "interfaces-order "}, []string{"stream-cr "}, ""},
		{[]string{"--area", "interfaces", "--skip", "A2A10-CL-IFACE-001"}, []string{"interfaces-patch "}, []string{"interfaces-order ", "stream-cr "}, ""},
		{[]string{"--scenario", "stream-crr"}, nil, nil, "did you mean stream-cr?"},
		{[]string{"--run", "A2A10-CL-XX-*"}, nil, nil, "A2A10-CL-XX-*"},
	} {
		code, out, errs := command(t, append([]string{"client", "--list"}, c.flags...)...)
		if (code == 2) != (c.errs != "") || !strings.Contains(errs, c.errs) {
			t.Errorf("%v: exit %d, want %q\n%s", c.flags, code, c.errs, errs)
		}
		for _, name := range c.has {
			if !strings.Contains("\n"+out, "\n"+name) {
				t.Errorf("%v: the list lacks %s", c.flags, name)
			}
		}
		for _, name := range c.no {
			if strings.Contains("\n"+out, "\n"+name) {
				t.Errorf("%v: the list has %s", c.flags, name)
			}
		}
	}
}
