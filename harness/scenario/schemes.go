package scenario

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// schemes sends the harmless message once for each way of showing a credential
// that the card names and the operator configured, and by that way alone.
var schemes = Scenario{
	Name: "schemes", Doc: "one harmless message for each scheme on the card for which a credential is configured",
	Ops: []string{"send"}, Sends: 3, Chain: 2,
	Play: func(c *Conversation) {
		for _, way := range []struct {
			name string
			as   wire.Caller
		}{{"bearer", wire.ByBearer}, {"apikey", wire.ByKey}, {"basic", wire.ByBasic}} {
			s := Step{Name: way.name, Op: "send", As: way.as}
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
	},
}

// sendToAgentEndpoint calls the endpoint of an agent, with credentials and without.
func (g *guardPlay) sendToAgentEndpoint() {
	if g.Dialect.Agents.RPC == "" || !g.Card.Exists() {
		return
	}
	name := g.Card.Name()
	if strings.TrimSpace(name) == "" {
		g.NotSent(Step{Name: "bare-agent", Op: "send"}, "", "the card does not name its agent")
		return
	}
	at := g.Base + g.Dialect.Agents.Path(g.Dialect.Agents.RPC, name)
	g.Call(Step{Name: "agent", Role: wire.Twin, Op: "send", URL: at}, g.NewMessage("quick"))
	s := g.stepWithoutCredentials("bare-agent", "send")
	s.URL, s.Twin = at, "agent"
	g.Call(s, g.NewMessage("quick"))
}
