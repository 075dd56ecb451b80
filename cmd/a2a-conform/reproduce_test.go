package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
)

// The script of a failure holds the conversation again with a server of the
// same defect and shows the bytes of the fault; a healthy server, named in the
// environment, does not show them. The credential comes from the environment
// and stands in no script.
func TestReproduce(t *testing.T) {
	testamount.SkipInShort(t)
	for _, program := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("this test runs scripts of reports: install %s", program)
		}
	}
	flagNaming = stepsAsIDs // which tell one call's id from another's, however often the script is run
	t.Cleanup(func() { flagNaming = operator.Naming{} })
	dir := here(t)
	t.Setenv("TEST_TOKEN", "a-token-of-this-test")
	broken, healthy := served(t, "resubscribe-old-id"), served(t, "")
	// Work that is still under way when a busy machine comes to the last call.
	if err := os.WriteFile("stimuli.yaml", []byte("slow: {text: slow 1, seconds: 1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := command(t, "run", broken, "--stimuli", "stimuli.yaml", "--run", "A2A01-STR-041", "--bearer-env", "TEST_TOKEN")
	if code != 1 || !strings.Contains(out, "sh a2a-report/reproduce/A2A01-STR-041.sh") {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	script := filepath.Join(dir, "a2a-report", "reproduce", "A2A01-STR-041.sh")
	text, err := os.ReadFile(script)
	if err != nil || strings.Contains(string(text), "a-token-of-this-test") {
		t.Fatalf("%v\n%s", err, text)
	}
	program := commandtest.ProgramOf(t)
	last := func(want int, env ...string) string {
		cmd := exec.Command("sh", script)
		cmd.Env = append(append(os.Environ(), "A2A_TOKEN=a-token-of-this-test", "A2A_CONFORM="+program, commandtest.LeftVariable+"="+filepath.Join(dir, "left")), env...)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != want {
			t.Fatalf("%v, want exit %d\n%s", err, want, out)
		}
		_, answer, ok := strings.Cut(string(out), ": resubscribe/plain")
		if !ok || !strings.Contains(answer, "data: ") {
			t.Fatalf("the last step was not made:\n%s", out)
		}
		return answer
	}
	// The defect: a stream that is taken up again bears the id of the first call.
	kept := filepath.Join(dir, "a2a-report", "reproduce", "A2A01-STR-041.d")
	for range 2 {
		if answer := last(1); !strings.Contains(answer, `"id":"resubscribe/subscribe"`) {
			t.Errorf("the fault does not show:\n%s", answer)
		}
		if err := os.WriteFile(filepath.Join(kept, "mine.txt"), []byte("a file of mine"), 0o600); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(kept, "mine.txt")); err != nil {
		t.Errorf("what was in the folder besides is gone: %v", err)
	}
	if answer := last(0, "A2A_TARGET="+healthy); strings.Contains(answer, `"id":"resubscribe/subscribe"`) {
		t.Errorf("a healthy server shows the fault:\n%s", answer)
	}
	// The token stands in nothing that is left.
	filepath.WalkDir(filepath.Join(dir, "a2a-report"), func(path string, d os.DirEntry, err error) error {
		if text, _ := os.ReadFile(path); strings.Contains(string(text), "a-token-of-this-test") {
			t.Errorf("the token is in %s", path)
		}
		return err
	})
	cmd := exec.Command("sh", script)
	cmd.Env = append(os.Environ(), "A2A_TOKEN=")
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "A2A_TOKEN is a credential") {
		t.Errorf("without the token: %v\n%s", cmd.ProcessState, out)
	}
}

// Every script of runs against broken servers is one that a shell can read.
func TestScriptsAreShell(t *testing.T) {
	testamount.SkipInShort(t)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal("this test reads scripts of reports by sh: install sh")
	}
	here(t)
	seen := 0
	for _, mutant := range []string{"final-missing", "card-skills-empty", "id-fraction-cut", "one-task-per-session"} {
		s, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-0.1", Mutant: mutant})
		if err != nil {
			t.Fatal(err)
		}
		code, out, errs := command(t, "run", s.URL(), "--stimuli", "plain", "--quiet", "--out", mutant)
		s.Close()
		if code != 1 {
			t.Fatalf("%s: exit %d\n%s%s", mutant, code, out, errs)
		}
		for _, res := range read(t, mutant+"/report.json").Results {
			if res.Reproduce == "" {
				continue
			}
			seen++
			if out, err := exec.Command(sh, "-n", filepath.Join(mutant, res.Reproduce)).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", res.Reproduce, err, out)
			}
		}
	}
	if seen < 4 {
		t.Errorf("only %d scripts were written", seen)
	}
}
