package mutants

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// AuthMutants are about the guard before the methods.
func AuthMutants(w Wording) []front.Mutant {
	return front.In("guarded", front.InArea("auth",
		front.Mutant{Name: "guard-optional", Summary: w.Send + " is served without credentials.",
			Guard: func(c *front.Caller) {
				if !CarriesToken(c) {
					front.AnonymousTo(w.Send)(c)
				}
			}},
		front.Mutant{Name: "guard-counts-headers", Summary: "Any credential is accepted.",
			Guard: func(c *front.Caller) {
				if c.Credential != "" && c.Client == "" {
					c.Client = "first"
				}
			}},
		front.Mutant{Name: "guard-reads-body", Summary: w.Send + " wants its token in the JSON body.",
			Guard: func(c *front.Caller) {
				if c.Method == w.Send && !CarriesToken(c) {
					c.Client = ""
				}
			}},
		front.Mutant{Name: "guard-takes-metadata", Summary: "A token in the metadata of a call is accepted.",
			Guard: func(c *front.Caller) {
				if CarriesToken(c) {
					c.Client = "first"
				}
			}},
		front.Mutant{Name: "guard-open-get", Summary: w.Get + " is open.", Guard: front.AnonymousTo(w.Get)},
		front.Mutant{Name: "guard-open-cancel", Summary: w.Cancel + " is open.", Guard: front.AnonymousTo(w.Cancel)},
		front.Mutant{Name: "guard-open-stream", Summary: w.Stream + " is open.", Guard: front.AnonymousTo(w.Stream)},
		front.Mutant{Name: "guard-open-resubscribe", Summary: w.Resubscribe + " is open.", Guard: front.AnonymousTo(w.Resubscribe)},
		front.Mutant{Name: "guard-open-push", Summary: "The push configuration can be set without credentials.", Guard: front.AnonymousTo(w.SetPush)},
		front.Mutant{Name: "guard-shares-tasks", Summary: "Every client can read every task.",
			Guard: func(c *front.Caller) { c.Owner = "" }},
		front.Mutant{Name: "guard-shares-subscribe", Summary: w.Resubscribe + " follows the tasks of others.",
			Guard: func(c *front.Caller) {
				if c.Method == w.Resubscribe {
					c.Owner = ""
				}
			}},
		front.Mutant{Name: "guard-shares-running", Summary: w.Resubscribe + " follows the tasks of others as long as they run.",
			Guard: func(c *front.Caller) {
				if c.Method == w.Resubscribe && c.Working {
					c.Owner = ""
				}
			}},

		front.Mutant{Name: "challenge-missing", Summary: "HTTP 401 comes without a challenge.",
			Reply: func(x *front.Reply) { x.Header.Del("WWW-Authenticate") }},
		front.Mutant{Name: "challenge-foreign", Summary: "The challenge says Basic, the card Bearer.",
			Reply: func(x *front.Reply) {
				if x.Header.Get("WWW-Authenticate") != "" {
					x.Header.Set("WWW-Authenticate", `Basic realm="a2a-conform, Bearer"`)
				}
			}},
	)...)
}

// CarriesToken reports whether the metadata of a call holds the token.
func CarriesToken(c *front.Caller) bool {
	return strings.Contains(string(front.Encode(front.At(c.Body, "params/metadata"))), front.Token) ||
		strings.Contains(string(front.Encode(front.At(c.Body, "params/message/metadata"))), front.Token)
}
