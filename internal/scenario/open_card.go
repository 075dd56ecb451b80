package scenario

import "github.com/a2a-conform/a2a-conform/harness/wire"

// openCard fetches the card like somebody who has no credentials yet.
var openCard = Scenario{
	Name: "open-card", Doc: "the card once more, without credentials",
	Play: func(c *Conversation) {
		switch {
		case c.CardURL == "":
			c.Play.Stop = "the operator names a card that is not the server's to hand out"
			return
		case len(c.Secrets) == 0:
			c.Play.Stop = "no credential is configured: the card was fetched without any"
			return
		}
		c.Raw(Step{Name: "get", Op: "document", Method: "GET", URL: c.CardURL, As: wire.Nobody}, nil)
	},
}
