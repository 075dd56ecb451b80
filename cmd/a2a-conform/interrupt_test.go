package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// An interrupted run says so, keeps what it has, and ends in order, whether it
// is interrupted while it looks for the server or while it talks to it.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		signal os.Signal
		args   []string
	}{
		{"Ctrl-C while discovering", os.Interrupt, nil},
		{"Ctrl-C while talking", os.Interrupt, []string{"--dialect", "a2a-0.1"}},
		{"SIGTERM", syscall.SIGTERM, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url, asked := commandtest.StartSilentServer(t)
			if c.args != nil { // the card is there, calls are not answered
				came := make(chan struct{}, 1000)
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodGet {
						io.WriteString(w, `{"name":"x","version":"1","url":"http://`+r.Host+`/","capabilities":{},"skills":[]}`)
						return
					}
					io.Copy(io.Discard, r.Body) // until then its end is not noticed
					came <- struct{}{}
					<-r.Context().Done()
				}))
				t.Cleanup(s.Close)
				url = s.URL
				asked = came
			}
			run := newChild(t, append([]string{"run", url}, c.args...)...)
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			<-asked
			run.Process.Signal(c.signal)
			run.Wait()
			run.Check(t)
			r, err := readReport(run.Dir)
			if code := run.ProcessState.ExitCode(); code != 2 || err != nil || r.Verdict != report.Void || !strings.Contains(r.Reason, "interrupted") {
				t.Errorf("exit %d, report %+v (%v)\n%s%s", code, r, err, run.Printed.String(), run.Errors.String())
			}
			if out := run.Printed.String(); !strings.Contains(out, "NO RESULT") || !strings.Contains(out, "interrupted") {
				t.Errorf("it says %q", out)
			}
			if errs := run.Errors.String(); strings.Count(errs, "interrupted: ") != 1 {
				t.Errorf("it says %q at once", errs)
			}
		})
	}
}

// Commands without a verdict say that they were interrupted, and not what came of it.
func TestInterruptedWithoutVerdict(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"probe", "http://127.0.0.1:1"}, {"prove", "--dialect", "core-schema"}} {
		var out, errs bytes.Buffer
		code := execute(ctx, args, &out, &errs)
		if code != 2 || out.Len() > 0 || !strings.HasSuffix(errs.String(), "a2a-conform: interrupted before it was finished\n") {
			t.Errorf("%s: exit %d\n%.500s%s", args[0], code, out.String(), errs.String())
		}
	}
}

// Whoever reads only the beginning of what is printed, as head does, is told nothing.
func TestReaderGone(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"list"}, {"list", "--json"}, {"explain", "A2A-DISC-000"}, {"run", "--help"}, {"run", "--plan", "--dialect", "a2a-0.1"},
		{"help", "run"}, {"completion", "bash"}, {"schema", "report"}, {"reference", "--list-mutants"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			defer w.Close()
			c := newChild(t, args...)
			c.Stdout = w
			c.Run()
			c.Check(t)
			if code := c.ProcessState.ExitCode(); code != cli.ReaderGone || c.Errors.Len() > 0 {
				t.Errorf("exit %d\n%s", code, c.Errors.String())
			}
		})
	}
}

// Output that cannot be written is never success; what was judged is kept.
func TestOutputLost(t *testing.T) {
	t.Parallel()
	short := []string{"run", "--self", "--dialect", "directory-0.1"} // of a protocol that takes few calls
	for _, args := range [][]string{short, slices.Concat(short, []string{"--quiet"}), slices.Concat(short, []string{"--json"}), {"list"}, {"explain", "A2A-DISC-000"}} {
		t.Run(strings.Join(args, " ")+", the disk is full", func(t *testing.T) {
			t.Parallel()
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if errors.Is(err, os.ErrNotExist) {
				t.Fatal("this system has no /dev/full")
			}
			defer full.Close()
			lose(t, full, args)
		})
		if args[0] != "run" {
			continue
		}
		t.Run(strings.Join(args, " ")+", the reader has gone", func(t *testing.T) {
			t.Parallel()
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			defer w.Close()
			lose(t, w, args)
		})
	}
}

func lose(t *testing.T, stdout *os.File, args []string) {
	c := newChild(t, args...)
	c.Stdout = stdout
	c.Run()
	c.Check(t)
	if code := c.ProcessState.ExitCode(); code != 2 || !strings.Contains(c.Errors.String(), "output could not be written") {
		t.Errorf("exit %d\n%s", code, c.Errors.String())
	}
	if args[0] != "run" {
		return
	}
	if r, err := readReport(c.Dir); err != nil || r.Verdict != report.Conformant {
		t.Errorf("the report is not kept: %v", err)
	}
}

// A folder that cannot be written is found before anything is sent.
func TestUnwritableOut(t *testing.T) {
	dir := here(t)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	asked := false
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer s.Close()
	for _, out := range []string{file, filepath.Join(file, "below"), "/dev/full", "/proc/a2a-report"} {
		code, _, errs := command(t, "run", s.URL, "--out", out)
		if code != 2 || !strings.Contains(errs, out) || !strings.Contains(errs, "--out") || asked {
			t.Errorf("--out %s: exit %d, asked: %v\n%s", out, code, asked, errs)
		}
	}
}

// A disk that fills up while the reports are written costs the reports, not the
// outcome: it is printed, and the exit code says what went wrong.
func TestDiskFullWhileWriting(t *testing.T) {
	t.Parallel()
	file := commandtest.ProgramOf(t)
	c := newChild(t)
	c.Path, c.Args = "/bin/sh", []string{"sh", "-c", `ulimit -f 64; exec "$0" run --self`, file}
	c.Run()
	if code := c.ProcessState.ExitCode(); code != 2 {
		t.Errorf("exit %d", code)
	}
	if !strings.Contains(c.Printed.String(), "CONFORMANT") || !strings.Contains(c.Errors.String(), "cannot write") {
		t.Errorf("it says %s%s", c.Printed.String(), c.Errors.String())
	}
	left, err := filepath.Glob(filepath.Join(c.Dir, "a2a-report", ".*.*"))
	if err != nil || len(left) > 0 {
		t.Errorf("half a file was left: %v (%v)", left, err)
	}
}
