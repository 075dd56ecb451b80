package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference/hostile"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/transport"
)

const (
	deadline = 30 * time.Second // given to a run as --deadline
	grace    = 4 * time.Second  // for what was under way by then
	waiting  = 30 * time.Second // for a process to start, to wait for the server where it is told to, and to judge, on a busy machine
	endless  = 90 * time.Second // a run that lasts so long is ended
)

var look = flag.Bool("look", false, "print how the run against each hostile server ended")

var only = flag.String("only", "", "meet only the hostile servers whose name matches this")

// hostileServers are those that are met.
func hostileServers(t *testing.T) []hostile.Server {
	seen, named := map[string]bool{}, regexp.MustCompile(*only)
	return slices.DeleteFunc(hostile.Servers(), func(s hostile.Server) bool {
		if seen[s.Name] {
			t.Errorf("two servers are called %s", s.Name)
		}
		seen[s.Name] = true
		if *only != "" {
			return !named.MatchString(s.Name)
		}
		return testamount.LeavesOut(s.Lead)
	})
}

// Every hostile server gets the verdict it deserves, by a run that stays within
// its bounds, ends in order, and leaves nothing in its reports that acts.
func TestHostileServers(t *testing.T) {
	servers := hostileServers(t)
	meetings := make([]*meeting, len(servers))
	// Most of them wait: more than there are processors are met at once.
	slots := make(chan struct{}, 6)
	if *commandtest.Narrow { // what is late then is judged as late
		slots = make(chan struct{}, 2)
	}
	for i, s := range servers {
		m := &meeting{child: newChild(t, "run", "--timeout", "5s", "--deadline", cmp.Or(s.Deadline, deadline).String()), done: make(chan struct{})}
		m.Args = append(m.Args, s.Flags...)
		if s.Verdict == hostile.Conformant { // then every behaviour is asked for
			m.Args = append(m.Args, "--stimuli", "plain", "--webhook-listen", "127.0.0.1:0", "--timeout", "20s")
		}
		if s.Area != "" {
			m.Args = append(m.Args, "--area", s.Area)
		}
		m.Env = append(m.Env, hostile.SecretVariable+"="+hostile.Secret)
		if s.Steps {
			m.Env = append(m.Env, stepsVariable+"=1")
		}
		m.again = newChild(t, "replay", filepath.Join(m.Dir, "a2a-report", "transcript.har"), "--out", "a2a-report")
		meetings[i] = m
		go func() {
			defer close(m.done)
			slots <- struct{}{}
			defer func() { <-slots }()
			m.hold(s)
		}()
	}
	t.Parallel() // the meetings go on beside other tests
	for i, s := range servers {
		t.Run(s.Name, func(t *testing.T) {
			<-meetings[i].done
			meetings[i].judge(t, s)
		})
	}
}

// The table of mechanisms names every server of the parts that it is about.
func TestHostileServersAreListed(t *testing.T) {
	text, err := os.ReadFile("../../docs/hostile.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range hostile.Listed() {
		if strings.Count(string(text), "| `"+s.Name+"` |") != 1 {
			t.Errorf("docs/hostile.md does not have the server %s in one line of its tables", s.Name)
		}
	}
}

// meeting is a run against a hostile server.
type meeting struct {
	*child
	again   *child // judges the transcript once more
	done    chan struct{}
	err     error
	took    time.Duration
	trapped []string
	twice   []string
}

func (m *meeting) hold(s hostile.Server) {
	server, err := s.Start()
	if err != nil {
		m.err = err
		return
	}
	defer server.Close()
	m.Args = append(m.Args, server.URL)
	began := time.Now()
	guard := time.AfterFunc(endless, func() { m.Process.Kill() })
	m.Run() // how it ended is in its state
	guard.Stop()
	m.took, m.trapped, m.twice = time.Since(began), server.Trapped(), server.Twice()
	if s.Twice {
		m.again.Run()
	}
}

var exits = map[hostile.Verdict]int{hostile.Conformant: 0, hostile.Nonconformant: 1, hostile.UsageError: 2, hostile.Partial: 3, hostile.Unreachable: 4, hostile.Void: 2}

func (m *meeting) judge(t *testing.T, s hostile.Server) {
	if m.err != nil {
		t.Fatal(m.err)
	}
	after := m.Check(t)
	said := m.Printed.String() + m.Errors.String()
	if m.took > endless {
		t.Errorf("it took %v and was ended", m.took)
	}
	for _, body := range m.twice {
		if !s.Drops {
			break // there the play may have been held once more
		}
		t.Errorf("a message reached the server more than once: %.300q", body)
	}
	if len(m.trapped) > 0 {
		t.Errorf("another origin was asked: %q", m.trapped)
	}
	if !strings.Contains(said, s.Says) {
		t.Errorf("it does not say %q:\n%.2000s", s.Says, said)
	}
	silent(t, m.child)
	if slices.Contains(s.Flags, hostile.SecretVariable) {
		keepsSecret(t, m.child, hostile.Secret)
	}
	if s.Twice {
		replayed(t, m.child, m.again)
	}
	inert(t, filepath.Join(m.Dir, "a2a-report"))
	r, err := readReport(m.Dir)
	if err != nil {
		t.Fatal(err)
	}
	annotationsAreOurs(t, r)
	if s.Verdict == hostile.Conformant && onlyLate(r) {
		s.Verdict = hostile.Partial
	}
	if code := m.ProcessState.ExitCode(); code != exits[s.Verdict] {
		t.Errorf("exit %d, want %d\n%.2000s", code, exits[s.Verdict], said)
	}
	verdict := string(s.Verdict)
	if s.Verdict == hostile.UsageError { // of the operator, which a report shows all the same
		verdict = string(report.Void)
	}
	if string(r.Verdict) != verdict {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	m.inTime(t, r, cmp.Or(s.Deadline, deadline))
	secret := slices.Contains(s.Flags, hostile.SecretVariable) && s.Verdict != hostile.UsageError
	if !s.Twice || secret {
		again := judgedAgain(t, m.Dir)
		recordIsBounded(t, again.Transcript)
		if !s.Twice {
			alike(t, again.Report, r)
		}
		if secret {
			recordsKeepNoSecret(t, again, r, hostile.Secret)
		}
	} else {
		recordIsBounded(t, readRecord(t, m.Dir))
	}
	var failing []string
	named := s.Names == ""
	count := map[report.Verdict]int{}
	found := map[string]bool{}
	for _, res := range r.Results {
		count[res.Verdict]++
		found[res.ID] = len(res.Findings) > 0
		if res.Verdict == report.SuiteError {
			t.Errorf("%s: %s", res.ID, res.Reason)
		}
		if res.Verdict == report.Fail {
			failing = append(failing, res.ID)
			named = named || res.ID == s.Names
		}
	}
	if !named {
		t.Errorf("%s does not fail", s.Names)
	}
	if s.Finding != "" && !found[s.Finding] {
		t.Errorf("%s has no finding", s.Finding)
	}
	for _, id := range []string{"A2A-DROP-000", transport.ComparedClients} {
		if found[id] && s.Finding != id {
			t.Errorf("%s has a finding", id)
		}
	}
	if *look {
		for _, res := range r.Results {
			if res.Verdict == report.Fail && len(failing) < 8 {
				t.Logf("FAIL %s %s %.300s", s.Name, res.ID, res.Reason)
			}
		}
		t.Logf("LOOK %-22s %-14s %5.2f s cpu %5.2f s %5d MiB %v %s %v", s.Name, r.Verdict, m.took.Seconds(), (m.ProcessState.UserTime() + m.ProcessState.SystemTime()).Seconds(), after.Peak>>20, count, r.Reason, failing)
	}
}

// annotationsAreOurs makes sure that a report becomes no other commands than ours.
func annotationsAreOurs(t *testing.T, r *report.Report) {
	t.Helper()
	var b strings.Builder
	if err := reports.GitHub(&b, []view.Part{{Report: r}}); err != nil {
		t.Fatal(err)
	}
	if n, others := annotated(b.String()); n == 0 || others > 0 || strings.Contains(b.String(), "##[") || strings.Contains(b.String(), "##vso[") {
		t.Errorf("annotations of others:\n%.2000s", b.String())
	}
}

// onlyLate reports whether a MUST is undecided, and each for a call of ours that came
// too late, as it may on a busy machine.
func onlyLate(r *report.Report) bool {
	n := 0
	for _, res := range r.Results {
		if res.Verdict == report.Inconclusive && res.Level == schema.Must {
			if !strings.Contains(res.Reason, "may have been too late") {
				return false
			}
			n++
		}
	}
	return n > 0
}

// inTime makes sure that the run ended soon after its deadline: that it talked no
// longer, and had a processor for no longer. How long it took besides depends on what
// else the machine does, and is bounded widely.
func (m *meeting) inTime(t *testing.T, r *report.Report, end time.Duration) {
	t.Helper()
	talked, worked := time.Duration(r.Run.DurationMs)*time.Millisecond, m.ProcessState.UserTime()+m.ProcessState.SystemTime()
	if max(talked, worked) > end+grace || m.took > end+grace+waiting {
		t.Errorf("it talked for %v, worked for %v and took %v; the deadline was %v", talked, worked, m.took, end)
	}
}

// readRecord reads the transcript that a run wrote.
func readRecord(t *testing.T, dir string) *record.Transcript {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, "a2a-report", "transcript.har"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	transcript, err := record.ReadHAR(file)
	if err != nil {
		t.Fatalf("the record cannot be read: %v", err)
	}
	return transcript
}

// judgedAgain judges the transcript that a run wrote, in this process.
func judgedAgain(t *testing.T, dir string) *conform.Outcome {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, "a2a-report", "transcript.har"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	o, err := conform.Replay(file)
	if err != nil {
		t.Fatalf("replay: %v", err)
	}
	return o
}

// alike makes sure that a report says what another says.
func alike(t *testing.T, now, was *report.Report) {
	t.Helper()
	if now.Verdict != was.Verdict || now.Reason != was.Reason || len(now.Results) != len(was.Results) {
		t.Errorf("replay: %s, %s (%d results); the run: %s, %s (%d)", now.Verdict, now.Reason, len(now.Results), was.Verdict, was.Reason, len(was.Results))
		return
	}
	for i, was := range was.Results {
		if now := now.Results[i]; now.ID != was.ID || now.Verdict != was.Verdict || now.Reason != was.Reason {
			t.Errorf("replay: %s %s, %s; the run: %s %s, %s", now.ID, now.Verdict, now.Reason, was.ID, was.Verdict, was.Reason)
		}
	}
}

func readReport(dir string) (*report.Report, error) {
	text, err := os.ReadFile(filepath.Join(dir, "a2a-report", "report.json"))
	if err != nil {
		return nil, err
	}
	var r report.Report
	return &r, json.Unmarshal(text, &r)
}
