package auth

import (
	"net/http"
	"net/url"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// PlainHTTP makes a call to the plain port of the endpoint's host. It carries
// no credential: whoever listens there may not be the server.
var PlainHTTP = conversation.Scenario{Name: "plain-http", Play: func(c *conversation.Conversation) {
	u, err := url.Parse(c.RPC)
	if err != nil {
		c.Play.Stop = "the endpoint's URL cannot be read"
		return
	}
	u.Scheme, u.Host, u.User = "http", u.Hostname(), nil
	without := http.Header{}
	for name := range c.Header {
		without[name] = nil
	}
	c.Call(conversation.Step{Name: "send", Role: record.Probe, Op: "send", URL: u.String(), Header: without},
		dialect.Outgoing{Text: c.Text("quick"), Task: c.NewTask(), Context: c.NewContext()})
}}
