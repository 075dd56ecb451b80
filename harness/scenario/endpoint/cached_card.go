package endpoint

import (
	"net/http"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// CachedCard fetches the card like a client that has it already: once more, and once
// only if it has changed since.
var CachedCard = conversation.Scenario{Name: "cached-card", Play: func(c *conversation.Conversation) {
	if c.CardURL == "" {
		c.Play.Stop = "your configuration names a card that this server does not serve"
		return
	}
	header := http.Header{} // the card may depend on them
	binding.SetHeaders(header, c.Dialect.Headers)
	again := c.Raw(conversation.Step{Name: "again", Op: "document", Method: http.MethodGet, URL: c.CardURL, Header: header}, nil)
	known := conversation.Step{Name: "unchanged", Op: "document", Role: record.Probe, Method: http.MethodGet, URL: c.CardURL}
	tag := again.Response.Header().Get("ETag")
	if tag == "" {
		c.NotSent(known, "again", "the card came without an ETag")
		return
	}
	known.Header = header.Clone()
	known.Header.Set("If-None-Match", tag)
	c.Raw(known, nil)
}}
