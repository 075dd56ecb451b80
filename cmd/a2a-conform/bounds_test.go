package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reference/hostile"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// gallery is a server of the gallery at work.
func gallery(t *testing.T, name string) *hostile.Running {
	t.Helper()
	all := hostile.Servers()
	server, err := all[slices.IndexFunc(all, func(s hostile.Server) bool { return s.Name == name })].Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server
}

// finished runs a child, which is ended by force where it does not end.
func finished(t *testing.T, c *child) {
	t.Helper()
	begun(t, c)(t)
}

// begun begins to run a child, which is ended by force where it does not end, and returns what
// waits for its end.
func begun(t *testing.T, c *child) (end func(*testing.T)) {
	t.Helper()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	guard := time.AfterFunc(endless/2, func() { c.Process.Kill() })
	return func(t *testing.T) {
		t.Helper()
		defer guard.Stop()
		c.Wait()
		c.Check(t)
	}
}

// A connection that is held open past the end of its exchange holds up no
// command: neither run nor probe, nor the waiting before them.
func TestHangPastEveryBound(t *testing.T) {
	cases := []struct {
		name, server string
		args         []string
	}{
		{"run", "switched-held", []string{"run", "--timeout", "1s", "--deadline", "4s"}},
		{"run, on the card", "switched-held-card", []string{"run", "--timeout", "1s", "--deadline", "4s"}},
		{"probe", "switched-held", []string{"probe", "--timeout", "1s", "--deadline", "4s"}},
		{"probe, on the card", "switched-held-card", []string{"probe", "--timeout", "1s", "--deadline", "4s"}},
		{"run that waits", "waiting-switched", []string{"run", "--wait", "1s", "--quiet"}},
	}
	runs, ends := make([]*child, len(cases)), make([]func(*testing.T), len(cases))
	for i, c := range cases { // they wait most of the time, which they do beside other tests
		runs[i] = newChild(t, append(c.args, gallery(t, c.server).URL)...)
		ends[i] = begun(t, runs[i])
	}
	t.Parallel()
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ends[i](t)
			if _, err := readReport(runs[i].Dir); err != nil && c.args[0] == "run" {
				t.Error(err)
			}
		})
	}
}

// unfinished is an agent whose tasks do not end, and that answers nothing but new
// messages and, if it does, cancellations.
type unfinished struct {
	*httptest.Server
	begun, canceled chan string
}

func newUnfinished(t *testing.T, cancels bool) *unfinished {
	u := &unfinished{begun: make(chan string, 1000), canceled: make(chan string, 1000)}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			io.WriteString(w, `{"name":"x","description":"x","version":"1","url":"http://`+r.Host+`/","capabilities":{},"skills":[]}`)
			return
		}
		var call struct {
			ID     any
			Method string
			Params struct{ ID string }
		}
		json.NewDecoder(r.Body).Decode(&call)
		io.Copy(io.Discard, r.Body) // until then its end is not noticed
		reply := func(state string) {
			json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": call.ID,
				"result": map[string]any{"id": call.Params.ID, "sessionId": "s", "status": map[string]any{"state": state}}})
		}
		switch {
		case call.Method == "tasks/send":
			reply("working")
			u.begun <- call.Params.ID
		case call.Method == "tasks/cancel":
			u.canceled <- call.Params.ID
			if cancels {
				reply("canceled")
				return
			}
			<-r.Context().Done()
		default:
			<-r.Context().Done()
		}
	}))
	t.Cleanup(u.Close)
	return u
}

// What a report says happened is what happened: who was interrupted and by what,
// what we lacked ourselves, and what a card alone leads to.
func TestWrongWordsForWhatHappened(t *testing.T) {
	narrow := []string{"run", "--dialect", "a2a-0.1", "--run", "A2A01-HTTP-001"}
	signals := []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT}
	// The children take them even where these tests run under nohup: a signal that
	// is caught is not ignored in the processes that are begun.
	caught := make(chan os.Signal, 1)
	for _, s := range signals {
		signal.Notify(caught, s)
	}
	t.Cleanup(func() { signal.Stop(caught) })
	for _, s := range signals {
		t.Run("tasks are canceled at "+s.String(), func(t *testing.T) {
			t.Parallel()
			u := newUnfinished(t, true)
			run := newChild(t, append(narrow, u.URL)...)
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			task := <-u.begun
			run.Process.Signal(s)
			run.Wait()
			run.Check(t)
			r, err := readReport(run.Dir)
			if err != nil || r.Verdict != report.Void || !strings.Contains(r.Reason, "interrupted") {
				t.Errorf("%v, report %+v", err, r)
			}
			var canceled []string
			for len(u.canceled) > 0 {
				canceled = append(canceled, <-u.canceled)
			}
			if !slices.Contains(canceled, task) {
				t.Errorf("the task %s was not canceled, but %q", task, canceled)
			}
		})
	}
	t.Run("a second signal ends it", func(t *testing.T) {
		t.Parallel()
		u := newUnfinished(t, false)
		run := newChild(t, append(narrow, u.URL)...)
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		<-u.begun
		run.Process.Signal(syscall.SIGTERM)
		<-u.canceled
		run.Process.Signal(syscall.SIGTERM)
		run.Wait()
		if status, ok := run.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
			t.Errorf("it ended with %v", run.ProcessState)
		}
	})
	t.Run("nothing is canceled at the deadline", func(t *testing.T) {
		t.Parallel()
		u := newUnfinished(t, true)
		run := newChild(t, append(narrow, "--deadline", "2s", u.URL)...)
		finished(t, run)
		if n := len(u.canceled); n > 0 || len(u.begun) == 0 {
			t.Errorf("%d of %d tasks were canceled", n, len(u.begun))
		}
		if r, err := readReport(run.Dir); err != nil || !strings.Contains(r.Run.Cut, "deadline of 2s") {
			t.Errorf("%v, report %+v", err, r)
		}
	})
	t.Run("our own file descriptors", func(t *testing.T) {
		t.Parallel()
		server, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-0.1"})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		file := commandtest.ProgramOf(t)
		run := newChild(t)
		run.Path, run.Args = "/bin/sh", []string{"sh", "-c", `ulimit -n 20; exec "$0" run --stimuli plain --timeout 5s --deadline 30s "$1"`, file, server.URL()}
		finished(t, run)
		r, err := readReport(run.Dir)
		if err != nil {
			t.Fatalf("%v\n%s%s", err, run.Printed.String(), run.Errors.String())
		}
		if r.Verdict == report.Nonconformant || r.Verdict == report.Unreachable {
			t.Errorf("%s: %s", r.Verdict, r.Reason)
		}
	})
	t.Run("a hint comes with a report", func(t *testing.T) {
		t.Parallel()
		run := newChild(t, "run", gallery(t, "card-of-two-minds").URL)
		finished(t, run)
		junit, err := os.ReadFile(filepath.Join(run.Dir, "a2a-report", "junit.xml"))
		if code := run.ProcessState.ExitCode(); code != 2 || err != nil || !strings.Contains(string(junit), "--dialect") || !strings.Contains(run.Errors.String(), "--dialect") {
			t.Errorf("exit %d (%v)\n%s\n%s", code, err, junit, run.Errors.String())
		}
	})
}

// What was sent more than once is in the transcript and the report, and it is never
// a message.
func TestSilentRetries(t *testing.T) {
	for _, name := range []string{"drops-some", "drops-after-work"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := gallery(t, name)
			run := newChild(t, "run", server.URL)
			finished(t, run)
			r, err := readReport(run.Dir)
			if err != nil {
				t.Fatal(err)
			}
			file, err := os.Open(filepath.Join(run.Dir, "a2a-report", "transcript.har"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			tr, err := record.ReadHAR(file)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, x := range tr.Exchanges {
				n += len(x.Attempts)
			}
			found := slices.ContainsFunc(r.Results, func(r report.Result) bool { return r.ID == "A2A-DROP-000" && len(r.Findings) == 1 })
			if n == 0 || r.Run.Repeats != n || !found {
				t.Errorf("%d attempts in the transcript, %d in the report, a finding: %v", n, r.Run.Repeats, found)
			}
			if twice := server.Twice(); len(twice) > 0 {
				t.Errorf("sent twice: %.500q", twice)
			}
			page, err := os.ReadFile(filepath.Join(run.Dir, "a2a-report", "report.html"))
			if err != nil || !strings.Contains(string(page), "sent earlier, ") {
				t.Errorf("report.html shows no attempt (%v)", err)
			}
		})
	}
}
