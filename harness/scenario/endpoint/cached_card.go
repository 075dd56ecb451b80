package endpoint

import (
	"net/http"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// CachedCard fetches the card like a client that has it already: once more, and once
// only if it has changed since. If it lists an older version, it is fetched like clients of either version do.
var CachedCard = conversation.Scenario{Name: "cached-card", Play: func(c *conversation.Conversation) {
	if c.CardURL == "" {
		c.Play.Stop = "your configuration names a card that this server does not serve"
		return
	}
	fetchCardOfVersions(c)
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

// fetchCardOfVersions fetches the card as clients of this version and of the older one do that it lists. It is fetched twice for
// this version, so that a card that changes at each look is not taken for one that depends on the version.
func fetchCardOfVersions(c *conversation.Conversation) {
	version := c.Card.OlderVersion()
	if version == "" {
		return
	}
	older := map[string]string{}
	for name := range c.Dialect.Headers {
		older[name] = version
	}
	for _, one := range []struct {
		step    string
		headers map[string]string
	}{{"newer", c.Dialect.Headers}, {"older", older}, {"newer-again", c.Dialect.Headers}} {
		header := http.Header{}
		binding.SetHeaders(header, one.headers)
		c.Raw(conversation.Step{Name: one.step, Op: "document", Role: record.Probe, Method: http.MethodGet, URL: c.CardURL, Header: header}, nil)
	}
}
