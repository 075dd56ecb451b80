package auth

import (
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// ExtendedCard asks for the card that is for known clients only: with the
// configured credentials, with none, with made-up ones and as a client with few
// rights. No call reaches the agent.
var ExtendedCard = conversation.Scenario{Name: "extended-card", Play: func(c *conversation.Conversation) {
	empty := false // whether calls carry an object with nothing in it
	ask := func(s conversation.Step) *conversation.Reply {
		s.Op = "extended-card"
		request := c.Request(s.Name, s.Op, dialect.Outgoing{})
		if empty {
			request.Params = map[string]any{}
		}
		return c.Post(s, request)
	}
	switch {
	case !c.Card.Exists():
		c.Play.Stop = "no agent card could be read"
		return
	case !c.Claimed("extended-card"):
		ask(conversation.Step{Name: "unclaimed", Role: record.Probe})
		return
	}
	got := ask(conversation.Step{Name: "get", Role: record.Twin})
	twin := "get"
	if !got.OK() { // it may want an object if nothing is due
		empty, twin = true, "get-empty"
		got = ask(conversation.Step{Name: twin, Role: record.Twin})
	}
	if c.Keys && got.OK() {
		fetchKeySets(c, card.Of(c.Dialect, got.Result))
	}
	if (c.Claimed("auth") || c.Claimed("schemes")) && len(c.Secrets) > 0 {
		line := c.Client.Line(true)
		defer line.Close()
		others := func(name string, as record.Caller) {
			ask(conversation.Step{Name: name, Role: record.Probe, As: as, Line: line, Twin: twin})
		}
		others("bare", record.Nobody)
		others("wrong", record.Stranger)
		if _, ok := c.Callers[record.Low]; ok {
			others("low", record.Low)
		}
	}
}}
