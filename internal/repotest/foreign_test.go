package repotest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// foreignAgent is a test as whoever uses the library writes it, and one that looks at
// what the library brings along.
const foreignAgent = `package agent

import (
	"flag"
	"net/http/httptest"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/examples/echo"
)

func TestConformance(t *testing.T) {
	server := httptest.NewServer(&echo.Agent{})
	defer server.Close()
	conform.Test(t, server.URL)
}

func TestFlags(t *testing.T) {
	flag.VisitAll(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") {
			t.Errorf("the test program has the flag %s", f.Name)
		}
	})
}
`

// foreignModule writes a module of somebody else's, which needs this one.
func foreignModule(dir string) error {
	here, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	mod := fmt.Sprintf("module example.com/agent\n\ngo 1.26.0\n\nrequire %s v0.0.0\n\nreplace %[1]s => %s\n", module, here)
	for name, text := range map[string]string{"go.mod": mod, "go.sum": string(sums), "agent_test.go": foreignAgent} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// abroad is a command in a folder of somebody else's, where programs are installed too.
func abroad(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOBIN="+dir, "CI=")
	return cmd
}

// A module of somebody else's tests its agent with the library, whose test program
// gets no flag by that, and installs the command.
func TestForeignModule(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := foreignModule(dir); err != nil {
		t.Fatal(err)
	}
	perform := func(name string, args ...string) string {
		t.Helper()
		out, err := abroad(dir, name, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	out := perform("go", "test", "-count=1", "-v", ".")
	for _, test := range []string{"TestConformance/A2A10-CARD-001", "TestConformance", "TestFlags"} {
		if !strings.Contains(out, "--- PASS: "+test+" ") {
			t.Errorf("%s did not pass:\n%s", test, out)
		}
	}
	deps := perform("go", "list", "-deps", "-test", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")
	for _, foreign := range []string{"chromedp", "nats", "ginkgo", "spf13", "in-toto", "securesystemslib", "fsnotify", "browser"} {
		if strings.Contains(deps, foreign) {
			t.Errorf("the library brings along a module of %s:\n%s", foreign, deps)
		}
	}
	if out := perform(builtCommand(t), "run", "--self", "--quiet"); !strings.HasPrefix(out, "conformant") {
		t.Errorf("the installed command says %q", out)
	}
}
