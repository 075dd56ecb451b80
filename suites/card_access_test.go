package suites_test

import "testing"

// A permission that the server makes no use of is not applicable, and one that it
// uses passes. Neither is ever broken.
func TestCardAccess(t *testing.T) {
	const (
		secret  = "secret bearer\n"
		mine    = "card/well-known card\n < 200 application/json {}\n"
		refused = "card/well-known card\n < 401 text/plain no\n"
		bare    = "open-card/get document as=nobody\n < "
		older   = "card/older document role=probe\n < "
		none    = "404 text/html no\n"
	)
	runTrials(t, "card_freedoms", []trial{
		{"discovery/guarded-card", "{step: open-card/get}", map[string]string{
			"pass:401":                              secret + mine + bare + "401 text/plain no\n",
			"pass:403":                              secret + mine + bare + "403 text/plain no\n",
			"pass:named, on the server":             secret + named + anothers + bare + "401 text/plain no\n",
			"not-applicable:open":                   secret + mine + bare + "200 application/json {}\n",
			"not-applicable:none configured":        mine,
			"not-applicable:on another":             secret + foreign + anothers,
			"not-applicable:in a file":              secret + cardInFile(`{}`) + anothers,
			"inconclusive:refused, none configured": refused,
			"inconclusive:refused to everybody":     secret + refused + bare + "401 text/plain no\n",
			"inconclusive:gone":                     secret + mine + bare + "500 text/plain no\n",
			"inconclusive:no card":                  "card/well-known card\n < " + none,
		}},
		{"discovery/older-place", "", map[string]string{
			"pass":                              mine + older + "200 text/html {}\n",
			"not-applicable:not there":          mine + older + none,
			"not-applicable:500":                mine + older + "500 text/html no\n",
			"not-applicable:a page":             mine + older + "200 text/html <p>\n",
			"not-applicable:an error for all":   mine + older + "200 application/json " + rpcError("null", -32600) + "\n",
			"not-applicable:there alone":        "card/well-known card\n < " + none + "card/older card\n < 200 application/json {}\n",
			"not-applicable:elsewhere":          named + anothers + older + "200 application/json {}\n",
			"not-applicable:in a file":          cardInFile(`{}`) + anothers + older + "200 application/json {}\n",
			"inconclusive:it was not asked for": mine,
		}},
		{"discovery/open-card", "{step: open-card/get, card: card/well-known}", map[string]string{
			"pass:named":                  secret + named + anothers + bare + "200 application/json {}\n",
			"fail:named":                  secret + named + anothers + bare + "401 text/plain no\n",
			"pass:named, none configured": named + anothers,
			"fail:named, none configured": "card/configured card\n < 401 text/plain no\n" + anothers,
			"not-applicable:on another":   foreign + anothers,
			"not-applicable:in a file":    cardInFile(`{}`) + anothers,
		}},
	})
}
