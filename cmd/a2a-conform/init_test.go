package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/config"
	"github.com/a2a-conform/a2a-conform/examples/echo"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
)

// TestInit writes a configuration that run reads by itself, and overwrites nothing.
func TestInit(t *testing.T) {
	testamount.SkipInShort(t)
	here(t)
	agent := httptest.NewServer(&echo.Agent{})
	t.Cleanup(agent.Close)
	code, out, errs := command(t, "init", agent.URL, "--never-unseen")
	if code != 0 || !strings.HasSuffix(out, "\nnext: a2a-conform run\n") {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	written := readBack(t, usualConfig)
	var target conform.Target
	if err := config.Parse(usualConfig, []byte(written), &target, config.FromOutside); err != nil || target.URL != agent.URL || len(target.Never) == 0 {
		t.Errorf("%v, target %q, never %q in\n%s", err, target.URL, target.Never, written)
	}
	if job := readBack(t, ".github/workflows/a2a-conform.yml"); !strings.Contains(job, "config: a2a-conform.yaml") || !strings.Contains(job, "# Start your agent here, so that it listens at "+agent.URL) {
		t.Errorf("the CI file is\n%s", job)
	}
	if code, out, errs := command(t, "run", "--quiet"); code != 0 || !strings.HasPrefix(errs, "a2a-conform.yaml: target "+agent.URL+", no credentials; read because it is in this folder (--config \"\" leaves it out)\n") {
		t.Errorf("run with the file: exit %d\n%s%s", code, out, errs)
	}
	if code, out, errs := command(t, "run", agent.URL, "--quiet"); code != 0 {
		t.Errorf("run on the server of the file: exit %d\n%s%s", code, out, errs)
	}
	if code, _, errs := command(t, "run", agent.URL, "--quiet", "--config", ""); code != 0 || strings.Contains(errs, usualConfig) {
		t.Errorf("run without the file: exit %d\n%s", code, errs)
	}
	if code, _, errs := command(t, "run", "http://127.0.0.1:1", "--quiet"); code != 4 || !strings.Contains(errs, "a2a-conform.yaml was not read: it is about "+agent.URL) {
		t.Errorf("run on another server: exit %d\n%s", code, errs)
	}
	for name, args := range map[string][]string{
		"a2a-conform.yaml is already there; --force overwrites it":                  {"init", agent.URL},
		".github/workflows/a2a-conform.yml is already there; --force overwrites it": {"init", agent.URL, "--write", "other.yaml"},
		`--ci "jenkins" is not one of github, gitlab, none`:                         {"init", agent.URL, "--ci", "jenkins"},
		"is a folder; name a file":                                                  {"probe", agent.URL, "--write", ".github"},
		"init calls one server, but was given 2 URLs":                               {"init", agent.URL, agent.URL},
	} {
		if code, out, errs := command(t, args...); code != 2 || !strings.Contains(errs, name) {
			t.Errorf("%v: exit %d, want the error %q\n%s%s", args, code, name, out, errs)
		}
	}
	if got := readBack(t, usualConfig); got != written {
		t.Errorf("the file was changed to\n%s", got)
	}
	if code, out, errs := command(t, "probe", agent.URL, "--never-unseen", "--config", "", "--write", "probed.yaml"); code != 0 || !strings.HasSuffix(out, "\nnext: a2a-conform run --config probed.yaml\n") || withoutComments(readBack(t, "probed.yaml")) != withoutComments(written) {
		t.Errorf("probe --write: exit %d\n%s%s%s", code, out, errs, readBack(t, "probed.yaml"))
	}
	if err := os.WriteFile(usualConfig, []byte("target: "+agent.URL+"\ndeclares: {never: [asks]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := command(t, "run"); code != 2 || !strings.Contains(errs, "a2a-conform.yaml:2: declares.never") {
		t.Errorf("a mistake in the file: exit %d\n%s", code, errs)
	}
}

// TestInitForGitLab writes beside the file that a project has for all its jobs.
func TestInitForGitLab(t *testing.T) {
	testamount.SkipInShort(t)
	dir := here(t)
	agent := httptest.NewServer(&echo.Agent{})
	t.Cleanup(agent.Close)
	t.Setenv("AGENT_TOKEN", "a-token-for-the-agent")
	args := []string{"init", agent.URL, "--ci", "gitlab", "--bearer-env", "AGENT_TOKEN", "--write"}
	for i, want := range []string{".gitlab-ci.yml", "a2a-conform.gitlab-ci.yml"} {
		name := []string{"one.yaml", "two.yaml"}[i]
		code, out, errs := command(t, append(args, name)...)
		if code != 0 || !strings.Contains(out, "\n"+want+": judges") || strings.Contains(out, "include:") != (i == 1) {
			t.Errorf("exit %d\n%s%s", code, out, errs)
		}
		job := readBack(t, want)
		if !strings.Contains(job, "--config "+name) || !strings.Contains(job, "AGENT_TOKEN") || !strings.Contains(readBack(t, name), "bearer: ${AGENT_TOKEN}") {
			t.Errorf("%s is\n%s", want, job)
		}
		if strings.Contains(job+readBack(t, name)+out+errs, "a-token-for-the-agent") {
			t.Error("the token is written")
		}
	}
	if all, err := filepath.Glob(filepath.Join(dir, ".github", "*")); err != nil || len(all) > 0 {
		t.Errorf("%v, %v", all, err)
	}
}

func readBack(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// withoutComments returns the lines of a configuration without their comments, which have figures in them.
func withoutComments(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			kept.WriteString(line + "\n")
		}
	}
	return kept.String()
}
