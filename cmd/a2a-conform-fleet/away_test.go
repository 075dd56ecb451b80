package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
)

// startFleet starts a subcommand of fleet. It ends with the test.
func startFleet(t *testing.T, args ...string) *commandtest.Process {
	t.Helper()
	return commandtest.StartProcess(t, []string{commandtest.LeftVariable + "=" + filepath.Join(t.TempDir(), "left"), "BROKER_TOKEN=s3cret-of-the-broker"}, commandtest.ProgramOf(t), args...)
}

// Commands that find no broker say so once, wait, and go on when it comes.
func TestFleetWaitsForItsBroker(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	data := filepath.Join(t.TempDir(), "fleet")
	var waiting []*commandtest.Process
	for _, args := range [][]string{{"work", "--once"}, {"add", "http://127.0.0.1:1"}, {"status"}} {
		waiting = append(waiting, startFleet(t, append(args, "--data", data)...))
	}
	const sentence = ": start one with a2a-conform fleet broker --data "
	for _, s := range waiting {
		s.AwaitText("no broker runs in " + data + sentence)
	}
	broker := startFleet(t, "broker", "--data", data)
	for _, s := range waiting {
		if s.AwaitEnd() != 0 || strings.Count(s.Text(), sentence) != 1 || strings.Count(s.Text(), "the broker answers again") != 1 {
			t.Errorf("exit code %d:\n%s", s.AwaitEnd(), s.Text())
		}
	}
	second := startFleet(t, "broker", "--data", data)
	if second.AwaitEnd() != 2 || !strings.Contains(second.Text(), "another broker holds this folder (process ") {
		t.Errorf("exit code %d:\n%s", second.AwaitEnd(), second.Text())
	}
	broker.Signal(os.Interrupt)
	if broker.AwaitEnd() != 0 {
		t.Errorf("the broker ended with %d", broker.AwaitEnd())
	}
	// Its address is still there, and nobody answers at it.
	late := startFleet(t, "status", "--data", data)
	late.AwaitText("no broker runs in ")
	startFleet(t, "broker", "--data", data)
	if late.AwaitEnd() != 0 || !strings.Contains(late.Text(), "round 1, begun ") {
		t.Errorf("exit code %d:\n%s", late.AwaitEnd(), late.Text())
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
	s := startFleet(t, "status", "--nats", "nats://"+at, "--nats-token-env", "BROKER_TOKEN")
	s.AwaitText("the broker does not answer: nats://" + at)
	for before, deadline := tries.Load(), time.Now().Add(time.Minute); tries.Load() < before+3; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it is not tried again")
		}
	}
	if n := strings.Count(s.Text(), "does not answer"); n != 1 {
		t.Errorf("said %d times:\n%s", n, s.Text())
	}
	s.Signal(os.Interrupt)
	if s.AwaitEnd() != 2 || !strings.HasSuffix(s.Text(), "a2a-conform: interrupted before it was finished\n") || strings.Contains(s.Text(), "s3cret") {
		t.Errorf("exit code %d:\n%s", s.AwaitEnd(), s.Text())
	}
	l.Close()
}

// Ctrl-C ends the wait at once, also where somebody accepts connections and is silent.
func TestFleetWaitIsInterrupted(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	url, asked := commandtest.StartSilentServer(t)
	silent := startFleet(t, "work", "--nats", strings.Replace(url, "http", "nats", 1))
	<-asked
	absent := startFleet(t, "work", "--data", filepath.Join(t.TempDir(), "fleet"))
	absent.AwaitText("no broker runs in ")
	for _, s := range []*commandtest.Process{silent, absent} {
		s.Signal(os.Interrupt)
		if s.AwaitEnd() != 2 || !strings.HasSuffix(s.Text(), "a2a-conform: interrupted before it was finished\n") {
			t.Errorf("exit code %d:\n%s", s.AwaitEnd(), s.Text())
		}
	}
}
