package main

import (
	"context"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reference/hostile"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// framesAt serves frames at an address of its own until the test is over.
func framesAt(t *testing.T, s hostile.FrameServer) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer c.Close()
				s.Serve(ctx, c)
			})
		}
	})
	t.Cleanup(func() {
		stop()
		l.Close()
		work.Wait()
	})
	return l.Addr().String()
}

// testSlots bounds how many subtests run at the same time.
type testSlots chan struct{}

// runSubtest runs a subtest beside others once there is a slot.
func (s testSlots) runSubtest(t *testing.T, name string, test func(t *testing.T)) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		s <- struct{}{}
		defer func() { <-s }()
		test(t)
	})
}

// noAnswer are the servers that give none at all: they are silent, take no call, end the stream
// without an error, or speak another protocol. Whoever leaves HTTP/2 has answered, and is judged.
var noAnswer = map[string]bool{"goaway-without-the-call": true, "other-protocol": true, "headers-left-open": true, "window-never-opened-again": true,
	"window-0-for-ever": true, "silence": true, "reset-refused-stream": true, "reset-no-error": true}

// Whatever frames a server sends where its card has gRPC, a run stays within its deadline
// and its memory, accuses or leaves open, and never takes it for healthy, nor for a mistake of
// the operator. A replay says the same.
func TestHostileFrameServers(t *testing.T) {
	t.Parallel()
	healthy, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-1.0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { healthy.Close() })
	const end = 15 * time.Second
	slots := make(testSlots, 4) // most of them wait
	for _, s := range hostile.FrameServers() {
		if testamount.LeavesOut(s.Lead) {
			continue
		}
		slots.runSubtest(t, s.Name, func(t *testing.T) {
			m := &meeting{child: newChild(t, "run", healthy.URL(), "--dialect", "a2a-1.0", "--rpc", "GRPC="+framesAt(t, s), "--binding", "GRPC", "--area", "transport",
				"--timeout", "1s", "--deadline", end.String())}
			began := time.Now()
			guard := time.AfterFunc(endless, func() { m.Process.Kill() })
			m.Run() // how it ended is in its state
			guard.Stop()
			m.took = time.Since(began)
			after := m.Check(t)
			silent(t, m.child)
			inert(t, filepath.Join(m.Dir, "a2a-report"))
			r, err := readReport(m.Dir)
			if err != nil {
				t.Fatalf("%v\n%s%s", err, m.Printed.String(), m.Errors.String())
			}
			m.inTime(t, r, end)
			switch code := m.ProcessState.ExitCode(); {
			case r.Verdict == report.Nonconformant && code == 1, r.Verdict == report.Partial && code == 3:
			case r.Verdict == report.Unreachable && code == 4 && noAnswer[s.Name]:
			default:
				t.Errorf("exit %d, %s: %s", code, r.Verdict, r.Reason)
			}
			for _, res := range r.Results {
				if res.Verdict == report.SuiteError {
					t.Errorf("%s: %s", res.ID, res.Reason)
				}
			}
			alike(t, judgedAgain(t, m.Dir).Report, r)
			if *look {
				t.Logf("LOOK %-40s %-14s %6.2f s %4d MiB %s", s.Name, r.Verdict, m.took.Seconds(), after.Peak>>20, r.Reason)
			}
		})
	}
}
