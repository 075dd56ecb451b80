package fleet

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Whoever dies between two steps loses nothing: the next one does what is left, and nothing
// twice.
func TestDyingBetweenTheSteps(t *testing.T) {
	t.Parallel()
	data := aBroker(t, broker.Server{})
	f := connected(t, data, "test")
	ctx := t.Context()
	targets := some(t, 1)
	s := &stub{}
	round := func(fail bool) string {
		a, err := f.Add(ctx, "v1", targets)
		if err != nil {
			t.Fatal(err)
		}
		s.verdict = map[string]report.Verdict{}
		if fail {
			s.verdict[targets[0].URL] = report.Fail
		}
		return a.Round.ID
	}
	work := func() {
		if err := worker("w", s.judge, t).Work(ctx, f); err != nil {
			t.Fatal(err)
		}
	}
	round(false)
	work()
	second := round(true)
	// A worker judges, stores the result, and dies: before it is the latest, before the change is
	// told, and before the target has left the queue.
	o, err := s.judge(ctx, Run{Target: conform.Target{URL: targets[0].URL}})
	if err != nil {
		t.Fatal(err)
	}
	latest, _, _, err := broker.Get[Latest](ctx, f.conn, f.latest, targets[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := f.compareWithEarlier(ctx, latest.comparisonBase(), o)
	if err != nil {
		t.Fatal(err)
	}
	r := Result{Verdict: report.Nonconformant, Vector: "x", At: time.Now(), Tries: 1, Changed: true, Run: "dead",
		Details: &Details{URL: targets[0].URL, Dialect: "a2a-0.3", Before: &PriorRound{"000001", report.Conformant}, Changes: changes, Reason: "it broke"}}
	if _, err := f.results.Create(ctx, second+"."+targets[0].ID, broker.Encode(r)); err != nil {
		t.Fatal(err)
	}
	before := s.calls[targets[0].URL]
	work()
	if s.calls[targets[0].URL] != before {
		t.Error("the target was judged again, though its result was there")
	}
	if latest, _, _, err = broker.Get[Latest](ctx, f.conn, f.latest, targets[0].ID); err != nil || latest.Round != second || latest.Run != "dead" {
		t.Errorf("%s %v", broker.Encode(latest), err)
	}
	for range 3 { // told once, however often it is told
		if _, _, err := f.updateLatestAndPublish(ctx, second, targets[0].ID); err != nil {
			t.Fatal(err)
		}
	}
	info, err := f.changes.Info(ctx)
	if err != nil || info.State.Msgs != 1 {
		t.Errorf("%d changes were told: %v", info.State.Msgs, err)
	}
	// Two workers judge the same target, as where one was silent for too long: one result counts,
	// and nothing of the other is left.
	third := round(false)
	one, two := finishedRun{target: targets[0], round: third, run: "one", at: time.Now(), tries: 1, outcome: o}, finishedRun{target: targets[0], round: third, run: "two", at: time.Now(), tries: 2, outcome: o}
	a, err := f.storeRun(ctx, one, Retention{All: true}, "v1")
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.storeRun(ctx, two, Retention{All: true}, "v1")
	if err != nil || b.Run != a.Run || b.Run != "one" {
		t.Errorf("%s, %s, %v", broker.Encode(a), broker.Encode(b), err)
	}
	if _, found, err := f.Evidence(ctx, targets[0].ID, third+".one"); !found || err != nil {
		t.Error("the evidence of the result is not there: ", err)
	}
	if _, found, err := f.Evidence(ctx, targets[0].ID, third+".two"); found || err != nil {
		t.Error("the evidence of the other run is still there: ", err)
	}
}

// A target whose worker dies each time is given up after three tries: it has a result that says
// so, and is among the dead letters.
func TestGivingUp(t *testing.T) {
	t.Parallel()
	data := aBroker(t, broker.Server{})
	f := connected(t, data, "test")
	targets := some(t, 2)
	a, err := f.Add(t.Context(), "v1", targets)
	if err != nil {
		t.Fatal(err)
	}
	var begun atomic.Int32
	for i := range maxTries {
		if _, err := f.incrementTries(t.Context(), a.Round.ID, targets[0].ID, fmt.Sprint("run", i)); err != nil {
			t.Fatal(err)
		}
	}
	s := &stub{}
	w := worker("w", func(ctx context.Context, r Run) (*conform.Outcome, error) {
		if r.Target.URL == targets[0].URL {
			begun.Add(1)
		}
		return s.judge(ctx, r)
	}, t)
	if err := w.Work(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	st, err := f.Status(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if begun.Load() != 0 || st.Rounds[0].GivenUp != 1 || st.Rounds[0].Results != 2 || st.Rounds[0].Repeated != maxTries-1 || len(st.Dead) != 1 || !strings.Contains(st.Dead[0].Why, "given up after 3 tries") {
		t.Errorf("%d begun, %s", begun.Load(), broker.Encode(st))
	}
}

// What is no job of this program's is a dead letter, and holds up nobody.
func TestHostileQueue(t *testing.T) {
	t.Parallel()
	f := connected(t, aBroker(t, broker.Server{}), "test")
	ctx := t.Context()
	targets := some(t, 2)
	a, err := f.Add(ctx, "v1", targets[:1])
	if err != nil {
		t.Fatal(err)
	}
	at := workSubjects + Catalogue() + "." + a.Round.ID + "."
	for subject, text := range map[string]string{
		at + "deadbeefdeadbeef": "not json \x00\xff",
		at + "0000000000000000": `{"round":"` + a.Round.ID + `","entry":{"target":"http://127.0.0.9"}}`, // somebody else's place
		at + targets[1].ID:      `{"round":"999999","entry":` + string(targets[1].Text) + `}`,
		at + "a.b.c":            `{}`,
		workSubjects + Catalogue() + ".zzz." + targets[1].ID:    `{"round":"zzz","entry":` + string(targets[1].Text) + `}`,
		workSubjects + Catalogue() + ".000099." + targets[1].ID: `{"round":"000099","entry":` + string(targets[1].Text) + `}`,
		workSubjects + Catalogue() + ".a%b." + targets[1].ID:    `{"round":"a%b","entry":` + string(targets[1].Text) + `}`,
		at + strings.Repeat("c", 16):                            strings.Repeat("\x01", 66000),
		at + strings.Repeat("a", 16):                            `{"round":"` + a.Round.ID + `","entry":[]}`,
		at + strings.Repeat("b", 16):                            `{"round":"` + a.Round.ID + `","entry":{"target":{"a":1}}}`,
	} {
		if _, err := f.conn.JetStream.Publish(ctx, subject, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	s := &stub{}
	if err := worker("w", s.judge, t).Work(ctx, f); err != nil {
		t.Fatal(err)
	}
	st, err := f.Status(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	if st.Rounds[0].Results != 1 || len(st.Dead) != 10 || s.calls[targets[0].URL] != 1 || len(s.calls) != 1 {
		t.Errorf("%s %v", broker.Encode(st), s.calls)
	}
}

// A worker takes only rounds of its own catalogue, and says so.
func TestOtherVersions(t *testing.T) {
	t.Parallel()
	f := connected(t, aBroker(t, broker.Server{}), "test")
	ctx := t.Context()
	r := Round{ID: "000001", Began: time.Now(), Tool: "v0.9.0", Catalogue: "another00000"}
	if _, err := f.rounds.Create(ctx, roundKey+r.ID, broker.Encode(r)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.addToRound(ctx, r, some(t, 1)); err != nil {
		t.Fatal(err)
	}
	s := &stub{}
	var said []string
	w := worker("w", s.judge, t)
	w.Log = func(text string) { said = append(said, text) }
	if err := w.Work(ctx, f); err != nil {
		t.Fatal(err)
	}
	if len(s.calls) != 0 || len(said) != 1 || !strings.Contains(said[0], "round 1 was begun by a2a-conform v0.9.0, whose catalogue is another one") {
		t.Errorf("%v %q", s.calls, said)
	}
	st, err := f.Status(ctx, 1)
	if err != nil || len(st.Notes) != 1 || !strings.Contains(st.Notes[0], "waits for a worker of a2a-conform v0.9.0") {
		t.Errorf("%q %v", st.Notes, err)
	}
	// Targets that are added by this version go to a round of its own.
	a, err := f.Add(ctx, "v1", some(t, 1))
	if err != nil || a.Round.ID != "000002" || a.Queued != 1 {
		t.Error(a, err)
	}
}
