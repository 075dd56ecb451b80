package conform

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/files"
)

// TestClient judges a client inside a Go test: send is called once for each scenario, each time with a
// server of its own, and is to send c.Text to the agent at c.URL, to write to c.Out what its user would
// see, and to return an error if the agent did not answer. If c.Second is not empty, it is to be sent
// next, in the same conversation. Every requirement is a subtest, as in Test.
//
// A panic of send counts as a crash of the client. A call of send that is still running after its context
// has ended fails the test, with the names of its scenarios.
func TestClient(t *testing.T, send func(ctx context.Context, c *ClientRun) error, options ...func(*ClientTarget)) *Outcome {
	t.Helper()
	running := runningCalls{count: map[string]int{}}
	target := ClientTarget{Name: t.Name(), Func: func(ctx context.Context, c *ClientRun) error {
		running.change(c.Scenario, 1)
		defer running.change(c.Scenario, -1)
		return send(ctx, c)
	}}
	for _, o := range options {
		o(&target)
	}
	if target.Reports != "" {
		if err := files.EnsureWritableDir(target.Reports); err != nil {
			t.Fatalf("a2a-conform: %v", err)
		}
	}
	outcome, err := RunClient(t.Context(), target)
	if outcome != nil && target.Reports != "" {
		defer writeReports(t, outcome, target.Reports)
	}
	if left := running.list(); len(left) > 0 {
		t.Errorf("a2a-conform: the client is still running in %s: end it with its context", strings.Join(left, ", "))
	}
	if err != nil {
		t.Fatalf("a2a-conform: %v", err)
	}
	reportOutcome(t, outcome)
	return outcome
}

// runningCalls counts calls that have not returned, by scenario.
type runningCalls struct {
	mu    sync.Mutex
	count map[string]int
}

func (r *runningCalls) change(scenario string, by int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count[scenario] += by
}

func (r *runningCalls) list() (names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, n := range r.count {
		if n > 0 {
			names = append(names, fmt.Sprintf("the scenario %q", name))
		}
	}
	slices.Sort(names)
	return names
}
