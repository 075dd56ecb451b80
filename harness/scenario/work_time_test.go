package scenario

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"
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
				return refusal
			}
			n := int(at[method].Add(1)) - 1
			return task(params["id"], list[min(n, len(list)-1)])
		}
	}
	for _, c := range []struct {
		name     string
		scenario Scenario
		states   map[string][]string
		want     string
	}{
		{"polled to its end", slow, map[string][]string{"tasks/send": {"working"}, "tasks/get": {"working", "working", "completed"}}, "send poll-1 poll-2 poll-3"},
		{"held to the end", slow, map[string][]string{"tasks/send": {"completed"}}, "send"},
		{"a look is refused", slow, map[string][]string{"tasks/send": {"working"}}, "send poll-1"},
		{"canceled", cancel, map[string][]string{"tasks/send": {"working"}, "tasks/get": {"working", "canceled"}, "tasks/cancel": {"canceled"}}, "send before cancel get later"},
		{"over before it was canceled", cancel, map[string][]string{"tasks/send": {"completed"}, "tasks/get": {"completed"}}, "send before (cancel)"},
		{"failed", fail, map[string][]string{"tasks/send": {"failed"}, "tasks/get": {"failed"}}, "send look-1 look-2 look-3"},
		{"asked and answered", ask, map[string][]string{"tasks/send": {"input-required", "completed"}, "tasks/get": {"completed"}}, "send waiting-1 waiting-50 answer done-1 done-50"},
		{"asked late", ask, map[string][]string{"tasks/send": {"working", "completed"}, "tasks/get": {"input-required"}}, "send poll-1 waiting-1 waiting-50 answer done-1 done-50"},
		{"not asked", ask, map[string][]string{"tasks/send": {"completed"}}, "send (answer)"},
		{"finished", stays, map[string][]string{"tasks/send": {"completed"}, "tasks/get": {"completed"}}, "send look-1 look-2 look-3 look-4 look-5 again after-1 after-2"},
		{"not finished", stays, map[string][]string{"tasks/send": {"completed"}, "tasks/get": {"working"}}, "send look-1 look-2 look-3 look-4 look-5 (again)"},
		{"at the same time", twoTasks, map[string][]string{"tasks/send": {"completed"}, "tasks/get": {"completed"}}, "a b get-a get-b"},
		{"without a memory", sessions, map[string][]string{"tasks/send": {"completed"}, "tasks/get": {"completed"}}, "first second get-first get-second (stranger)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := perform(t, c.scenario, "{}", told(c.states))
			if got := steps(p); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if cut := strings.HasSuffix(c.want, ")"); cut != (p.Stop != "") {
				t.Errorf("why the play ended: %q", p.Stop)
			}
		})
	}
}

// A call in the background stands where it was started, and is the exchange
// that was waited for.
func TestPending(t *testing.T) {
	release := make(chan struct{})
	p := perform(t, Scenario{Name: "x", Play: func(c *Conversation) {
		slow := c.Start(Step{Name: "held", Op: "send"}, c.NewMessage("slow"))
		if slow.Ended(10 * time.Millisecond) {
			t.Error("a call that is held was taken as ended")
		}
		c.Call(Step{Name: "meanwhile", Op: "get"}, c.NewMessage("quick"))
		close(release)
		if r := slow.Wait(); r.State != "completed" {
			t.Errorf("the state %q was read", r.State)
		}
	}}, "{}", func(method string, params map[string]any) string {
		if method == "tasks/send" {
			<-release
		}
		return task(params["id"], "completed")
	})
	if got := steps(p); got != "held meanwhile" {
		t.Errorf("the steps are %s", got)
	}
	if p.Steps[0].Exchange.Before(p.Steps[1].Exchange) {
		t.Error("calls at the same time are told to follow each other")
	}
}
