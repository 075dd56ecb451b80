package conversation

import (
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Hook is a webhook URL of a play.
type Hook struct {
	Name    string
	URL     string
	Play    string
	Subject record.Subject
	Attempt int
	Task    string       // whose changes are to be delivered
	Inbox   *client.Hook // nil if the server cannot reach us
}

// WebhookCredential is the name of the secret that servers are to show to our
// webhook: records have it in place of the value.
const WebhookCredential = "webhook-credential"

// Delivery is the operation of a step in which the server called us.
const Delivery = "delivery"

// Nowhere begins the URLs of webhooks at which no delivery is awaited.
const Nowhere = "https://nowhere.invalid/"

// Hooks are the webhook URLs that the plays of a run made, in order.
func (s *Setting) Hooks() []*Hook {
	s.hooking.Lock()
	defer s.hooking.Unlock()
	return s.hooks
}

// NewHook makes a webhook URL for the play. If the server cannot reach us it
// leads nowhere.
func NewHook(c *Conversation, name string) *Hook {
	h := &Hook{Name: name, Play: c.Play.Scenario, Subject: c.Play.Subject, Attempt: c.Play.Attempt}
	if c.Receiver != nil {
		h.Inbox = c.Receiver.Hook(c.NewID())
		h.URL = h.Inbox.URL()
	} else {
		h.URL = Nowhere + c.NewID() + client.HookQuery
	}
	c.hooking.Lock()
	defer c.hooking.Unlock()
	c.hooks = append(c.hooks, h)
	return h
}

// NewPushConfig is a push configuration with the hook's URL and a token of its own.
func NewPushConfig(c *Conversation, h *Hook) dialect.Push {
	return dialect.Push{URL: h.URL, Token: NewToken(c)}
}
