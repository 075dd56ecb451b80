package directory

import (
	"net/http"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Lookup asks a directory what it must be able to say without anything having
// been registered.
var Lookup = conversation.Scenario{Name: "lookup", Play: func(c *conversation.Conversation) {
	c.Call(conversation.Step{Name: "discover", Op: "discover"}, dialect.Outgoing{Wanted: []string{c.NewID()}})
	c.Call(conversation.Step{Name: "bare-discover", Role: record.Probe, Op: "discover", As: record.Nobody, Twin: "discover"}, dialect.Outgoing{Wanted: []string{c.NewID()}})
	c.Get("list", "document", c.Base+c.Dialect.Directory.List)
	c.Raw(conversation.Step{Name: "bare-list", Role: record.Probe, Op: "document", As: record.Nobody, Method: http.MethodGet, URL: c.Base + c.Dialect.Directory.List}, nil)
	fetchEntry(c, "unknown-entry", c.NewID(), record.Probe)
}}
