package fleet

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/allowance"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Rounds beyond those that are kept go, the oldest first, and reports and transcripts beyond
// their bound; the last ones of an agent always stay.
func TestWhatIsKept(t *testing.T) {
	t.Parallel()
	f := connected(t, aBroker(t, broker.Server{}), "test")
	ctx := t.Context()
	targets := some(t, 3)
	s := &stub{verdict: map[string]report.Verdict{}}
	k := Retention{Rounds: 3, Bytes: 1, All: true} // of every run, and room for none
	for i := range 6 {
		// The first stays as it is, the second changes each time, the third once.
		s.verdict[targets[1].URL] = []report.Verdict{report.Pass, report.Fail}[i%2]
		if i == 1 {
			s.verdict[targets[2].URL] = report.Fail
		}
		if _, err := f.Add(ctx, "v1", targets); err != nil {
			t.Fatal(err)
		}
		w := worker("w", s.judge, t)
		w.Retention = k
		if err := w.Work(ctx, f); err != nil {
			t.Fatal(err)
		}
	}
	rounds, err := f.Rounds(ctx)
	if err != nil || len(rounds) != 3 || rounds[0].ID != "000004" {
		t.Fatal(rounds, err)
	}
	kept := map[string]bool{}
	infos, err := f.evidence.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range infos {
		kept[o.Name] = true
	}
	for _, one := range targets {
		l, _, found, err := broker.Get[Latest](ctx, f.conn, f.latest, one.ID)
		if err != nil || !found || l.Round != "000006" || !kept[evidenceName(one.ID, l.Evidence)] {
			t.Errorf("%s: %s, %v", one.URL, broker.Encode(l), err)
		}
	}
	if len(kept) != len(targets) {
		t.Errorf("%v are kept", kept)
	}
	left := 0
	if err := broker.ReadAll(ctx, f.conn, f.results, func(key string, _ Result) { left++ }, ">"); err != nil || left != 9 {
		t.Errorf("%d results are kept: %v", left, err)
	}
	keys, err := f.vectors.Keys(ctx)
	if err != nil || len(keys) != 2 {
		t.Errorf("the vectors %v are kept: %v", keys, err)
	}
}

// Report and transcript are kept of the first run, of those that differ from the one before,
// and of void ones; of an unchanged server again after thirty rounds.
func TestOfWhichRunsReportsAreKept(t *testing.T) {
	f := connected(t, aBroker(t, broker.Server{}), "test")
	ctx := t.Context()
	targets := some(t, 1)
	s := &stub{verdict: map[string]report.Verdict{}}
	for i := range 33 {
		if i == 32 {
			s.verdict[targets[0].URL] = report.SuiteError // void
		}
		round := Round{ID: fmt.Sprintf("%06d", i+1)}
		o, err := s.judge(ctx, Run{Target: targetOf(targets[0])})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.storeRun(ctx, finishedRun{target: targets[0], round: round.ID, run: "r", at: time.Now(), outcome: o, tries: 1}, Retention{}, "v1"); err != nil {
			t.Fatal(err)
		}
		r, _, _, err := broker.Get[Result](ctx, f.conn, f.results, round.ID+"."+targets[0].ID)
		want := "000001.r"
		switch {
		case i >= 30 && i < 32:
			want = "000031.r"
		case i == 32:
			want = "000033.r"
		}
		if err != nil || r.Evidence != want || (r.Details != nil) != (i == 0 || i == 32) {
			t.Errorf("round %d: %s, want %s: %v", i+1, broker.Encode(r), want, err)
		}
	}
}

// A night without a verdict hides nothing: the next one is compared with the last that had one.
func TestVoidNights(t *testing.T) {
	t.Parallel()
	f := connected(t, aBroker(t, broker.Server{}), "test")
	ctx := t.Context()
	targets := some(t, 1)
	s := &stub{verdict: map[string]report.Verdict{}}
	night := func(v report.Verdict, allow allowance.Allowance) Outcome {
		s.verdict[targets[0].URL] = v
		a, err := f.Add(ctx, "v1", targets)
		if err != nil {
			t.Fatal(err)
		}
		w := worker("w", s.judge, t)
		w.Allowance = allow
		if err := w.Work(ctx, f); err != nil {
			t.Fatal(err)
		}
		o, err := f.Outcomes(ctx, a.Round.ID, targets)
		if err != nil {
			t.Fatal(err)
		}
		return o[0]
	}
	night(report.Pass, loopback)
	for range 2 { // whoever began the worker forgot a flag, two nights long
		if o := night(report.Pass, allowance.Allowance{}); o.Verdict != report.Void {
			t.Errorf("%s", broker.Encode(o))
		}
	}
	o := night(report.Fail, loopback)
	if !o.Worse() || len(o.Details.Changes) != 1 || o.Details.Changes[0].Kind != report.Broken || o.Details.Before.Round != "000001" {
		t.Errorf("%s", broker.Encode(o))
	}
}

// A target whose entry was corrected while it waits is judged as it is now.
func TestCorrectedEntries(t *testing.T) {
	t.Parallel()
	f := connected(t, aBroker(t, broker.Server{}), "test")
	ctx := t.Context()
	targets := some(t, 2)
	if a, err := f.Add(ctx, "v1", targets); err != nil || a.Queued != 2 {
		t.Fatal(a, err)
	}
	text := bytes.Replace(targets[1].Text, []byte("{"), []byte(`{"stimuli":"plain",`), 1)
	corrected, _, _, err := agentlist.ParseEntry(text)
	if err != nil || corrected.ID != targets[1].ID {
		t.Fatal(corrected, err)
	}
	a, err := f.Add(ctx, "v1", []agentlist.Target{targets[0], corrected})
	if err != nil || a.Queued != 1 || a.Known != 1 || a.Round.ID != "000001" {
		t.Fatal(a, err)
	}
	plain := map[string]bool{}
	var mu sync.Mutex
	s := &stub{}
	w := worker("w", func(ctx context.Context, r Run) (*conform.Outcome, error) {
		mu.Lock()
		plain[r.Target.URL] = r.Target.DefaultStimuli
		mu.Unlock()
		return s.judge(ctx, r)
	}, t)
	if err := w.Work(ctx, f); err != nil {
		t.Fatal(err)
	}
	if plain[targets[0].URL] || !plain[targets[1].URL] || s.calls[targets[1].URL] != 1 {
		t.Errorf("%v %v", plain, s.calls)
	}
}
