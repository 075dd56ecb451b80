package auth

import (
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Anonymous sends the harmless message without the operator's credentials to a
// server that asks for none. Without any configured, every call is such a one.
var Anonymous = conversation.Scenario{Name: "anonymous", Play: func(c *conversation.Conversation) {
	switch {
	case !c.Card.Exists():
		c.Play.Stop = "no agent card could be read"
	case c.Card.Demands() == card.Yes:
		c.Play.Stop = "the card says that the server demands credentials"
	case c.Claimed("auth"):
		c.Play.Stop = "the card does not say whether the server demands credentials; the conversation guard tests that"
	case len(c.Secrets) == 0:
		c.Play.Stop = "no credential is configured: the other calls carry none either"
	default:
		line := c.Client.Line(true)
		defer line.Close()
		c.Call(conversation.Step{Name: "send", Role: record.Probe, Op: "send", As: record.Nobody, Line: line}, c.NewMessage("quick"))
	}
}}
