package auth

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario/scenariotest"
)

// Others subscribe to a task while it runs, and its owner after that. If the task
// had ended, the subscription came too late, and if the reply to a message comes only at
// the end, the owner streams a task.
func TestStrangersSubscribeToWhatRuns(t *testing.T) {
	const unknown = `"error":{"code":-32001,"message":"Task not found"}`
	working := func(id string) string { return scenariotest.Task(id, "working") }
	completed := func(id string) string { return scenariotest.Task(id, "completed") }
	for _, c := range []struct {
		name              string
		send, look, owner func(id string) string // nil for an owner who is refused
		late              bool
		streamed          bool // the task is that of the owner's stream
	}{
		{"a task that runs", working, working, working, false, false},
		{"a task that has ended", working, completed, nil, true, false},
		{"an owner who is refused", working, working, nil, false, false},
		{"a reply at the end", completed, completed, working, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			followed, once := make(chan struct{}), sync.Once{}
			server := func(w http.ResponseWriter, r *http.Request) {
				var call struct {
					ID     json.RawMessage
					Method string
					Params struct{ ID string }
				}
				body, _ := io.ReadAll(r.Body)
				json.Unmarshal(body, &call)
				reply := func(member string) {
					w.Header().Set("Content-Type", "application/json")
					fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, call.ID, member)
				}
				event := func(member string) {
					w.Header().Set("Content-Type", "text/event-stream")
					fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,%s}\n\n", call.ID, member)
					w.(http.Flusher).Flush()
				}
				switch owner := r.Header.Get("Authorization") == "right"; {
				case !owner:
					reply(unknown)
				case call.Method == "tasks/send":
					reply(c.send(call.Params.ID))
				case call.Method == "tasks/sendSubscribe":
					event(working(call.Params.ID))
					select {
					case <-followed:
					case <-r.Context().Done():
					}
					event(completed(call.Params.ID))
				case call.Method == "tasks/resubscribe" && c.owner != nil:
					event(c.owner(call.Params.ID))
					once.Do(func() { close(followed) })
				case call.Method == "tasks/resubscribe":
					reply(unknown)
				default:
					reply(c.look(call.Params.ID))
				}
			}
			play := scenariotest.PlayAgainstHandler(t, Guard, server, func(s *conversation.Setting) {
				s.Header = http.Header{"Authorization": {"right"}}
				s.Secrets = []string{"right"}
				s.Stimuli["slow"] = operator.Stimulus{Text: "slow", Seconds: 5}
				s.Callers = map[record.Caller]http.Header{record.Nobody: {}, record.Stranger: {"Authorization": {"wrong"}}, record.Second: {"Authorization": {"second"}}}
			})
			second, own, bare := play.Step("second-resubscribe"), play.Step("own-resubscribe"), play.Step("bare-resubscribe")
			if second == nil || own == nil || bare == nil || second.Twin != "own-resubscribe" || second.Task != own.Task || bare.Task != own.Task {
				t.Fatalf("steps %s", scenariotest.Steps(play))
			}
			if got := second.Late != ""; got != c.late {
				t.Errorf("late: %q", second.Late)
			}
			of := "task"
			if c.streamed {
				of = "own-stream"
			}
			if made := play.Step(of); made == nil || made.Task != second.Task {
				t.Errorf("not the task of %s: %s", of, scenariotest.Steps(play))
			}
		})
	}
}
