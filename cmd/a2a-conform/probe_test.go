package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/examples/echo"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
)

// What probe prints is a configuration with which a healthy agent is
// conformant, where it showed all that it can or the operator says that it can
// do no more. Without it an agent that only ever answers is partial, and accused
// of nothing.
func TestProbe(t *testing.T) {
	testamount.SkipInShort(t)
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
			if c.name == "full" {
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

// What is no A2A server is called the same by every command, with the same remedy.
func TestNoServerInEveryCommand(t *testing.T) {
	here(t)
	grpc, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-1.0", GRPCAddr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { grpc.Close() })
	serve := func(h http.HandlerFunc) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	for _, c := range []struct{ name, url, word string }{
		{"a page", serve(commandtest.AnswerWith(http.StatusOK, "text/html", "<h1>Welcome</h1>")), "not recognised: no agent card"},
		{"nothing", serve(http.NotFound), "give --card URL"},
		{"a redirect", serve(http.RedirectHandler("https://agents.example/", http.StatusFound).ServeHTTP), "to https://agents.example/"},
		{"a gateway", serve(commandtest.AnswerWith(http.StatusServiceUnavailable, "text/plain", "")), "a gateway's (HTTP 503)"},
		{"a card that is cut off", serve(cardAt("", `{"name": "x`)), "is not JSON: line 1, column 12"},
		{"a port of gRPC", "http://" + grpc.GRPCAddr(), "a gRPC port?"},
		{"a closed port", "http://127.0.0.1:1", "connection refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			command(t, "run", c.url, "--quiet")
			why := read(t, "a2a-report/report.json").Reason
			if !strings.Contains(why, c.word) {
				t.Errorf("run: %q does not name %q", why, c.word)
			}
			for _, args := range [][]string{{"probe", c.url}, {"waivers", "--from", "a2a-report/report.json"}} {
				if code, out, errs := command(t, args...); code != 2 || out != "" || !strings.Contains(errs, why) {
					t.Errorf("%s: exit %d, %s%s; want %q", args[0], code, out, errs, why)
				}
			}
		})
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
