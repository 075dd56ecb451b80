package client

import (
	"context"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// A counted server allows some requests in a second, counted in one of the
// usual ways, and says so in one of the usual spellings.
type counted struct {
	limit   int
	sliding bool
	says    func(h http.Header, left int, reset time.Time)

	mu     sync.Mutex
	times  []time.Time
	begins time.Time
	over   atomic.Int64
	served atomic.Int64
}

func (c *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	now := time.Now()
	reset := now.Add(time.Second)
	if c.sliding {
		for len(c.times) > 0 && now.Sub(c.times[0]) >= time.Second {
			c.times = c.times[1:]
		}
		if len(c.times) > 0 {
			reset = c.times[0].Add(time.Second)
		}
	} else {
		if now.Sub(c.begins) >= time.Second {
			c.begins, c.times = now, nil
		}
		reset = c.begins.Add(time.Second)
	}
	c.times = append(c.times, now)
	left := c.limit - len(c.times)
	c.mu.Unlock()
	c.says(w.Header(), max(0, left), reset)
	if left < 0 {
		c.over.Add(1)
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	c.served.Add(1)
}

func secondsUntil(reset time.Time, round func(float64) float64) string {
	return strconv.Itoa(int(round(time.Until(reset).Seconds())))
}

// A client that sends as fast as it may is never refused, and gets through.
func TestPaceStaysBelow(t *testing.T) {
	gateway := func(reset func(time.Time) string) func(http.Header, int, time.Time) {
		return func(h http.Header, left int, at time.Time) {
			h.Set("X-RateLimit-Limit", "5")
			h.Set("X-RateLimit-Remaining", strconv.Itoa(left))
			h.Set("X-RateLimit-Reset", reset(at))
		}
	}
	epoch := func(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
	// The clients mostly wait, so they do it side by side, and beside other tests.
	var group sync.WaitGroup
	for name, says := range map[string]func(http.Header, int, time.Time){
		"epoch, rounded down": gateway(epoch),
		"epoch, rounded up":   gateway(func(at time.Time) string { return epoch(at.Add(time.Second)) }),
		"seconds, rounded up": gateway(func(at time.Time) string { return secondsUntil(at, math.Ceil) }),
		"seconds, rounded down": gateway(func(at time.Time) string {
			return secondsUntil(at, math.Floor)
		}),
		"with its window": func(h http.Header, left int, at time.Time) {
			gateway(epoch)(h, left, at)
			h.Set("X-RateLimit-Window", "1")
		},
		"draft": func(h http.Header, left int, at time.Time) {
			h.Set("RateLimit", "limit=5, remaining="+strconv.Itoa(left)+", reset="+secondsUntil(at, math.Ceil))
			h.Set("RateLimit-Policy", "5;w=1")
		},
		"limit and window alone": func(h http.Header, _ int, _ time.Time) { h.Set("RateLimit-Limit", "5, 5;w=1") },
	} {
		for _, sliding := range []bool{false, true} {
			group.Go(func() {
				flooded(t, name+", sliding "+strconv.FormatBool(sliding), &counted{limit: 5, sliding: sliding, says: says}, nil)
			})
		}
	}
	group.Go(func() {
		flooded(t, "declared by the operator", &counted{limit: 5, says: func(http.Header, int, time.Time) {}}, &operator.RateLimit{Requests: 5, Seconds: 1})
	})
	t.Parallel()
	group.Wait()
}

// flooded makes calls from many sides at once, after one whose answer was
// awaited.
func flooded(t *testing.T, name string, c *counted, declared *operator.RateLimit) {
	server := httptest.NewServer(c)
	defer server.Close()
	client := NewClient(Config{Started: time.Now(), Limit: declared})
	defer client.Close()
	get := func() { client.Do(t.Context(), Call{Method: http.MethodGet, URL: server.URL}, nil) }
	get()
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() { get(); get() })
	}
	group.Wait()
	if c.over.Load() != 0 || c.served.Load() != 13 {
		t.Errorf("%s: %d calls were served, %d refused", name, c.served.Load(), c.over.Load())
	}
	if client.Pace().Held() == 0 || client.Pace().HasRoom(1000) {
		t.Errorf("%s: no call was held back", name)
	}
}

// Without a stated limit nothing is held back, and nothing is known.
func TestPaceWithoutLimit(t *testing.T) {
	p := newPace(func() record.Instant { return 0 }, nil)
	for range 1000 {
		if err := p.awaitAndCountCall(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.recordAnswer(http.Header{"X-Ratelimit-Reset": {"5"}})
	}
	if !p.HasRoom(1000) || p.Held() != 0 {
		t.Error("a limit was made up")
	}
}

// Room is room for several calls at once; no more than the limit is waited for.
func TestPaceRoom(t *testing.T) {
	now := record.Instant(0)
	p := newPace(func() record.Instant { return now }, &operator.RateLimit{Requests: 5, Seconds: 10})
	for range 3 {
		p.countCallIgnoringLimit()
		p.recordAnswer(nil)
	}
	if ok, at := p.checkRoom(2); !ok || at != 0 {
		t.Error("there is no room for two")
	}
	for _, calls := range []int{3, 5, 50} {
		if ok, at := p.checkRoom(calls); ok || at != addMargin(10*time.Second) {
			t.Errorf("room for %d at %v", calls, at)
		}
	}
	now = addMargin(10 * time.Second)
	if ok, _ := p.checkRoom(50); !ok {
		t.Error("there is no room in a new window")
	}
}

// A limit that leaves no room before the end of the run ends it at once.
func TestPaceIsHopeless(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("X-RateLimit-Limit", "100")
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset", "3600")
	}))
	defer server.Close()
	client := NewClient(Config{Started: time.Now()})
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	call := Call{Method: http.MethodGet, URL: server.URL}
	if x := client.Do(ctx, call, nil); x.Status() != 200 {
		t.Fatalf("got %v", x)
	}
	if x := client.Do(ctx, call, nil); x.Ended != record.Unsent || x.Answered() || asked != 1 || client.Pace().Hopeless() == "" {
		t.Errorf("ended %s after %d calls, hopeless %q", x.Ended, asked, client.Pace().Hopeless())
	}
}
