package conform_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-conform/a2a-conform/reference"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// workshop is a folder that is there while the tests of this package are made.
var workshop string

var built = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(workshop, "a2a-conform")
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", binary, "./cmd/a2a-conform").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return binary, err
})

// builtCommand is the command, built once for all who run it.
func builtCommand(t *testing.T) string {
	t.Helper()
	binary, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// Every command that the README and the guides show is run as it is shown, in
// the order in which it is shown.
func TestCommandsInTheGuides(t *testing.T) {
	t.Parallel()
	binary := builtCommand(t)
	for _, c := range []struct {
		file  string
		least int // commands in it
	}{{"README.md", 15}, {"docs/waivers.md", 5}, {"docs/configuration.md", 6}, {"docs/ci.md", 6}, {"docs/report.md", 2}, {"docs/fleet.md", 8}, {"examples/echo/README.md", 1}} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			if seen := runCommands(t, binary, c.file); seen < c.least {
				t.Errorf("only %d commands were found", seen)
			}
		})
	}
}

// open are the beginnings of commands that may end as a partial run does: they
// judge a server whose behaviours are not all named.
var open = []string{"run http", "run --config", "http", "fleet run"}

func runCommands(t *testing.T, binary, file string) (seen int) {
	outer := t
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	server := bundled(t, reference.Options{Dialect: "a2a-0.1"})
	config := "target: " + server.URL() + "\nstimuli:\n  slow: {text: slow 0.4, seconds: 0.4}\n  ask: {text: ask, answer: blue}\n  fail: {text: fail}\n  chunks: {text: artifact}\nwebhook: {listen: 127.0.0.1:0}\n"
	if err := os.WriteFile(filepath.Join(dir, "a2a-conform.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "agents.yaml"), []byte("agents:\n  - target: "+server.URL()+"\n    stimuli: plain\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command := func(line string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", "exec "+binary+" "+line)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "CI=", "GITHUB_ACTIONS=")
		return cmd
	}
	perform := func(line string) (int, []byte) {
		cmd := command(line)
		out, _ := cmd.CombinedOutput()
		return cmd.ProcessState.ExitCode(), out
	}
	// The guides begin where a first run has left its reports.
	if code, out := perform("run " + server.URL() + " --quiet"); code != 3 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		for _, line := range strings.Split(strings.TrimSpace(block[1]), "\n") {
			t.Run(line, func(t *testing.T) {
				seen++
				if install, ok := strings.CutPrefix(line, "go install "); ok {
					installable(t, install)
					return
				}
				args, ours := strings.CutPrefix(line, "go run ./cmd/a2a-conform ")
				if !ours || strings.HasPrefix(args, "prove") {
					calledByCI(t, line)
					return
				}
				args = strings.ReplaceAll(args, "http://localhost:9999", server.URL())
				if long, behind := strings.CutSuffix(args, " &"); behind { // those that follow need it
					cmd := command(long)
					stdout, err := cmd.StdoutPipe()
					if err != nil {
						t.Fatal(err)
					}
					if err := cmd.Start(); err != nil {
						t.Fatal(err)
					}
					// One that listens prints where; interrupted before, it rightly fails.
					printed := bufio.NewReader(stdout)
					if strings.Contains(long, "--listen") {
						if _, err := printed.ReadString('\n'); err != nil {
							t.Errorf("it does not print where it listens: %v", err)
						}
					}
					ended := make(chan error, 1)
					go func() {
						io.Copy(io.Discard, printed) // before Wait, which closes what it reads from
						ended <- cmd.Wait()
					}()
					outer.Cleanup(func() {
						cmd.Process.Signal(os.Interrupt)
						if err := <-ended; err != nil {
							outer.Errorf("%s: %v", line, err)
						}
					})
					return
				}
				code, out := perform(args)
				partial := slices.ContainsFunc(open, func(o string) bool { return strings.HasPrefix(args, o) })
				if code != 0 && !(code == 3 && partial) {
					t.Errorf("exit %d\n%s", code, out)
				}
			})
		}
	}
	return seen
}

// calledByCI accepts the README's test command, which this very test is a part
// of, and the proof, which has tests of its own: CI has to run them.
func calledByCI(t *testing.T, line string) {
	text, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Fields(line)
	if !strings.Contains(string(text), strings.Join(args[:2], " ")) && !strings.Contains(string(text), " "+args[3]+" ") {
		t.Errorf("nobody runs %q", line)
	}
}

// installable accepts an installation of this module's latest version, which cannot
// be made here: the path is that of the module, and the program is in it.
func installable(t *testing.T, what string) {
	m := regexp.MustCompile(`(?m)^module (\S+)$`).FindStringSubmatch(contents(t, "go.mod"))
	if m == nil {
		t.Fatal("go.mod names no module")
	}
	folder, ok := strings.CutPrefix(what, m[1]+"/")
	folder, latest := strings.CutSuffix(folder, "@latest")
	if !ok || !latest || !filepath.IsLocal(folder) {
		t.Fatalf("%q is no program of the module %s at its latest version", what, m[1])
	}
	if main := contents(t, filepath.Join(folder, "main.go")); !strings.Contains(main, "\npackage main\n") && !strings.HasPrefix(main, "package main\n") {
		t.Errorf("%s holds no program", folder)
	}
}
