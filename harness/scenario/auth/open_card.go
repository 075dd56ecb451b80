package auth

import (
	"net/http"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// OpenCard fetches the card like somebody who has no credentials yet and, with the
// operator's leave, the keys of who signed it.
var OpenCard = conversation.Scenario{Name: "open-card", Play: func(c *conversation.Conversation) {
	if c.Keys {
		fetchKeySets(c, c.Card)
	}
	if c.CardURL == "" {
		c.Play.Stop = "your configuration names a card that this server does not serve"
		return
	}
	if len(c.Secrets) == 0 {
		c.Play.Stop = "no credential is configured: the card was fetched without any"
		return
	}
	c.Raw(conversation.Step{Name: "get", Op: "document", Method: http.MethodGet, URL: c.CardURL, As: record.Nobody}, nil)
}}
