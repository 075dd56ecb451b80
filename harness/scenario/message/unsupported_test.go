package message

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/scenario/scenariotest"
)

func TestUnsupported(t *testing.T) {
	p := scenariotest.PlayWithAnswers(t, Unsupported, scenariotest.CardTakingAll, func(method string, p map[string]any) string {
		if method == "tasks/send" && p["pushNotification"] == nil {
			return scenariotest.Task(p["id"], "completed")
		}
		return `"error":{"code":-32003,"message":"no"}`
	})
	if got, want := scenariotest.Steps(p), "task push-set push-get send-with-push stream resubscribe"; got != want {
		t.Errorf("steps %s, want %s", got, want)
	}
	p = scenariotest.PlayWithAnswers(t, Unsupported, scenariotest.CardTakingAll, func(string, map[string]any) string { return scenariotest.Refusal })
	if got, want := scenariotest.Steps(p), "task (push-set) (push-get) send-with-push stream (resubscribe)"; got != want {
		t.Errorf("steps %s, want %s", got, want)
	}
}
