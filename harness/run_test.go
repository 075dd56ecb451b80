package harness

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/schema"
)

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
		unsent := 0
		for _, p := range talk.Transcript.Plays {
			if strings.Contains(p.Stop, "gave no HTTP response") {
				unsent++
			}
			for _, s := range p.Steps {
				if strings.Contains(s.NotSent, "gave no HTTP response") {
					unsent++
				}
				if s.NotSent == "" && s.Exchange == nil {
					t.Errorf("%s/%s has neither an exchange nor a reason", p.Scenario, s.Name)
				}
			}
		}
		if unsent < 10 {
			t.Errorf("only %d plays and steps have a reason why they were not made", unsent)
		}
	}
}
