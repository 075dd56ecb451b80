package fleet

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
)

// soonEnough bounds what a test waits for on a busy machine.
const soonEnough = time.Minute

// eventually waits until something holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(soonEnough); !holds(); broker.Pause(t.Context(), 20*time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not after %v", what, soonEnough)
		}
	}
}

// A schedule begins rounds by itself, one for each time that it is due, though two workers
// listen; each is judged. It ends when it is told to.
func TestRoundsBySchedule(t *testing.T) {
	t.Parallel()
	data := aBroker(t, broker.Server{})
	f := connected(t, data, "test")
	targets := some(t, 3)
	if err := f.SetSchedule(t.Context(), "nightly", "@every 1s", targets); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	s := &stub{}
	for i := range 2 {
		w := worker(fmt.Sprint("w", i), s.judge, t)
		w.StopWhenIdle = false
		g := connected(t, data, w.Name)
		all.Go(func() {
			if err := w.Work(ctx, g); err != nil {
				t.Error(err)
			}
		})
	}
	finished := func() (n int) {
		rounds, err := f.Rounds(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rounds {
			if r.Finished != nil {
				n++
			}
		}
		return n
	}
	eventually(t, "three rounds", func() bool { return finished() >= 3 })
	st, err := f.Status(t.Context(), 0)
	if err != nil || len(st.Schedules) != 1 || st.Schedules[0] != (Schedule{"nightly", "@every 1s", 3}) {
		t.Error(st.Schedules, err)
	}
	if err := f.EndSchedule(t.Context(), "nightly"); err != nil {
		t.Fatal(err)
	}
	if st, err = f.Status(t.Context(), 0); err != nil || len(st.Schedules) != 0 {
		t.Error(st.Schedules, err)
	}
	if err := f.EndSchedule(t.Context(), "nightly"); err == nil || !strings.Contains(err.Error(), `no schedule is called "nightly"; fleet status lists them`) {
		t.Error(err)
	}
	// What was due before is begun; nothing is due any more, while a schedule that still goes on
	// is due twice.
	if err := f.SetSchedule(t.Context(), "other", "@every 1s", targets[:1]); err != nil {
		t.Fatal(err)
	}
	of := func(name string) (n int) {
		rounds, err := f.Rounds(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		seen := map[uint64]bool{}
		for _, r := range rounds {
			if r.Schedule != name {
				continue
			}
			if n++; seen[r.Due] {
				t.Errorf("two rounds of what was due once: %s", broker.Encode(rounds))
			}
			seen[r.Due] = true
		}
		return n
	}
	eventually(t, "a round of the other schedule", func() bool { return of("other") >= 1 })
	ended := of("nightly")
	eventually(t, "two rounds more", func() bool { return of("other") >= 3 })
	if n := of("nightly"); n != ended {
		t.Errorf("%d rounds, and %d after the schedule had ended", ended, n)
	}
	if err := f.EndSchedule(t.Context(), "other"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of every round", func() bool { return finished() == of("nightly")+of("other") })
	rounds, err := f.Rounds(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rounds {
		if want := map[string]int{"nightly": 3, "other": 1}[r.Schedule]; r.Results != want || r.Targets != want || r.GivenUp != 0 {
			t.Errorf("%s", broker.Encode(r))
		}
	}
}

// A worker that dies while it begins a round leaves it to the next one, which goes on with the
// same round: each target is queued once.
func TestDueAgain(t *testing.T) {
	t.Parallel()
	f := connected(t, aBroker(t, broker.Server{}), "test")
	ctx := t.Context()
	targets := some(t, 5)
	if err := f.SetSchedule(ctx, "nightly", "0 2 29 2 *", targets); err != nil { // five fields, as cron has them
		t.Fatal(err)
	}
	if _, err := f.conn.JetStream.Publish(ctx, dueSubjects+"nightly", broker.Encode(Schedule{"nightly", "0 2 29 2 *", 5})); err != nil { // as the broker does then
		t.Fatal(err)
	}
	s, err := f.openOrCreateScheduleStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	due, err := s.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: "due", FilterSubject: dueSubjects + "*", AckPolicy: jetstream.AckExplicitPolicy, AckWait: addingTime})
	if err != nil {
		t.Fatal(err)
	}
	next := func() (jetstream.Msg, *jetstream.MsgMetadata) {
		m, err := due.Next(jetstream.FetchMaxWait(soonEnough))
		if err != nil {
			t.Fatal(err)
		}
		meta, err := m.Metadata()
		if err != nil {
			t.Fatal(err)
		}
		return m, meta
	}
	// The first one dies when it has made the round and queued a part.
	m, meta := next()
	r, err := f.newRound(ctx, nil, Round{Tool: "v1", Schedule: "nightly", Due: meta.Sequence.Stream})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.queueTargets(ctx, r, targets[:2]); err != nil {
		t.Fatal(err)
	}
	if err := m.Nak(); err != nil { // as where it was silent for too long
		t.Fatal(err)
	}
	again, meta := next()
	if meta.NumDelivered != 2 {
		t.Fatalf("delivered %d times", meta.NumDelivered)
	}
	if err := f.beginScheduledRound(ctx, "v1", again); err != nil {
		t.Fatal(err)
	}
	rounds, err := f.Rounds(ctx)
	if err != nil || len(rounds) != 1 || rounds[0].ID != r.ID {
		t.Errorf("%s %v", broker.Encode(rounds), err)
	}
	stub := &stub{}
	if err := worker("w", stub.judge, t).Work(ctx, f); err != nil {
		t.Fatal(err)
	}
	if rounds, err = f.Rounds(ctx); err != nil || len(rounds) != 1 || rounds[0].Finished == nil || rounds[0].Results != 5 || rounds[0].Targets != 5 {
		t.Errorf("%s %v", broker.Encode(rounds), err)
	}
	for _, one := range targets {
		if stub.calls[one.URL] != 1 {
			t.Errorf("%s was judged %d times", one.URL, stub.calls[one.URL])
		}
	}
}

// What is no schedule is refused with what to write, and changes nothing.
func TestWrongSchedules(t *testing.T) {
	t.Parallel()
	f := connected(t, aBroker(t, broker.Server{}), "test")
	ctx := t.Context()
	if err := f.SetSchedule(ctx, "nightly", "@daily", some(t, 4)); err != nil {
		t.Fatal(err)
	}
	before, err := f.lists.GetBytes(ctx, "nightly")
	if err != nil {
		t.Fatal(err)
	}
	for _, every := range []string{"sometimes", "61 * * * *", "* * *", "@every", "@every 0s", "@every -1s", "@every 10ms", "0 2 * * * * *", "@at 2020-01-01T00:00:00Z", " "} {
		if err := f.SetSchedule(ctx, "nightly", every, some(t, 1)); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("--every %q is no schedule; write it as cron does, like '0 2 * * *'", every)) {
			t.Errorf("%q: %v", every, err)
		}
	}
	if err := f.SetSchedule(ctx, "a.b", "@daily", some(t, 1)); err == nil || !strings.Contains(err.Error(), "give --schedule NAME") {
		t.Error(err)
	}
	after, err := f.lists.GetBytes(ctx, "nightly")
	if err != nil || string(after) != string(before) {
		t.Errorf("the list is another one: %s %v", after, err)
	}
	all, err := f.Schedules(ctx)
	if err != nil || len(all) != 1 || all[0] != (Schedule{"nightly", "@daily", 4}) {
		t.Error(all, err)
	}
}
