package schedule

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// perform performs the given scenarios.
func perform(t *testing.T, ctx context.Context, o Options, all ...conversation.Scenario) ([]record.Play, error) {
	t.Helper()
	if o.Concurrency == 0 {
		o.Concurrency = 8
	}
	client := client.NewClient(client.Config{Started: time.Now()})
	t.Cleanup(client.Close)
	o.Pace, o.Retries, o.Record = client.Pace(), 1, discard{}
	setting := &conversation.Setting{Client: client, Claimed: func(words ...string) bool { return len(words) == 0 }}
	var assignments []Assignment
	for _, s := range all {
		assignments = append(assignments, Assignment{Scenario: s, Setting: setting})
	}
	return Run(ctx, o, assignments)
}

// discard is a Recorder that keeps nothing.
type discard struct{}

func (discard) ReservePlays(int)                     {}
func (discard) KeepOngoingAttempt(int, *record.Play) {}
func (discard) AddEndedAttempt(int, *record.Play)    {}

// TestRetryAlone: a shared play that timed out is played again before any
// exclusive or disruptive one, and both attempts are kept.
func TestRetryAlone(t *testing.T) {
	var order []string
	asked := map[string]int{}
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		order = append(order, r.URL.Path)
		asked[r.URL.Path]++
		first := asked[r.URL.Path] == 1
		mu.Unlock()
		if r.URL.Path == "/mute" || r.URL.Path == "/slow" && first || r.URL.Path == "/alone" {
			<-r.Context().Done()
		}
	}))
	defer server.Close()
	ask := func(name string, class conversation.Class) conversation.Scenario {
		return conversation.Scenario{Name: name, Doc: "asks for " + name, Class: class, Play: func(c *conversation.Conversation) {
			c.Raw(conversation.Step{Name: "get", Op: "document", Method: http.MethodGet, URL: server.URL + "/" + name, Timeout: 50 * time.Millisecond}, nil)
		}}
	}
	var reported []string
	progress := func(p operator.Progress) {
		reported = append(reported, fmt.Sprint(p.Done, "/", p.Total))
		if p.Doc != "asks for "+p.Scenario {
			t.Errorf("progress describes %s by %q", p.Scenario, p.Doc)
		}
	}
	plays, _ := perform(t, t.Context(), Options{Progress: progress},
		ask("last", conversation.Disruptive), ask("alone", conversation.Exclusive), ask("slow", conversation.Shared), ask("quick", conversation.Shared), ask("mute", conversation.Shared))
	var got []string
	for _, p := range plays {
		got = append(got, fmt.Sprintf("%s %d %s", p.Scenario, p.Attempt, p.Steps[0].Exchange.Ended))
	}
	want := []string{"last 1 eof", "alone 1 timeout", "slow 1 timeout", "slow 2 eof", "quick 1 eof", "mute 1 timeout", "mute 2 timeout"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if tail := order[3:]; !slices.Equal(tail, []string{"/slow", "/mute", "/alone", "/last"}) {
		t.Errorf("after the pool came %q", tail)
	}
	if !slices.Equal(reported, []string{"1/5", "2/5", "3/5", "4/5", "5/5"}) {
		t.Errorf("progress %q", reported)
	}
}

// TestRetryBrokenStream: a stream whose connection breaks is read once more alone, because a
// proxy may have caused it. A stream that ends is not.
func TestRetryBrokenStream(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {}\n\n")
		http.NewResponseController(w).Flush()
		if r.URL.Path == "/broken" {
			panic(http.ErrAbortHandler)
		}
	}))
	defer server.Close()
	ask := func(name string) conversation.Scenario {
		return conversation.Scenario{Name: name, Play: func(c *conversation.Conversation) { c.Get("get", "document", server.URL+"/"+name) }}
	}
	plays, _ := perform(t, t.Context(), Options{}, ask("whole"), ask("broken"))
	var got []string
	for _, p := range plays {
		got = append(got, fmt.Sprintf("%s %d %s", p.Scenario, p.Attempt, p.Steps[0].Exchange.Ended))
	}
	if want := []string{"whole 1 eof", "broken 1 reset", "broken 2 reset"}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestPoolSize: shared plays run at the same time, as many as are allowed, and
// nothing runs during an exclusive or disruptive one.
func TestPoolSize(t *testing.T) {
	const allowed = 3
	var running, most atomic.Int64
	full := make(chan struct{}) // closed when as many run as are allowed
	var once sync.Once
	var order []string
	shared := func(*conversation.Conversation) {
		n := running.Add(1)
		defer running.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if n == allowed {
			once.Do(func() { close(full) })
		}
		select {
		case <-full:
		case <-time.After(10 * time.Second):
			t.Error("too few plays run at the same time")
		}
	}
	alone := func(name string) func(*conversation.Conversation) {
		return func(*conversation.Conversation) {
			if n := running.Add(1); n != 1 {
				t.Errorf("%s ran in the company of %d", name, n-1)
			}
			order = append(order, name)
			running.Add(-1)
		}
	}
	all := []conversation.Scenario{
		{Name: "d", Class: conversation.Disruptive, Play: alone("d")},
		{Name: "e", Class: conversation.Exclusive, Play: alone("e")},
	}
	for i := range 4 * allowed {
		all = append(all, conversation.Scenario{Name: fmt.Sprint("s", i), Play: shared})
	}
	all = append(all, conversation.Scenario{Name: "f", Class: conversation.Exclusive, Play: alone("f")})
	plays, _ := perform(t, t.Context(), Options{Concurrency: allowed}, all...)
	if most.Load() != allowed {
		t.Errorf("%d plays ran at the same time", most.Load())
	}
	if !slices.Equal(order, []string{"e", "f", "d"}) {
		t.Errorf("alone, in this order: %q", order)
	}
	for i, p := range plays {
		if p.Scenario != all[i].Name || p.Attempt != 1 {
			t.Errorf("play %d is %q, attempt %d", i, p.Scenario, p.Attempt)
		}
	}
}

func TestObstacles(t *testing.T) {
	never := func(*conversation.Conversation) { t.Error("it was played") }
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx     context.Context
		options Options
		s       conversation.Scenario
		want    string
	}{
		{t.Context(), Options{}, conversation.Scenario{Name: "a", Risk: schema.Heavy, Play: never}, "needs --allow heavy (messages of megabytes)"},
		{t.Context(), Options{Allow: []schema.Risk{schema.Residue}}, conversation.Scenario{Name: "a", Risk: schema.Heavy, Play: never}, "needs --allow heavy (messages of megabytes)"},
		{t.Context(), Options{}, conversation.Scenario{Name: "a", Needs: []string{"slow"}, Play: never}, "no message is configured that makes the agent work for a while"},
		{t.Context(), Options{}, conversation.Scenario{Name: "a", Claims: []string{"push"}, Play: never}, "the card does not declare push notifications"},
		{cancelled, Options{}, conversation.Scenario{Name: "a", Play: never}, "the run's time was up"},
	} {
		plays, _ := perform(t, c.ctx, c.options, c.s)
		if len(plays) != 1 || plays[0].Scenario != "a" || plays[0].Attempt != 1 || !strings.Contains(plays[0].Stop, c.want) {
			t.Errorf("got %+v, want %s", plays, c.want)
		}
	}
}

// TestPanic: a panic of a scenario is a fault of ours that ends no process and
// no other play.
func TestPanic(t *testing.T) {
	played := false
	var ended []int
	_, err := perform(t, t.Context(), Options{Progress: func(p operator.Progress) { ended = append(ended, p.Done) }}, conversation.Scenario{Name: "broken", Play: func(*conversation.Conversation) { panic("oh") }},
		conversation.Scenario{Name: "whole", Class: conversation.Exclusive, Play: func(*conversation.Conversation) { played = true }})
	if !played || !slices.Equal(ended, []int{1, 2}) {
		t.Errorf("played: %v, ended: %d", played, ended)
	}
	if err == nil || !strings.Contains(err.Error(), "a2a-conform failed in the conversation broken: oh") || !strings.Contains(err.Error(), "scheduler_test.go") {
		t.Errorf("got %v", err)
	}
}

// TestPromiseIsMadeInTime: a play that waits for what another offers, while both run, does so even if that one is slow to begin.
func TestPromiseIsMadeInTime(t *testing.T) {
	for range 20 {
		offered, waited := make(chan bool), false
		_, err := perform(t, t.Context(), Options{},
			conversation.Scenario{Name: "waits", Sends: 1, Probes: 600, Reuses: map[string]int{"offers": 1}, Play: func(c *conversation.Conversation) {
				close(offered) // so that the other one goes on only if it was waited for
				waited = c.AwaitPromise("offers")
			}},
			conversation.Scenario{Name: "offers", Sends: 1, Promises: true, Play: func(*conversation.Conversation) { <-offered }})
		if err != nil || !waited {
			t.Fatalf("waited: %v, %v", waited, err)
		}
	}
}
