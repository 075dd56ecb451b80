package e2e

import (
	"context"
	"errors"
	"net"
	"net/url"
	"sync"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Whoever holds a run may say where it must not go, and when each call may be sent: over
// HTTP/1.1 and over HTTP/2.
func TestConnectionsAndCallsAreAskedFor(t *testing.T) {
	t.Parallel()
	server := bundled(t, reference.Options{Dialect: "a2a-1.0", GRPCAddr: "127.0.0.1:0"})
	var mu sync.Mutex
	dialed, turns := map[string]bool{}, 0
	target := conform.Target{URL: server.URL(), Dialect: "a2a-1.0",
		Limits: conform.Limits{AllowDial: func(_, address string) error {
			mu.Lock()
			defer mu.Unlock()
			dialed[address] = true
			return nil
		},
			BeforeCall: func(_ context.Context, at *url.URL) error {
				mu.Lock()
				defer mu.Unlock()
				if turns++; at.Hostname() != "127.0.0.1" {
					t.Errorf("a turn at %q was asked for", at)
				}
				return nil
			}}}
	o, err := conform.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, x := range o.Transcript.Exchanges {
		if x.Dir == record.Out {
			calls++
		}
	}
	if turns < calls {
		t.Errorf("%d calls were made in %d turns", calls, turns)
	}
	if !dialed[server.GRPCAddr()] || len(dialed) < 2 {
		t.Errorf("connections were asked for to %v alone", dialed)
	}
	if verdict := o.Report.Verdict; verdict == report.Nonconformant || verdict == report.Void {
		t.Error(verdict, o.Report.Reason)
	}
}

// Where nobody may be reached, nobody is.
func TestNobodyMayBeReached(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	called := make(chan struct{}, 1)
	go func() {
		if c, err := l.Accept(); err == nil {
			c.Close()
			called <- struct{}{}
		}
	}()
	o, err := conform.Run(t.Context(), conform.Target{URL: "http://" + l.Addr().String(), Dialect: "a2a-1.0", Endpoint: conform.Endpoint{Interfaces: map[string]string{"GRPC": l.Addr().String()}},
		Limits: conform.Limits{AllowDial: func(_, address string) error { return errors.New("not there") }}})
	if err != nil {
		t.Fatal(err)
	}
	if o.Report.Verdict != report.Unreachable {
		t.Error(o.Report.Verdict, o.Report.Reason)
	}
	l.Close() // whoever was called has noticed by now
	select {
	case <-called:
		t.Error("somebody was called")
	default:
	}
}

// Calls that are kept waiting count as such, and those that are refused are not made.
func TestTurnsThatAreRefused(t *testing.T) {
	t.Parallel()
	server := bundled(t, reference.Options{Dialect: "core-schema"})
	o, err := conform.Run(t.Context(), conform.Target{URL: server.URL(), Dialect: "core-schema",
		Limits: conform.Limits{BeforeCall: func(context.Context, *url.URL) error { return errors.New("the fleet has ended") }}})
	if err != nil {
		t.Fatal(err)
	}
	if o.Report.Run.Exchanges != 0 || o.Report.Verdict == report.Conformant || o.Report.Verdict == report.Nonconformant {
		t.Errorf("%d exchanges, %s: %s", o.Report.Run.Exchanges, o.Report.Verdict, o.Report.Reason)
	}
}
