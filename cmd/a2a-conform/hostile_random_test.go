package main

import (
	"flag"
	"path/filepath"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference/hostile"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

var seed = flag.Uint64("seed", 0, "meet this random server alone")

// randomDeadline is given to runs against random servers.
const randomDeadline = 8 * time.Second

// Whatever an answer is composed of, the run ends in order and in time, stays small,
// shows no secret, prints no command, and a replay says the same.
// They are met beside tests that run beside no other, since the runs wait most of the time.
func TestRandomServers(t *testing.T) {
	testamount.SkipInShort(t)
	from, to := uint64(1), uint64(testamount.Random(3))
	if *seed != 0 {
		from, to = *seed, *seed
	}
	met, places := map[uint64]func(*testing.T){}, make(chan struct{}, 3)
	for n := from; n <= to; n++ {
		met[n] = meetRandom(t, hostile.Random(n), places)
	}
	t.Parallel()
	for n := from; n <= to; n++ {
		t.Run(hostile.Random(n).Name, func(t *testing.T) {
			t.Parallel()
			met[n](t)
		})
	}
}

// meetRandom begins to meet a server as soon as there is a place, and returns what waits for
// the end and judges it.
func meetRandom(t *testing.T, s hostile.Server, places chan struct{}) (judged func(*testing.T)) {
	t.Helper()
	s.Twice = true
	m := &meeting{child: newChild(t, "run", "--timeout", "2s", "--deadline", randomDeadline.String())}
	m.Args = append(m.Args, s.Flags...)
	m.Env = append(m.Env, hostile.SecretVariable+"="+hostile.Secret)
	m.again = newChild(t, "replay", filepath.Join(m.Dir, "a2a-report", "transcript.har"), "--out", "a2a-report")
	over := make(chan struct{})
	go func() {
		defer close(over)
		places <- struct{}{}
		defer func() { <-places }()
		m.hold(s)
	}()
	return func(t *testing.T) {
		<-over
		m.judgeRandom(t, s)
	}
}

func (m *meeting) judgeRandom(t *testing.T, s hostile.Server) {
	if m.err != nil {
		t.Fatal(m.err)
	}
	after := m.Check(t)
	if m.took > endless {
		t.Errorf("it took %v and was ended", m.took)
	}
	if len(m.trapped) > 0 {
		t.Errorf("another origin was asked: %q", m.trapped)
	}
	silent(t, m.child)
	keepsSecret(t, m.child, hostile.Secret)
	inert(t, filepath.Join(m.Dir, "a2a-report"))
	r, err := readReport(m.Dir)
	if err != nil {
		t.Fatal(err)
	}
	recordsKeepNoSecret(t, judgedAgain(t, m.Dir), r, hostile.Secret)
	if m.ProcessState.ExitCode() != codeOf(r.Verdict) {
		t.Errorf("exit %d, and the report says %s", m.ProcessState.ExitCode(), r.Verdict)
	}
	if r.Verdict != report.Void { // a card of lies may leave the word to the operator
		replayed(t, m.child, m.again)
	}
	m.inTime(t, r, randomDeadline)
	for _, res := range r.Results {
		if res.Verdict == report.SuiteError {
			t.Errorf("%s: %s", res.ID, res.Reason)
		}
	}
	if *look {
		t.Logf("LOOK %-12s %-14s %5.2f s cpu %5.2f s %4d MiB, replay %4d MiB, %v, %s", s.Name, r.Verdict, m.took.Seconds(),
			(m.ProcessState.UserTime() + m.ProcessState.SystemTime()).Seconds(), after.Peak>>20, m.again.Check(t).Peak>>20, s.Flags[1], r.Reason)
	}
}

// codeOf is the exit code of a verdict.
func codeOf(v report.RunVerdict) int {
	if v == report.Void {
		return 2
	}
	return exits[hostile.Verdict(v)]
}
