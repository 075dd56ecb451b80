package scenario

import (
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// extendedCard asks for the card that is for known clients only: with the
// configured credentials, with none and with made-up ones. No call reaches the
// agent.
var extendedCard = Scenario{
	Name: "extended-card", Doc: "requests for the card that only known clients see",
	Ops: []string{"extended-card"},
	Play: func(c *Conversation) {
		ask := func(s Step) *Reply {
			s.Op = "extended-card"
			return c.Call(s, dialect.Outgoing{})
		}
		switch {
		case !c.Card.Exists():
			c.Play.Stop = "no agent card could be read"
			return
		case !c.Claimed("extended-card"):
			ask(Step{Name: "unclaimed", Role: wire.Probe})
			return
		}
		got := ask(Step{Name: "get", Role: wire.Twin})
		twin := "get"
		if !got.OK() { // it may want an object where nothing is due
			request := c.Request("get-empty", "extended-card", dialect.Outgoing{})
			request.Params = map[string]any{}
			c.Post(Step{Name: "get-empty", Op: "extended-card", Role: wire.Twin}, request)
			twin = "get-empty"
		}
		if c.Claimed("auth") && len(c.Secrets) > 0 {
			line := c.Client.Line(true)
			defer line.Close()
			ask(Step{Name: "bare", Role: wire.Probe, As: wire.Nobody, Line: line, Twin: twin})
			ask(Step{Name: "wrong", Role: wire.Probe, As: wire.Stranger, Line: line, Twin: twin})
		}
	},
}
