package stream

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/scenario/scenariotest"
)

// A stream that is taken up again may end at once if its task has ended in
// the meantime: then it came too late. While the task is at work it did not.
func TestResubscriptionWithoutEvents(t *testing.T) {
	for _, c := range []struct {
		name string
		slow float64 // seconds the task is said to take
		late bool
	}{
		{"the task had ended", 1e-9, true},
		{"the task was at work", 3600, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := scenariotest.PlayAgainstJSONRPC(t, Resubscribe, "{}", c.slow, func(w http.ResponseWriter, method string, id json.RawMessage, params map[string]any) {
				answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, id, scenariotest.Task(params["id"], "working"))
				switch method {
				case "tasks/get":
					w.Header().Set("Content-Type", "application/json")
					fmt.Fprint(w, answer)
				case "tasks/sendSubscribe":
					w.Header().Set("Content-Type", "text/event-stream")
					fmt.Fprintf(w, "data: %s\n\n", answer)
				default:
					w.Header().Set("Content-Type", "text/event-stream")
				}
			})
			if got := scenariotest.Steps(p); got != "subscribe look plain members" {
				t.Fatalf("the steps are %s", got)
			}
			for _, name := range []string{"plain", "members"} {
				if s := p.Step(name); c.late != (s.Late != "") {
					t.Errorf("%s too late: %q", name, s.Late)
				}
			}
		})
	}
}
