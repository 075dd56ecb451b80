package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/examples/echo"
	"github.com/a2a-conform/a2a-conform/reference"
)

// What probe prints is a configuration with which a healthy agent is
// conformant. Without it an agent that only ever answers is partial, and
// accused of nothing.
func TestProbe(t *testing.T) {
	agent := httptest.NewServer(&echo.Agent{})
	t.Cleanup(agent.Close)
	for _, c := range []struct {
		name, url    string
		shown, never string
	}{
		{"only answers", agent.URL, `quick: {text: "echo hello"}`, "slow"},
		{"full", startedBy(t, "--dialect", "a2a-0.3"), `slow: {text: "slow 0.4", seconds: 0.4}`, ""},
		{"minimal", startedBy(t, "--dialect", "a2a-0.3", "--variant", "minimal"), `ask: {text: "ask", answer: "blue"}`, "crash"},
	} {
		t.Run(c.name, func(t *testing.T) {
			here(t)
			if c.name == "only answers" {
				if code, out, _ := command(t, "run", c.url, "--quiet"); code != 3 {
					t.Errorf("exit %d without a configuration\n%s", code, out)
				}
			}
			code, out, errs := command(t, "probe", c.url)
			if code != 0 {
				t.Fatalf("exit %d\n%s", code, errs)
			}
			_, never, _ := strings.Cut(out, "never:")
			if !strings.Contains(out, c.shown) || !strings.Contains(never, c.never) {
				t.Errorf("%q and never %q are not in\n%s", c.shown, c.never, out)
			}
			file := filepath.Join(t.TempDir(), "probed.yaml")
			if err := os.WriteFile(file, []byte(out), 0o600); err != nil {
				t.Fatal(err)
			}
			if code, said, errs := command(t, "run", "--config", file, "--quiet", "--webhook-listen", "127.0.0.1:0"); code != 0 {
				t.Errorf("exit %d\n%s%s\n%s", code, said, errs, out)
			}
		})
	}
}

func TestProbeWithoutAgent(t *testing.T) {
	here(t)
	server := httptest.NewServer(nil)
	defer server.Close()
	if code, _, errs := command(t, "probe", server.URL); code != 2 || !strings.Contains(errs, "no sign of an A2A server") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// Why the harmless message was not completed is said with the flag to add.
func TestProbeOfAGuardedAgent(t *testing.T) {
	here(t)
	server, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-0.3", Variant: "guarded"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if code, _, errs := command(t, "probe", server.URL()); code != 2 || !strings.Contains(errs, "HTTP 401") || !strings.Contains(errs, "--bearer-env") {
		t.Errorf("exit %d: %s", code, errs)
	}
}
