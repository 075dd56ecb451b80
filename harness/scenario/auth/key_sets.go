package auth

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// maxKeySets bounds how many key sets are fetched for one card.
const maxKeySets = 4

// fetchKeySets fetches the key sets that the signatures of a card name, without
// credentials. Where one lies is stated by whoever wrote the card, so that only the
// target's own host is asked.
func fetchKeySets(c *conversation.Conversation, of card.Card) {
	for i, address := range of.KeySets() {
		if i == maxKeySets {
			return
		}
		s := conversation.Step{Name: fmt.Sprintf("keys-%d", i+1), Op: "document", Role: record.Probe, Method: http.MethodGet, URL: address, As: record.Nobody}
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" || !c.Near(address) {
			c.NotSent(s, "", "the key set is not on the target's own host: %q", address)
			continue
		}
		c.Raw(s, nil)
	}
}
