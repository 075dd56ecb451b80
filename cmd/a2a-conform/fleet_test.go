package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
)

// fakeFleet writes a script in the place of the program for fleets, which prints a version, and
// else does what it is told.
func fakeFleet(t *testing.T, dir, version, does string) {
	t.Helper()
	script := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = --version ]; then echo a2a-conform fleet version %s; exit; fi\n%s\n", version, does)
	if err := os.WriteFile(filepath.Join(dir, fleetProgram), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
}

// passing is a call of the command with this folder alone in PATH. The shell of scripts is found
// without it.
func passing(t *testing.T, dir string, args ...string) *child {
	t.Helper()
	c := commandtest.NewChild(t, args...)
	c.Env = append(c.Env, "PATH="+dir)
	return c
}

// The program for fleets gets the arguments and the input, and what it prints and its exit code
// are those of the command.
func TestFleetIsPassedOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fakeFleet(t, dir, programVersion(), `read line; echo "got $* and $line"; echo problem >&2; exit 7`)
	for _, args := range [][]string{{"fleet", "run", "--file", "a b", "--", "-x"}, {"help", "fleet", "run"}, {"fleet", "--help"}} {
		c := passing(t, dir, args...)
		c.Stdin = strings.NewReader("a line\n")
		c.Run() // how it ended is in its state
		want := "got " + strings.Join(args[1:], " ") + " and a line\n"
		if args[0] == "help" {
			want = "got help run and a line\n"
		}
		if code := c.ProcessState.ExitCode(); code != 7 || c.Printed.String() != want || c.Errors.String() != "problem\n" {
			t.Errorf("%q: exit %d, printed %q and %q, want %q", args, code, c.Printed.String(), c.Errors.String(), want)
		}
	}
}

// Signals reach the program for fleets, and how they end it is how the command ends.
func TestSignalsReachTheFleet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ready := filepath.Join(dir, "ready")
	fakeFleet(t, dir, programVersion(), fmt.Sprintf(`trap 'exit 42' TERM; : > %s; while :; do read -r line; done`, ready))
	c := passing(t, dir, "fleet", "work")
	input, output, err := os.Pipe() // from which nothing comes
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	defer output.Close()
	c.Stdin = input
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Process.Kill()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(ready); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the program for fleets was not started")
		}
	}
	c.Process.Signal(syscall.SIGTERM)
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != 42 {
		t.Errorf("exit %d, want 42: %v\n%s", code, c.ProcessState, &c.Errors)
	}
}

// A program of another version, or none, is an error that says how to get the right one.
func TestFleetIsNotThere(t *testing.T) {
	t.Parallel()
	empty, older, broken := t.TempDir(), t.TempDir(), t.TempDir()
	fakeFleet(t, older, "v0.0.1", "echo never")
	if err := os.WriteFile(filepath.Join(broken, fleetProgram), []byte("#!/bin/sh\necho something else\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{empty: "in PATH; ", older: "in PATH; " + filepath.Join(older, fleetProgram) + " is v0.0.1; ", broken: "does not print its version"} {
		for _, args := range [][]string{{"fleet", "run", "http://127.0.0.1:1"}, {"fleet"}} {
			c := passing(t, dir, args...)
			c.Run() // how it ended is in its state
			c.Check(t)
			for _, want := range []string{"a2a-conform: fleet is a program of its own, a2a-conform-fleet", want, "cmd/a2a-conform-fleet"} {
				if !strings.Contains(c.Errors.String(), want) {
					t.Errorf("%q does not name %q", c.Errors.String(), want)
				}
			}
			if code := c.ProcessState.ExitCode(); code != 2 || c.Printed.Len() > 0 {
				t.Errorf("exit %d, want 2: %s", code, &c.Printed)
			}
		}
	}
}

// The program beside the command comes before that in PATH, if it has the version.
func TestFleetBesideTheCommand(t *testing.T) {
	t.Parallel()
	own := commandtest.ProgramOf(t)
	for version, want := range map[string]string{programVersion(): "beside\n", "v0.0.1": "in PATH\n"} {
		beside, inPath := t.TempDir(), t.TempDir()
		fakeFleet(t, beside, version, "echo beside")
		fakeFleet(t, inPath, programVersion(), "echo in PATH")
		c := passing(t, inPath, "fleet", "status")
		c.Path = filepath.Join(beside, "a2a-conform")
		if err := os.Link(own, c.Path); err != nil {
			if out, err := exec.Command("cp", own, c.Path).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		c.Run() // how it ended is in its state
		if code := c.ProcessState.ExitCode(); code != 0 || c.Printed.String() != want {
			t.Errorf("with version %s beside it: exit %d, printed %q, want %q\n%s", version, code, c.Printed.String(), want, &c.Errors)
		}
	}
}

// The broker of fleets is as large as everything else, and in the program for fleets alone.
func TestNoBrokerIsInTheCommand(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", ".", "../internal/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "github.com/nats-io/") {
		t.Errorf("the command depends on the broker:\n%s", out)
	}
}

// A shell completes what follows by the program for fleets.
func TestFleetIsCompleted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fakeFleet(t, dir, programVersion(), `[ "$*" = "__complete run --ga" ] && printf -- '--gate\n:4\n'`)
	c := passing(t, dir, "__complete", "fleet", "run", "--ga")
	c.Run() // how it ended is in its state
	if !strings.HasPrefix(c.Printed.String(), "--gate\n:4\n") {
		t.Errorf("it completes %q\n%s", c.Printed.String(), &c.Errors)
	}
}
