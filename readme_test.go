package conform_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reference"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// Every command that the README and the guides show is run as it is shown.
func TestCommandsInTheReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "a2a-conform")
	if out, err := exec.Command("go", "build", "-o", binary, "./cmd/a2a-conform").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	server := bundled(t, reference.Options{Dialect: "a2a-0.1"})
	config := "target: " + server.URL() + "\nstimuli:\n  slow: {text: slow 0.4, seconds: 0.4}\n  ask: {text: ask, answer: blue}\n  fail: {text: fail}\n  chunks: {text: artifact}\nwebhook: {listen: 127.0.0.1:0}\n"
	if err := os.WriteFile(filepath.Join(dir, "a2a-conform.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		for _, line := range strings.Split(strings.TrimSpace(block[1]), "\n") {
			t.Run(line, func(t *testing.T) {
				seen++
				args, ours := strings.CutPrefix(line, "go run ./cmd/a2a-conform ")
				if !ours || strings.HasPrefix(args, "prove") {
					calledByCI(t, line)
					return
				}
				args = strings.ReplaceAll(args, "http://localhost:9999", server.URL())
				cmd := exec.Command(binary, strings.Fields(args)...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "CI=")
				out, err := cmd.CombinedOutput()
				code := cmd.ProcessState.ExitCode()
				// A server whose behaviours are not all named is partial: the README says so.
				if code != 0 && !(code == 3 && strings.HasPrefix(args, "run http")) && !(code == 3 && strings.Contains(args, "--config")) {
					t.Errorf("exit %d, %v\n%s", code, err, out)
				}
			})
		}
	}
	if seen < 7 {
		t.Errorf("only %d commands were found in the README", seen)
	}
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
