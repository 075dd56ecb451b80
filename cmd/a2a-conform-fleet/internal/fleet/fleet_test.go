package fleet

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"sync"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/allowance"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// aBroker runs an embedded broker for a test.
func aBroker(t *testing.T, b broker.Server) string {
	t.Helper()
	if b.Data == "" {
		b.Data = t.TempDir()
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	up := make(chan struct{})
	var once sync.Once
	b.Log = func(text string) { once.Do(func() { close(up) }); t.Log(text) }
	go func() { ended <- b.Serve(ctx) }()
	select {
	case <-up:
	case err := <-ended:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return b.Data
}

// connected is a connection to the broker of a folder.
func connected(t *testing.T, data, name string) *Fleet {
	t.Helper()
	f, err := Connect(t.Context(), broker.ConnectOptions{Data: data, Name: name, Log: func(s string) { t.Log(name + ": " + s) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// loopback allows targets on this machine.
var loopback = allowance.Allowance{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}

// stub judges without a call.
type stub struct {
	mu      sync.Mutex
	verdict map[string]report.Verdict // of the one requirement, by URL; pass if it is not there
	calls   map[string]int
}

func (s *stub) judge(_ context.Context, run Run) (*conform.Outcome, error) {
	t := run.Target
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == nil {
		s.calls = map[string]int{}
	}
	s.calls[t.URL]++
	v := report.Pass
	if given, ok := s.verdict[t.URL]; ok {
		v = given
	}
	results := []report.Result{{ID: "ZZ-1", Level: "MUST", Area: "card", Statement: "It is so.", Verdict: v, Reason: "because"}}
	r := &report.Report{SchemaVersion: "1", Tool: report.Tool{Name: "a2a-conform", CatalogueVersion: "1"}, Target: report.Target{Kind: "url", URL: t.URL, Dialect: "a2a-0.3", Declares: map[string][]string{}},
		Run: report.Run{StartedAt: time.Now(), Selection: "full", Gate: "conformant"}, Results: results, Summary: report.Summarize(results)}
	r.Verdict = report.Decide(results, true, true, report.Whole)
	return &conform.Outcome{Report: r, Transcript: &record.Transcript{Started: time.Now()}}, nil
}

// some are targets on so many hosts of this machine.
func some(t testing.TB, n int) (out []agentlist.Target) {
	for i := range n {
		text := fmt.Sprintf(`{"target":"http://127.0.%d.%d:9999"}`, i/250, 1+i%250)
		one, _, _, err := agentlist.ParseEntry([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, one)
	}
	return out
}

func worker(name string, j Judge, t testing.TB) Worker {
	return Worker{Name: name, Tool: "v1", Parallel: 4, Allowance: loopback, Judge: j, StopWhenIdle: true, Retention: Retention{Rounds: 30}, Log: func(s string) { t.Log(name + ": " + s) }}
}

func TestARound(t *testing.T) {
	t.Parallel()
	data := aBroker(t, broker.Server{})
	f := connected(t, data, "test")
	targets := some(t, 20)
	a, err := f.Add(t.Context(), "v1", targets)
	if err != nil || a.Queued != 20 {
		t.Fatal(a, err)
	}
	if again, err := f.Add(t.Context(), "v1", targets); err != nil || again.Queued != 0 || again.Known != 20 || again.Round.ID != a.Round.ID {
		t.Fatal("adding twice queues once: ", again, err)
	}
	s := &stub{verdict: map[string]report.Verdict{targets[3].URL: report.Fail}}
	if err := worker("w", s.judge, t).Work(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	st, err := f.Status(t.Context(), 5)
	if err != nil {
		t.Fatal(err)
	}
	if len(st.Rounds) != 1 || st.Rounds[0].Finished == nil || st.Rounds[0].Results != 20 || st.Rounds[0].Verdicts[report.Nonconformant] != 1 || st.Rounds[0].Verdicts[report.Conformant] != 19 {
		t.Fatalf("%s", broker.Encode(st))
	}
	// The next round: one agent has changed.
	stored := st.Stored
	s.verdict[targets[5].URL] = report.Fail
	if a, err = f.Add(t.Context(), "v1", targets); err != nil || a.Queued != 20 || a.Round.ID != "000002" {
		t.Fatal(a, err)
	}
	if err := worker("w", s.judge, t).Work(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	if st, err = f.Status(t.Context(), 5); err != nil {
		t.Fatal(err)
	}
	if len(st.Changed) != 1 || st.Changed[0].URL != targets[5].URL || len(st.Changed[0].Changes) != 1 || st.Changed[0].Changes[0].Kind != report.Broken {
		t.Fatalf("%s", broker.Encode(st.Changed))
	}
	t.Logf("stored: %d bytes after the first round, %d more after the second", stored, st.Stored-stored)
	for _, one := range targets {
		if s.calls[one.URL] != 2 {
			t.Errorf("%s was called %d times", one.URL, s.calls[one.URL])
		}
	}
	if _, err := os.Stat(data + "/broker.json"); err != nil {
		t.Error(err)
	}
}

func targetOf(t agentlist.Target) conform.Target { return conform.Target{URL: t.URL} }
