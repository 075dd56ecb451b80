package conversation_test

import (
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/scenario/scenariotest"
)

// A call in the background stands where it was started, and is the exchange
// that was waited for.
func TestPending(t *testing.T) {
	release := make(chan struct{})
	p := scenariotest.PlayWithAnswers(t, conversation.Scenario{Name: "x", Play: func(c *conversation.Conversation) {
		slow := c.Start(conversation.Step{Name: "held", Op: "send"}, c.NewMessage("slow"))
		if slow.Ended(10 * time.Millisecond) {
			t.Error("a call that is held was taken as ended")
		}
		c.Call(conversation.Step{Name: "meanwhile", Op: "get"}, c.NewMessage("quick"))
		close(release)
		if r := slow.Wait(); r.State != "completed" {
			t.Errorf("the state %q was read", r.State)
		}
	}}, "{}", func(method string, params map[string]any) string {
		if method == "tasks/send" {
			<-release
		}
		return scenariotest.Task(params["id"], "completed")
	})
	if got := scenariotest.Steps(p); got != "held meanwhile" {
		t.Errorf("the steps are %s", got)
	}
	if p.Steps[0].Exchange.Before(p.Steps[1].Exchange) {
		t.Error("calls at the same time are told to follow each other")
	}
}
