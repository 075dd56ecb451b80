package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reference"
)

// A run leaves no task behind that could still be canceled.
func TestNoTaskIsLeft(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{"a2a-0.1", "a2a-0.3"} {
		t.Run(dialect, func(t *testing.T) {
			s := bundled(t, reference.Options{Dialect: dialect})
			o, err := conform.Run(t.Context(), conform.Target{URL: s.URL(), Behaviour: conform.Behaviour{DefaultStimuli: true, Stimuli: slowForSure}})
			if err != nil {
				t.Fatal(err)
			}
			demandNoTaskIsLeft(t, o.Transcript)
		})
	}
}

// A server may refuse to cancel a task at the moment at which the task begins to wait: it is
// asked again.
func TestNoTaskIsLeftByARefusalAtFirst(t *testing.T) {
	t.Parallel()
	s := bundled(t, reference.Options{Dialect: "a2a-0.1"})
	var asked sync.Map
	front := refusingBefore(t, s.URL(), "tasks/cancel", -32002, func(task string) bool {
		_, again := asked.LoadOrStore(task, true)
		return !again
	})
	o, err := conform.Run(t.Context(), conform.Target{URL: front, Endpoint: conform.Endpoint{RPC: front + "/"}, Behaviour: conform.Behaviour{DefaultStimuli: true, Stimuli: slowForSure}})
	if err != nil {
		t.Fatal(err)
	}
	demandNoTaskIsLeft(t, o.Transcript)
}

// demandNoTaskIsLeft asks the server of a run for all its tasks: each must have ended.
func demandNoTaskIsLeft(t *testing.T, run *record.Transcript) {
	t.Helper()
	var canceled []string
	tasks := map[string]bool{}
	for _, p := range run.Plays {
		for _, step := range p.Steps {
			if step.Op == conversation.Leaving {
				canceled = append(canceled, step.Task)
			}
			if step.Task != "" {
				tasks[step.Task] = true
			}
		}
	}
	if len(canceled) == 0 {
		t.Error("no play had anything to cancel")
	}
	ended := 0
	for task := range tasks {
		switch state := stateOf(t, run.Facts.RPC, task); state {
		case "", "unknown": // it never was
		case "completed", "canceled", "failed", "rejected":
			ended++
		default:
			t.Errorf("the task %s was left %s; it was canceled: %v", task, state, slices.Contains(canceled, task))
		}
	}
	if ended < 20 {
		t.Errorf("only %d tasks have ended", ended)
	}
}

// stateOf asks a server for the state of a task; "" where it knows none.
func stateOf(t *testing.T, at, task string) string {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":%q}}`, task)
	r, err := http.Post(at, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var reply struct {
		Result struct{ Status struct{ State string } }
	}
	if err := json.NewDecoder(r.Body).Decode(&reply); err != nil {
		t.Fatal(err)
	}
	return reply.Result.Status.State
}
