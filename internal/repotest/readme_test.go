package repotest

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// workshop is a folder that is there while the tests of this package are made.
var workshop string

// built is the folder of the commands as a module of somebody else's installs them.
var built = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(workshop, "elsewhere")
	if err := foreignModule(dir); err != nil {
		return "", err
	}
	out, err := abroad(dir, "go", "install", "-ldflags=-s -w", module+"/cmd/a2a-conform", module+"/cmd/a2a-conform-fleet").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return dir, err
})

// builtCommand is the command, built once for all who run it. Beside it is that for fleets.
func builtCommand(t *testing.T) string {
	t.Helper()
	testamount.SkipInShort(t)
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "a2a-conform")
}

// Every command that the README and the guides show is run as it is shown, in
// the order in which it is shown.
func TestCommandsInTheGuides(t *testing.T) {
	t.Parallel()
	binary := builtCommand(t)
	server := startBundled(t, reference.Options{Dialect: "a2a-1.0"}).URL()
	first := firstRun(t, binary, server)
	guides := map[string]int{ // and the least number of commands in each
		"README.md": 9, "docs/card.md": 5, "docs/clients.md": 17, "docs/cross.md": 3, "docs/proxy.md": 1, "docs/traffic.md": 2, "docs/waivers.md": 5, "docs/known-faults.md": 1, "docs/configuration.md": 6, "docs/ci.md": 6, "docs/report.md": 2, "docs/requirements.md": 1, "docs/fleet.md": 8, "docs/install.md": 2, "docs/protocols.md": 1, "docs/coding-agents.md": 3, "examples/echo/README.md": 1}
	files := testamount.Of(slices.Sorted(maps.Keys(guides)), "README.md", "docs/card.md", "docs/waivers.md", "docs/cross.md", "docs/proxy.md", "docs/traffic.md", "docs/known-faults.md", "examples/echo/README.md")
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			if seen := runCommands(t, binary, server, first, file); seen < guides[file] {
				t.Errorf("only %d commands were found", seen)
			}
		})
	}
}

// open are the beginnings of commands that may end as a partial run does: they
// judge a server whose behaviours are not all named.
var open = []string{"run http", "run --config", "replay a2a-report", "replay a2a-cross", "run --wait", "http", "-fleet run"}

// otherClients are the programs of others that guides start as clients. The bundled client takes their place.
var otherClients = regexp.MustCompile(` -- (node my-client\.js|python3 my_client\.py|go run \./cmd/chat) `)

// clientDialect matches the protocol of a client in a command.
var clientDialect = regexp.MustCompile(` client .*--dialect (\S+) .*-- `)

// firstRun is a folder with a configuration and what a first run has left, where the guides
// begin.
func firstRun(t *testing.T, binary, server string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a2a-conform.yaml": "target: " + server + "\nstimuli:\n  slow: {text: slow 0.4, seconds: 0.4}\n  ask: {text: ask, answer: blue}\n  fail: {text: fail}\n  chunks: {text: artifact}\nwebhook: {listen: 127.0.0.1:0}\n",
		"agent-card.json":  cardOf(t, server),
		"agents.yaml":      "agents:\n  - target: " + server + "\n    stimuli: plain\n",
		"clients.yaml":     "clients:\n  - name: chat-go\n    command: [" + binary + ", reference-client, \"{url}\", \"{text}\"]\n",
		"session.har":      readSession(t),
		"servers.yaml":     "servers:\n  - name: local\n    url: " + server + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(binary, "run", server, "--quiet")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CI=", "GITHUB_ACTIONS=")
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 3 {
		t.Fatalf("exit %d\n%s", cmd.ProcessState.ExitCode(), out)
	}
	return dir
}

// readSession returns a HAR file that another program wrote.
func readSession(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("harness/importer/testdata/playwright.har")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// cardOf is the agent card of a server.
func cardOf(t *testing.T, server string) string {
	t.Helper()
	res, err := http.Get(server + "/.well-known/agent-card.json")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// runCommands runs the commands of a guide in a copy of a folder.
func runCommands(t *testing.T, binary, server, first, file string) (seen int) {
	outer := t
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := copyFolder(t, first)
	command := func(dir, line string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", "exec "+binary+line)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "CI=", "GITHUB_ACTIONS=", "A2A_TOKEN=of-the-guides", "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
		return cmd
	}
	perform := func(t *testing.T, dir, args string) {
		cmd := command(dir, args)
		out, _ := cmd.CombinedOutput()
		code := cmd.ProcessState.ExitCode()
		partial := slices.ContainsFunc(open, func(o string) bool { return strings.HasPrefix(strings.TrimSpace(args), o) })
		if code != 0 && !(code == 3 && partial) {
			t.Errorf("exit %d\n%s", code, out)
		}
	}
	for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		for _, line := range strings.Split(strings.TrimSpace(block[1]), "\n") {
			t.Run(line, func(t *testing.T) {
				seen++
				if install, ok := strings.CutPrefix(line, "go install "); ok {
					installable(t, install)
					return
				}
				args, ours := strings.CutPrefix(line, "go run ./cmd/a2a-conform")
				if installed, ok := strings.CutPrefix(line, "a2a-conform"); ok {
					args, ours = installed, true
				}
				if !ours || strings.HasPrefix(args, " prove") {
					calledByCI(t, line)
					return
				}
				args = strings.ReplaceAll(args, "http://localhost:9999", server)
				of := ""
				if named := clientDialect.FindStringSubmatch(args); named != nil {
					of = "--dialect " + named[1] + " "
				}
				args = otherClients.ReplaceAllString(args, " -- "+binary+" reference-client "+of)
				if strings.HasPrefix(args, " init ") { // it writes the configuration and replaces none
					if err := os.Remove(filepath.Join(dir, "a2a-conform.yaml")); err != nil {
						t.Fatal(err)
					}
				}
				if long, behind := strings.CutSuffix(args, " &"); behind { // those that follow need it
					cmd := command(dir, long)
					pipe, byHand := cmd.StdoutPipe, strings.Contains(long, " client ")
					if byHand { // nobody uses it, so it ends as unreachable
						pipe = cmd.StderrPipe
					}
					stdout, err := pipe()
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
						if err := <-ended; err != nil && !(byHand && cmd.ProcessState.ExitCode() == 4) {
							outer.Errorf("%s: %v", line, err)
						}
					})
					return
				}
				if strings.HasPrefix(args, " client --self") { // most of its time is waiting, and no command needs what it writes
					t.Parallel()
					perform(t, copyFolder(t, first), args)
					return
				}
				perform(t, dir, args)
			})
		}
	}
	return seen
}

// copyFolder returns a folder of the test with a copy of what another has.
func copyFolder(t *testing.T, from string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return dir
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
