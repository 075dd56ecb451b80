package conform_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/internal/scenario"
	"github.com/a2a-conform/a2a-conform/reference"
)

// A run leaves no task behind that could still be canceled.
func TestNoTaskIsLeft(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{"a2a-0.1", "a2a-0.3"} {
		t.Run(dialect, func(t *testing.T) {
			s := bundled(t, reference.Options{Dialect: dialect})
			o, err := conform.Run(t.Context(), conform.Target{URL: s.URL(), Preset: true})
			if err != nil {
				t.Fatal(err)
			}
			at := o.Transcript.Facts.RPC
			var canceled []string
			tasks := map[string]bool{}
			for _, p := range o.Transcript.Plays {
				for _, step := range p.Steps {
					if step.Op == scenario.Leaving {
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
				switch state := stateOf(t, at, task); state {
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
		})
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
