package main

import (
	"context"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/allowance"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/fleet"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

var (
	queued    = flag.Int("queue", 150, "how many targets are queued for workers that make no call")
	queueTime = flag.Duration("queue-time", 0, "how long queueing them may take; 0 for however long")
)

// passing judges without a call: the verdict is as large as one of A2A 1.0.
func passing(_ context.Context, r fleet.Run) (*conform.Outcome, error) {
	stored := &report.Report{SchemaVersion: "1", Tool: report.Tool{Name: "a2a-conform", CatalogueVersion: "1"}, Verdict: report.Conformant,
		Target: report.Target{Kind: "url", URL: r.Target.URL, Dialect: "a2a-1.0", Declares: map[string][]string{}}, Run: report.Run{StartedAt: time.Now(), Selection: "full", Gate: "conformant"}}
	for i := range 559 {
		stored.Results = append(stored.Results, report.Result{ID: fmt.Sprintf("ZZ-%03d", i), Level: "MUST", Area: "card", Statement: "It is so.", Verdict: report.Pass})
	}
	stored.Summary = report.Summarize(stored.Results)
	return &conform.Outcome{Report: stored, Transcript: &record.Transcript{Started: time.Now()}}, nil
}

// A long queue is filled and emptied without a loss.
func TestFleetQueue(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	data := t.TempDir()
	started(t, "broker", "--data", data)
	var list strings.Builder
	list.WriteString("agents:\n")
	for i := range *queued {
		fmt.Fprintf(&list, "  - target: http://127.%d.%d.%d:9999\n", 1+i/62500, i/250%250, 1+i%250)
	}
	file := filepath.Join(t.TempDir(), "agents.yaml")
	if err := os.WriteFile(file, []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	code, stdout, _ := fleetOf(t, "add", "--file", file, "--data", data)
	added := time.Since(began)
	if want := fmt.Sprintf("round 1: %d targets queued\n", *queued); code != 0 || stdout != want {
		t.Fatalf("exit code %d: %s", code, stdout)
	}
	if *queueTime > 0 && added > *queueTime {
		t.Errorf("queueing took %v", added)
	}
	f, err := fleet.Connect(t.Context(), broker.ConnectOptions{Data: data, Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	before, err := f.Status(t.Context(), 1)
	if err != nil || before.Rounds[0].Waiting != *queued {
		t.Fatalf("%d of %d wait: %v", before.Rounds[0].Waiting, *queued, err)
	}
	drained := func() time.Duration {
		began := time.Now()
		var all sync.WaitGroup
		for i := range 2 {
			all.Add(1)
			go func() {
				defer all.Done()
				name := fmt.Sprint("worker ", i)
				f, err := fleet.Connect(t.Context(), broker.ConnectOptions{Data: data, Name: name})
				if err != nil {
					t.Error(err)
					return
				}
				defer f.Close()
				w := fleet.Worker{Name: name, Tool: programVersion(), Parallel: 32, StopWhenIdle: true, Judge: passing, Retention: fleet.Retention{Rounds: 30}, Log: func(s string) { t.Log(s) },
					Allowance: allowance.Allowance{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}}
				if err := w.Work(t.Context(), f); err != nil {
					t.Error(err)
				}
			}()
		}
		all.Wait()
		return time.Since(began)
	}
	check := func(rounds int) fleet.Status {
		s, err := f.Status(t.Context(), rounds)
		if err != nil {
			t.Fatal(err)
		}
		if r := s.Rounds[rounds-1]; r.Finished == nil || r.Results != *queued || r.Verdicts[report.Conformant] != *queued || r.Repeated > 0 || r.GivenUp > 0 {
			t.Errorf("round %d: %+v", rounds, r)
		}
		return s
	}
	took := drained()
	first := check(1)
	if code, _, _ := fleetOf(t, "add", "--file", file, "--data", data); code != 0 {
		t.Fatal(code)
	}
	again := drained()
	second := check(2)
	each := func(bytes int64) int64 { return bytes / int64(*queued) }
	if more := second.Stored - first.Stored; more > first.Stored/10 {
		t.Errorf("the second round keeps %d bytes more than the %d of the first", more, first.Stored)
	}
	t.Logf("%d targets: added in %.1f s (%d bytes each in the queue), drained in %.1f s and %.1f s; %d bytes kept for each after the first round, %d more after the second",
		*queued, added.Seconds(), each(before.Stored), took.Seconds(), again.Seconds(), each(first.Stored), each(second.Stored-first.Stored))
}
