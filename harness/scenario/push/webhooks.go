package push

import (
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// withBearer is the configuration with a demand for credentials.
func withBearer(c *conversation.Conversation, p dialect.Push) dialect.Push {
	return withCredentials(c, "Bearer", p)
}

// withCredentials is guarded with the credentials in a certain scheme.
func withCredentials(c *conversation.Conversation, scheme string, p dialect.Push) dialect.Push {
	p.Scheme, p.Credentials = scheme, c.Credential
	return p
}

// awaitDelivery waits for deliveries to one of the hooks, until they are what the play
// waits for or the window is over, and records which of them it was. If the
// server cannot reach us there is nothing to wait for. If deliveries may have come that
// there was no room for, no one knows what came.
func awaitDelivery(c *conversation.Conversation, step string, enough func() bool, hooks ...*conversation.Hook) {
	if c.Receiver == nil {
		return
	}
	missed := func(h *conversation.Hook) bool { return c.Receiver.Missed(h.Inbox) }
	switch {
	case waitUntilDelivered(c, enough, hooks):
		c.Reached("delivered", step)
	case c.Stopped():
	case slices.ContainsFunc(hooks, missed):
		c.Reached("unreceived", step)
	default:
		c.Reached("undelivered", step)
	}
}

func waitUntilDelivered(c *conversation.Conversation, enough func() bool, hooks []*conversation.Hook) bool {
	window := c.Window("delivery", 5*time.Second)
	timer := time.NewTimer(window)
	defer timer.Stop()
	for {
		var news [3]<-chan struct{} // a nil one never comes
		for i, h := range hooks {
			news[i] = h.Inbox.News(len(h.Inbox.Deliveries()) + h.Inbox.Surplus())
		}
		if enough() {
			return true
		}
		select {
		case <-news[0]:
		case <-news[1]:
		case <-news[2]:
		case <-timer.C:
			c.Wait("delivery", window)
			return false
		case <-c.Context.Done():
			return false
		}
	}
}

// mayHaveReportedEnd reports whether a delivery to the hook states that the task has ended, or
// does not say what became of it.
func mayHaveReportedEnd(c *conversation.Conversation, h *conversation.Hook) bool {
	return slices.ContainsFunc(h.Inbox.Deliveries(), func(x *record.Exchange) bool {
		return hasTerminalOrAwaitingState(c, x) || len(deliveredStates(c, x)) == 0 && !hasSortWithoutState(c, x)
	})
}

// hasTerminalOrAwaitingState reports whether a delivery states that the task has ended.
func hasTerminalOrAwaitingState(c *conversation.Conversation, x *record.Exchange) bool {
	return slices.ContainsFunc(deliveredStates(c, x), c.IsTerminalOrAwaitsClient)
}

// readWebhookIfIDGiven reads a webhook by the id that the server gave it in an earlier step.
func readWebhookIfIDGiven(c *conversation.Conversation, step, reasonIfUnsent, task, id string) {
	if id == "" {
		c.NotSent(conversation.Step{Name: step, Op: "push-get"}, reasonIfUnsent, "the server gave the webhook no id by which it could be read")
		return
	}
	c.Call(conversation.Step{Name: step, Op: "push-get"}, dialect.Outgoing{Task: task, Config: id})
}

// deliveredStates are the task states that the body of a delivery names.
func deliveredStates(c *conversation.Conversation, x *record.Exchange) []string {
	var out []string
	for _, f := range x.Call().Root.Find(c.Dialect.Delivered.Status) {
		if n := f.Node.At(c.Dialect.Delivered.State); n != nil && n.Kind == record.String && c.Dialect.State(n.String) != nil {
			out = append(out, n.String)
		}
	}
	return out
}

// hasSortWithoutState reports whether the body of a delivery is of a sort that shows nothing of
// the task's state.
func hasSortWithoutState(c *conversation.Conversation, x *record.Exchange) bool {
	sort, _ := binding.Content(c.Dialect, conversation.Delivery, x.Call().Root)
	_, tells := c.Dialect.Pointer(sort, "task.state")
	return sort != "" && c.Dialect.Held(conversation.Delivery) && !tells
}

// isAccepted reports whether a configuration was accepted: what the result of that
// is, not every protocol states.
func isAccepted(r *conversation.Reply) bool {
	return r.Answer.Result.Exists() && !r.Answer.Failure.Exists()
}
