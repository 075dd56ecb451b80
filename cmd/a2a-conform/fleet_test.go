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

// passings are the ways in which a process passes on: the program takes its place, or is its child
// where that cannot be, as on Windows.
var passings = map[string][]string{"in its place": nil, "as its child": {waitVariable + "=1"}}

// The program for fleets gets the arguments and the input, and what it prints and its exit code
// are those of the command.
func TestFleetIsPassedOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fakeFleet(t, dir, programVersion(), `read line; echo "got $* and $line"; echo problem >&2; exit 7`)
	for how, env := range passings {
		for _, args := range [][]string{{"fleet", "run", "--file", "a b", "--", "-x"}, {"help", "fleet", "run"}, {"fleet", "--help"}} {
			c := passing(t, dir, args...)
			c.Env = append(c.Env, env...)
			c.Stdin = strings.NewReader("a line\n")
			c.Run() // how it ended is in its state
			want := "got " + strings.Join(args[1:], " ") + " and a line\n"
			if args[0] == "help" {
				want = "got help run and a line\n"
			}
			if code := c.ProcessState.ExitCode(); code != 7 || c.Printed.String() != want || c.Errors.String() != "problem\n" {
				t.Errorf("%s, %q: exit %d, printed %q and %q, want %q", how, args, code, c.Printed.String(), c.Errors.String(), want)
			}
		}
	}
}

// awaitFile waits until a script has written a file.
func awaitFile(t *testing.T, file string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the program for fleets was not started: there is no %s", file)
		}
	}
}

// startWaiting starts a call of the command in a process group of its own, as a shell does, with
// an input from which nothing comes.
func startWaiting(t *testing.T, c *child) {
	t.Helper()
	input, output, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdin, c.SysProcAttr = input, &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		input.Close()
		output.Close()
	})
}

// Signals reach the program for fleets, and how it ends is how the command ends. An interruption on
// a terminal reaches a child as well as its parent, which waits for it.
func TestSignalsReachTheFleet(t *testing.T) {
	t.Parallel()
	for _, how := range []struct {
		name   string
		env    []string
		signal syscall.Signal
		group  int // 1 for the process alone, -1 for its group
	}{
		{"in its place, a request to end", passings["in its place"], syscall.SIGTERM, 1},
		{"in its place, an interruption", passings["in its place"], syscall.SIGINT, 1},
		{"as its child, an interruption on a terminal", passings["as its child"], syscall.SIGINT, -1},
	} {
		t.Run(how.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			ready := filepath.Join(dir, "ready")
			fakeFleet(t, dir, programVersion(), fmt.Sprintf(`trap 'echo ending; exit 42' TERM INT; : > %s; while :; do read -r line; done`, ready))
			c := passing(t, dir, "fleet", "work")
			c.Env = append(c.Env, how.env...)
			startWaiting(t, c)
			awaitFile(t, ready)
			syscall.Kill(how.group*c.Process.Pid, how.signal)
			c.Wait() // how it ended is in its state
			if code := c.ProcessState.ExitCode(); code != 42 || c.Printed.String() != "ending\n" {
				t.Errorf("exit %d, want 42: %v\n%s%s", code, c.ProcessState, &c.Printed, &c.Errors)
			}
		})
	}
}

// A program for fleets that a signal ends takes the command with it, which is ended by that signal.
func TestSignalsEndTheFleet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fakeFleet(t, dir, programVersion(), `kill -KILL $$`)
	c := passing(t, dir, "fleet", "work")
	c.Run() // how it ended is in its state
	if status := c.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGKILL {
		t.Errorf("it ended with %v", c.ProcessState)
	}
}

// A signal that comes before the program for fleets has begun ends the command: nothing is passed on.
func TestSignalBeforeTheFleetBegins(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	asked := filepath.Join(dir, "asked")
	script := fmt.Sprintf("#!/bin/sh\n: > %s\nif [ \"$1\" = --version ]; then while :; do read -r line; done; fi\necho begun\n", asked)
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	script = strings.Replace(script, "while :;", "exec <"+pipe+"; while :;", 1) // which waits for who never writes
	if err := os.WriteFile(filepath.Join(dir, fleetProgram), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	c := passing(t, dir, "fleet", "work")
	startWaiting(t, c)
	awaitFile(t, asked)
	c.Process.Signal(syscall.SIGTERM)
	c.Wait() // how it ended is in its state
	if code := c.ProcessState.ExitCode(); code != 2 || c.Printed.Len() > 0 || !strings.Contains(c.Errors.String(), "interrupted before it was finished") {
		t.Errorf("exit %d, want 2: %v\n%s%s", code, c.ProcessState, &c.Printed, &c.Errors)
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
			for _, want := range []string{"a2a-conform: fleet needs another program, a2a-conform-fleet", want, "cmd/a2a-conform-fleet"} {
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

// Of several programs in PATH the first of the right version is called, and none of a folder that
// depends on where the command is called.
func TestFleetOfTheSameVersionInPath(t *testing.T) {
	t.Parallel()
	older, same, relative := t.TempDir(), t.TempDir(), t.TempDir()
	fakeFleet(t, older, "v0.0.1", "echo older")
	fakeFleet(t, same, programVersion(), "echo same")
	fakeFleet(t, relative, programVersion(), "echo relative")
	c := passing(t, strings.Join([]string{".", older, same}, string(os.PathListSeparator)), "fleet", "status")
	c.Dir = relative
	c.Run() // how it ended is in its state
	if code := c.ProcessState.ExitCode(); code != 0 || c.Printed.String() != "same\n" {
		t.Errorf("exit %d, printed %q, want %q\n%s", code, c.Printed.String(), "same\n", &c.Errors)
	}
}

// Who has no program for fleets is given the installation of the version that they have.
func TestInstallationOfTheFleet(t *testing.T) {
	own := version
	t.Cleanup(func() { version = own })
	for is, want := range map[string]string{
		"v1.2.0":                               "it is in the archive of the release, or install it: go install github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet@v1.2.0",
		"v1.2.1-0.20261127092216-1fce30ab2528": "go install github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet@v1.2.1-0.20261127092216-1fce30ab2528",
		"v1.2.1-0.20261127092216-1fce30ab2528+dirty": "go run ./cmd/a2a-conform-fleet",
		"devel": "go run ./cmd/a2a-conform-fleet",
	} {
		if version = is; !strings.HasSuffix(explainInstallation(), want) {
			t.Errorf("%s: %q, want %q", is, explainInstallation(), want)
		}
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
