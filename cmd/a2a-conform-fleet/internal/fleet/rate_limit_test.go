package fleet

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
)

// Turns of several workers never come closer than their rate allows.
func TestTurns(t *testing.T) {
	data := aBroker(t, broker.Server{})
	var mu sync.Mutex
	var at []time.Time
	var all sync.WaitGroup
	const perSecond, each = 40, 40
	for w := range 3 {
		f := connected(t, data, fmt.Sprint("worker ", w))
		for range 4 {
			all.Add(1)
			go func() {
				defer all.Done()
				for range each / 4 {
					if err := f.leases.waitTurn(t.Context(), startsKey, perSecond); err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					at = append(at, time.Now())
					mu.Unlock()
				}
			}()
		}
	}
	all.Wait()
	if most := commandtest.MostWithin(at, 2*time.Second); most > 2*perSecond {
		t.Errorf("%d turns within two seconds at %d a second", most, perSecond)
	}
	if took := at[len(at)-1].Sub(at[0]); took > time.Duration(float64(3*each)/(0.8*perSecond)*float64(time.Second)) {
		t.Errorf("%d turns took %v", 3*each, took)
	}
}

// A host is leased so often at a time, over all workers; a lease that its holder does not renew
// runs out, and one that he gives back is free at once.
func TestLeases(t *testing.T) {
	data := aBroker(t, broker.Server{})
	a, b := connected(t, data, "a"), connected(t, data, "b")
	ctx := t.Context()
	first, err := a.leases.tryAcquireLease(ctx, "h", "run-1", 1, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.leases.tryAcquireLease(ctx, "h", "run-2", 1, time.Minute); !errors.Is(err, errAllLeased) {
		t.Fatal("two at a time: ", err)
	}
	if _, err := b.leases.tryAcquireLease(ctx, "h", "run-2", 2, time.Minute); err != nil {
		t.Fatal("a second one where two are allowed: ", err)
	}
	if _, err := b.leases.tryAcquireLease(ctx, "other", "run-3", 1, time.Minute); err != nil {
		t.Fatal(err)
	}
	if again, err := a.leases.tryAcquireLease(ctx, "h", "run-1", 1, time.Minute); err != nil || again.revision != first.revision {
		t.Fatal("the holder asks again, as where an answer got lost: ", err)
	}
	if err := a.leases.renewLease(ctx, first); err != nil {
		t.Fatal(err)
	}
	a.leases.releaseLease(ctx, first)
	short, err := b.leases.tryAcquireLease(ctx, "h", "run-4", 1, 50*time.Millisecond)
	if err != nil {
		t.Fatal("it was given back: ", err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; broker.Pause(ctx, 50*time.Millisecond) {
		if _, err = a.leases.tryAcquireLease(ctx, "h", "run-5", 1, time.Minute); err == nil || time.Now().After(deadline) {
			break
		}
	}
	if err != nil {
		t.Fatal("it ran out: ", err)
	}
	if err := b.leases.renewLease(ctx, short); !broker.IsConflict(err) {
		t.Fatal("who let a lease run out renews it: ", err)
	}
}

// Of targets on one host one is judged at a time, and the others are not forgotten.
func TestOneRunAtATimeOnAHost(t *testing.T) {
	t.Parallel()
	data := aBroker(t, broker.Server{})
	f := connected(t, data, "test")
	var targets []agentlist.Target
	for i := range 12 {
		one, _, _, err := agentlist.ParseEntry(fmt.Appendf(nil, `{"target":"http://127.0.0.1:%d"}`, 9000+i))
		if err != nil {
			t.Fatal(err)
		}
		targets = append(targets, one)
	}
	targets = append(targets, some(t, 13)[1:]...) // hosts that nobody has to wait for
	if _, err := f.Add(t.Context(), "v1", targets); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	under, most := map[string]int{}, map[string]int{}
	s := &stub{}
	j := func(ctx context.Context, r Run) (*conform.Outcome, error) {
		u, err := url.Parse(r.Target.URL)
		if err != nil {
			return nil, err
		}
		host := u.Hostname()
		mu.Lock()
		under[host]++
		most[host] = max(most[host], under[host])
		mu.Unlock()
		broker.Pause(ctx, 20*time.Millisecond)
		mu.Lock()
		under[host]--
		mu.Unlock()
		return s.judge(ctx, r)
	}
	var all sync.WaitGroup
	for i := range 3 {
		all.Add(1)
		go func() {
			defer all.Done()
			if err := worker(fmt.Sprint("w", i), j, t).Work(t.Context(), connected(t, data, fmt.Sprint("w", i))); err != nil {
				t.Error(err)
			}
		}()
	}
	all.Wait()
	for host, n := range most {
		if n > 1 {
			t.Errorf("%d runs at a time on %s", n, host)
		}
	}
	for _, one := range targets {
		if s.calls[one.URL] != 1 {
			t.Errorf("%s was judged %d times", one.URL, s.calls[one.URL])
		}
	}
}

// A host that refuses everything is left alone for longer each time.
func TestBackingOff(t *testing.T) {
	f := connected(t, aBroker(t, broker.Server{}), "test")
	before := time.Duration(0)
	for range 3 {
		if err := f.leases.updateBackoff(t.Context(), "h", true); err != nil {
			t.Fatal(err)
		}
		d, err := f.leases.remainingBackoff(t.Context(), "h")
		if err != nil || d <= before {
			t.Fatalf("%v after %v: %v", d, before, err)
		}
		before = d
	}
	if err := f.leases.updateBackoff(t.Context(), "h", false); err != nil {
		t.Fatal(err)
	}
	if d, err := f.leases.remainingBackoff(t.Context(), "h"); err != nil || d > 0 {
		t.Fatal(d, err)
	}
}
