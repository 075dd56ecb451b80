// Package directory has the scenarios of a directory of agents.
package directory

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Directory registers two agents that share a capability with no one, looks for
// them in every way there is, and registers the first one anew.
var Directory = conversation.Scenario{Name: "directory", Play: func(c *conversation.Conversation) {
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
		c.EndPlayWithUnsentStep(conversation.Step{Name: "b", Op: "register"}, "a", "no agent could be registered")
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
	fetchEntry(c, "entry", a.ID, record.Main)
	register("bare", newEntry(c, c.NewID()), conversation.Step{Role: record.Probe, As: record.Nobody, Twin: "a"})
	again := *a
	again.Name, again.Capabilities, again.Endpoint = a.Name+", renamed", []string{shared, c.NewID()}, goneAgentURL(c, c.NewID())
	register("again", &again, conversation.Step{Role: record.Probe})
	find("again-shared", shared)
	find("again-given-up", first)
	c.Get("again-list", "document", c.Base+c.Dialect.Directory.List)
	fetchEntry(c, "again-entry", a.ID, record.Main)
}}
