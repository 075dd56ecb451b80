package task

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/scenario/scenariotest"
)

func TestFinished(t *testing.T) {
	state := func(send, get string) func(string, map[string]any) string {
		return func(method string, p map[string]any) string {
			switch method {
			case "tasks/send":
				return scenariotest.Task(p["id"], send)
			case "tasks/get":
				return scenariotest.Task(p["id"], get)
			}
			return scenariotest.Refusal
		}
	}
	for _, c := range []struct{ name, send, get, want, ended string }{
		{"at once", "completed", "completed", "send before cancel get", "before"},
		{"later", "working", "failed", "send poll-1 before cancel get", "before"},
		{"paused", "input-required", "input-required", "send before (cancel) (get)", ""},
		{"forgotten", "completed", "working", "send before (cancel) (get)", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := scenariotest.PlayWithAnswers(t, Finished, scenariotest.CardTakingAll, state(c.send, c.get))
			if got := scenariotest.Steps(p); got != c.want {
				t.Errorf("steps %s, want %s", got, c.want)
			}
			ended := ""
			for _, m := range p.Reached {
				if m.Name == "ended" {
					ended = m.Step
				}
			}
			if ended != c.ended {
				t.Errorf("ended at %q, want %q", ended, c.ended)
			}
		})
	}
}
