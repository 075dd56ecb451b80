//go:build unix

package serve

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

func TestFillCommand(t *testing.T) {
	t.Parallel()
	task := &Task{URL: "http://a", Card: "http://a/card", RPC: "http://a/rpc", Text: "it's {url} $HOME", Second: "more", Scenario: "hello"}
	for want, command := range map[string][]string{
		"node my.js http://a it's {url} $HOME": {"node", "my.js"},
		"go http://a/card more":                {"go", "{card}", "{second}"},
		"{url} --to=http://a":                  {"{url}", "--to={url}"},
		"x hello http://a/rpc":                 {"x", "{scenario}", "{rpc}"},
	} {
		before := slices.Clone(command)
		if got := strings.Join(fillCommand(command, task), " "); got != want || !slices.Equal(command, before) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A program starts in a folder of its own, and finds the files that its command line names.
func TestNameFilesAbsolutely(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"client.js", "node", "{url}"} {
		if err := os.WriteFile(name, nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	got := nameFilesAbsolutely([]string{"node", "client.js", "{url}", "missing.js", "--flag"})
	if want := []string{"node", filepath.Join(dir, "client.js"), "{url}", "missing.js", "--flag"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := nameFilesAbsolutely([]string{"./node"}); got[0] != filepath.Join(dir, "node") {
		t.Errorf("got %q", got)
	}
}

// startShell runs a script as a client.
func startShell(t *testing.T, script string, patience time.Duration, markers ...string) (record.ClientRun, []bool) {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	s := &starter{command: []string{"/bin/sh", "-c", script, "sh", "{text}"}, patience: patience, redact: redact.NewRedactor([]redact.Secret{{Name: "token", Value: "a-secret-of-the-operator"}}),
		without: func(name, _ string) bool { return name == "SERVE_TEST_SECRET" }, now: func() record.Instant { return time.Since(began) }}
	var looked []record.Marker
	for _, word := range markers {
		looked = append(looked, record.Marker{Word: word})
	}
	run := s.startClient(t.Context(), &Task{Scenario: "hello", Dialect: a2a10, URL: "http://a", Text: "a-secret-of-the-operator", Second: "second line"}, looked)
	var printed []bool
	for _, m := range run.Markers {
		printed = append(printed, m.Printed)
	}
	return run, printed
}

func TestStartProgram(t *testing.T) {
	t.Setenv("SERVE_TEST_SECRET", "hidden")
	t.Setenv("A2A_CONFORM_TOKEN", "hidden")
	run, printed := startShell(t, `echo "$1 $A2A_CONFORM_URL $A2A_CONFORM_SCENARIO $A2A_CONFORM_DIALECT $SERVE_TEST_SECRET$A2A_CONFORM_TOKEN"; cat; pwd >&2; echo $HOME >&2; ls -A >&2; printf 'b\\u00e4d'; exit 7`, 10*time.Second, "bäd", "absent")
	if run.Exit != 7 || run.Signal != "" || run.Patience || run.Trouble != "" || run.Ended < run.Started {
		t.Errorf("it fared as %+v", run)
	}
	if want := "⟦secret:token⟧ http://a hello a2a-1.0 \nsecond line\nb\\u00e4d"; run.Stdout != want {
		t.Errorf("it printed %q, want %q", run.Stdout, want)
	}
	if lines := strings.Fields(run.Stderr); len(lines) != 2 || lines[0] != lines[1] || lines[0] == "" {
		t.Errorf("its folder and home are %q", run.Stderr)
	} else if _, err := os.Stat(lines[0]); !os.IsNotExist(err) {
		t.Errorf("its folder is left: %v", err)
	}
	if !slices.Equal(printed, []bool{true, false}) {
		t.Errorf("markers were found: %v", printed)
	}
	if strings.Contains(strings.Join(run.Command, " "), "a-secret") {
		t.Errorf("the command has a secret: %q", run.Command)
	}
}

// Output beyond what is kept is searched all the same, also across the border of two writes.
func TestBoundOutput(t *testing.T) {
	t.Parallel()
	run, printed := startShell(t, `head -c 300000 /dev/zero | tr '\0' x; printf 'b\303'; sleep 0.05; printf '\244d'`, 10*time.Second, "bäd")
	if len(run.Stdout) != MaxOutput || !printed[0] {
		t.Errorf("%d bytes are kept, and the marker was found: %v", len(run.Stdout), printed)
	}
}

// A program that does not end is ended, with its children, also if it ignores the first signal.
func TestEndPrograms(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"waits":   `echo $$; sleep 60`,
		"ignores": `trap '' TERM; echo $$; while :; do sleep 1; done`,
		"child":   `sleep 60 & echo $!; wait`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run, _ := startShell(t, script, 300*time.Millisecond)
			if !run.Patience || run.Signal != "" {
				t.Errorf("it fared as %+v", run)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(run.Stdout))
			if err != nil {
				t.Fatal(err)
			}
			for until := time.Now().Add(10 * time.Second); syscall.Kill(pid, 0) == nil && !isDefunct(pid); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(until) {
					t.Fatalf("process %d is left", pid)
				}
			}
		})
	}
}

// isDefunct reports whether a process has ended, and is only waited for.
func isDefunct(pid int) bool {
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	f := strings.Fields(string(text))
	return len(f) > 2 && f[2] == "Z"
}

// A child that is left behind, and keeps the output open, does not hold up the run.
func TestLeaveNoChildren(t *testing.T) {
	t.Parallel()
	began := time.Now()
	run, _ := startShell(t, `sleep 60 & echo $!; exit 0`, 20*time.Second)
	if run.Exit != 0 || run.Patience || time.Since(began) > 15*time.Second {
		t.Errorf("after %v it fared as %+v", time.Since(began), run)
	}
}

// A function that does not end with its context is left behind.
func TestLeaveFunctions(t *testing.T) {
	t.Parallel()
	s := &starter{patience: 50 * time.Millisecond, redact: redact.NewRedactor(nil), now: func() record.Instant { return 0 }}
	release := make(chan struct{})
	defer close(release)
	s.call = func(context.Context, *Task) error { <-release; return nil }
	if run := s.startClient(t.Context(), &Task{}, nil); !run.Patience || run.Exit != 1 {
		t.Errorf("it fared as %+v", run)
	}
}
