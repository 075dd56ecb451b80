package harness

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
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/schema"
)

// perform plays the given scenarios, all of them wanted, against a server.
func perform(t *testing.T, ctx context.Context, given operator.Target, all ...conversation.Scenario) (*runner, []record.Play) {
	t.Helper()
	if given.Concurrency == 0 {
		given.Concurrency = 8
	}
	client := client.NewClient(client.Config{Started: time.Now()})
	t.Cleanup(client.Close)
	r := &runner{target: target{given}, client: client, waited: map[string]float64{}, all: func(*schema.Dialect) []conversation.Scenario { return all }}
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	setting := func(subject) *conversation.Setting {
		return &conversation.Setting{Client: client, Claimed: func(words ...string) bool { return len(words) == 0 }}
	}
	casts, err := r.casts(t.Context(), &found{}, setting, names)
	if err != nil {
		t.Fatal(err)
	}
	return r, r.play(ctx, casts)
}

// TestRepeatedAlone: a shared play that timed out is played again before any
// exclusive or disruptive one, and both attempts are kept side by side.
func TestRepeatedAlone(t *testing.T) {
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
		return conversation.Scenario{Name: name, Class: class, Play: func(c *conversation.Conversation) {
			c.Raw(conversation.Step{Name: "get", Op: "document", Method: http.MethodGet, URL: server.URL + "/" + name, Timeout: 50 * time.Millisecond}, nil)
		}}
	}
	var told []string
	_, plays := perform(t, t.Context(), operator.Target{Progress: func(p operator.Progress) { told = append(told, fmt.Sprint(p.Done, "/", p.Total)) }},
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
	if !slices.Equal(told, []string{"1/5", "2/5", "3/5", "4/5", "5/5"}) {
		t.Errorf("progress %q", told)
	}
}

// TestBrokenStream: a stream whose connection breaks is read once more alone,
// for the fault may lie between the server and us. One that ends is not.
func TestBrokenStream(t *testing.T) {
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
	_, plays := perform(t, t.Context(), operator.Target{}, ask("whole"), ask("broken"))
	var got []string
	for _, p := range plays {
		got = append(got, fmt.Sprintf("%s %d %s", p.Scenario, p.Attempt, p.Steps[0].Exchange.Ended))
	}
	if want := []string{"whole 1 eof", "broken 1 reset", "broken 2 reset"}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestCompany: shared plays run side by side, as many as are allowed, and
// nothing runs beside an exclusive or disruptive one.
func TestCompany(t *testing.T) {
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
	_, plays := perform(t, t.Context(), operator.Target{Limits: operator.Limits{Concurrency: allowed}}, all...)
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

func TestNotPlayed(t *testing.T) {
	never := func(*conversation.Conversation) { t.Error("it was played") }
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx    context.Context
		target operator.Target
		s      conversation.Scenario
		want   string
	}{
		{t.Context(), operator.Target{}, conversation.Scenario{Name: "a", Risk: schema.Heavy, Play: never}, "needs --allow heavy (messages of megabytes)"},
		{t.Context(), operator.Target{Behaviour: operator.Behaviour{Allow: []schema.Risk{schema.Residue}}}, conversation.Scenario{Name: "a", Risk: schema.Heavy, Play: never}, "needs --allow heavy (messages of megabytes)"},
		{t.Context(), operator.Target{}, conversation.Scenario{Name: "a", Needs: []string{"slow"}, Play: never}, "no message is configured that makes the agent work for a while"},
		{t.Context(), operator.Target{}, conversation.Scenario{Name: "a", Claims: []string{"push"}, Play: never}, "the card does not declare push notifications"},
		{cancelled, operator.Target{}, conversation.Scenario{Name: "a", Play: never}, "the run's time was up"},
	} {
		_, plays := perform(t, c.ctx, c.target, c.s)
		if len(plays) != 1 || plays[0].Scenario != "a" || plays[0].Attempt != 1 || !strings.Contains(plays[0].Stop, c.want) {
			t.Errorf("got %+v, want %s", plays, c.want)
		}
	}
}

// TestPanic: a panic of a scenario is a fault of ours that ends no process and
// no other play.
func TestPanic(t *testing.T) {
	played := false
	r, _ := perform(t, t.Context(), operator.Target{}, conversation.Scenario{Name: "broken", Play: func(*conversation.Conversation) { panic("oh") }},
		conversation.Scenario{Name: "whole", Class: conversation.Exclusive, Play: func(*conversation.Conversation) { played = true }})
	if !played || r.done != 2 {
		t.Errorf("played: %v, done: %d", played, r.done)
	}
	if r.fault == nil || !strings.Contains(r.fault.Error(), "a2a-conform failed in the conversation broken: oh") || !strings.Contains(r.fault.Error(), "run_test.go") {
		t.Errorf("got %v", r.fault)
	}
}

// TestCut ends a run from outside in the middle of a play.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		name, want string
		deadline   time.Duration
	}{
		{"deadline", "the deadline of 200ms was reached", 200 * time.Millisecond},
		{"interrupted", "the run was interrupted", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					http.NotFound(w, r)
					return
				}
				io.Copy(io.Discard, r.Body) // a server sees the client go only after that
				if c.deadline == 0 {
					cancel()
				}
				<-r.Context().Done()
			}))
			defer server.Close()
			talk, err := Run(ctx, operator.Target{URL: server.URL, Dialect: "a2a-0.1", Limits: operator.Limits{Deadline: c.deadline}},
				func(*schema.Dialect) ([]string, error) { return []string{"quick"}, nil })
			if err != nil {
				t.Fatal(err)
			}
			if cut := talk.Transcript.Facts.Cut; cut != c.want {
				t.Errorf("cut: %q", cut)
			}
			n := 0
			for _, p := range talk.Transcript.Plays {
				if p.Scenario == "quick" {
					n++
					if len(p.Steps) == 0 || p.Steps[0].Exchange == nil || p.Steps[0].Exchange.Ended != record.Aborted {
						t.Errorf("got %+v", p)
					}
				}
			}
			if n != 1 {
				t.Errorf("quick was played %d times", n)
			}
		})
	}
}

// An endpoint that answers nothing is not asked every question, and the
// transcript says why the others were not made.
func TestDeadEndpoint(t *testing.T) {
	for _, concurrency := range []int{1, 8} {
		var calls atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				fmt.Fprintf(w, `{"name":"x","version":"1","url":"http://%s/","capabilities":{"streaming":true},"skills":[]}`, r.Host)
				return
			}
			calls.Add(1)
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				conn.Close()
			}
		}))
		defer server.Close()
		talk, err := Run(t.Context(), operator.Target{URL: server.URL, Dialect: "a2a-0.1", Behaviour: operator.Behaviour{DefaultStimuli: true}, Limits: operator.Limits{Concurrency: concurrency}}, func(d *schema.Dialect) (all []string, err error) {
			for _, s := range scenario.All(d) {
				all = append(all, s.Name)
			}
			return all, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := calls.Load(); n < 3 || n > int64(3+2*(concurrency+1)) {
			t.Errorf("%d calls were made, %d at a time", n, concurrency)
		}
		told := 0
		for _, p := range talk.Transcript.Plays {
			if strings.Contains(p.Stop, "gave no HTTP response") {
				told++
			}
			for _, s := range p.Steps {
				if strings.Contains(s.NotSent, "gave no HTTP response") {
					told++
				}
				if s.NotSent == "" && s.Exchange == nil {
					t.Errorf("%s/%s has neither an exchange nor a reason", p.Scenario, s.Name)
				}
			}
		}
		if told < 10 {
			t.Errorf("only %d plays and steps say why they were not made", told)
		}
	}
}
