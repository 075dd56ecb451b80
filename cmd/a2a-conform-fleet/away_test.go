package main

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
)

// speaker is a subcommand of fleet at work, and what it has said so far.
type speaker struct {
	t     *testing.T
	cmd   *exec.Cmd
	ended chan struct{}
	mu    sync.Mutex
	said  bytes.Buffer
}

func (s *speaker) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.Write(p)
}

func (s *speaker) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.String()
}

// speaking starts a subcommand of fleet. It ends with the test.
func speaking(t *testing.T, args ...string) *speaker {
	t.Helper()
	name := commandtest.ProgramOf(t)
	s := &speaker{t: t, cmd: exec.Command(name, args...), ended: make(chan struct{})}
	s.cmd.Env = append(os.Environ(), commandtest.LeftVariable+"="+filepath.Join(t.TempDir(), "left"), "BROKER_TOKEN=s3cret-of-the-broker")
	s.cmd.Stdout, s.cmd.Stderr = s, s
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		s.cmd.Wait()
		close(s.ended)
	}()
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		<-s.ended
		t.Logf("fleet %s:\n%s", strings.Join(args, " "), s.text())
	})
	return s
}

// says waits until it has said something.
func (s *speaker) says(part string) {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); !strings.Contains(s.text(), part); time.Sleep(10 * time.Millisecond) {
		select {
		case <-s.ended:
			if !strings.Contains(s.text(), part) {
				s.t.Fatalf("it ended, and did not say %q", part)
			}
			return
		default:
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("it does not say %q", part)
		}
	}
}

// code waits until it ends, and is its exit code.
func (s *speaker) code() int {
	s.t.Helper()
	select {
	case <-s.ended:
	case <-time.After(time.Minute):
		s.t.Fatal("it does not end")
	}
	return s.cmd.ProcessState.ExitCode()
}

// Commands that find no broker say so once, wait, and go on when it comes.
func TestFleetWaitsForItsBroker(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	data := filepath.Join(t.TempDir(), "fleet")
	var waiting []*speaker
	for _, args := range [][]string{{"work", "--once"}, {"add", "http://127.0.0.1:1"}, {"status"}} {
		waiting = append(waiting, speaking(t, append(args, "--data", data)...))
	}
	const sentence = ": start one with a2a-conform fleet broker --data "
	for _, s := range waiting {
		s.says("no broker runs in " + data + sentence)
	}
	broker := speaking(t, "broker", "--data", data)
	for _, s := range waiting {
		if s.code() != 0 || strings.Count(s.text(), sentence) != 1 || strings.Count(s.text(), "the broker answers again") != 1 {
			t.Errorf("exit code %d:\n%s", s.code(), s.text())
		}
	}
	second := speaking(t, "broker", "--data", data)
	if second.code() != 2 || !strings.Contains(second.text(), "another broker holds this folder (process ") {
		t.Errorf("exit code %d:\n%s", second.code(), second.text())
	}
	broker.cmd.Process.Signal(os.Interrupt)
	if broker.code() != 0 {
		t.Errorf("the broker ended with %d", broker.code())
	}
	// Its address is still there, and nobody answers at it.
	late := speaking(t, "status", "--data", data)
	late.says("no broker runs in ")
	speaking(t, "broker", "--data", data)
	if late.code() != 0 || !strings.Contains(late.text(), "round 1, begun ") {
		t.Errorf("exit code %d:\n%s", late.code(), late.text())
	}
}

// A broker that exists elsewhere is waited for in the same way: with one sentence, however
// often it is tried.
func TestFleetWaitsForABrokerElsewhere(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var tries atomic.Int32
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			tries.Add(1)
			c.Close()
		}
	}()
	at := l.Addr().String()
	s := speaking(t, "status", "--nats", "nats://"+at, "--nats-token-env", "BROKER_TOKEN")
	s.says("the broker does not answer: nats://" + at)
	for before, deadline := tries.Load(), time.Now().Add(time.Minute); tries.Load() < before+3; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it is not tried again")
		}
	}
	if n := strings.Count(s.text(), "does not answer"); n != 1 {
		t.Errorf("said %d times:\n%s", n, s.text())
	}
	s.cmd.Process.Signal(os.Interrupt)
	if s.code() != 2 || !strings.HasSuffix(s.text(), "a2a-conform: interrupted before it was finished\n") || strings.Contains(s.text(), "s3cret") {
		t.Errorf("exit code %d:\n%s", s.code(), s.text())
	}
	l.Close()
}

// Ctrl-C ends the wait at once, also where somebody accepts connections and is silent.
func TestFleetWaitIsInterrupted(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	url, asked := commandtest.StartSilentServer(t)
	silent := speaking(t, "work", "--nats", strings.Replace(url, "http", "nats", 1))
	<-asked
	absent := speaking(t, "work", "--data", filepath.Join(t.TempDir(), "fleet"))
	absent.says("no broker runs in ")
	for _, s := range []*speaker{silent, absent} {
		s.cmd.Process.Signal(os.Interrupt)
		if s.code() != 2 || !strings.HasSuffix(s.text(), "a2a-conform: interrupted before it was finished\n") {
			t.Errorf("exit code %d:\n%s", s.code(), s.text())
		}
	}
}
