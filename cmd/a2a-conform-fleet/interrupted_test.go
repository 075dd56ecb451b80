package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
)

// processesOf lists the processes that have a text on their command line.
func processesOf(text string) (out []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range all {
		if line, _ := os.ReadFile(name); bytes.Contains(line, []byte(text)) && !bytes.Contains(line, []byte("-test.run")) {
			out = append(out, string(bytes.ReplaceAll(line, []byte{0}, []byte(" "))))
		}
	}
	return out
}

// A run that is interrupted or killed leaves no process behind, and the next one goes on with
// its round.
func TestFleetRunIsInterrupted(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Fatal("this test looks at processes in /proc: ", err)
	}
	p := aPark(t, 10, 2, []string{"a2x-0.3"}) // none of which is over at once
	data, out := t.TempDir(), t.TempDir()
	args := append([]string{"run", "--file", p.file, "--data", data, "--out", out, "--workers", "1", "--parallel", "2"}, p.flags()...)
	for _, how := range []os.Signal{syscall.SIGKILL, os.Interrupt} {
		running := started(t, args...)
		results := func() int {
			_, stdout, _ := fleetOf(t, "status", "--data", data)
			return strings.Count(stdout, " results, ") - strings.Count(stdout, " 0 results, ")
		}
		for deadline := time.Now().Add(time.Minute); results() == 0 && time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		}
		running.cmd.Process.Signal(how)
		err := running.cmd.Wait()
		running.cmd = nil
		if err == nil {
			t.Errorf("it ended as if nothing had happened after %v", how)
		}
		deadline := time.Now().Add(40 * time.Second)
		for ; len(processesOf(data)) > 0 && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		}
		if left := processesOf(data); len(left) > 0 {
			t.Fatalf("left behind after %v: %q", how, left)
		}
	}
	code, stdout, _ := fleetOf(t, args...)
	if code != 1 || !strings.Contains(stdout, "round 1: ") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	started(t, "broker", "--data", data)
	if _, stdout, _ = fleetOf(t, "status", "--data", data); !strings.Contains(stdout, ": 10 targets, 10 results, finished") {
		t.Error(stdout)
	}
}
