package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/hostile"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

const (
	memoryBound = 256 << 20        // bytes that a run may hold at its peak
	deadline    = 30 * time.Second // given to a run as --deadline
	grace       = 15 * time.Second // for what was under way by then, on a busy machine
	endless     = 90 * time.Second // a run that lasts so long is ended
)

var look = flag.Bool("look", false, "print how the run against each hostile server ended")

var only = flag.String("only", "", "meet only the hostile servers whose name holds this")

// Every hostile server gets the verdict it deserves, by a run that stays within
// its bounds, ends in order, and leaves nothing in its reports that acts.
func TestHostileServers(t *testing.T) {
	servers := slices.DeleteFunc(hostile.Servers(), func(s hostile.Server) bool { return !strings.Contains(s.Name, *only) })
	meetings := make([]*meeting, len(servers))
	// Most of them wait: more than there are processors are met at once.
	slots := make(chan struct{}, 6)
	for i, s := range servers {
		m := &meeting{child: newChild(t, "run", "--timeout", "5s", "--deadline", deadline.String()), done: make(chan struct{})}
		m.Args = append(m.Args, s.Flags...)
		if s.Verdict == hostile.Conformant { // then every behaviour is asked for
			m.Args = append(m.Args, "--stimuli", "plain", "--webhook-listen", "127.0.0.1:0", "--timeout", "20s")
		}
		if s.Area != "" {
			m.Args = append(m.Args, "--area", s.Area)
		}
		m.Env = append(m.Env, hostile.SecretVariable+"="+hostile.Secret)
		m.again = newChild(t, "replay", filepath.Join(m.dir, "a2a-report", "transcript.har"), "--out", "a2a-report")
		meetings[i] = m
		go func() {
			defer close(m.done)
			slots <- struct{}{}
			defer func() { <-slots }()
			m.hold(s)
		}()
	}
	seen := map[string]bool{}
	for i, s := range servers {
		if seen[s.Name] {
			t.Errorf("two servers are called %s", s.Name)
		}
		seen[s.Name] = true
		t.Run(s.Name, func(t *testing.T) {
			<-meetings[i].done
			meetings[i].judge(t, s)
		})
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
	m.took, m.trapped = time.Since(began), server.Trapped()
	if s.Verdict != hostile.Slip {
		m.again.Run()
	}
}

var exits = map[hostile.Verdict]int{hostile.Conformant: 0, hostile.Nonconformant: 1, hostile.Slip: 2, hostile.Partial: 3, hostile.Unreachable: 4}

func (m *meeting) judge(t *testing.T, s hostile.Server) {
	if m.err != nil {
		t.Fatal(m.err)
	}
	after := m.check(t)
	said := m.stdout.String() + m.stderr.String()
	if m.took > endless {
		t.Errorf("it took %v and was ended", m.took)
	}
	if len(m.trapped) > 0 {
		t.Errorf("another origin was asked: %q", m.trapped)
	}
	if code := m.ProcessState.ExitCode(); code != exits[s.Verdict] {
		t.Errorf("exit %d, want %d\n%.2000s", code, exits[s.Verdict], said)
	}
	if !strings.Contains(said, s.Says) {
		t.Errorf("it does not say %q:\n%.2000s", s.Says, said)
	}
	silent(t, m.child)
	if slices.Contains(s.Flags, hostile.SecretVariable) {
		keepsSecret(t, m.child, hostile.Secret)
	}
	if s.Verdict == hostile.Slip {
		return
	}
	replayed(t, m.child, m.again)
	if slices.Contains(s.Flags, hostile.SecretVariable) {
		recordsKeepNoSecret(t, m.dir, hostile.Secret)
	}
	inert(t, filepath.Join(m.dir, "a2a-report"))
	r, err := readReport(m.dir)
	if err != nil {
		t.Fatal(err)
	}
	if string(r.Verdict) != string(s.Verdict) {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	if talked := time.Duration(r.Run.DurationMs) * time.Millisecond; talked > deadline+grace {
		t.Errorf("it talked for %v, the deadline was %v", talked, deadline)
	}
	var failing []string
	named := s.Names == ""
	count := map[judge.Verdict]int{}
	for _, res := range r.Results {
		count[res.Verdict]++
		if res.Verdict == judge.SuiteError {
			t.Errorf("%s: %s", res.ID, res.Reason)
		}
		if res.Verdict == judge.Fail {
			failing = append(failing, res.ID)
			named = named || res.ID == s.Names
		}
	}
	if !named {
		t.Errorf("%s does not fail", s.Names)
	}
	if *look {
		for _, res := range r.Results {
			if res.Verdict == judge.Fail && len(failing) < 8 {
				t.Logf("FAIL %s %s %.300s", s.Name, res.ID, res.Reason)
			}
		}
		t.Logf("LOOK %-22s %-14s %5.2f s cpu %5.2f s %5d MiB %v %s %v", s.Name, r.Verdict, m.took.Seconds(), (m.ProcessState.UserTime() + m.ProcessState.SystemTime()).Seconds(), after.Peak>>20, count, r.Reason, failing)
	}
}

func readReport(dir string) (*judge.Report, error) {
	text, err := os.ReadFile(filepath.Join(dir, "a2a-report", "report.json"))
	if err != nil {
		return nil, err
	}
	var r judge.Report
	return &r, json.Unmarshal(text, &r)
}
