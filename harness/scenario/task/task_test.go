package task

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/scenario/scenariotest"
)

// A scenario decides its next call from what it saw, and writes down what it
// did not send.
func TestCourses(t *testing.T) {
	// told answers the calls of a method with its states one after the other,
	// the last one again and again.
	told := func(states map[string][]string) func(string, map[string]any) string {
		var counts [3]atomic.Int64
		at := map[string]*atomic.Int64{"tasks/send": &counts[0], "tasks/get": &counts[1], "tasks/cancel": &counts[2]}
		return func(method string, params map[string]any) string {
			list := states[method]
			if len(list) == 0 {
				return scenariotest.Refusal
			}
			n := int(at[method].Add(1)) - 1
			return scenariotest.Task(params["id"], list[min(n, len(list)-1)])
		}
	}
	for _, c := range []struct {
		name     string
		scenario conversation.Scenario
		states   map[string][]string
		want     string
	}{
		{"polled to its end", Slow, map[string][]string{"tasks/send": {"working"}, "tasks/get": {"working", "working", "completed"}}, "send poll-1 poll-2 poll-3"},
		{"held to the end", Slow, map[string][]string{"tasks/send": {"completed"}}, "send"},
		{"a look is refused", Slow, map[string][]string{"tasks/send": {"working"}}, "send poll-1"},
		{"canceled", Cancel, map[string][]string{"tasks/send": {"working"}, "tasks/get": {"working", "canceled"}, "tasks/cancel": {"canceled"}}, "send before cancel get later"},
		{"over before it was canceled", Cancel, map[string][]string{"tasks/send": {"completed"}, "tasks/get": {"completed"}}, "send before (cancel)"},
		{"failed", Fail, map[string][]string{"tasks/send": {"failed"}, "tasks/get": {"failed"}}, "send look-1 look-2 look-3"},
		{"asked and answered", Ask, map[string][]string{"tasks/send": {"input-required", "completed"}, "tasks/get": {"completed"}}, "send waiting-1 waiting-50 answer done-1 done-50"},
		{"asked late", Ask, map[string][]string{"tasks/send": {"working", "completed"}, "tasks/get": {"input-required"}}, "send poll-1 waiting-1 waiting-50 answer done-1 done-50"},
		{"not asked", Ask, map[string][]string{"tasks/send": {"completed"}}, "send (answer)"},
		{"finished", Stays, map[string][]string{"tasks/send": {"completed"}, "tasks/get": {"completed"}}, "send look-1 look-2 look-3 look-4 look-5 again after-1 after-2"},
		{"not finished", Stays, map[string][]string{"tasks/send": {"completed"}, "tasks/get": {"working"}}, "send look-1 look-2 look-3 look-4 look-5 (again)"},
		{"at the same time", TwoTasks, map[string][]string{"tasks/send": {"completed"}, "tasks/get": {"completed"}}, "a b get-a get-b"},
		{"without a memory", Sessions, map[string][]string{"tasks/send": {"completed"}, "tasks/get": {"completed"}}, "first second get-first get-second (stranger)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := scenariotest.PlayWithAnswers(t, c.scenario, "{}", told(c.states))
			if got := scenariotest.Steps(p); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if cut := strings.HasSuffix(c.want, ")"); cut != (p.Stop != "") {
				t.Errorf("why the play ended: %q", p.Stop)
			}
		})
	}
}
