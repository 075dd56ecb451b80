package scenario

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// openCard fetches the card like somebody who has no credentials yet and, with the
// operator's leave, the keys of who signed it.
var openCard = Scenario{
	Name: "open-card", Doc: "the card again, without credentials; if allowed, the keys of its signers",
	Play: func(c *Conversation) {
		if c.Keys {
			fetchKeySets(c, c.Card)
		}
		if c.CardURL == "" {
			c.Play.Stop = "your configuration names a card that this server does not serve"
			return
		}
		if len(c.Secrets) == 0 {
			c.Play.Stop = "no credential is configured: the card was fetched without any"
			return
		}
		c.Raw(Step{Name: "get", Op: "document", Method: http.MethodGet, URL: c.CardURL, As: wire.Nobody}, nil)
	},
}

// maxKeySets bounds how many key sets are fetched for one card.
const maxKeySets = 4

// fetchKeySets fetches the key sets that the signatures of a card name, without
// credentials. Where one lies is the word of whoever wrote the card, so that only the
// target's own host is asked.
func fetchKeySets(c *Conversation, of card.Card) {
	for i, address := range of.KeySets() {
		if i == maxKeySets {
			return
		}
		s := Step{Name: fmt.Sprintf("keys-%d", i+1), Op: "document", Role: wire.Probe, Method: http.MethodGet, URL: address, As: wire.Nobody}
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" || !c.Near(address) {
			c.NotSent(s, "", "the key set is not on the target's own host: %q", address)
			continue
		}
		c.Raw(s, nil)
	}
}
