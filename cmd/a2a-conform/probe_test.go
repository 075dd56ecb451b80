package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/examples/echo"
	"github.com/a2a-conform/a2a-conform/reference"
)

// What probe prints is a configuration with which a healthy agent is
// conformant, where it showed all that it can or the operator says that it can
// do no more. Without it an agent that only ever answers is partial, and accused
// of nothing.
func TestProbe(t *testing.T) {
	t.Parallel()
	agent := httptest.NewServer(&echo.Agent{})
	t.Cleanup(agent.Close)
	for _, c := range []struct {
		name, url string
		flags     []string
		shown     string
		never     []string
		code      int // of the run
	}{
		{"only answers", agent.URL, []string{"--never-unseen"}, `quick: {text: "echo hello"}`,
			[]string{"crash", "ask", "chunks", "data", "fail", "needauth", "recall", "remember", "slow"}, 0},
		{"full", startedBy(t, "--dialect", "a2a-0.3"), nil, `slow: {text: "slow 0.35", seconds: 0.35}`, nil, 0},
		{"minimal", startedBy(t, "--dialect", "a2a-0.3", "--variant", "minimal"), nil, `ask: {text: "ask", answer: "blue"}`, []string{"crash"}, 0},
		{"client-made tasks", startedBy(t, "--dialect", "jaf-0.3"), nil, `slow: {text: "slow 0.4", seconds: 0.4}`, nil, 3}, // its limits are tried with a flag
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if c.name == "only answers" {
				if code, out, _ := command(t, "run", c.url, "--quiet", "--out", filepath.Join(dir, "before")); code != 3 {
					t.Errorf("exit %d without a configuration\n%s", code, out)
				}
			}
			out, printed := probedBy(t, append([]string{c.url}, c.flags...)...)
			if !strings.Contains(out, c.shown) || !slices.Equal(slices.Sorted(slices.Values(printed.Never)), slices.Sorted(slices.Values(c.never))) {
				t.Errorf("%q and never %q are not in\n%s", c.shown, c.never, out)
			}
			file := filepath.Join(dir, "probed.yaml")
			if err := os.WriteFile(file, []byte(out), 0o600); err != nil {
				t.Fatal(err)
			}
			if code, said, errs := command(t, "run", "--config", file, "--quiet", "--webhook-listen", "127.0.0.1:0", "--out", filepath.Join(dir, "report")); code != c.code {
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
