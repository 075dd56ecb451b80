package directory

import (
	"net/http"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Lookup asks a directory what it must be able to say without anything having
// been registered.
var Lookup = conversation.Scenario{
	Name: "lookup", Doc: "a search for a capability that nobody has, and the list of agents, with and without credentials",
	Base: true, Witness: true, Ops: []string{"discover"},
	Steps: map[string]string{
		"discover":      "Calls {discover} for a capability that no agent has.",
		"bare-discover": "Calls {discover} for a capability that no agent has, without credentials.",
		"list":          "Fetches the list of agents by GET.",
		"bare-list":     "Fetches the list of agents by GET without credentials.",
		"unknown-entry": "Fetches the entry of an agent that does not exist by GET.",
	},
	Play: func(c *conversation.Conversation) {
		play := directoryPlay{c}
		c.Call(conversation.Step{Name: "discover", Op: "discover"}, dialect.Outgoing{Wanted: []string{c.NewID()}})
		c.Call(conversation.Step{Name: "bare-discover", Role: record.Probe, Op: "discover", As: record.Nobody, Twin: "discover"}, dialect.Outgoing{Wanted: []string{c.NewID()}})
		c.Get("list", "document", c.Base+c.Dialect.Directory.List)
		c.Raw(conversation.Step{Name: "bare-list", Role: record.Probe, Op: "document", As: record.Nobody, Method: http.MethodGet, URL: c.Base + c.Dialect.Directory.List}, nil)
		play.fetchEntry("unknown-entry", c.NewID(), record.Probe)
	},
}
