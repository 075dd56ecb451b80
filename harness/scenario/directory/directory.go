// Package directory has the scenarios of a directory of agents.
package directory

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Directory registers two agents that share a capability with no one, looks for
// them in every way there is, and registers the first one anew.
var Directory = conversation.Scenario{
	Name: "directory", Doc: "three agents of ours, registered and searched for; the first one is registered anew", Risk: schema.Residue,
	Ops: []string{"register", "discover"},
	Steps: map[string]string{
		"a":              "Calls {register} for an agent with three new capabilities.",
		"b":              "Calls {register} for an agent with another new capability.",
		"find-1":         "Calls {discover} for the first capability of a.",
		"find-2":         "Calls {discover} for the second capability of a.",
		"find-3":         "Calls {discover} for the third capability of a.",
		"find-either":    "Calls {discover} for a capability of a and one of b.",
		"find-both":      "Calls {discover} for two capabilities of a.",
		"find-part":      "Calls {discover} for a capability of a without its last letter.",
		"list":           "Fetches the list of agents by GET.",
		"entry":          "Fetches the entry of a by GET.",
		"bare":           "Calls {register} without credentials.",
		"again":          "Calls {register} for a with another name, endpoint and capabilities.",
		"again-shared":   "Calls {discover} for the capability that a kept.",
		"again-given-up": "Calls {discover} for a capability that a gave up.",
		"again-list":     "Fetches the list of agents by GET after a was registered again.",
		"again-entry":    "Fetches the entry of a by GET after it was registered again.",
	},
	Play: func(c *conversation.Conversation) {
		play := directoryPlay{c}
		register := func(step string, e *dialect.Entry, s conversation.Step) *conversation.Reply {
			s.Name, s.Op, s.Agent = step, "register", e.ID
			return c.Call(s, dialect.Outgoing{Entry: e})
		}
		find := func(step string, wanted ...string) {
			c.Call(conversation.Step{Name: step, Op: "discover"}, dialect.Outgoing{Wanted: wanted})
		}
		first, shared, third, other := c.NewID(), c.NewID(), c.NewID(), c.NewID()
		a, b := newEntry(c, first, shared, third), newEntry(c, other)
		if !register("a", a, conversation.Step{}).OK() {
			c.EndPlay(conversation.Step{Name: "b", Op: "register"}, "a", "no agent could be registered")
			return
		}
		register("b", b, conversation.Step{})
		for i, capability := range a.Capabilities {
			find(fmt.Sprintf("find-%d", i+1), capability)
		}
		find("find-either", first, other)
		find("find-both", first, shared)
		find("find-part", first[:len(first)-1])
		c.Get("list", "document", c.Base+c.Dialect.Directory.List)
		play.fetchEntry("entry", a.ID, record.Main)
		register("bare", newEntry(c, c.NewID()), conversation.Step{Role: record.Probe, As: record.Nobody, Twin: "a"})
		again := *a
		again.Name, again.Capabilities, again.Endpoint = a.Name+", renamed", []string{shared, c.NewID()}, unusedEndpoint(c, c.NewID())
		register("again", &again, conversation.Step{Role: record.Probe})
		find("again-shared", shared)
		find("again-given-up", first)
		c.Get("again-list", "document", c.Base+c.Dialect.Directory.List)
		play.fetchEntry("again-entry", a.ID, record.Main)
	},
}
