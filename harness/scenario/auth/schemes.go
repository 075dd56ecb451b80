package auth

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Schemes sends the harmless message once for each way of showing a credential
// that the card names and the operator configured, and by that way alone.
var Schemes = conversation.Scenario{Name: "schemes", Play: func(c *conversation.Conversation) {
	for _, way := range []struct {
		name string
		as   record.Caller
	}{{"bearer", record.ByBearer}, {"apikey", record.ByKey}, {"basic", record.ByBasic}} {
		s := conversation.Step{Name: way.name, Op: "send", As: way.as}
		switch _, configured := c.Callers[way.as]; {
		case !slices.Contains(c.Card.Kinds(), way.name):
			c.NotSent(s, "", "the card does not name the scheme %s", way.name)
		case !configured:
			c.NotSent(s, "", "no credential of that kind is configured")
		default:
			line := c.Client.Line(false)
			s.Line = line
			c.Call(s, c.NewMessage("quick"))
			line.Close()
		}
	}
}}
